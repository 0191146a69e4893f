"""Lines as they stand in a file, whatever read them: what speaks of trouble with Kafka, and what else tells.

Beside the events, so that no reader's miss is an all-clear, and so that the application's own words can be quoted.
"""

import re
from collections import Counter, deque
from collections.abc import Iterable
from dataclasses import dataclass, field

from transforms.diagnose.named_clients import client_of

MOST_KEPT = 50_000  # lines of each kind, the newest
MOST_CHARACTERS = 2_000  # of one line
MOST_BYTES = 1 << 20  # of one line that are searched
HEAD_BYTES = 1 << 18  # of which every line is looked at
# How loudly a line speaks, loudest first: what is quoted of many lines is the first of these.
LOUDNESS = ("fatal", "error", "exception", "warn", "words")
_LEVELS = {
    "FATAL": "fatal", "CRITICAL": "fatal", "EMERG": "fatal", "ALERT": "fatal", "PANIC": "fatal", "SEVERE": "error",
    "ERROR": "error", "ERR": "error", "WARN": "warn", "WARNING": "warn",
}  # fmt: skip
_LEVEL = re.compile(
    r"(?<![\w.-])(FATAL|CRITICAL|EMERG|ALERT|PANIC|SEVERE|ERROR|ERR|WARN|WARNING)(?![\w.=-])"
    r"|(?i:\blevel\"?\s*[=:]\s*\"?(fatal|critical|panic|error|err|warn(?:ing)?)\b)"
    r"|(?i:\A\W*(fatal|panic|error|warn(?:ing)?)\b\s*[:\]])"
)
_SEVERITY = re.compile(r"%([0-7])\|\d")  # syslog's numbers, as librdkafka writes them
THROWN = re.compile(r"\b[A-Z]\w{2,80}(?:Exception|Error)\b|\bTraceback \(|\bKafkaError\b|\bpanic: ")
_WORDS = re.compile(
    r"(?i)\b(?:fail(?:ed|ure|s)?|timed? ?out|refused|unable|denied|unavailable|expired|lost|dead|run out of|no route"
    r"|unreachable|could ?n.?t|cannot|evicted|fenced|aborted)\b"
)
# One pass over the bytes finds the lines that are looked at: every pattern above and below has a word here.
_CANDIDATE = re.compile(
    rb"FATAL|CRITICAL|EMERG|ALERT|PANIC|SEVERE|ERR|WARN|%[0-7]\|\d|Exception|Error|Traceback"
    rb"|[Ll]evel\"?\s*[=:]|(?i:\bfail|timed? ?out|refused|unable|denied|unavailable|expired|\blost\b|\bdead\b|run out of"
    rb"|no route|unreachable|could ?n.?t\b|cannot|evicted|fenced|aborted|panic"
    rb"|back-?off|\bpaus|\bgc\b|garbage|breakpoint|debugger|\bsleep|suspend|shut(?:ting)? ?down|sigterm|sigkill|stopping"
    rb"|starvation|clock leap|slow|took \d|out ?of ?memory|warn(?:ing)?\b)"
)
_KAFKA = re.compile(
    r"(?i)kafka|\[(?:consumer|producer|adminclient|shareconsumer|worker) (?:clientid|instanceid)="
    r"|\bstream-(?:thread|client|task) \["
    r"|(?:consumer|abstract|group|worker)coordinator\b|\bnetworkclient\b|\brecord\(s\) for |ommit cannot be completed"
    r"|\bbootstrap[ .]?(?:server|broker)|\bbrokers?\b|\bconsumer[ -]group|\bpartition \S+-\d|\btopic[- ]partition"
    r"|did not make progress within|not present in metadata|offset ?commit|\bpoll timeout\b|\bpoll\(\)|max\.poll\."
    r"|\bheartbeat\b|\brebalanc"
)
# What explains a standstill, in the application's own words.
_TELLING = re.compile(
    r"(?i)\b(?:back-?off|paused?|gc|garbage.?collect\w*|breakpoint|debugger|sleep(?:ing|s)?|suspend\w*|shut(?:ting)? ?down"
    r"|sigterm|sigkill|stopping|thread starvation|clock leap|slow|took \d+|out ?of ?memory\w*|timed? ?out|retry(?:ing)?)\b"
)
_QUIET = re.compile(
    r"(?<![\w.-])(?:INFO|DEBUG|TRACE|NOTICE)(?![\w.=-])|(?i:\blevel\"?\s*[=:]\s*\"?(?:info|debug|trace)\b)"
)
_FRAME = re.compile(r"\s*at [\w.$/<>]+\(|\s*\.\.\. \d+ (?:more|common)")


@dataclass(frozen=True, slots=True)
class RawLine:
    """A physical line. line: 1-based. loudness: one of LOUDNESS, empty where it only tells. client: the name of a client
    that is not Java's, where the line is its.
    """

    source: str
    line: int
    text: str
    loudness: str = ""
    client: str | None = None


@dataclass(slots=True)
class RawScan:
    """Takes a source's decompressed bytes block by block, in order.

    speaking: lines that speak of trouble with Kafka. telling: lines, not of Kafka, that may explain a standstill.
    clients: lines by client that is not Java's. kafka_lines: of the lines that are looked at, those about Kafka: all of
    the first quarter MiB, and after it those with a word of trouble.
    """

    source: str
    lines: int = 0
    size: int = 0
    zeros: int = 0
    kafka_lines: int = 0
    speaking: deque[RawLine] = field(default_factory=lambda: deque(maxlen=MOST_KEPT))
    telling: deque[RawLine] = field(default_factory=lambda: deque(maxlen=MOST_KEPT))
    clients: Counter[str] = field(default_factory=Counter)
    _rest: bytes = b""

    def feed(self, block: bytes) -> None:
        """The next bytes."""
        self.size += len(block)
        self.zeros += block.count(b"\0")
        whole, newline, rest = (self._rest + block).rpartition(b"\n")
        if newline:
            self._scan(whole)
        if len(rest) > MOST_BYTES:
            self._scan(rest)
            rest = b""
        self._rest = rest

    def finish(self) -> None:
        """What stands behind the last newline."""
        if self._rest:
            self._scan(self._rest)
            self._rest = b""

    def _scan(self, whole: bytes) -> None:
        """Lines, without the newline of the last."""
        at, number = 0, self.lines + 1
        for begin, end in _candidates(whole, len(whole) if self.size <= HEAD_BYTES else 0):
            number += whole.count(b"\n", at, begin)
            at = begin
            self._look(number, whole[begin:end][: MOST_CHARACTERS * 4].decode("utf-8", "replace"))
        self.lines += whole.count(b"\n") + 1

    def _look(self, number: int, text: str) -> None:
        text = text.rstrip("\r")[:MOST_CHARACTERS]
        client = client_of(text)
        if client is not None:
            self.clients[client] += 1
        is_kafka = client is not None or _KAFKA.search(text) is not None
        self.kafka_lines += is_kafka
        loudness = loudness_of(text)
        if is_kafka and loudness:
            self.speaking.append(RawLine(self.source, number, text, loudness, client))
        elif not is_kafka and not _FRAME.match(text) and (THROWN.search(text) or _TELLING.search(text)):
            self.telling.append(RawLine(self.source, number, text))


def unread_line(source: str, line: int, text: str) -> RawLine | None:
    """A piece that no reader understood, as a line to be told of; None where it is about something else than Kafka."""
    first = text.partition("\n")[0][:MOST_CHARACTERS]
    client = client_of(text[:MOST_CHARACTERS])
    if client is None and _KAFKA.search(text[:MOST_CHARACTERS]) is None:
        return None
    return RawLine(source, line, first, loudness_of(first) or "words", client)


def scan(source: str, blocks: Iterable[bytes]) -> RawScan:
    """All of a source at once."""
    found = RawScan(source)
    for block in blocks:
        found.feed(block)
    found.finish()
    return found


def loudness_of(text: str) -> str:
    """How loudly a line speaks: its level, else an exception, else words of failing; empty where it does not."""
    if level := _LEVEL.search(text):
        return _LEVELS[next(filter(None, level.groups())).upper()]
    severity = _SEVERITY.search(text)
    if severity and severity[1] <= "4":
        return {"3": "error", "4": "warn"}.get(severity[1], "fatal")
    if _QUIET.search(text):
        return ""
    if THROWN.search(text):
        return "exception"
    return "words" if _WORDS.search(text) else ""


def _candidates(whole: bytes, head: int) -> Iterable[tuple[int, int]]:
    """Begin and end of each line up to `head`, and of each line after it that holds a word of trouble, once."""
    at = 0
    while at < head:
        end = whole.find(b"\n", at)
        end = len(whole) if end < 0 else end
        yield at, end
        at = end + 1
    while match := _CANDIDATE.search(whole, at):
        begin = whole.rfind(b"\n", 0, match.start()) + 1
        end = whole.find(b"\n", match.end())
        end = len(whole) if end < 0 else end
        yield begin, end
        at = end + 1
