"""What lines of a stack trace look like: Java's, .NET's, Node's, Ruby's, Python's."""

from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import takewhile

from transforms.diagnose.wording.kafkas_words import BEFORE_IT, DOTTED, KAFKA, NAMES_KAFKA, SPEAKER
from transforms.when_used import when_used

_CAUSE = when_used(r"Caused by: |\s+Suppressed: ")  # Spring gives what a listener threw its own trace so
_BEFORE_TRACE = when_used(r"\s*$|MultiException stack 1 of ")  # HK2 counts what was thrown at once
_EXCEPTION = when_used(r"(?:[A-Za-z_$][\w$]*\.)+(?:[A-Z][\w$]*)?(?:Exception|Error)\b")
# The same, or its class without a package and what it says, as notes have it.
_PRINTED = when_used(rf"{_EXCEPTION.pattern}|[A-Z]\w{{2,80}}Exception: (?=\w)")
# Python's frames are two lines each, and the last line of a traceback names the exception.
_OF_PYTHON = when_used(r"(?:[A-Za-z_]\w*\.)*[A-Z]\w+(?:: .*)?$")
_FRAME = when_used(
    r"\s*at [\w.$/<>`]+\(|\s+---> (?:\w+\.)+[A-Z]|\s+--- End of |\s+at [^\n]{0,300}:\d+:\d+\)?|\s*\.\.\. \d+ (?:more|common)"
    r"|at [^\n]{0,200}(?:file:|node:|/)[^\n]{0,300}:\d+:\d+\)?$"  # Node's, without its blanks
    r"|\s+from [^\n]{1,300}:\d+:in [`'\"]"  # Ruby's
    r"|(?P<python>\s+File \"[^\"\n]+\", line \d+)"
)
# Exceptions of databases, caches, search engines and servers of another kind, by their packages.
_ANOTHERS = when_used(
    r"(?<![\w.$])(?:org\.(?:hibernate|h2|postgresql|mariadb|elasticsearch|opensearch|neo4j"
    r"|springframework\.(?:data|dao|jdbc|orm|mail)|apache\.(?:tomcat|catalina|coyote|ibatis|hadoop|cassandra))"
    r"|com\.(?:mysql|mongodb|microsoft\.sqlserver|datastax|zaxxer|netflix|couchbase|rabbitmq)|co\.elastic|io\.lettuce"
    r"|redis\.clients|oracle\.(?:jdbc|net)|java\.sql|(?:javax|jakarta)\.(?:persistence|mail))"
    r"\.[\w.$]{1,200}(?:Exception|Error)\b|\bError executing DDL\b"
    # What another server answers by HTTP: not a REST proxy, a registry or a Connect worker.
    r"|(?<![\w.$])org\.springframework\.web\.[\w.$]{1,200}Exception\b"
    r"(?![^\n]{0,400}?(?i:kafka|connector|schema|registry|/(?:subjects|topics)\b))"
    r"|\bFailed to execute job \d+ for task \S{1,300} \(Bash command failed\b"  # what Airflow ran
)
# An exception by its package, of whoever it is but Java itself; and a class that is named beside it, shortened perhaps.
_OF_PACKAGE = when_used(
    r"(?<![\w.$])(?!(?:java|jdk|sun|scala|kotlin)\.|javax\.(?:net|security|management)\.)"
    r"(?P<root>(?:org\.apache\.)?[a-z]\w{0,60}\.[a-z]\w{0,60})\.(?:\w{1,80}\.){0,12}[A-Z][\w$]{0,120}(?:Exception|Error)\b"
)
_NAMED_CLASS = when_used(r"(?<![\w.$@/-])(?:[a-z]\w{0,60}\.){2,12}[A-Z]")
# Frames in Kafka's own code, or in what is made for it: an application's package may be called after it, too.
_OF_ITS_CODE = when_used(
    r"\s+at (?:org\.(?:apache\.|springframework\.|springframework\.cloud\.stream\.binder\.|testcontainers\.)?kafka"
    r"|(?:org\.apache\.)?kafka|io\.(?:confluent|debezium|micronaut\.configuration\.kafka|smallrye\.reactive))\."
)
_OF_JAVA = when_used(r"\s+at (?:[\w.]+@?[\w.]*/)?(?:java|javax|jdk|sun|com\.sun|scala)\.")
_AT = when_used(r"\s+at (?:[a-z]\w*\.)+[\w$.<>]+\([^)\n]*\)")
_FRAME_OF_ITS_CLIENTS = when_used(r"\s+at (?:org\.apache\.)?(?:kafka|zookeeper)\.(?!connect\.)")
_FRAME_OF_KAFKA = when_used(r"\s+at (?:org\.apache\.)?kafka\.")
# What a class, a method or a wait ends in that was looked for, or broken off.
_LOOKED_FOR = when_used(
    r"java\.lang\.(?:ClassNotFound|NoSuchMethod|NoSuchField|NoClassDefFound|Interrupted)(?:Exception|Error)\b"
)
# What .NET throws where its own application gave up waiting: Confluent's consumer, which was told to stop.
_CANCELLED = when_used(r"\s*System\.(?:Threading\.Tasks\.Task|Operation)CanceledException\b")
_CONSUMES = when_used(r"\s+at Confluent\.Kafka\.Consumer`2\.Consume\(")
# The way to the files of a library, or of Python itself.
_TO_LIBRARY = when_used(r"[^\s\"(]*/(?:(?:site|dist)-packages|node_modules|gems|lib/python\d[.\d]*)/")


def is_frame(line: str) -> bool:
    """Whether a line is a frame, or stands for some."""
    return _FRAME.match(line) is not None


@lru_cache(maxsize=4096)  # of an exception that is thrown again and again, all are the same
def is_frame_of_kafka(line: str) -> bool:
    """Whether a line is the frame of a stack trace in code of Kafka's, or of what is made for it; of a library's file it is
    no matter in whose folder that lies.
    """
    return is_frame(line) and KAFKA.search(_TO_LIBRARY.sub("", line)) is not None


def is_of_anothers_call(first: Sequence[str]) -> bool:
    """Whether a trace begins with another product's exception, maybe within one of Java's, which an application met in
    its own code, whatever that one's packages are called."""
    before = before_anothers(first[0]) if first else None
    is_bare = before is not None and (
        not before.strip() or before in ("Caused by: ", "java.lang.RuntimeException: ")
    )
    return is_bare and not any(map(_OF_ITS_CODE.match, first))


def is_of_python(line: str) -> bool:
    """Whether a line is the first of a frame of Python's."""
    frame = _FRAME.match(line)
    return frame is not None and frame["python"] is not None


def is_looked_for(line: str) -> bool:
    """Whether an exception says that a class, a method or a field is not there, or that a wait was interrupted."""
    return _LOOKED_FOR.match(line) is not None


def is_cause(line: str) -> bool:
    """Whether a line names the cause of what was thrown, or what its thrower left out."""
    return _CAUSE.match(line) is not None


def goes_on(line: str) -> bool:
    """Whether a line is of the trace that the one before is of: a frame, or the cause of what was thrown."""
    return is_frame(line) or is_cause(line)


def is_told_to_stop(at: int, line: Callable[[int], str], end: int) -> bool:
    """Whether a line, or the exception below it, is all that a consumer of .NET's says as it is told to stop. line: that of
    a number, before end. .NET's console has the level and the message, which is moved in, in two lines.
    """
    may_be = (one for one in range(at, min(at + 3, end)) if one < at + 2 or line(at + 1).startswith("  "))
    thrown = next((one for one in may_be if _CANCELLED.match(line(one))), None)
    if thrown is None:
        return False
    frames = map(line, range(thrown + 1, min(thrown + 9, end)))
    return any(_CONSUMES.match(one) for one in takewhile(is_frame, frames))


def is_thrown_by_kafka(trace: Sequence[str], most: int) -> bool:
    """Whether the innermost exception of a stack trace was thrown in code of Kafka's own, or of Java's that this called.

    most: of its frames, those of Java's aside, in which Kafka's has to be.
    """
    last = max((at for at, line in enumerate(trace) if line.startswith("Caused by: ")), default=0)
    return any(map(_FRAME_OF_KAFKA.match, [line for line in trace[last:] if not _OF_JAVA.match(line)][:most]))


def is_thrown_elsewhere(record: str) -> bool:
    """Whether the innermost exception of a record was thrown by code that is neither Java's nor of Kafka's clients."""
    inner = record.rpartition("\nCaused by: ")[2]
    frames = (line for line in inner.split("\n") if is_frame(line) and not _OF_JAVA.match(line))
    first = next(frames, None)
    return first is not None and _AT.match(first) is not None and _FRAME_OF_ITS_CLIENTS.match(first) is None


def stands_before(line: str) -> bool:
    """Whether a line may stand between what says that something was thrown and its trace."""
    return _BEFORE_TRACE.match(line) is not None


def thrown_by_python(line: str) -> str:
    """The exception that the last line of a traceback names; nothing where it is none."""
    thrown = _OF_PYTHON.match(line)
    return thrown[0] if thrown is not None else ""


def begins_exception(text: str) -> bool:
    """Whether a text begins with an exception's class and its package."""
    return _EXCEPTION.match(text) is not None


def names_exception(text: str) -> bool:
    """Whether a text has an exception's class and its package."""
    return _EXCEPTION.search(text) is not None


def before_anothers(text: str) -> str | None:
    """What stands before an exception that is of another product by its package: its own text tells of that one alone,
    whatever tables, folders or hosts it names. None where there is none."""
    another = _ANOTHERS.search(text)
    return None if another is None else text[: another.start()]


def is_of_another(text: str, above: str) -> bool:
    """Whether a line that is about Kafka speaks by what it names as thrown of something else. above: the line before."""
    another = before_anothers(text) if SPEAKER.search(text) is None else None
    if another is not None and KAFKA.search(DOTTED.sub(BEFORE_IT, another)) is None:
        return True
    return NAMES_KAFKA.search(text) is None and _throws_anothers(text, above)


def _throws_anothers(text: str, above: str) -> bool:
    """Whether a line names an exception that is neither Java's nor of the program that says so, by the packages of what was
    thrown and of its loggers: what such an exception says of brokers or heartbeats is of its own."""
    thrown = _OF_PACKAGE.search(text)
    if thrown is None:
        return False
    said = f"{above}\n{text[: thrown.start()]}\n{text[thrown.end() :]}"
    speakers = (one[0].split(".") for one in _NAMED_CLASS.finditer(said))
    return not any(_is_short_for(one, thrown["root"].split(".")) for one in speakers)


def _is_short_for(names: Sequence[str], whole: Sequence[str]) -> bool:
    """Whether a class stands in a package, each name of which may be shortened: `c.acme.pay.Pay` in com.acme."""
    return all(name and full.startswith(name) for name, full in zip(names, whole, strict=False))


def is_exception(text: str) -> bool:
    """Whether a line is an exception that was printed, from its class on."""
    return _PRINTED.match(text.strip()) is not None


def was_raised(record: str) -> bool:
    """Whether what stands there is what a program prints of an exception that reached it: it has frames."""
    return "\n" in record and any(map(is_frame, record.split("\n")))
