"""Instants as the log itself writes them: in its zone where it has one, and without any where it has none."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from transforms.when_used import when_used
from transforms.whole import within_years

# What stands behind a time of day: Z, an offset, or nothing.
_ZONED = when_used(r"\d{2}:\d{2}:\d{2}(?:[.,]\d{1,9})? ?(Z|UTC|GMT|[+-]\d{2}:?\d{2})(?![\d:])")
_OFFSET = when_used(r"([+-])(\d{2}):?(\d{2})")
_MONTH = "(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)"
# A date with its time, or a time of day: with its milliseconds, or at the beginning (within words it may be a duration).
_WRITTEN = when_used(
    r"\d{4}[-/.]\d{2}[-/.]\d{2}[ T]\d{2}:\d{2}:\d{2}(?:[.,]\d{1,9})?(?: ?(?:Z|[+-]\d{2}:?\d{2})(?![\d:]))?"
    rf"|\b(?:{_MONTH} [ \d]\d|\d{{1,2}}[ -]{_MONTH}) \d{{2}}:\d{{2}}:\d{{2}}(?:[.,]\d{{1,9}})?"
    r"|(?<![\d:])\d{2}:\d{2}:\d{2}[.,]\d{3}|(?:(?<=^)|(?<=^\[))\d{2}:\d{2}:\d{2}(?![\d:.,])"
)
_HEAD = 300  # characters of a record in which its time stands
MINUTE_MS = 60_000


@dataclass(frozen=True, slots=True)
class LogClock:
    """offset_ms: of the log's zone to UTC. zone: what is written behind the time; empty where the log names none."""

    offset_ms: int = 0
    zone: str = ""

    def at(self, instant: int | None) -> str:
        """Date and time of an instant (ms UTC)."""
        return (
            f"{self.wall(instant):%Y-%m-%d %H:%M:%S}.{(instant or 0) % 1000:03d}{self.zone}"
            if instant is not None
            else "no time"
        )

    def time(self, instant: int) -> str:
        """Time of day alone."""
        return f"{self.wall(instant):%H:%M:%S}.{instant % 1000:03d}"

    def iso(self, instant: int | None) -> str | None:
        """As machines read it; without a zone where the log has none."""
        return None if instant is None else self.at(instant).replace(" ", "T", 1)

    def wall(self, instant: int | None) -> datetime:
        """What a clock on the wall of the log's writer showed; of the years that a calendar has, the nearest."""
        return datetime.fromtimestamp(within_years((instant or 0) + self.offset_ms) // 1000, UTC)


UTC_CLOCK = LogClock(0, "Z")


def written_at(text: str) -> str:
    """The time that a line writes at its beginning, as it stands there; empty where it writes none."""
    found = _WRITTEN.search(text[:_HEAD])
    return found[0] if found else ""


def clock_of(text: str | None, zone_origin: str) -> LogClock:
    """The clock of a record. zone_origin: `logged`, `declared`, `assumed` or `none` (LogRecord.time_zone_origin)."""
    if zone_origin in ("assumed", "none"):
        return LogClock()
    found = _ZONED.search((text or "")[:_HEAD])
    sign = _OFFSET.fullmatch(found[1]) if found else None
    if sign is None:
        return UTC_CLOCK
    minutes = int(sign[2]) * 60 + int(sign[3])
    offset = timedelta(minutes=-minutes if sign[1] == "-" else minutes)
    return LogClock(offset // timedelta(milliseconds=1), f"{sign[1]}{sign[2]}:{sign[3]}")
