"""Exceptions in a record: the chain of its stack trace, and the failure that an exception's text proves."""

import re
from dataclasses import dataclass
from functools import cache
from typing import Any

import re2

from transforms.parse.catalogue.by_literal import FormsByLiteral, any_of, encoded
from transforms.parse.catalogue.errors import BY_WORDS
from transforms.parse.catalogue.form import Family
from transforms.parse.catalogue.forms import exception_forms, said_by_exceptions
from transforms.when_used import when_used

_THROWN = when_used(
    r"^\s*(?:Caused by: |Wrapped by: |---> |Exception in thread \"[^\"]*\" )?"
    r"((?:[A-Za-z_$][\w$]*\.)+[A-Z][\w$]*(?:Exception|Error|Throwable))(?::(?: (.*))?)?\s*$"
)
# The class of what went wrong, as a word of a line, whoever's it is.
ERROR_NAME = r"(?:[A-Z]\w{1,80}(?:Exception|Error)|KafkaJS[A-Z]\w{2,60})"
# Kafka's own, and those of Java that Kafka's are wrapped in (ExecutionException: org.apache.kafka...: text).
_INLINE = when_used(
    r"(?<!ogger )(?<!ogger: )(?<!ogger[ =:][\"'\[])(?<!ogger: ')(?<!\) throws )"  # a logger's name, a method's own
    r"((?:org\.apache\.kafka|(?<![\w.])kafka\.common|java)\.[\w.$]{1,200}?(?:Exception|Error|Throwable)\b(?!\.)"
    r"|Java::OrgApacheKafka\w{1,80}::\w{1,80}?(?:Exception|Error)\b)(?:: (.*))?"
)
# What was thrown, as JBoss and Quarkus print it: behind the message, its frames below.
_BEHIND = when_used(r": ((?:[a-z_]\w{0,60}\.){1,12}[A-Z][\w$]{0,120}(?:Exception|Error))(?:: (.*))?$")
_THROWN_TEXT = when_used(r"(?:[A-Za-z_]\w{0,60}\.){2,12}[A-Z][\w$]{0,120}(?:Exception|Error)\b")
THROWN_BY_KAFKA = r"org\.apache\.kafka\.[\w.$]{1,200}(?:Exception|Error): "
# Names that an exception of Kafka's has in a text: its own, the old clients', and JRuby's, as Logstash prints it.
QUALIFIED = ("org.apache.kafka.", "kafka.common.", "Java::OrgApacheKafka")

# Streams puts the trace of what a processor threw into the message of its own exception.
_PRINTED = when_used(
    r"\bstacktrace=((?:[A-Za-z_$][\w$]*\.)+[A-Z][\w$]*(?:Exception|Error|Throwable))(?:: (.*))?"
)
# Streams tells in its own exception what a send failed with; so does Spring of what was thrown to it.
_DUE = when_used(
    r"\b(?:due to (?=org\.apache\.kafka\.)|nested exception is )"
    r"((?:[a-z_]\w*\.){1,12}[\w$]{1,120}(?:Exception|Error)\b)(?:: (.*))?"
)
# As an application prints what it caught.
_NAMED = when_used(r"(?<![\w.$])([A-Z]\w{1,80}Exception): (?:\w{1,12} )?$")
LONGEST_NAME = 120
_CLASS_BEFORE = when_used(r"\w(?:Exception|Error): \Z")
# What the lines of a trace begin with, but for those of what was thrown.
BENEATH = ("at ", "... ", "Suppressed: ")
# `MESSAGE_TOO_LARGE: The request ..`, as Go's clients print what a broker answered; Java's have a class there.
_CODED = when_used(r"\b[A-Z]+(?:_[A-Z]+)+: (?:[A-Z]\w* )?\Z")
_LINE_BEGINS = when_used(r"(?:^|\n)[ \t]*\Z")
_BEGINS_ALONE = when_used(r"(?:^|\n)[ \t]*(?:(?:/{2,3}|[#*>])[ \t]*)?\Z")
_LINE_ENDS = when_used(r"\.?[ \t]*(?:\n|\Z)")
_SIGNS = " \t/*#>"  # of a comment or a quotation, before what it goes on with
_OPENS = {'"': '"', "`": "`", "}": "{", "]": "[", ">": "<", ")": "("}
_MORE = when_used(r"\s*\.\.\. \d+ (?:more|common frames omitted)")
_FRAME = when_used(r"\s+at (?:[\w.\-]+(?:@[\w.\-]+)?/)*([\w.$<>]+\([\w$.]+(?::\d+)?\))")
# The same on the line of what was thrown, as a paste without line ends has them.
_FRAMES_BEHIND = when_used(
    r" at (?:[\w.\-]+(?:@[\w.\-]+)?/)*(?:[\w$<>]+\.)+[\w$<>]+"
    r"\((?:[\w$]+\.\w+(?::\d+)?|Native Method|Unknown Source)\)(?: .*)?$"
)
# Source: NetworkReceive.readFrom; Flink's, with the null that stands for no such topic; Kafka's serializers.
_TELLING = when_used(r"\s*at \S*?(NetworkReceive\.readFrom|onDiscoverer\.getAll|Serializer\.serialize)")
_NOT_THEIRS = when_used(
    r"(?:java|javax|jdk|sun|com\.sun|kotlin|scala|org\.(?:apache\.(?:kafka|flink|spark|camel|avro|pekko)|springframework)"
    r"|reactor|io\.(?:smallrye|vertx|quarkus|netty|micrometer|confluent(?!\.connect\.(?!avro|json|protobuf)))|akka|lombok|ch\.qos|org\.slf4j)\."
)


@dataclass(frozen=True, slots=True)
class Thrown:
    """One exception: simple class name, its message (first line)."""

    name: str
    message: str | None
    is_kafka: bool


def simple_name(qualified: str) -> str:
    """`TimeoutException` of `org.apache.kafka.common.errors.TimeoutException`; whole if others call theirs as Kafka does."""
    name = qualified.rsplit(".", 1)[-1].rsplit("$", 1)[-1].rsplit("::", 1)[-1]
    is_others = "kafka" not in qualified.lower() and name.removesuffix("Exception").casefold() in BY_WORDS
    return qualified if is_others else name


def names_kafkas(text: str) -> bool:
    """Whether a text may name an exception of Kafka's."""
    return any(name in text for name in QUALIFIED)


def is_thrown_text(text: str) -> bool:
    """Whether a text begins with an exception, named with its package, or is what one of Kafka's says."""
    # Most fields of an object are one word, and none of these is.
    said = said_by_exceptions() if " " in text else ()
    return _THROWN_TEXT.match(text) is not None or any(form.found_in(text, is_begin=True) for form in said)


def is_behind_class(text: str, at: int) -> bool:
    """Whether what begins at a place of a text is what an exception says, whose class stands right before it."""
    is_behind = text.startswith(": ", at - 2)
    return is_behind and _CLASS_BEFORE.search(text, max(0, at - LONGEST_NAME), at) is not None


def chain_of(message: str) -> list[Thrown]:
    """The exceptions of a record, outermost first, from its stack trace and from what its own line prints."""
    chain: list[Thrown] = []
    lines = re.sub(" Caused by: |>, :cause=>#<", "\nCaused by: ", message).split("\n")  # a page, JRuby did
    for number, line in enumerate(lines):
        if number and is_beneath(line):
            continue
        thrown = _THROWN.match(line.lstrip(_SIGNS)) or (_INLINE.search(line) if names_kafkas(line) else None)
        if thrown is None and number == 0 and len(lines) > 1 and is_beneath(lines[1]):
            thrown = _BEHIND.search(line)
        if thrown is not None:
            said = _wrapped(line, thrown[2], lines[number + 1 : number + 4])
            _append(chain, thrown[1], said and tidied(said))
    return chain[::-1] if "\nWrapped by: " in message else chain  # Logback's %rEx prints the root first


def is_beneath(line: str) -> bool:
    """Whether a line is one of a trace's, but for those of what was thrown."""
    return line.lstrip(_SIGNS).startswith(BENEATH)


def _wrapped(first: str, said: str | None, below: list[str]) -> str | None:
    """What an exception says where it, or a paste, broke it: on from a colon, or from a word that no sentence ends with."""
    for line in below if said or first.rstrip().endswith(":") else ():
        leads = said is not None and said.endswith(":")  # JDBC's to a list of all that failed
        is_next = _THROWN.match(line) and not (leads and _THROWN_TEXT.match(line))
        bare = "" if is_beneath(line) or is_next else line.strip(_SIGNS)
        is_open = not said or leads or (said[-1:].isalnum() and re.match(r"[a-z]+[ ,]", bare))
        if not bare or not is_open:
            break
        said = f"{said or ''} {bare}".lstrip()
    return said


def whole_texts(message: str) -> str:
    """A message in which what each exception says stands on its line, where a paste broke it."""
    lines: list[str] = []
    is_open = False
    for line in message.split("\n"):
        bare = line.strip(_SIGNS)
        if is_open and bare and not (is_beneath(line) or _THROWN.match(line) or names_kafkas(line)):
            lines[-1] = f"{lines[-1].rstrip()} {bare}"
        else:
            lines.append(line)
            is_open = re.search(rf"{ERROR_NAME}\b(?!\.)", line) is not None
    return "\n".join(lines)


def tidied(message: str) -> str:
    """A message without frames that were joined to its line, as they are or escaped, and without what closes something that
    was opened before it: the string, object or markup it stands in."""
    message = _FRAMES_BEHIND.sub("", re.split(r"\\n(?:\\tat |\W*$)|(?<=[\"`]),$", message)[0])
    said, sign, behind = message.partition("`")
    if message.count(sign or "`") % 2 and not (said[-1:].isspace() or behind[:1].isalnum()):
        message = said  # a sentence that quotes it goes on
    while message:
        last = message[-1]
        opens = message.count(_OPENS.get(last, ""))
        is_stray = opens % 2 == 1 if _OPENS.get(last) == last else message.count(last) > opens
        if last not in _OPENS or not is_stray:
            return message
        message = message[:-1].rstrip()
    return message


def _append(chain: list[Thrown], qualified: str, message: str | None) -> None:
    """Add an exception and those its message begins with (StreamsException: o.a.k..TimeoutException: ..)."""
    while True:
        found = Thrown(simple_name(qualified), message, qualified.startswith(QUALIFIED))
        if found not in chain:
            chain.append(found)
        inner = _INLINE.match(message or "") or _PRINTED.search(message or "") or _DUE.search(message or "")
        if inner is None:
            return
        qualified, message = inner[1], inner[2]


def thrown_at(message: str) -> str | None:
    """Whose code threw: the innermost exception's first frame that is neither Java's, nor Kafka's, nor a framework's."""
    found: str | None = None
    is_sought = True
    for line in message.split("\n")[1:]:
        frame = _FRAME.match(line)
        if frame is None:
            is_sought = is_sought or line.startswith("Caused by: ")
        elif is_sought and not _NOT_THEIRS.match(frame[1]):
            found, is_sought = frame[1], False
    return found


def told_by_frame(message: str) -> str | None:
    """The call in which it was thrown, where that tells more than what was thrown: an answer for which it made room."""
    return next((found[1] for found in map(_TELLING.match, message.split("\n")[1:]) if found), None)


def is_cut(message: str) -> bool:
    """Whether a stack trace may go on behind its last line: the frames of a last cause end with `... 12 more`.

    A layout that prints no frames is taken to print all causes; where a cause stands within a line, some may be missed.
    """
    if "\tat " not in message and "    at " not in message:
        return False
    lines = message.rstrip().split("\n")
    causes = sum(line.lstrip().startswith("Caused by: ") for line in lines)
    return not _MORE.match(lines[-1]) or message.count("Caused by: ") > causes


@dataclass(frozen=True, slots=True)
class Proof:
    """What an exception's text proves: its family, and the fields it names.

    named: its class, where that stands right before the text, without its package. is_alone: it is all that its line says.
    is_first: it begins on the record's first line, and no error's code stands right before it, as other clients print it.
    text: what it says, to its line's end. begins_line: nothing but its class stands before it. is_reason: it stands behind a
    colon on the record's first line.
    """

    family: Family
    fields: dict[str, str | None]
    named: str | None = None
    is_alone: bool = False
    is_first: bool = False
    text: str = ""
    begins_line: bool = False
    is_reason: bool = False

    @property
    def kind(self) -> str:
        """The event's kind."""
        return self.family.kind


@cache
def _all() -> FormsByLiteral:
    return FormsByLiteral(exception_forms())


def proof_in(text: str) -> Proof | None:
    """The failure that an exception's text in this record proves; None where there is none."""
    found = ((form, match) for form in _all().may_be_in(text) if (match := form.regex.search(text)))
    form, match = next(found, (None, None))
    if form is None or match is None:
        return None
    at = match.start()
    before = max(0, at - LONGEST_NAME)
    named = _NAMED.search(text, before, at)
    is_first = text.find("\n", 0, at) < 0 and _CODED.search(text, before, at) is None
    return Proof(
        form.family,
        match.groupdict(),
        named[1] if named else None,
        is_alone=bool(_BEGINS_ALONE.search(text, 0, at) and _LINE_ENDS.match(text, match.end())),
        is_first=is_first,
        text=text[at:].partition("\n")[0],
        begins_line=_LINE_BEGINS.search(text, 0, named.start() if named else at) is not None,
        is_reason=is_first and text.endswith(": ", 0, at),
    )


@cache
def _proves() -> Any:
    """What is in every text that proof_in() knows, but for those that only an exception's class makes Kafka's."""
    return re2.compile(any_of(said_by_exceptions(), *QUALIFIED, "record(s) for "))


def may_prove(message: str) -> bool:
    """A cheap look before the regexes."""
    return _proves().search(encoded(message)) is not None
