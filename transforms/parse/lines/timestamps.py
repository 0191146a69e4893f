"""Written times -> ms since the epoch, UTC, in whatever notation. What the text doesn't say is never guessed in silence.

A time is a date, a time of day and a zone, each in any of its notations, so that their number multiplies: `2026-11-21`,
`26/11/21`, `21.11.2026`, `21/Nov/2026`, `Nov 21, 2026`, `20261121`; `03:39:50`, `3:39:50.531999 PM`; `Z`, `+02:00`,
`-0330`, `CET`, `[Europe/Berlin]`; or it is the time alone, or the digits of an epoch. Fractions finer than a
millisecond are cut. A time that its poster masked (`2021-xx-xx 10:XX:XX`) is known as one, and is no instant.
"""

import calendar
import re
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import NamedTuple
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from transforms.when_used import when_used

# What months begin with in one language and another (between a day and a year); in the far East they are numbers.
_MONTHS = (
    "jan ene gen янв", "feb fév fev фев", "mar mär мар", "apr abr avr апр", "may mai mag мая май", "jun juin giu июн",
    "jul juil lug июл", "aug ago aoû авг", "sep set сен", "okt oct ott out окт", "nov ноя", "dec dez dic déc дек",
)  # fmt: skip
MONTH = r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]{0,6}\.?"
_DIGITS = "一二三四五六七八九十"
_NAMES = "|".join(f"[{name[0].upper()}{name[0]}]{name[1:]}" for names in _MONTHS for name in names.split())
ANY_MONTH = rf"(?:{MONTH}|(?:{_NAMES})[^\s\d\-/.,]{{0,7}}\.?|(?:\d\d?|[{_DIGITS}]{{1,2}})[月월])"
_DAY_NAME = r"(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]{0,6},? )?"
# Offsets of names that mean one offset wherever they are used; others name a zone, and no certain instant.
_ZONES = {
    "Z": 0, "UTC": 0, "GMT": 0, "CET": 60, "CEST": 120, "EET": 120, "EEST": 180, "WET": 0, "WEST": 60, "MSK": 180,
    "JST": 540, "KST": 540, "SGT": 480, "HKT": 480, "EST": -300, "EDT": -240, "CDT": -300, "MDT": -360, "PST": -480,
    "PDT": -420, "AEST": 600, "AEDT": 660, "NZST": 720, "NZDT": 780, "BRT": -180,
}  # fmt: skip
_OTHER_ZONES = ("CST", "MST", "IST", "BST", "AST", "SST", "ECT")
_ZONE_NAME = "|".join(sorted((*_ZONES, *_OTHER_ZONES), key=len, reverse=True))
_CLOCK = r"\d{1,2}:\d\d:\d\d(?:[.,:]\d{1,9})?(?: ?[AaPp]\.?[Mm]\b\.?)?"
_ZONE = (
    rf"(?: ?(?:(?:{_ZONE_NAME})(?![\w])|(?:UTC|GMT)?[+-]\d\d:?\d\d(?!\d)|[+-]\d\d(?=[\]\s)|,;]|:(?!\d)|$)))?"
    r"(?: ?\[[A-Z]\w+/\w+\])?"
)
# Year, month and day, of each order by names of its own.
_DATES = (
    r"(?P<y1>\d{4})[-/.](?P<m1>\d{1,2})[-/.](?P<d1>\d{1,2})"
    r"|(?P<n1>\d{1,2})(?P<sep>[-/.])(?P<n2>\d{1,2})[-/.](?P<n3>\d{4}|\d\d)(?!\d)"
    rf"|(?P<d2>\d{{1,2}})[-/. ](?P<m2>{ANY_MONTH})[-/. ,]{{1,2}}(?P<y2>\d{{4}}|\d\d)(?!\d|:\d\d:\d\d(?!:))"
    rf"|(?P<m3>{MONTH}) {{1,2}}(?P<d3>\d{{1,2}})(?:st|nd|rd|th)?,? (?P<y3>\d{{4}})(?!\d)"
    rf"|(?P<y4>\d{{4}})[-/ ](?P<m4>{MONTH})[-/ ](?P<d4>\d{{1,2}})"
    r"|(?P<y5>\d{4})(?P<m5>\d\d)(?P<d5>\d\d)"
)
_DATE = re.sub(r"\?P<\w+>", "?:", _DATES)
BETWEEN = r"(?:T|[,;]? +(?:(?:at|@) )?|[,;:_-]| ?\| ?)"
_X = r"[\dxX*#?]"
_MASKED = (
    # A sign right before a number masks nothing: it is a comment's, or a paste's.
    rf"(?![*#?]\d)(?=[\d:.,/T xX*#?-]{{0,24}}[xX*#?]){_X}{{2,4}}[-/.]{_X}{{1,2}}[-/.]{_X}{{1,4}}"
    rf"(?:[T ]{_X}{{1,2}}:{_X}{{2}}:{_X}{{2}}(?:[.,]{_X}{{1,9}})?Z?)?"
    rf"|(?![*#?]\d)(?=[\d:]{{0,7}}[xX*#?]){_X}{{2}}:{_X}{{2}}:{_X}{{2}}(?:[.,]{_X}{{1,9}})?"
)
# A date with its time of day: what begins a record wherever it stands. The last two name no year, or the year last.
DATED = (
    rf"{_DAY_NAME}(?:{_DATE}){BETWEEN}(?:{_CLOCK}|\d{{1,2}}:\d\d(?![\d:])|\d{{6}}(?:[.,]\d{{1,9}})?(?![\d])){_ZONE}"
    rf"|\d\d(?:\d\d)?[-/]\d\d[-/]\d\d\.{_CLOCK}{_ZONE}"
    rf"|{_CLOCK} +(?:{_DATE})(?!(?:T|,? +)?\d{{1,2}}:\d\d)(?![\w:])"
    rf"|{_DAY_NAME}(?:{MONTH} {{1,2}}\d\d?|\d\d?[- ]{MONTH}) {_CLOCK}(?: (?:{_ZONE_NAME}|[+-]\d{{4}}))?(?: \d{{4}}(?!\d))?"
)
# No node's id, as a coordinator's has ten digits, too; no number at the end of what stands in parentheses.
_EPOCH = r"(?:1\d{9}(?:\.\d{1,9})?|\d{13}(?:\.\d{1,6})?|\d{16}|\d{19})(?!\))"
STAMP = when_used(
    rf"(?<![\w.])(?:(?P<dated>{DATED})(?!\w|:\d)"
    rf"|(?:(?P<masked>{_MASKED})|(?P<clock>{_CLOCK}{_ZONE})|(?P<epoch>{_EPOCH}))(?!\w|:(?!(?:TRACE|DEBUG|INFO|WARN|ERROR|FATAL)\b)\w))"
)
_PARTS = when_used(
    rf"{_DAY_NAME}(?:{_DATES}|(?:(?P<m6>{MONTH}) {{1,2}}(?P<d6>\d{{1,2}})|(?P<d7>\d{{1,2}})[- ](?P<m7>{MONTH}))(?= )"
    rf")(?:{BETWEEN}|\.)(?P<h>\d\d?):?(?P<min>\d\d)(?::?(?P<s>\d\d)(?:[.,:](?P<f>\d{{1,9}}))?)?"
    rf"(?: ?(?P<half>[AaPp])\.?[Mm]\b\.?)? ?(?P<zone>(?:{_ZONE_NAME})(?!\w)|(?:UTC|GMT)?[+-]\d\d:?(?:\d\d)?)?"
    r"(?: ?\[(?P<region>[A-Z]\w+/\w+)\])?(?: (?P<y6>\d{4}))?\s*$"
)
_CLOCK_FIRST = when_used(rf"({_CLOCK}) +({_DATE})$")
EPOCH = when_used(r"(\d{10,19})(?:\.(\d{1,9}))?$")

# 2262-01-01
LATEST_MS = 9_214_646_400_000
# A file of one day needs a few thousand minutes; beyond this the cache starts anew, so that it stays small.
MAX_CACHED_MINUTES = 4096


class Instant(NamedTuple):
    """A written time. at: ms since the epoch, UTC; None where the text gives no certain instant.

    zone_origin: `logged`, `declared`, `assumed`, `ambiguous` (a local time that the zone has twice or never, a zone or an
        order of day and month that nobody can tell) or `none`.
    """

    at: int | None
    zone_origin: str


NO_INSTANT = Instant(None, "none")
AMBIGUOUS = Instant(None, "ambiguous")


@dataclass(slots=True)
class Clock:
    """Reads one source's timestamps. time_zone: IANA name declared for times that carry no zone, or None.
    date_order: `dmy`, `mdy` or `ymd` of dates in numbers alone, where the source tells; None where it doesn't.

    Raises: ValueError where the zone's name is unknown.
    """

    time_zone: str | None = None
    date_order: str | None = None
    _zone: ZoneInfo | None = None
    _minutes: dict[str, tuple[int, str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.time_zone:
            try:
                self._zone = ZoneInfo(self.time_zone)
            except (ZoneInfoNotFoundError, ValueError) as no:
                raise ValueError(f"{self.time_zone!r} is no IANA time zone, such as Europe/Berlin") from no

    def read(self, text: str) -> Instant:
        """The instant a timestamp names. Never raises: what can't be read is NO_INSTANT."""
        if len(text) >= 23:  # as most are: a fraction of three digits, in a minute that was met before
            known = self._minutes.get(text[:17] + text[23:])
            if known is not None and text[19] in ",.":
                digits = text[17:19] + text[20:23]
                if digits.isdecimal() and digits.isascii() and digits < "61":
                    return Instant(known[0] + int(digits), known[1])
        found = _parts_of(text)
        if found is None:
            return _epoch(text)
        try:
            return _kept(self._dated(found))
        except (ValueError, OverflowError):
            return NO_INSTANT  # the 31st of February and the like

    def _dated(self, found: re.Match[str]) -> Instant:
        date = self._date_of(found)
        if date is None:
            return AMBIGUOUS if found["n1"] else NO_INSTANT
        hour, minute, second = int(found["h"]), int(found["min"]), int(found["s"] or 0)
        if found["half"]:
            if not 1 <= hour <= 12:
                return NO_INSTANT
            hour = hour % 12 + (12 if found["half"] in "pP" else 0)
        local = datetime(*date, hour, minute)
        if second > 60:  # 60 is a leap second, which the epoch doesn't count
            return NO_INSTANT
        rest = second * 1000 + int((found["f"] or "0")[:3].ljust(3, "0"))
        offset, origin = self._offset_of(found, local)
        if offset is None:
            return AMBIGUOUS
        minute_at = calendar.timegm(local.timetuple()) * 1000 - offset
        text = found.string
        is_usual = len(text) >= 23 and text[16] == ":" and text[19] in ",." and len(found["f"] or "") == 3
        if is_usual and is_kept(minute_at):
            if len(self._minutes) >= MAX_CACHED_MINUTES:
                self._minutes.clear()
            self._minutes[text[:17] + text[23:]] = (minute_at, origin)
        return Instant(minute_at + rest, origin)

    def _offset_of(self, found: re.Match[str], local: datetime) -> tuple[int | None, str]:
        """How far from UTC a time is, ms, None where nobody can tell; and where its zone comes from."""
        if found["zone"] and (offset := _offset_ms(found["zone"])) is not None:
            return offset, "logged"
        if found["zone"] or found["region"]:
            try:
                return _only_offset(local, ZoneInfo(found["region"] or "")), "logged"
            except (ZoneInfoNotFoundError, ValueError):
                return None, "ambiguous"
        return (0, "assumed") if self._zone is None else (_only_offset(local, self._zone), "declared")

    def _date_of(self, found: re.Match[str]) -> tuple[int, int, int] | None:
        """Year, month, day; None where the text has no year, or nobody can tell which number is what."""
        if found["n1"]:
            return date_of_numbers(found["n1"], found["n2"], found["n3"], found["sep"], self.date_order)
        for number in "1234567":
            if month := found[f"m{number}"]:
                year = found["y" + min(number, "6")]  # the last two share one, which may end them
                return (_year(year), _month(month), int(found[f"d{number}"])) if year else None
        return None


def _parts_of(text: str) -> re.Match[str] | None:
    return _PARTS.match(text) or _PARTS.match(_CLOCK_FIRST.sub(r"\2 \1", text))


def date_of_numbers(
    one: str, two: str, three: str, separator: str, order: str | None
) -> tuple[int, int, int] | None:
    """Year, month and day of a date in numbers. Two digits a part are Spark's `yy/MM/dd`, unless they can't be."""
    if order is None:
        orders = orders_of(one, two, three, separator)
        order = orders[0] if len(orders) == 1 else None
    if order is None:
        return None
    parts = dict(zip(order, (one, two, three), strict=True))
    return _year(parts["y"]), int(parts["m"]), int(parts["d"])


def orders_of(one: str, two: str, three: str, separator: str) -> list[str]:
    """The orders that a date in numbers may be written in."""
    first, second, third = int(one), int(two), int(three)
    if len(one) == len(three) == 2 and separator in "/-" and first > 10 and second <= 12 and third <= 31:
        return ["ymd"]  # Kafka is of 2011
    may_be = {"dmy": second <= 12 and first <= 31, "mdy": separator != "." and first <= 12 and second <= 31}
    found = [order for order, fits in may_be.items() if fits]
    return found[:1] if first == second else found


def numbers_of_date(text: str) -> tuple[str, str, str, str] | None:
    """The numbers and the separator of a date in numbers alone; None where the time is written otherwise."""
    found = _parts_of(text)
    return (found["n1"], found["n2"], found["n3"], found["sep"]) if found and found["n1"] else None


def _year(text: str) -> int:
    year = int(text) if len(text) == 4 else 2000 + int(text)
    return year - 543 if year >= 2554 else year  # Buddhist: so Java writes 2011 and later in Thai


def _month(text: str) -> int:
    number = text.rstrip("月월")
    if number != text or text.isdecimal():
        return int(number) if number.isdecimal() else sum(_DIGITS.index(one) + 1 for one in number)
    begins = text.lower().startswith
    return next(month for month, names in enumerate(_MONTHS, 1) if begins(tuple(names.split())))


def _only_offset(local: datetime, zone: ZoneInfo) -> int | None:
    """The zone's offset at a local time, ms; None in the hour it has twice, and in the one it skips."""
    first, second = (local.replace(tzinfo=zone, fold=fold).utcoffset() for fold in (0, 1))
    return first // timedelta(milliseconds=1) if first is not None and first == second else None


def _offset_ms(zone: str) -> int | None:
    if zone in _ZONES:
        return _ZONES[zone] * 60_000
    if zone in _OTHER_ZONES:
        return None
    zone = zone.removeprefix("UTC").removeprefix("GMT")
    digits = zone[1:].replace(":", "").ljust(4, "0")
    ms = (int(digits[:2]) * 60 + int(digits[2:])) * 60_000
    return -ms if zone[0] == "-" else ms


def _epoch(text: str) -> Instant:
    """Seconds have 10 digits (until 2286), ms 13, µs 16, ns 19; other lengths are no time."""
    found = EPOCH.match(text.strip())
    digits = found[1] if found else ""
    per_second = {10: 1, 13: 1_000, 16: 1_000_000, 19: 1_000_000_000}.get(len(digits))
    if found is None or per_second is None:
        return NO_INSTANT
    fraction = int((found[2] or "0")[:3].ljust(3, "0")) if per_second == 1 else 0
    return _kept(Instant(int(digits) * 1000 // per_second + fraction, "logged"))


def is_kept(at: int) -> bool:
    """Whether an instant (ms since the epoch) is one that all readers of tables can hold, with room for what is added to it.

    No client of Kafka wrote a line before 1970, and pandas counts nanoseconds from 1677 to 2262.
    """
    return 0 <= at < LATEST_MS


def _kept(instant: Instant) -> Instant:
    return instant if instant.at is None or is_kept(instant.at) else NO_INSTANT


def iso(at: int) -> str:
    """`2026-11-21T03:39:50.531Z` of an instant in ms, for evidence and messages."""
    moment = datetime.fromtimestamp(at / 1000, tz=UTC)
    return moment.strftime("%Y-%m-%dT%H:%M:%S.") + f"{at % 1000:03d}Z"
