"""Text layouts: how a line begins a record, and how its head and tail are taken apart.

`start` (bytes) decides where records begin, `head` (text) takes timestamp, level, thread and logger off.
A start looks at no more than HEAD_WINDOW bytes of its line, so that a block of a file can be cut anywhere.

Sources: Kafka config/log4j2.yaml and log4j.properties; Logback manual, ch. 6 (PatternLayout) and
BasicConfigurator;
Spring Boot reference, "Log Format" (2.x, 3.x); Quarkus logging guide and WildFly's standalone.xml;
slf4j-simple's SimpleLogger; log4j 1 and 2 PatternLayout; Strimzi; Dropwizard manual, "Logging".
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

HEAD_WINDOW = 4096

_DATE_TIME = (
    r"\d{4}[-/]\d\d[-/]\d\d[ T]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?"
    r"(?: ?(?:Z|UTC|GMT|[+-]\d\d:?\d\d(?!\d)|[+-]\d\d(?=[\]\s])))?"
)
_TIME = r"\d\d:\d\d:\d\d(?:[.,]\d{1,9})?"
_AT = rf"(?P<at>{_DATE_TIME}|{_TIME}|\d{{13}})"
_LEVEL = r"(?P<level>TRACE|DEBUG|INFO|WARN(?:ING)?|ERROR|FATAL|SEVERE|CONFIG|FINE(?:ST|R)?|ALL|OFF)"
_NAME = r"[A-Za-z_$.][\w.$\-/]{0,300}"
_LOGGER = rf"(?P<logger>{_NAME})(?:[.:][\w$<>]+:\d+|:\d+|\.[\w$<>]+\(\))?"
# Threads are bracketed and may hold one pair of brackets themselves: `[thread[1]]`.
_THREAD = r"\[(?P<thread>(?:[^\[\]\n]|\[[^\[\]\n]*\]){0,300})\]"

LEVELS = {
    "WARNING": "WARN", "SEVERE": "ERROR", "CRITICAL": "FATAL", "CONFIG": "INFO", "FINE": "DEBUG",
    "FINER": "TRACE",
    "FINEST": "TRACE", "ALL": "TRACE", "INFORMATION": "INFO", "ERR": "ERROR", "NOTICE": "INFO",
}  # fmt: skip

USUAL_LEVELS = frozenset(("TRACE", "DEBUG", "INFO", "WARN", "ERROR", "FATAL"))

ANSI = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")

# Bytes, each matched at the beginning of a line. Colour codes may stand before.
_COLOUR = rb"(?:\x1b\[[0-9;]{0,20}m){0,4}"
_DATED = rb"\[?\d{4}[-/]\d\d[-/]\d\d[ T]\d\d:\d\d:\d\d"
_LEVELS = rb"(?:TRACE|DEBUG|INFO|WARN|WARNING|ERROR|FATAL|SEVERE)"
# A line that goes on with what stands above it, where any other line begins a record.
_GOES_ON = rb"\s|at |Caused by: |Suppressed: |\.\.\. \d|[\w.$]{1,300}(?:Exception|Error)(?::|\s)"
STARTS: dict[str, bytes] = {
    "dated": _COLOUR + rb"(?:" + _DATED + rb"|" + _LEVELS + rb" {1,3}" + _DATED + rb")",
    "json": rb'(?:\xef\xbb\xbf)?\{ ?"',
    "epoch": _COLOUR + rb"\[?\d{13}\]? ",
    "time": _COLOUR + rb"\[?\d\d:\d\d:\d\d(?:[.,]\d{1,9})?\]? ",
    "level": _COLOUR
    + rb"(?:(?:\d{1,12} )?\[[^\]\n]{0,300}\] {1,3}"
    + _LEVELS
    + rb" |"
    + _LEVELS
    + rb":? {1,3}\S|\["
    + _LEVELS
    + rb" {0,2}\] ?\S)",
    "plain": rb"(?!" + _GOES_ON + rb")[^\s\x00]",
}
# A JSON line among lines of text is a record only if it looks like a log line, not like a printed document.
_JSON_AMONG_TEXT = (
    rb'\{ ?"(?:@timestamp|@version|timestamp|timeMillis|instant|time|ts|level|log\.level|severity|message'
    rb"|logger|logger_name|loggerName|thread|resourceLogs|sequence|sequenceNumber|source_host|host|version|log"
    rb'|ecs\.version)"'
)


def start_pattern(kind: str, starts: Mapping[str, bytes] = STARTS) -> bytes:
    """The bytes pattern of a record's beginning in a source of this kind; lines of other dated or JSON
    layouts begin records too, as sources may be mixed (a banner, then JSON)."""
    if kind == "json":
        return starts["json"] + rb"|" + starts["dated"]
    if kind == "dated":
        return starts["dated"] + rb"|" + _JSON_AMONG_TEXT
    return starts[kind] + rb"|" + starts["dated"] + rb"|" + _JSON_AMONG_TEXT


def line_patterns(kind: str) -> tuple[str, str | None]:
    """The same for RE2, which looks at whole lines at once and can't look ahead: what a record's first line
    matches, and what of this does not begin one."""
    starts = STARTS | {"plain": rb"[^\s\v\x00]"}
    begins, goes_on = (pattern.decode("latin-1") for pattern in (start_pattern(kind, starts), _GOES_ON))
    return rf"\A(?:{begins})", rf"\A(?:{goes_on})" if kind == "plain" else None


@dataclass(frozen=True, slots=True)
class TextLayout:
    """One way to write a record's head. `start` names the kind of its beginning (STARTS).

    tail_logger: the logger stands in brackets after the message, before a stack trace (Kafka's own pattern).
    """

    name: str
    head: re.Pattern[str]
    start: str = "dated"
    tail_logger: bool = False
    groups: tuple[int, ...] = ()  # numbers of HEAD_GROUPS in the pattern, 0 where it has none


HEAD_GROUPS = ("at", "level", "logger", "thread", "context", "brackets")


def _layout(name: str, head: str, start: str = "dated", *, tail_logger: bool = False) -> TextLayout:
    pattern = re.compile(head)
    return TextLayout(
        name, pattern, start, tail_logger, tuple(pattern.groupindex.get(name, 0) for name in HEAD_GROUPS)
    )


# In the order in which they are tried on a line that isn't of its source's layout: the more specific first.
TEXT_LAYOUTS: tuple[TextLayout, ...] = (
    _layout(
        "spring_boot",
        rf"{_AT}\s+{_LEVEL}\s+(?:\[[^\]\n]*\]\s+)?\d+\s+---\s+(?P<brackets>(?:\[[^\]\n]*\]\s+){{1,3}})"
        rf"{_LOGGER}\s*: ?",
    ),
    _layout(
        "jboss",
        rf"{_AT}\s+{_LEVEL}\s+\[(?P<logger>{_NAME})\]\s+(?:\w+=[^\s(]*\s+){{0,8}}"
        rf"\((?P<thread>[^\n]{{0,300}}?)\)(?: |$)",
    ),
    _layout(
        "logback",
        rf"\[?{_AT}\]?\s+{_THREAD}\s+\[?{_LEVEL}\]?\s+(?:\[[^\]\n]*\]\s+)?{_LOGGER}\s*(?:-{{1,2}}|:) ?",
    ),
    _layout(
        "log4j2",
        rf"\[?{_AT}\]?\s+\[?{_LEVEL}\]?\s+{_THREAD}\s+{_LOGGER}\s*(?:-{{1,2}}|:|\[[^\]\n]*\] -) ?",
    ),
    _layout(
        "log4j",
        rf"\[?{_AT}\]?\s+{_LEVEL}\s+{_LOGGER}(?:\s+(?:{_THREAD}\s*)?(?:-{{1,2}}|:)|:) ",
    ),
    _layout(
        "level_first",
        rf"{_LEVEL}\s+\[?{_AT}\]?\s+(?:{_THREAD}\s+)?{_LOGGER}\s*(?:-{{1,2}}|:) ?",
    ),
    _layout(
        "kafka",
        rf"\[{_AT}\]\s+{_LEVEL}\s+(?:\[(?P<context>[^\]\n=|]*+\|(?:task-\d+|worker)[^\]\n]*)\] )?"
        rf"(?:\[(?P<thread>[^\[\]\n=]{{1,300}}+)\] (?!:))?",
        tail_logger=True,
    ),
    _layout(
        "kafka_thread",
        rf"{_AT}\s+{_LEVEL}\s+(?:\[(?P<thread>[^\[\]\n=]{{1,300}}+)\] (?!:))?",
        tail_logger=True,
    ),
    _layout("slf4j_simple", rf"(?:(?:{_AT}|\d{{1,12}})\s+)?{_THREAD}\s+{_LEVEL}\s+{_LOGGER}\s+- ?", "level"),
    _layout("level_logger", rf"\[?{_LEVEL} {{0,2}}\]?\s+{_LOGGER}\s+- ?", "level"),
    _layout("level", rf"\[?{_LEVEL} {{0,2}}\]?:?\s+", "level"),
    _layout("dated", rf"\[?{_AT}\]?(?:\s+|$)(?:\[?{_LEVEL}\]?:?(?:\s+|$))?"),
)
BY_NAME = {layout.name: layout for layout in TEXT_LAYOUTS}

# The logger after the message: at the end of a line, and before any stack trace.
_TAIL = re.compile(rf" \((?P<logger>{_NAME})(?::\d+)?\)(?: \[(?P<thread>[^\]\n]{{0,300}})\])?[ \t]*$", re.M)
_WHOLE_NAME = re.compile(rf"{_NAME}(?::\d+)?")
_CORRELATION = re.compile(r"\[(?:[0-9a-fA-F]{16,32}-[0-9a-fA-F]{16}|[\s,\-]*)\]$")
_BRACKETS = re.compile(r"\[([^\]\n]*)\]")


@dataclass(slots=True)
class Head:
    """What a record's own layout says of it. at: the timestamp as written. message: without head, tail
    and logger."""

    layout: str
    at: str | None = None
    level: str | None = None
    logger: str | None = None
    thread: str | None = None
    message: str = ""
    context: str | None = None


def parse_head(text: str, first: TextLayout | None = None) -> Head | None:
    """Take a record's text apart by the source's own layout, else by any; None where none fits.

    text: lines joined by newlines, without colour codes and carriage returns.
    """
    if first is not None:
        head = match_head(text, first)
        if head is not None and (head.logger is not None or not first.tail_logger):
            return head
    weak: Head | None = None
    for layout in TEXT_LAYOUTS:
        head = match_head(text, layout)
        if head is None:
            continue
        if head.logger is not None or not layout.tail_logger:
            if weak is not None and head.logger is None:
                return weak
            return head
        weak = weak or head
    return weak


def match_head(text: str, layout: TextLayout) -> Head | None:
    """Take a record's text apart by one layout; None where it doesn't fit."""
    found = layout.head.match(text)
    if found is None:
        return None
    at, level, logger, thread, context, brackets = layout.groups
    head = Head(
        layout.name,
        found[at] if at else None,
        normal_level(found[level]) if level else None,
        found[logger] if logger else None,
    )
    if thread and (written := found[thread]):
        head.thread = written.strip() or None
    if context:
        head.context = found[context]
    if brackets:
        head.thread = _spring_thread(found[brackets])
    if layout.tail_logger:
        take_tail(text, found.end(), head)
    else:
        head.message = text[found.end() :].rstrip()
    return head


def take_tail(text: str, begin: int, head: Head) -> None:
    """Cut the logger off the end of the message; a stack trace that follows it stays."""
    end = text.find("\n", begin)
    is_whole = end < 0
    if is_whole:
        end = len(text)
    if text.endswith(")", begin, end):  # as most are: the first line ends with it
        opening = text.rfind(" (", begin, end)
        if opening >= 0 and (name := logger_in(text[opening + 2 : end - 1])) is not None:
            head.logger = name
            message = text[begin:opening].rstrip()
            head.message = message if is_whole else message + text[end:].rstrip()
            return
    tail = _TAIL.search(text, begin)
    if tail is None:
        head.message = text[begin:].rstrip()
        return
    head.logger = tail["logger"]
    head.thread = tail["thread"] or head.thread
    message = text[begin : tail.start()].rstrip()
    trace = text[tail.end() :].rstrip()
    head.message = message + trace if trace else message


@lru_cache(maxsize=4096)
def logger_in(text: str) -> str | None:
    """The logger's name, without a line number; None where text can't be one."""
    return text.split(":", 1)[0] if _WHOLE_NAME.fullmatch(text) is not None else None


@lru_cache(maxsize=4096)
def _spring_thread(brackets: str) -> str | None:
    """Boot 2: `[thread]`; Boot 3: `[app] [thread]`, `[thread] [trace-span]`, or all three."""
    parts = [part.group(0) for part in _BRACKETS.finditer(brackets)]
    while len(parts) > 1 and _CORRELATION.match(parts[-1]):
        parts.pop()
    return _stripped(parts[-1][1:-1])


def normal_level(level: str | None) -> str | None:
    """log4j's word for a level: TRACE, DEBUG, INFO, WARN, ERROR or FATAL."""
    if level is None or level in USUAL_LEVELS:
        return level
    upper = level.strip().upper()
    return LEVELS.get(upper, upper)


def _stripped(text: str) -> str | None:
    return text.strip() or None
