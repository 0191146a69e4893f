"""The lines of a source as they stand, whatever read them: what speaks of trouble with Kafka, and what else tells.

Beside the events, so that no reader's miss is an all-clear, and so that the application's own words can be quoted.
"""

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

from transforms.diagnose.unexplained.block_lines import BY_POWERSHELL, MOST_TRACE, BlockLines, rejoined
from transforms.diagnose.unexplained.last_answers import LastAnswers
from transforms.diagnose.unexplained.looked_line import FIRST_FRAMES, LookedLine, MayBe, looked
from transforms.diagnose.unexplained.program_ended import is_ended_by
from transforms.diagnose.unexplained.programs import is_of_compiler
from transforms.diagnose.unexplained.raw_line import MAY_TELL, RawLine
from transforms.diagnose.unexplained.traces import before_anothers, is_told_to_stop, thrown_by_python
from transforms.diagnose.unexplained.whose_log import HEAD_LINES, WhoseLog, names_address
from transforms.diagnose.wording.kafkas_words import BEFORE_IT, DOTTED, ITS_THINGS, KAFKA, NAMES_KAFKA
from transforms.diagnose.wording.loudness import MAY_FAIL, fails_in_words, loudness_of
from transforms.diagnose.wording.named_clients import MAY_BE_CLIENT
from transforms.diagnose.wording.other_languages import FAILING as IN_OTHER_LANGUAGES
from transforms.diagnose.wording.states import MAY_BE_REACHED, not_reached, reached
from transforms.parse.lines.timestamps import STAMP

MOST_KEPT = 50_000  # lines of each kind, the newest
MOST_BYTES = 1 << 20  # of one line that are searched
MOST_REACHED = 512  # lines that say that something is in order again, the newest
MOST_LOUD = 1024  # lines that are counted: with more a log is not quiet, whatever they say
HEAD_BYTES = 1024  # that tell what a source is
# One pass over the bytes finds the lines that are looked at (RE2): every pattern above and below has a word here.
_CANDIDATE = (
    r"FATA|CRIT|EMERG|ALERT|PANIC|SEVERE|ERR|WARN|Kafka::|SIG[A-Z]{3}|egmentation |\[ ?(?:fatal|error|warn)|%[0-7]\|\d"
    r"|[a-z](?:Exception|Error)\b|Traceback|kafka\.errors\."
    r"|[EW][!>] |<(?:Error|Warning|Fatal)>|\"@l\"|\t(?:fatal|panic|error|warn)\t|\bcrit: "
    r"|[Ll]evel\"?\s*[=:]\s*\"?[^iIdD]|(?i:\bfail|\btimed out\b|\btimed?[ -]out\b|[a-z/]+ timeout\b[^ =]|timeout\s*$"
    r"|refus(?:ed|ing session)|unable|denied|unavailable|expired|incompatible|\blost\b|\bdead\b|run out of|no route"
    r"|\bexception (?:occurr?ed|has|was|while|when|in|during|on) |unreachable|could ?n.?t\b|\bcan.?t\b|cannot|\berrors?:? "
    r"|evicted|fenced|aborted|exceed(?:ed|s)|has waited for|not available|significantly longer|did not succeed"
    r"|when serialized which|transition attempted|under-replicated|rollable|schedulable"
    r"|\berr(?:or)?(?:_?m(?:sg|essage))?\\?\"?\s*[=:]\s*\\?[\"'(]|out of range|error_code|count changed|splits"
    r"|broker: |local: |exiting|crash|rejecting |(?:dropp|skipp|discard)ing |no event received|\bden(?:y|ied)\b|\bacl op: "
    r"|panic|back-?off|\bpaus|\bgc\b|garbage|breakpoint|debugger|\bsleep|suspend|shut(?:ting)? ?down|sigterm|sigkill"
    r"|stopping|starvation|clock leap|\bslow|took \d|out ?of ?memory|retry|warning\b|\bexited |_denied"
    r"|(?:no|not) (?:answer|respon)|unresponsive|\.sh: line \d| at pc=0x|line is too long|classpath is empty"
    r"|recognized as an| only has |known gtids|used gtids|already purged)|"
    + IN_OTHER_LANGUAGES.replace(r"\b", "")
)


def _newest(most: int = MOST_KEPT) -> deque[RawLine]:
    return deque(maxlen=most)


@dataclass(slots=True)
class RawScan:
    """Takes a source's decompressed bytes block by block, in order.

    speaking: lines that speak of trouble with Kafka. telling: lines, not of Kafka, that may explain a standstill.
    of_its_things: loud lines of topics, offsets, consumers without Kafka's name, which a client that is not Java's may say.
    reached: lines behind those that say that something of Kafka's is connected, joined, assigned.
    loud: lines that say, by their level or in words, that something failed, whatever it was, the first.
    whose: what its first lines tell. is_named: whether one of those, or of those that speak, names Kafka. head: first bytes.
    """

    source: str
    lines: int = 0
    size: int = 0
    head: bytes = b""
    whose: WhoseLog = field(default_factory=WhoseLog)
    speaking: deque[RawLine] = field(default_factory=_newest)
    telling: deque[RawLine] = field(default_factory=_newest)
    of_its_things: deque[RawLine] = field(default_factory=_newest)
    reached: deque[RawLine] = field(default_factory=lambda: _newest(MOST_REACHED))
    loud: list[RawLine] = field(default_factory=list)
    is_named: bool = False
    _answers: LastAnswers = field(init=False)
    _traced: int = 0  # the last line of the trace of the last one that speaks
    _is_awaiting: bool = False  # that something is connected, joined, assigned
    _is_broken: bool = False  # by PowerShell
    _doubtful: deque[RawLine] = field(default_factory=_newest)
    _rest: bytes = b""

    def __post_init__(self) -> None:
        self._answers = LastAnswers(self.source)

    def is_quiet(self, normal: int) -> bool:
        """Whether each of its dated lines about Kafka says that it is quiet, and no line that anything failed, but for some
        that are normal: so many.
        """
        not_quiet = max(self.whose.dated_lines - self.whose.quiet_lines, len(self.loud))
        return self.whose.dated_lines > 0 and len(self.loud) < MOST_LOUD and not_quiet <= normal

    def feed(self, block: bytes) -> None:
        """The next bytes."""
        self.head = self.head or block[:HEAD_BYTES]
        self.size += len(block)
        whole, newline, rest = (self._rest + block.replace(b"\0", b"")).rpartition(b"\n")
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
        self.speaking.extend(self._answers.refused())
        self.speaking.extend(replace(one, is_doubtful=not self.is_named) for one in self._doubtful)
        self._doubtful.clear()
        if self.whose.ports or self.is_named:
            self.speaking.extend(self._of_its_brokers())

    def _of_its_brokers(self) -> Iterable[RawLine]:
        """Failures that name no client, but an address of its brokers: Go's `read tcp 10.0.0.4:51137->10.0.0.5:9092`."""
        for line in self.telling:
            loudness = loudness_of(line.text)
            if loudness and self.whose.names_its_broker(line.text):
                yield RawLine(self.source, line.line, line.text, loudness, self.whose.client)

    def _scan(self, whole: bytes) -> None:
        """Lines, without the newline of the last."""
        self._is_broken |= BY_POWERSHELL in whole
        lines = BlockLines(rejoined(whole) if self._is_broken else whole)
        if self.lines < HEAD_LINES:
            self.whose.take(lines, min(len(lines), HEAD_LINES - self.lines))
            self.is_named |= self.whose.is_named
        found = lines.matching(_CANDIDATE)
        about_kafka, plainly = lines.about_kafka(found)
        may_be = MayBe(*(lines.among(found, one) for one in (MAY_BE_CLIENT, MAY_TELL, MAY_FAIL)))
        for number in found:
            about = "" if number not in about_kafka else "plainly" if number in plainly else "by a name"
            self._look(lines, number, about, may_be)
        self._answers.take(lines, self.lines)
        if self._is_awaiting:
            self._take_reached(lines)
        self.lines += len(lines)

    def _take_reached(self, lines: BlockLines) -> None:
        for number in lines.matching(MAY_BE_REACHED)[-MOST_REACHED:]:
            text = lines.text(number)
            if reached(text) is not None and KAFKA.search(text) is not None:
                self.reached.append(RawLine(self.source, self.lines + number + 1, text))

    def _look(self, lines: BlockLines, at: int, about: str, may_be: MayBe) -> None:
        """about: as of LookedLine."""
        if is_of_compiler(at, lines.text, len(lines)) or is_told_to_stop(at, lines.text, len(lines)):
            return
        number, one = self.lines + at + 1, looked(lines, at, about, may_be)
        if one.loudness == "exception" and number <= self._traced:
            return  # the head of its trace said it, with all that was thrown
        self._put_loud(number, one, at in may_be.failing)
        if one.is_told_elsewhere:
            return
        one.listen()
        if one.is_quiet or one.was_got_over:
            return
        first = one.first_frames()
        is_beside = one.is_beside(first)
        if is_beside and one.loudness and is_ended_by(at, lines.text, len(lines), self.whose.containers):
            one.end_program(next(iter(self.whose.clients), None))
        if is_beside and not one.ended:
            self._put_beside(number, one, first)
        elif one.loudness:
            self._put(number, one, has_trace=bool(first))

    def _put_loud(self, number: int, one: LookedLine, may_fail: bool) -> None:
        """Keep a line that says that something failed."""
        is_said = one.loudness or (may_fail and fails_in_words(one.text))
        if is_said and len(self.loud) < MOST_LOUD:
            frames = one.lines.trace(one.at, FIRST_FRAMES) if one.loudness else []
            record = "\n".join([one.text, *frames]) if one.loudness else ""
            self.loud.append(RawLine(self.source, number, one.text, one.loudness, record=record))

    def _put_beside(self, number: int, one: LookedLine, first: Sequence[str]) -> None:
        """Keep a line that is not about Kafka, where it may tell of it all the same. first: the frames of its trace."""
        is_said = one.loudness in ("fatal", "error") or (one.loudness == "warn" and fails_in_words(one.text))
        is_anothers = bool(first) and before_anothers(first[0]) in ("", "Caused by: ")
        another = before_anothers(one.text) if is_said else None
        said = one.text if another is None else another
        if is_said and not is_anothers and ITS_THINGS.search(DOTTED.sub(BEFORE_IT, said)):
            self.of_its_things.append(RawLine(self.source, number, one.text, one.loudness))
        if one.tells or (one.loudness and names_address(one.text)):
            self.telling.append(RawLine(self.source, number, one.text))

    def _put(self, number: int, one: LookedLine, *, has_trace: bool) -> None:
        """Keep a line that speaks of trouble with Kafka, with its record."""
        lines, at, text = one.lines, one.at, one.text
        below = lines.trace(at, MOST_TRACE) if has_trace else []
        record = "\n".join([text, *below]) if has_trace else lines.unfolded(at)
        self._traced = number + len(below)
        is_exception = one.loudness == "exception"
        if is_exception and not record:
            record = lines.raised(at)
        if text.startswith("Traceback (") and below and (thrown := thrown_by_python(below[-1])):
            number, text = number + len(below), thrown
        head = lines.text(at - 1) if is_exception and at else ""
        said = RawLine(
            self.source,
            number,
            text,
            one.loudness,
            one.client,
            record=record,
            above=head if head.rstrip().endswith(":") else "",
            dated=head if STAMP.search(text) is None and STAMP.search(head) is not None else "",
            introduces=one.loudness == "words" and one.introduces,
            ended=one.ended,
        )
        self.is_named |= one.client is not None or any(map(_names_kafka, said.whole.split("\n")))
        self._is_awaiting |= not_reached(text) is not None
        (self.speaking if self.is_named else self._doubtful).append(said)


@lru_cache(maxsize=4096)
def _names_kafka(line: str) -> bool:
    """Whether a line names Kafka: none is doubtful then. Nearly all name it by that word."""
    return "kafka" in line or NAMES_KAFKA.search(line) is not None


def scan(source: str, blocks: Iterable[bytes]) -> RawScan:
    """All of a source at once."""
    found = RawScan(source)
    for block in blocks:
        found.feed(block)
    found.finish()
    return found
