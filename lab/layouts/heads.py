"""A line drawn at random: which parts stand around the message, in what order, and how they are set apart."""

import random
from collections.abc import Callable
from dataclasses import dataclass, field

from lab.layouts.records import Entry
from lab.layouts.times import NOTATIONS, Notation

APPLICATION_THREADS = ("main", "pool-2-thread-1", "http-nio-8080-exec-3", "scheduling-1", "Thread-15")
MDC = (
    "[orders,4bf92f3577b34da6,00f067aa0ba902b7]",
    "[traceId=4bf92f35, spanId=00f067aa]",
    "[,]",
    "{}",
    "[]",
    "[orders]",
    "{trace=4bf92f35}",
)
PLAIN_MDC = ("a1b2c3|-|orders", "4bf92f35/00f067aa", "-")
PROCESS = ("4711 ---", "[4711]", "pid=4711", "1 ---")
SEPARATORS = (" ", " ", " ", " ", "  ", " | ", "\t", " - ", "|")
BEFORE_MESSAGE = (" - ", " - ", ": ", " : ", " -- ", " ", " ", " | ", "\t", " >> ", "|")
BRACKETS = (("", ""), ("", ""), ("[", "]"), ("(", ")"), ("<", ">"))


@dataclass(frozen=True)
class Shown:
    """What a layout lets a reader see of a record."""

    time: Notation | None = None
    has_level: bool = True
    has_thread: bool = True
    logger: str = "whole"  # or package (shortened packages), simple, cut (its end), none

    @property
    def names_package(self) -> bool:
        """Whether a logger is seen to be Kafka's, whatever it says."""
        return self.logger in ("whole", "package")


@dataclass
class Head:
    """A drawn line. parts: writers of what stands before the message, in order; behind: of what stands after it."""

    shown: Shown
    parts: list[Callable[[Entry], str]]
    separators: list[str]
    before_message: str
    behind: Callable[[Entry], str] | None = None
    named: list[str] = field(default_factory=list)

    def write(self, entry: Entry) -> str:
        """The record, without a newline at its end."""
        line = ""
        for part, separator in zip(self.parts, self.separators, strict=True):
            line += part(entry) + separator
        message, trace = entry.parts
        text = (
            (line[: -len(self.separators[-1])] if line else "")
            + (self.before_message if line else "")
            + message
        )
        text += self.behind(entry) if self.behind else ""
        return text + (f"\n{trace}" if trace else "")


def drawn_head(draw: random.Random) -> Head:
    """A line that no list holds, but that somebody's pattern could write."""
    time = draw.choice(NOTATIONS) if draw.random() < 0.87 else None
    has_level, has_thread = draw.random() < 0.92, draw.random() < 0.6
    logger = draw.choice(("whole", "whole", "whole", "package", "package", "simple", "cut", "none"))
    is_behind = logger in ("whole", "package") and draw.random() < 0.2
    if time is None and not has_level and logger != "none":
        has_level = True  # or there is no head at all
    shown = Shown(time, has_level, has_thread, logger)
    named: list[str] = [time.name if time else "no time", f"logger {logger}"]
    parts: dict[str, Callable[[Entry], str]] = {}
    if time is not None:
        parts["time"] = _within(draw.choice(BRACKETS), _time(time))
    if has_level:
        parts["level"] = _level(draw)
    if has_thread:
        parts["thread"] = _within(draw.choice((("[", "]"), ("[", "]"), ("(", ")"), ("{", "}"))), _thread)
    if logger != "none" and not is_behind:
        parts["logger"] = _logger(draw, logger)
    if draw.random() < 0.3:
        parts["mdc"] = _always(draw.choice(MDC))
    elif draw.random() < 0.08 and len(parts) > 2:
        parts["mdc"] = _always(draw.choice(PLAIN_MDC))
    if draw.random() < 0.12 and len(parts) > 1:
        parts["pid"] = _always(draw.choice(PROCESS))
    order = _ordered(draw, list(parts))
    named.append(" ".join(order))
    same = draw.choice(SEPARATORS)
    separators = [same if draw.random() < 0.8 else " " for _ in order]
    behind = _behind(draw, logger) if is_behind else None
    before = draw.choice(BEFORE_MESSAGE) if not is_behind else " "
    named += [f"separated by {same!r}", f"message after {before!r}", *(["logger behind"] if behind else [])]
    return Head(shown, [parts[name] for name in order], separators, before, behind, named)


def _ordered(draw: random.Random, names: list[str]) -> list[str]:
    """Mostly as patterns have it, time or level first; now and then in any order."""
    usual = [name for name in ("time", "pid", "level", "thread", "mdc", "logger") if name in names]
    if draw.random() < 0.45:
        if draw.random() < 0.5 and "level" in usual:
            usual.remove("level")
            usual.insert(draw.randrange(len(usual) + 1), "level")
        return usual
    draw.shuffle(usual)
    return usual


def _within(brackets: tuple[str, str], part: Callable[[Entry], str]) -> Callable[[Entry], str]:
    return lambda entry: f"{brackets[0]}{part(entry)}{brackets[1]}"


def _always(text: str) -> Callable[[Entry], str]:
    return lambda entry: text


def _time(notation: Notation) -> Callable[[Entry], str]:
    return lambda entry: notation.write(entry.at)


def _thread(entry: Entry) -> str:
    return entry.thread


def _level(draw: random.Random) -> Callable[[Entry], str]:
    form = draw.choice(("{}", "{}", "{:<5}", "{:>5}", "[{}]", "[{:<5}]", "{:<7}", "<{}>", "({})", "level={}"))
    is_lower = draw.random() < 0.1
    return lambda entry: form.format(entry.level.lower() if is_lower else entry.level)


def _logger(draw: random.Random, how: str) -> Callable[[Entry], str]:
    form = draw.choice(
        ("{}", "{}", "{}", "[{}]", "({})", "{:<40}", "{:<36}", "{}:123", "[{}:88]", "{}.poll", "{}(1023)")
    )
    return lambda entry: form.format(shortened(entry.logger, how))


def _behind(draw: random.Random, how: str) -> Callable[[Entry], str]:
    form = draw.choice((" ({})", " ({})", "   [{}]", " ({}:123)", " [{}:88]", " {{{}}}", " ({}) [main]"))
    return lambda entry: form.format(shortened(entry.logger, how))


def shortened(logger: str, how: str) -> str:
    """A logger's name as layouts shorten it."""
    packages, _, simple = logger.rpartition(".")
    if how == "simple" or not packages:
        return simple
    if how == "cut":
        return logger[-36:]
    if how == "package":
        return ".".join(part[:1] for part in packages.split(".")) + "." + simple
    return logger
