"""What follows a message on its line: the logger in brackets, a thread; or, before it, the level on a line of its own."""

import re
from collections.abc import Iterator

from transforms.parse.catalogue.anchors import is_kafka_logger
from transforms.parse.lines.prefixes import prefix_of
from transforms.parse.lines.tokens import GROUP, LEVEL, NAME, Head, logger_of, normal_level
from transforms.when_used import when_used

# In brackets, or behind blanks alone where it is one of Kafka's with its package.
_TAIL = when_used(
    r"(?m)(?:[ \t]*[\[({<|@-][ \t]*|[ \t]{2,}(?=org\.apache\.kafka\.))"
    rf"(?P<logger>{NAME}?)(?:\.java|\.scala)?(?::[\w<>$]+)?(?::\d+)?[ \t]*[\])}}>]?"
    rf"(?P<rest>(?:[ \t]+(?:{GROUP}))*)[ \t]*[\"'`]?,?[ \t]*$",
)
_INDENT = when_used(r"[ \t]*(?:[|:][ \t]*)?")  # of a column that a narrow page put below the others
# The end of a logger that a terminal broke at its width, and what stands behind it.
_BROKEN = when_used(r"(?P<end>[\w$]{1,100})[ \t]*(?:\[\][ \t]*)?[-:|]+[ \t]*")
_BEGINS_TAIL = when_used(r"(?:^| )[(\[{<|\-@]")  # of a line that says nothing, all of it
MOST_TAILS = 4  # of a line that are looked at
BELOW = when_used(rf"\s*({LEVEL}): ")


def take_below(head: Head) -> None:
    """Where a head stands on a line of its own, the message is below: java.util.logging puts the level there, too, GlassFish
    brackets around it."""
    first, _, rest = head.message.partition("\n")
    if not rest or first.strip().replace(" | ", "|").count(" ") > 1:
        return
    found = BELOW.match(rest) if head.level is None else None
    if found is not None:
        head.level = normal_level(found[1])
        head.message = rest[found.end() :]
    elif (
        head.logger is not None
        and prefix_of(head.message).length <= len(first) + 1  # else a page broke within it
        and (begin := _INDENT.match(rest)) is not None
        and prefix_of(rest[begin.end() :]).length
    ):
        head.thread = head.thread or first.strip() or None
        head.message = rest[begin.end() :]
    elif (
        (begun := head.logger if not first.strip() else logger_of(first.strip())) is not None
        and (broken := _BROKEN.match(rest)) is not None
        and prefix_of(rest[broken.end() :]).length
    ):
        head.logger = begun + broken["end"]
        head.message = rest[broken.end() :]
    elif not first.strip("[ "):
        head.message = rest.strip().removesuffix("]]") if first.strip() else rest.strip()


def take_tail(head: Head) -> str:
    """Cut the logger off the end of the message, and what follows it; a stack trace behind it stays. Gives its shape."""
    message = head.message
    if (quick := whole_end(message)) is not None:
        head.message, head.logger = quick
        return " (<logger>)"
    for found in _tails(message):
        name, before = found["logger"], message[: found.start()]
        is_below = "\n" in before and "\n\t" not in before
        if not is_kafka_logger(name) and (is_below or name.count(".") < 2 or not logger_of(name)):
            continue
        head.logger = name
        rest = found["rest"].strip()
        if rest[:1] in ("[", "(") and head.thread is None and "=" not in rest:
            head.thread = rest[1:-1].strip() or None
        trace = message[found.end() :].rstrip()
        shape = message[found.start() : found.end()].replace(name, "<logger>", 1)
        if rest and head.thread == rest[1:-1].strip():
            shape = shape.replace(rest, f"{rest[0]}<thread>{rest[-1]}")
        head.message = before.rstrip() + trace
        return " " + re.sub(r":\d+", "", shape.strip())
    return ""


def whole_end(message: str) -> tuple[str, str] | None:
    """Message and logger where a line ends as most do: ` (org.apache.kafka.clients.NetworkClient)`."""
    end = len(message.partition("\n")[0])
    begin = message.rfind(" (", 0, end)
    if begin < 0 or not message.endswith(")", begin, end):
        return None
    name = message[begin + 2 : end - 1].partition(":")[0]
    if not name.startswith("org.apache.kafka.") or not is_kafka_logger(name):
        return None
    return message[:begin].rstrip() + message[end:].rstrip(), name


def _tails(message: str) -> Iterator[re.Match[str]]:
    """What may be one: at the first line's end, then at those below it."""
    end = message.find("\n")
    first = message if end < 0 else message[:end]
    bare = first.rfind("  org.apache.kafka.")
    held = [found.start() for found in _BEGINS_TAIL.finditer(first)][-MOST_TAILS:]
    yield from filter(None, (_TAIL.match(message, at) for at in (bare, *reversed(held)) if at >= 0))
    while end >= 0 and (end := message.find(" (", end)) >= 0:
        if (found := _TAIL.match(message, end)) is not None:
            yield found
        end += 2
