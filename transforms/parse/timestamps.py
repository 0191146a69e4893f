"""Written times -> ms since the epoch, UTC. What the text doesn't say is never guessed in silence.

Shapes: ISO 8601 and `yyyy-MM-dd HH:mm:ss,SSS` (also `/` in dates), with or without fraction and zone; epoch
seconds, ms, µs or ns as digits; time only. Fractions finer than a millisecond are cut.
"""

import calendar
import re
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import NamedTuple
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

STAMP = re.compile(
    r"(\d{4})[-/](\d\d)[-/](\d\d)[ T](\d\d):(\d\d):(\d\d)(?:[.,](\d{1,9}))?"
    r"\s?(Z|UTC|GMT|[+-]\d\d:?\d\d|[+-]\d\d(?!\d))?"
)
EPOCH = re.compile(r"(\d{10,19})(?:\.(\d{1,9}))?$")

# A file of one day needs a few thousand minutes; beyond this the cache starts anew, so that it stays small.
MAX_CACHED_MINUTES = 4096


class Instant(NamedTuple):
    """A written time. at: ms since the epoch, UTC; None where the text gives no certain instant.

    zone_origin: `logged`, `declared`, `assumed`, `ambiguous` (a local time that the zone has twice or never)
        or `none`.
    """

    at: int | None
    zone_origin: str


NO_INSTANT = Instant(None, "none")


@dataclass(slots=True)
class Clock:
    """Reads one source's timestamps. time_zone: IANA name declared for times that carry no zone, or None.

    Raises: ValueError where the zone's name is unknown.
    """

    time_zone: str | None = None
    _zone: ZoneInfo | None = None
    _minutes: dict[str, tuple[int, str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.time_zone:
            try:
                self._zone = ZoneInfo(self.time_zone)
            except (ZoneInfoNotFoundError, ValueError) as unknown:
                raise ValueError(
                    f"{self.time_zone!r} is no IANA time zone, such as Europe/Berlin"
                ) from unknown

    def read(self, text: str) -> Instant:
        """The instant a timestamp names. Never raises: what can't be read is NO_INSTANT."""
        if len(text) >= 23:  # as most are: a fraction of three digits, in a minute that was met before
            known = self._minutes.get(text[:17] + text[23:])
            if known is not None and text[19] in ",.":
                digits = text[17:19] + text[20:23]
                if digits.isdecimal() and digits < "61":  # no minute has more seconds, known or not
                    return Instant(known[0] + int(digits), known[1])
        found = STAMP.match(text)
        if found is None:
            return _epoch(text)
        try:
            return self._dated(found)
        except (ValueError, OverflowError):
            return NO_INSTANT  # the 31st of February and the like

    def _dated(self, found: re.Match[str]) -> Instant:
        year, month, day, hour, minute, second = (int(part) for part in found.group(1, 2, 3, 4, 5, 6))
        local = datetime(year, month, day, hour, minute)
        if second > 60:  # 60 is a leap second, which the epoch doesn't count
            return NO_INSTANT
        minute_at = calendar.timegm(local.timetuple()) * 1000
        rest = second * 1000 + int((found[7] or "0")[:3].ljust(3, "0"))
        if found[8]:
            minute_at, origin = minute_at - _offset_ms(found[8]), "logged"
        elif self._zone is None:
            origin = "assumed"
        else:
            offset = _only_offset(local, self._zone)
            if offset is None:
                return Instant(None, "ambiguous")
            minute_at, origin = minute_at - offset // timedelta(milliseconds=1), "declared"
        if found[7] and len(found[7]) == 3:
            if len(self._minutes) >= MAX_CACHED_MINUTES:
                self._minutes.clear()
            self._minutes[found[0][:17] + found[0][23:]] = (minute_at, origin)
        return Instant(minute_at + rest, origin)


def _only_offset(local: datetime, zone: ZoneInfo) -> timedelta | None:
    """The zone's offset at a local time; None in the hour it has twice, and in the one it skips."""
    first, second = (local.replace(tzinfo=zone, fold=fold).utcoffset() for fold in (0, 1))
    return first if first == second else None


def _offset_ms(zone: str) -> int:
    if zone in ("Z", "UTC", "GMT"):
        return 0
    digits = zone[1:].replace(":", "").ljust(4, "0")
    ms = (int(digits[:2]) * 60 + int(digits[2:])) * 60_000
    return -ms if zone[0] == "-" else ms


def _epoch(text: str) -> Instant:
    """Seconds have 10 digits (until 2286), ms 13, µs 16, ns 19; other lengths are no time."""
    found = EPOCH.match(text.strip())
    if found is None:
        return NO_INSTANT
    digits = found[1]
    per_second = {10: 1, 13: 1_000, 16: 1_000_000, 19: 1_000_000_000}.get(len(digits))
    if per_second is None:
        return NO_INSTANT
    fraction = int((found[2] or "0")[:3].ljust(3, "0")) if per_second == 1 else 0
    return Instant(int(digits) * 1000 // per_second + fraction, "logged")


def iso(at: int) -> str:
    """`2026-11-21T03:39:50.531Z` of an instant in ms, for evidence and messages."""
    moment = datetime.fromtimestamp(at / 1000, tz=UTC)
    return moment.strftime("%Y-%m-%dT%H:%M:%S.") + f"{at % 1000:03d}Z"
