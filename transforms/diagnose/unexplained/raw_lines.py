"""Lines as they stand in a file, whatever read them: what speaks of trouble with Kafka, and what else tells.

Beside the events, so that no reader's miss is an all-clear, and so that the application's own words can be quoted.
"""

from collections import Counter, deque
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

from transforms.diagnose.unexplained.block_lines import (
    BY_POWERSHELL,
    MOST_CHARACTERS,
    MOST_TRACE,
    BlockLines,
    container_of,
    rejoined,
)
from transforms.diagnose.unexplained.program_ended import is_ended_by, is_of_client
from transforms.diagnose.unexplained.programs import is_of_compiler, is_of_program, is_row
from transforms.diagnose.unexplained.traces import (
    before_anothers,
    begins_exception,
    is_frame,
    is_frame_of_kafka,
    is_looked_for,
    is_of_another,
    is_of_anothers_call,
    is_of_python,
    is_thrown_by_kafka,
    is_told_to_stop,
    names_exception,
    thrown_by_python,
)
from transforms.diagnose.wording.kafkas_words import (
    BEFORE_IT,
    DOTTED,
    ITS_THINGS,
    KAFKA,
    NAMES_KAFKA,
    OF_KAFKA,
    OWN_PACKAGES,
    SPEAKER,
    about_by_what_stands_above,
    names_kafkas_heartbeat,
)
from transforms.diagnose.wording.loudness import (
    DETAIL,
    MAY_FAIL,
    fails_in_words,
    is_level_of_net,
    is_thrown,
    loudness_of,
    says_quiet,
)
from transforms.diagnose.wording.named_clients import MAY_BE_CLIENT, client_of
from transforms.diagnose.wording.other_languages import FAILING as IN_OTHER_LANGUAGES
from transforms.diagnose.wording.states import MAY_BE_REACHED, not_reached, reached
from transforms.parse.catalogue.errors import ANSWER, ERROR_IN_RESPONSE, answer_in
from transforms.parse.lines.timestamps import STAMP
from transforms.when_used import when_used

MOST_KEPT = 50_000  # lines of each kind, the newest
MOST_BYTES = 1 << 20  # of one line that are searched
MOST_REACHED = 512  # lines that say that something is in order again, the newest
MOST_ANSWERS = 256  # clients and requests whose last answer was an error
MOST_LOUD = 1024  # lines that are counted: with more a log is not quiet, whatever they say
FIRST_FRAMES = 4  # of an exception: whose code it stands in, checks and collections of the language aside
HEAD_LINES = 200  # of which each is looked at for whose it is
_ADDRESS = when_used(r"(?<=[\w.\]]):(?P<port>[1-9]\d{3,4})\b(?!\.\d)")
MOST_PORTS = 64
HEAD_BYTES = 1024  # that tell what a source is
KAFKAS_PORT = "9092"
_BROKER = when_used(rf"(?<![\w.-])(?P<host>(?!localhost\b|127\.|0\.)[\w.-]{{2,253}}):{KAFKAS_PORT}\b")
_HOST = when_used(r"(?<![\w.-])[\w-]+(?:\.[\w-]+)*(?!:?[\w-])")  # without a port
_BELOW_LEVEL = " " * 6  # as .NET puts what it says below its level
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
# What explains a standstill, in the application's own words.
_TELLING = when_used(
    r"(?i)\b(?:back-?off|paused?|gc|garbage.?collect\w*|breakpoint|debugger|sleep(?:ing|s)?|suspend\w*|shut(?:ting)? ?down"
    r"|sigterm|sigkill|stopping|thread starvation|clock leap|slow|took \d+|out ?of ?memory\w*|timed? ?out|retry(?:ing)?)\b"
)
# No line without one of these tells (RE2, on bytes: all lines at once).
_MAY_TELL = rf"{_TELLING.pattern}|exception|error|traceback|panic".replace(r"\b", "")
# A line of a dump of settings, behind a collector's time perhaps.
_SETTING = when_used(rf"(?:(?:{STAMP.pattern})\S*)?\s*[\w-]+(?:\.[\w-]+)+\s*[=:]\s*\S*\s*")


@dataclass(frozen=True, slots=True)
class RawLine:
    """A physical line. line: 1-based. loudness: one of LOUDNESS, empty where it only tells. client: the name of a client
    that is not Java's, where the line is its. errors: names of the error codes of an answer that was the last of its kind.
    record: the text of its record, where one was read. above: the line that an exception is printed below. dated: that
    line, where it alone has a time. is_doubtful: others than Kafka say such, and nothing in its log names Kafka.
    introduces: it ends with a colon above a fence. ended: the program of the client ended by it.
    """

    source: str
    line: int
    text: str
    loudness: str = ""
    client: str | None = None
    errors: tuple[str, ...] = ()
    record: str = ""
    above: str = ""
    dated: str = ""
    is_doubtful: bool = False
    introduces: bool = False
    ended: bool = False

    @property
    def whole(self) -> str:
        """All that its record says."""
        return self.record or self.text


@dataclass(slots=True)
class RawScan:
    """Takes a source's decompressed bytes block by block, in order.

    speaking: lines that speak of trouble with Kafka. telling: lines, not of Kafka, that may explain a standstill.
    of_its_things: loud lines of topics, offsets, consumers without Kafka's name, which a client that is not Java's may say.
    reached: lines behind those that say that something of Kafka's is connected, joined, assigned.
    refused: of each client and request the last answer in the log, where it holds an error.
    clients, kafka_lines: of the first HEAD_LINES, those by client that is not Java's, and those about Kafka;
    dated_lines: of these, those that are a log's own by their time; quiet_lines: of these, those with a quiet level.
    ports: that those of such a client name: a failure of the network that names one too is of that client.
    brokers: hosts that any of them names with Kafka's own port. containers: of any client. head: the first bytes.
    is_named: whether one of those, or of those that are loud, names Kafka. loud: those that say, by their level or in words,
    that something failed, whatever it was, the first.
    """

    source: str
    lines: int = 0
    size: int = 0
    kafka_lines: int = 0
    dated_lines: int = 0
    quiet_lines: int = 0
    speaking: deque[RawLine] = field(default_factory=lambda: deque(maxlen=MOST_KEPT))
    telling: deque[RawLine] = field(default_factory=lambda: deque(maxlen=MOST_KEPT))
    of_its_things: deque[RawLine] = field(default_factory=lambda: deque(maxlen=MOST_KEPT))
    reached: deque[RawLine] = field(default_factory=lambda: deque(maxlen=MOST_REACHED))
    refused: dict[tuple[str, str], RawLine] = field(default_factory=dict)
    clients: Counter[str] = field(default_factory=Counter)
    ports: set[str] = field(default_factory=set)
    brokers: set[str] = field(default_factory=set)
    containers: set[str] = field(default_factory=set)
    head: bytes = b""
    is_named: bool = False
    loud: list[RawLine] = field(default_factory=list)
    _traced: int = 0  # the last line of the trace of the last one that speaks
    _is_awaiting: bool = False  # that something is connected, joined, assigned
    _is_broken: bool = False  # by PowerShell
    _doubtful: deque[RawLine] = field(default_factory=lambda: deque(maxlen=MOST_KEPT))
    _rest: bytes = b""

    def is_quiet(self, normal: int) -> bool:
        """Whether each of its dated lines about Kafka says that it is quiet, and no line that anything failed, but for some
        that are normal: so many.
        """
        not_quiet = max(self.dated_lines - self.quiet_lines, len(self.loud))
        return self.dated_lines > 0 and len(self.loud) < MOST_LOUD and not_quiet <= normal

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
        self.speaking.extend(self.refused.values())
        self.refused.clear()
        self.speaking.extend(replace(one, is_doubtful=not self.is_named) for one in self._doubtful)
        self._doubtful.clear()
        if self.ports or self.is_named:
            self._of_its_brokers()

    def _of_its_brokers(self) -> None:
        """Failures that name no client, but an address of its brokers: Go's `read tcp 10.0.0.4:51137->10.0.0.5:9092`. That
        port is Kafka's wherever the log names Kafka at all. Or a broker's host alone: `Failed host lookup: 'kafka1'`.
        """
        whose = self.clients.most_common(1)[0][0] if self.clients else None
        ports = self.ports | {KAFKAS_PORT}
        for line in self.telling:
            loudness = loudness_of(line.text)
            if loudness and (
                ports & set(_ADDRESS.findall(line.text)) or self.brokers & set(_HOST.findall(line.text))
            ):
                self.speaking.append(RawLine(self.source, line.line, line.text, loudness, whose))

    def _scan(self, whole: bytes) -> None:
        """Lines, without the newline of the last."""
        self._is_broken |= BY_POWERSHELL in whole
        lines = BlockLines(rejoined(whole) if self._is_broken else whole)
        if self.lines < HEAD_LINES:
            self._count(lines, min(len(lines), HEAD_LINES - self.lines))
        found = lines.matching(_CANDIDATE)
        about_kafka, plainly = lines.about_kafka(found)
        may = _May(*(lines.among(found, one) for one in (MAY_BE_CLIENT, _MAY_TELL, MAY_FAIL)))
        for number in found:
            about = "" if number not in about_kafka else "plainly" if number in plainly else "by a name"
            self._look(lines, number, about, may)
        self._answers(lines)
        if self._is_awaiting:
            self._take_reached(lines)
        self.lines += len(lines)

    def _count(self, lines: BlockLines, most: int) -> None:
        """Whose the first lines are, and what levels those about Kafka have."""
        first = range(most)
        about, named = (lines.having(first, one) for one in (KAFKA.sieve, NAMES_KAFKA.sieve))
        level = ""  # of .NET, which writes what it says below it
        for number in first:
            text = lines.text(number)
            level = text if is_level_of_net(text) else level if text.startswith(_BELOW_LEVEL) else ""
            client = client_of(text)
            self.clients.update([client] if client else [])
            if is_of_client(text, client):
                self.containers.add(container_of(text))
            if client and len(self.ports) < MOST_PORTS:
                self.ports.update(_ADDRESS.findall(text))
            if f":{KAFKAS_PORT}" in text and len(self.brokers) < MOST_PORTS:
                self.brokers.update(_BROKER.findall(text))
            if client is not None or number in about:
                self.kafka_lines += 1
                if level or STAMP.search(text) is not None:
                    self.dated_lines += 1
                    self.quiet_lines += says_quiet(level or text)
            self.is_named |= client is not None or number in named

    def _take_reached(self, lines: BlockLines) -> None:
        for number in lines.matching(MAY_BE_REACHED)[-MOST_REACHED:]:
            text = lines.text(number)
            if reached(text) is not None and KAFKA.search(text) is not None:
                self.reached.append(RawLine(self.source, self.lines + number + 1, text))

    def _answers(self, lines: BlockLines) -> None:
        """Errors within answers, as DEBUG prints them: only what no later answer to the same request took back."""
        if not self.refused and not lines.matching(ERROR_IN_RESPONSE):
            return
        for number in lines.matching(ANSWER):
            text = lines.text(number)
            found = answer_in(text)
            if found is None:
                continue
            whose, errors = found
            self.refused.pop(whose, None)
            if errors and len(self.refused) < MOST_ANSWERS:
                self.refused[whose] = RawLine(
                    self.source, self.lines + number + 1, text, "words", None, tuple(errors)
                )

    def _look(self, lines: BlockLines, at: int, about: str, may: "_May") -> None:
        """about: as of _Looked."""
        if is_of_compiler(at, lines.text, len(lines)) or is_told_to_stop(at, lines.text, len(lines)):
            return
        number, one = self.lines + at + 1, _looked(lines, at, about, may)
        # The head of a trace says it, with all that was thrown.
        is_of_trace = one.loudness == "exception" and number <= self._traced
        is_said = one.loudness or (at in may.fail and fails_in_words(one.text))
        if is_said and not is_of_trace and len(self.loud) < MOST_LOUD:
            record = "\n".join([one.text, *lines.trace(at, FIRST_FRAMES)]) if one.loudness else ""
            self.loud.append(RawLine(self.source, number, one.text, one.loudness, record=record))
        may_be_below = one.loudness in ("", "exception", "words")
        if may_be_below and (is_frame(one.text) or is_row(one.text) or is_of_program(at, lines.text)):
            return  # the head of its trace said it, or the program would, or it is data
        if is_of_trace:
            return
        may_throw = not one.loudness and ("Exception" in one.text or "Error" in one.text)
        if may_throw and is_thrown(one.text, OF_KAFKA) and DETAIL.search(one.text) is None:
            one.loudness = "exception"
        if not one.loudness and one.client is None and ("kafka" in one.text or not one.tells):
            return  # Kafka's own quiet line: most of all
        if one.loudness == "exception" and at and _is_tried(lines.text(at - 1), one.text):
            return
        if one.client is not None and not one.loudness and _fails_aloud(one.text):
            one.loudness = "words"  # clients of other languages print failures at INFO
        first = _first_frames(lines, at) if one.loudness not in ("", "words") else []
        is_beside = one.client is None and not one.is_of_kafka(first) and not _is_within(lines, one, first)
        if is_beside and one.loudness and is_ended_by(at, lines.text, len(lines), self.containers):
            if " panicked at " in one.text and one.text.endswith(":") and at + 1 < len(lines):
                one.text += f" {lines.text(at + 1).removeprefix(container_of(one.text)).strip()}"
            one.client, one.loudness, one.ended = next(iter(self.clients), None), "fatal", True
        if is_beside and not one.ended:
            self._put_beside(number, one, first)
        elif one.loudness:
            self._put(number, one, lines, has_trace=bool(first))

    def _put_beside(self, number: int, one: "_Looked", first: Sequence[str]) -> None:
        """Keep a line that is not about Kafka, where it may tell of it all the same. first: as of _Looked.is_of_kafka."""
        is_said = one.loudness in ("fatal", "error") or (one.loudness == "warn" and fails_in_words(one.text))
        is_anothers = bool(first) and before_anothers(first[0]) in ("", "Caused by: ")
        another = before_anothers(one.text) if is_said else None
        said = one.text if another is None else another
        if is_said and not is_anothers and ITS_THINGS.search(DOTTED.sub(BEFORE_IT, said)):
            self.of_its_things.append(RawLine(self.source, number, one.text, one.loudness))
        if one.tells or (one.loudness and _ADDRESS.search(one.text)):
            self.telling.append(RawLine(self.source, number, one.text))

    def _put(self, number: int, one: "_Looked", lines: BlockLines, *, has_trace: bool) -> None:
        """Keep a line that speaks of trouble with Kafka, with its record."""
        at, text = one.at, one.text
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
            introduces=one.loudness == "words" and _introduces(lines, at, text),
            ended=one.ended,
        )
        self.is_named |= one.client is not None or any(map(_names_kafka, said.whole.split("\n")))
        self._is_awaiting |= not_reached(text) is not None
        (self.speaking if self.is_named else self._doubtful).append(said)


@dataclass(frozen=True, slots=True)
class _May:
    """Numbers of lines that may be a client's other than Java's, may explain a standstill, may say that something failed."""

    be_client: Collection[int]
    tell: Collection[int]
    fail: Collection[int]


@dataclass(slots=True)
class _Looked:
    """A line of a block, by its number there. about: whether it is about Kafka, `plainly` or only `by a name` in dots; empty
    where it is not. client: the name of a client that is not Java's, whose line it is. ended: as of RawLine.
    """

    at: int
    text: str
    loudness: str
    about: str
    client: str | None
    may_tell: bool
    ended: bool = False

    @property
    def tells(self) -> bool:
        """Whether it may explain a standstill."""
        return self.may_tell and _tells(self.text)

    def is_of_kafka(self, first: Sequence[str]) -> bool:
        """Whether it is about Kafka, or what was thrown is. first: frames of its trace. Of a warning more is asked than a
        name of another's metric or class.
        """
        is_below = bool(first) and begins_exception(first[0].lstrip())
        if not self.about and is_of_anothers_call(first if is_below else [self.text, *first]):
            return False
        if (is_below and self.about) or any(map(is_frame_of_kafka, first)):
            return True
        if self.about != "by a name" or self.loudness != "warn" or OWN_PACKAGES.search(self.text):
            return bool(self.about)
        plain = DOTTED.sub(BEFORE_IT, self.text)
        is_spoken = SPEAKER.search(self.text) is not None and fails_in_words(plain)
        return names_exception(self.text) or is_thrown(plain) or is_spoken


def _looked(lines: BlockLines, at: int, about: str, may: _May) -> _Looked:
    """A line, with what .NET writes below its level, and what is about Kafka by what stands above it."""
    text = lines.text(at)
    loudness = loudness_of(text)
    if loudness and is_level_of_net(text) and at + 1 < len(lines):
        text += lines.text(at + 1)
        about = about or ("by a name" if KAFKA.search(text) else "")
    above = lines.text(at - 1) if at else ""
    about = about or (about_by_what_stands_above(above) if loudness else "")
    if about and is_of_another(text, above):
        about = ""
    if "eartbeat" in text and not names_kafkas_heartbeat(" ".join([*lines.trace(at, 1), text])):
        about = ""
    client = client_of(text) if at in may.be_client else None
    return _Looked(at, text, loudness, about, client, at in may.tell)


def _first_frames(lines: BlockLines, at: int) -> list[str]:
    """The frames of a line's trace that say whose code it stands in."""
    first = lines.trace(at, FIRST_FRAMES)
    if first and is_of_python(first[0]):  # the call that failed stands last, and a frame is two lines
        return lines.trace(at, MOST_TRACE)[-2 * FIRST_FRAMES :]
    return first


def _is_within(lines: BlockLines, one: _Looked, first: Sequence[str]) -> bool:
    """Whether a line is not about Kafka, and the innermost of what its trace tells of was thrown in Kafka's own code."""
    return bool(first) and not one.about and is_thrown_by_kafka(lines.trace(one.at, MOST_TRACE), FIRST_FRAMES)


def _introduces(lines: BlockLines, at: int, text: str) -> bool:
    """Whether a line ends with a colon above a fence."""
    below = "".join(lines.text(number).strip() for number in range(at + 1, min(len(lines), at + 3)))
    return text.rstrip(" \t*_")[-1:] == ":" and below[:3] == "```"


def _fails_aloud(text: str) -> bool:
    """Whether a line says that something failed, and not as a detail."""
    return DETAIL.search(text) is None and fails_in_words(text)


def tells_in_words(text: str) -> bool:
    """Whether a line may explain a standstill by more than a name in dots; ZooKeeper's client says each close of its own,
    and a comment is nobody's."""
    return (
        "EventThread shut down" not in text
        and not text.startswith("#")
        and _tells(DOTTED.sub(BEFORE_IT, text))
    )


def without_key(text: str) -> str:
    """What a line says without its key, where it is one of a dump of settings: the key's words are nobody's."""
    return text.partition("=")[2] if "=" in text and _SETTING.fullmatch(text) is not None else text


def _tells(text: str) -> bool:
    """Whether a line may explain a standstill, whoever's it is: by an exception, or in words; no frame, setting, part."""
    is_below = text[:1].isspace()  # a part of what stands above it: Streams tells so which tasks it suspended
    if is_below or is_frame(text) or _SETTING.fullmatch(text) is not None:
        return False
    return is_thrown(text) or _TELLING.search(text) is not None


def _is_tried(above: str, text: str) -> bool:
    """Whether an exception is what another library than Kafka's says at DEBUG of what it tried, at INFO of what it sought;
    it went on."""
    is_its_own = begins_exception(text) and "org.apache.kafka" not in text
    is_detail = DETAIL.search(above) is not None and "kafka" not in above
    return is_its_own and (is_detail or (says_quiet(above) and is_looked_for(text)))


@lru_cache(maxsize=4096)
def _names_kafka(line: str) -> bool:
    """Whether a line names Kafka: none is doubtful then. Nearly all name it by that word."""
    return "kafka" in line or NAMES_KAFKA.search(line) is not None


def unread_line(source: str, line: int, text: str) -> RawLine | None:
    """A piece that no reader understood, as a line to be told of; None where it is quiet, or about something else."""
    lines = enumerate(text[:MOST_CHARACTERS].split("\n"))
    below, loud = next((one for one in lines if loudness_of(one[1])), (0, None))
    client = client_of(text[:MOST_CHARACTERS])
    if loud is None:
        return None
    loudness = loudness_of(loud)
    about = (
        text[:MOST_CHARACTERS] if loudness in ("fatal", "error", "exception") else loud
    )  # a warning is about itself
    if client is None and KAFKA.search(about) is None:
        return None
    return RawLine(source, line + below, loud, loudness, client)


def scan(source: str, blocks: Iterable[bytes]) -> RawScan:
    """All of a source at once."""
    found = RawScan(source)
    for block in blocks:
        found.feed(block)
    found.finish()
    return found
