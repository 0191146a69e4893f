"""Ways in which logs write a time: some sixty notations, each with what it keeps of the instant."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone

MS, SECOND = 1, 1000


@dataclass(frozen=True)
class Notation:
    """One way to write an instant. grain_ms: what is cut off; None where no full date is shown."""

    name: str
    write: Callable[[int], str]
    grain_ms: int | None = MS

    def shown(self, at: int) -> int | None:
        """The instant that the notation shows, ms since the epoch."""
        return None if self.grain_ms is None else at // self.grain_ms * self.grain_ms


def _dated(pattern: str, fraction: str = "", zone: str = "", hours: float = 0) -> Callable[[int], str]:
    """strftime's pattern; fraction: its mark and then a digit each, as `.000`; zone: what is written behind it."""
    offset = timezone(timedelta(hours=hours))

    def write(at: int) -> str:
        moment = datetime.fromtimestamp(at // 1000, UTC).astimezone(offset)
        digits = f"{at % 1000:03d}456789"[: len(fraction) - 1]
        return moment.strftime(pattern) + (fraction[:1] + digits if fraction else "") + zone

    return write


def _twelve(pattern: str, fraction: str = "") -> Callable[[int], str]:
    """With AM or PM behind the fraction."""
    first, am = _dated(pattern, fraction), _dated(" %p")
    return lambda at: first(at) + am(at)


def _epoch(per_ms: int) -> Callable[[int], str]:
    return lambda at: str(at * per_ms)


T, S = "%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M:%S"
CLOCK = "%H:%M:%S"
NOTATIONS = (
    Notation("ISO, comma", _dated(S, ",000")),
    Notation("ISO, point", _dated(S, ".000")),
    Notation("ISO, colon", _dated(S, ":000")),
    Notation("ISO, seconds", _dated(S), SECOND),
    Notation("ISO, micro", _dated(S, ".000000")),
    Notation("ISO, nano", _dated(S, ".000000000")),
    Notation("ISO, Z apart", _dated(S, ".000", " Z")),
    Notation("ISO, UTC apart", _dated(S, ".000", " UTC")),
    Notation("ISO, GMT apart", _dated(S, ",000", " GMT")),
    Notation("ISO, offset apart", _dated(S, ".000", " +0200", 2)),
    Notation("ISO, offset", _dated(S, ",000", "+0000")),
    Notation("ISO, offset with colon", _dated(S, ".000", "+05:30", 5.5)),
    Notation("ISO, west", _dated(S, ".000", "-0800", -8)),
    Notation("T, Z", _dated(T, ".000", "Z")),
    Notation("T, comma", _dated(T, ",000")),
    Notation("T, point", _dated(T, ".000")),
    Notation("T, comma, Z", _dated(T, ",000", "Z")),
    Notation("T, seconds, Z", _dated(T, "", "Z"), SECOND),
    Notation("T, seconds", _dated(T), SECOND),
    Notation("T, offset with colon", _dated(T, ".000", "+02:00", 2)),
    Notation("T, offset", _dated(T, ".000", "+0100", 1)),
    Notation("T, short offset", _dated(T, ".000", "+01", 1)),
    Notation("T, micro, Z", _dated(T, ".000000", "Z")),
    Notation("T, nano, Z", _dated(T, ".000000000", "Z")),
    Notation("T, seven digits, Z", _dated(T, ".0000000", "Z")),
    Notation("T, micro, offset", _dated(T, ".000000", "-05:00", -5)),
    Notation("T, seconds, offset", _dated(T, "", "+00:00"), SECOND),
    Notation("basic", _dated("%Y%m%dT%H%M%S", ".000")),
    Notation("basic, Z", _dated("%Y%m%dT%H%M%S", ".000", "Z")),
    Notation("digits and clock", _dated("%Y%m%d %H:%M:%S", ".000")),
    Notation("underscore", _dated("%Y-%m-%d_%H:%M:%S", ".000")),
    Notation("slashes", _dated("%Y/%m/%d %H:%M:%S", ".000")),
    Notation("slashes, seconds", _dated("%Y/%m/%d %H:%M:%S"), SECOND),
    Notation("slashes, comma", _dated("%Y/%m/%d %H:%M:%S", ",000")),
    Notation("points", _dated("%Y.%m.%d %H:%M:%S", ".000")),
    Notation("German", _dated("%d.%m.%Y %H:%M:%S", ".000")),
    Notation("German, seconds", _dated("%d.%m.%Y %H:%M:%S"), SECOND),
    Notation("day first", _dated("%d/%m/%Y %H:%M:%S", ".000")),
    Notation("month first", _dated("%m/%d/%Y %H:%M:%S", ".000")),
    Notation("month first, noon", _twelve("%m/%d/%Y %I:%M:%S", ".000")),
    Notation("day first, dashes", _dated("%d-%m-%Y %H:%M:%S", ".000")),
    Notation("Spark", _dated("%y/%m/%d %H:%M:%S"), SECOND),
    Notation("two digits", _dated("%y-%m-%d %H:%M:%S", ".000")),
    Notation("log4j DATE", _dated("%d %b %Y %H:%M:%S", ",000")),
    Notation("log4j DATE, seconds", _dated("%d %b %Y %H:%M:%S"), SECOND),
    Notation("JULI", _dated("%d-%b-%Y %H:%M:%S", ".000")),
    Notation("JUL", _twelve("%b %d, %Y %I:%M:%S"), SECOND),
    Notation("month's name first", _dated("%b %d, %Y %H:%M:%S", ".000")),
    Notation("httpd", _dated("%d/%b/%Y:%H:%M:%S", "", " +0000"), SECOND),
    Notation("date", _dated("%a %b %d %H:%M:%S UTC %Y"), SECOND),
    Notation("ctime", _dated("%a %b %d %H:%M:%S %Y"), SECOND),
    Notation("RFC 1123", _dated("%a, %d %b %Y %H:%M:%S GMT"), SECOND),
    Notation("epoch seconds", lambda at: str(at // 1000), SECOND),
    Notation("epoch seconds with ms", lambda at: f"{at // 1000}.{at % 1000:03d}"),
    Notation("epoch ms", _epoch(1)),
    Notation("epoch micro", _epoch(1000)),
    Notation("clock", _dated(CLOCK, ".000"), None),
    Notation("clock, comma", _dated(CLOCK, ",000"), None),
    Notation("clock, seconds", _dated(CLOCK), None),
    Notation("clock, micro", _dated(CLOCK, ".000000"), None),
    Notation("no year", _dated("%m-%d %H:%M:%S", ".000"), None),
    Notation("syslog", _dated("%b %d %H:%M:%S"), None),
)
