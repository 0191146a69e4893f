"""A line as it stands in a file, and what it says by itself: what may explain a standstill, what it sets."""

from dataclasses import dataclass

from transforms.diagnose.unexplained.block_lines import MOST_CHARACTERS
from transforms.diagnose.unexplained.traces import is_frame
from transforms.diagnose.wording.kafkas_words import BEFORE_IT, DOTTED, KAFKA
from transforms.diagnose.wording.loudness import is_thrown, loudness_of
from transforms.diagnose.wording.named_clients import client_of
from transforms.parse.lines.timestamps import STAMP
from transforms.when_used import when_used

# What explains a standstill, in the application's own words.
_TELLING = when_used(
    r"(?i)\b(?:back-?off|paused?|gc|garbage.?collect\w*|breakpoint|debugger|sleep(?:ing|s)?|suspend\w*|shut(?:ting)? ?down"
    r"|sigterm|sigkill|stopping|thread starvation|clock leap|slow|took \d+|out ?of ?memory\w*|timed? ?out|retry(?:ing)?)\b"
)
# No line without one of these tells (RE2, on bytes: all lines at once).
MAY_TELL = rf"{_TELLING.pattern}|exception|error|traceback|panic".replace(r"\b", "")
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


def tells_in_words(text: str) -> bool:
    """Whether a line may explain a standstill by more than a name in dots; ZooKeeper's client says each close of its own,
    and a comment is nobody's."""
    return (
        "EventThread shut down" not in text
        and not text.startswith("#")
        and tells(DOTTED.sub(BEFORE_IT, text))
    )


def tells(text: str) -> bool:
    """Whether a line may explain a standstill, whoever's it is: by an exception, or in words; no frame, setting, part."""
    is_below = text[:1].isspace()  # a part of what stands above it: Streams tells so which tasks it suspended
    if is_below or is_frame(text) or _SETTING.fullmatch(text) is not None:
        return False
    return is_thrown(text) or _TELLING.search(text) is not None


def without_key(text: str) -> str:
    """What a line says without its key, where it is one of a dump of settings: the key's words are nobody's."""
    return text.partition("=")[2] if "=" in text and _SETTING.fullmatch(text) is not None else text


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
