"""A line of a block with what stands around it: what it is about, how loudly it speaks, and whose trace it has."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from transforms.diagnose.unexplained.block_lines import MOST_TRACE, BlockLines, container_of
from transforms.diagnose.unexplained.programs import is_of_program, is_row
from transforms.diagnose.unexplained.raw_line import tells
from transforms.diagnose.unexplained.traces import (
    begins_exception,
    is_frame,
    is_frame_of_kafka,
    is_looked_for,
    is_of_another,
    is_of_anothers_call,
    is_of_python,
    is_thrown_by_kafka,
    names_exception,
)
from transforms.diagnose.wording.kafkas_words import (
    BEFORE_IT,
    DOTTED,
    KAFKA,
    OF_KAFKA,
    OWN_PACKAGES,
    SPEAKER,
    about_by_what_stands_above,
    names_kafkas_heartbeat,
)
from transforms.diagnose.wording.loudness import (
    DETAIL,
    fails_in_words,
    is_level_of_net,
    is_thrown,
    loudness_of,
    says_quiet,
)
from transforms.diagnose.wording.named_clients import client_of

FIRST_FRAMES = 4  # of an exception: whose code it stands in, checks and collections of the language aside


@dataclass(frozen=True, slots=True)
class MayBe:
    """Numbers of a block's lines that may be a client's other than Java's, may explain a standstill, may say that something
    failed."""

    a_clients: Collection[int]
    telling: Collection[int]
    failing: Collection[int]


@dataclass(slots=True)
class LookedLine:
    """A line of a block, by its number there. about: whether it is about Kafka, `plainly` or only `by a name` in dots; empty
    where it is not. client: the name of a client that is not Java's, whose line it is. ended: as of RawLine.
    """

    lines: BlockLines
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
        return self.may_tell and tells(self.text)

    @property
    def is_told_elsewhere(self) -> bool:
        """Whether it is a frame, which the head of its trace tells of, data, or a program's text."""
        may_be = self.loudness in ("", "exception", "words")
        return may_be and (
            is_frame(self.text) or is_row(self.text) or is_of_program(self.at, self.lines.text)
        )

    @property
    def is_quiet(self) -> bool:
        """Whether it is Kafka's own quiet line, as most are, or a quiet one that explains nothing."""
        return not self.loudness and self.client is None and ("kafka" in self.text or not self.tells)

    @property
    def was_got_over(self) -> bool:
        """Whether it is an exception that another library than Kafka's says at DEBUG of what it tried, at INFO of what it
        sought; it went on."""
        if self.loudness != "exception" or not self.at:
            return False
        above = self.lines.text(self.at - 1)
        is_its_own = begins_exception(self.text) and "org.apache.kafka" not in self.text
        is_detail = DETAIL.search(above) is not None and "kafka" not in above
        return is_its_own and (is_detail or (says_quiet(above) and is_looked_for(self.text)))

    def listen(self) -> None:
        """Where no level makes it loud: whether an exception of Kafka's does that it names, or, of a client of another
        language, which prints failures at INFO, its words."""
        if self.loudness or DETAIL.search(self.text) is not None:
            return
        if ("Exception" in self.text or "Error" in self.text) and is_thrown(self.text, OF_KAFKA):
            self.loudness = "exception"
        elif self.client is not None and fails_in_words(self.text):
            self.loudness = "words"

    def first_frames(self) -> list[str]:
        """The frames of its trace that say whose code it stands in."""
        if self.loudness in ("", "words"):
            return []
        first = self.lines.trace(self.at, FIRST_FRAMES)
        if first and is_of_python(first[0]):  # the call that failed stands last, and a frame is two lines
            return self.lines.trace(self.at, MOST_TRACE)[-2 * FIRST_FRAMES :]
        return first

    def is_beside(self, first: Sequence[str]) -> bool:
        """Whether neither it nor what it tells of is Kafka's or a client's. first: see first_frames."""
        return self.client is None and not self._is_of_kafka(first) and not self._is_within(first)

    def _is_of_kafka(self, first: Sequence[str]) -> bool:
        """Whether it is about Kafka, or what was thrown is. Of a warning more is asked than a name of another's metric or
        class."""
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

    def _is_within(self, first: Sequence[str]) -> bool:
        """Whether it is not about Kafka, and the innermost of what its trace tells of was thrown in Kafka's own code."""
        if not first or self.about:
            return False
        return is_thrown_by_kafka(self.lines.trace(self.at, MOST_TRACE), FIRST_FRAMES)

    def end_program(self, client: str | None) -> None:
        """Say that a client's program ended by it. Rust has what panicked below where it did."""
        if " panicked at " in self.text and self.text.endswith(":") and self.at + 1 < len(self.lines):
            self.text += f" {self.lines.text(self.at + 1).removeprefix(container_of(self.text)).strip()}"
        self.client, self.loudness, self.ended = client, "fatal", True

    @property
    def introduces(self) -> bool:
        """Whether it ends with a colon above a fence."""
        below = range(self.at + 1, min(len(self.lines), self.at + 3))
        fence = "".join(self.lines.text(number).strip() for number in below)
        return self.text.rstrip(" \t*_")[-1:] == ":" and fence[:3] == "```"


def looked(lines: BlockLines, at: int, about: str, may_be: MayBe) -> LookedLine:
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
    client = client_of(text) if at in may_be.a_clients else None
    return LookedLine(lines, at, text, loudness, about, client, at in may_be.telling)
