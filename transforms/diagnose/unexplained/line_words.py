"""What a line of trouble says and names, whoever wrote it: logger, errors, exceptions, addresses; how it is quoted."""

import re
from collections.abc import Iterator, Sequence

from transforms.diagnose.troubles.trouble_fields import ONLY_WRAPS, THROWN
from transforms.diagnose.unexplained.raw_line import RawLine
from transforms.diagnose.unexplained.traces import is_exception
from transforms.diagnose.wording.catalogue import canonical, classes
from transforms.diagnose.wording.line_names import NAMED, named
from transforms.diagnose.wording.words import cut
from transforms.parse.catalogue.anchors import OF_SERVERS
from transforms.parse.catalogue.errors import NAMES
from transforms.parse.catalogue.exceptions import ERROR_NAME, chain_of, thrown_at, tidied, told_by_frame
from transforms.parse.layouts.wrappers import OF_RUNTIMES, unwrapped
from transforms.timers.clients.trouble_events import is_of_server
from transforms.when_used import when_used

# A message may name the next one: `ExecutionException: TimeoutException: ..`.
_THROWN = when_used(
    rf"\b(?P<name>{ERROR_NAME}|(?<=Kafka::)[A-Z]\w{{2,80}})\b(?!\._?[A-Z]{{2}})(?:: (?=(?P<message>[^\n]+)))?"
    # The class that was not found was not thrown, though it may be an exception's.
    r"(?:(?:(?<=ClassNotFoundException: )|(?<=NoClassDefFoundError: ))[\w./$]+)?"
)
_ERROR = when_used(
    r"\b(?:err|error|cause|reason)\\?\"?\s*[=:](?![0-9A-F]{8}:)\s*(?:\[?\\?\"(?P<quoted>(?:[^\"\\]|\\.)+)\"|(?P<plain>(?!\s*\([\w.$]+\)\s*$)[^\n]{8,}))"
)
_MESSAGE = when_used(
    r"(?:\"(?:error\.)?(?:message|msg|@mt?)\"\s*:\s*|(?<![\w.])(?:msg|message)=)\"(?P<message>(?:[^\"\\]|\\.)+)\""
)
_ENDS_VALUE = when_used(r"(?:\\r)?\\n|['\"]{0,2}\"[,}](?=\s*[\"}]|$)|(?<=\w) \{\"\w+\":")
# `o.s.k.l.KafkaMessageListenerContainer`; JBoss shortens packages alone: `[io.sma.rea.mes.kafka]`.
_NO_SPEAKERS = ("Exception", "Error", "Test", "Tests", "IT", "ITCase", "ST", "Spec")
_LOGGER = when_used(r"(?<![\w.$/:@-])(?:(?:[a-z]\w*\.){2,10}(?:[A-Z][\w$]*|kafka(?=[\]) ]))|kafka\.Kafka\$)")
_OF_A_SERVER = when_used(OF_SERVERS)
# A client of before 0.9, which throws at its application what its connection met.
_OF_OLD_CLIENT = when_used(r"\s+at (kafka\.(?:consumer|producer|network)\.\w+\.connect)\(")
_CAMEL = when_used(r"\b(?:Err)?(?P<name>[A-Z][a-z]+(?:[A-Z][a-z]+)+)\b")
_ATOM = when_used(r"(?<![\w:]):(?P<name>[a-z]+(?:_[a-z]+)+)\b")  # of Elixir
# What stands before what a line says, up to its level: a time, a host, a thread.
_HEAD = when_used(
    r"^.{0,60}?(?<![\w.-])(?:FATAL|ERROR|ERR|WARN|WARNING|INFO|SEVERE)(?![\w.=-])[\]\s:|\-]*"
    # What a layout puts behind the level: a process, a thread, a logger.
    r"(?:(?:\d+ ---|\[[^\]\n=]{0,80}\]|\([^)\n=]{0,80}\)|(?:[\w$]+\.)+[\w$]+\s+[:\-|])\s+)*(?=.{20})"
)
# Error codes, and what clients call them that have names of their own for some.
_KNOWN = frozenset(map(canonical, [*NAMES.values(), *(error for one in classes() for error in one.errors)]))


def is_servers(text: str, logger: str) -> bool:
    """Whether a line is a server's, by its logger or by what it says."""
    return is_of_server(logger) or _OF_A_SERVER.search(text) is not None


def logger_in(text: str) -> str:
    """The class that a line names as who says it: the first that is no exception's, and no test's."""
    named = (one[0] for one in _LOGGER.finditer(text) if not one[0].endswith(_NO_SPEAKERS))
    return next(named, "")


def names_thrown(said: str) -> list[str]:
    """The exceptions that a line names as thrown."""
    return [one["name"] for one in _THROWN.finditer(said)]


def codes_in(text: str) -> Iterator[str]:
    """Error codes of the protocol as clients without exceptions name them: InvalidReplicationFactor, :not_coordinator."""
    named = (one["name"] for form in (_CAMEL, _ATOM) for one in form.finditer(text))
    return (name.upper() if name.islower() else name for name in named if canonical(name) in _KNOWN)


def said_in(line: RawLine) -> str:
    """What a line says, and the exceptions of its record; no frames of their traces."""
    chain = chain_of(line.record) if line.record else []
    below = [] if chain else line.record.split("\n")[1:2]  # where what was thrown has no package
    old = _OF_OLD_CLIENT.search(line.record)
    call = told_by_frame(line.record) or (old and old[1])
    return "\n".join(
        [
            bare(line.text),
            *(f"{one.name}: {one.message}" if one.message else one.name for one in chain),
            *filter(is_exception, below),
            *([call] if call else []),
        ]
    )


def bare(text: str) -> str:
    """A line without the envelope that a container's runtime put it into."""
    found = unwrapped(text, OF_RUNTIMES)
    return found.payload if found else text


def fields_of(line: RawLine, said: str) -> Iterator[tuple[str, str]]:
    """What a line names. said: by it and its record."""
    for name in NAMED:
        if value := named(name, said) or named(name, line.above):
            yield name, value
    if line.errors:
        yield "error", " and ".join(line.errors)
    elif (code := next(codes_in(line.text), None)) is not None:
        yield "error", code
    if frame := thrown_at(line.record):
        yield "thrown_at", frame
    if thrown := list(_THROWN.finditer(said)):
        name, message = thrown[-1]["name"], thrown[-1]["message"]
        message = None if message == "null" else tidied(_whole(message or ""))
        yield "error", name
        yield "thrown", THROWN
        if ONLY_WRAPS.match(message or "") is None:
            yield "innermost_name", name
            yield "innermost", cut(f"{name}: {message}" if message else name)
            if message:
                yield "innermost_message", cut(message)
    yield "quote", f'"{cut(_quoted(line, thrown))}"'


def _whole(message: str) -> str:
    """What a value says up to the trace that was written into it, or to the end of it in its object."""
    return _ENDS_VALUE.split(message, maxsplit=1)[0]


def _quoted(line: RawLine, thrown: Sequence[re.Match[str]]) -> str:
    """The part of a line that says it: its error, its exception, or all of it."""
    if line.errors:
        return f"error {' and '.join(line.errors)}"
    text = bare(line.text)
    found, field = _ERROR.search(text), _MESSAGE.search(text)
    is_field = field is not None and text.lstrip().startswith("{")  # what is no value there may be several
    if found is not None and (said := found["quoted"] or (None if is_field else found["plain"])):
        return _whole(said)
    if thrown and thrown[-1]["message"]:
        return f"{thrown[-1]['name']}: {tidied(_whole(thrown[-1]['message']))}"
    if thrown and thrown[-1]["name"] not in text:
        return thrown[-1]["name"]
    if field is not None:
        return _whole(field["message"])
    return _HEAD.sub("", text.strip(), count=1)
