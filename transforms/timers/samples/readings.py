"""What the samples of a series prove, as intervals: when something happened last, how much a counter rose.

A sample's value was read before its time was written down, however long before if the process stood still in between; but
after the samples before it were. So `earliest` is when it was as a rule, and `surely_after` what holds whatever paused: only
that accuses. Two collectors of one client may be held up by one pause, so it reaches back over two samples.
Source: Kafka clients, KafkaConsumerMetrics, GroupCoordinatorMetrics (`*-seconds-ago` are whole seconds, cut; -1 is never).
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from itertools import pairwise

from transforms.parse.metrics.samples import WINDOW_MS
from transforms.timers.samples.series import SECOND_MS, Series

# How many samples before one are surely older than its value.
SURELY_OLDER = 2


def sample_text(series: Series, index: int) -> str:
    """A sample as a finding shows it: UTC time, MBean, attribute=value."""
    at = datetime.fromtimestamp(series.times[index] / SECOND_MS, UTC).isoformat(timespec="milliseconds")
    text = series.texts[index] if series.texts is not None else None
    value = series.values[index]
    shown = text if text is not None else "null" if value is None else f"{value:.15g}"
    return f"{at.removesuffix('+00:00')}Z {series.mbean} {series.attribute}={shown}"


@dataclass(frozen=True, slots=True)
class Last:
    """When something happened last, as one or more samples tell: between earliest and latest, both included.

    surely_after: whatever paused; None while the first samples can't tell. seen_at, seen_until: when the first and the last
    of the samples that tell of it were taken. ago_ms: how long ago it was at the last, at least. also: another sample.
    """

    earliest: int
    latest: int
    surely_after: int | None
    seen_at: int
    seen_until: int
    ago_ms: int
    series: Series = field(repr=False, compare=False)
    first: int
    last: int
    also: tuple[str, ...] = ()

    @property
    def samples(self) -> tuple[str, ...]:
        """The first and the last that tell of it."""
        return *(sample_text(self.series, index) for index in sorted({self.first, self.last})), *self.also

    @property
    def at(self) -> int:
        """The middle; it may have been plus_minus_ms sooner or later."""
        return (self.earliest + self.latest) // 2

    @property
    def plus_minus_ms(self) -> int:
        """Half of what is unknown, rounded up."""
        return (self.latest - self.earliest + 1) // 2


def last_times(series: Series | None) -> list[Last]:
    """The distinct instants that a `*-seconds-ago` tells of, in order; those between two samples it leaves out.

    Two samples tell of one instant where the later one's lies before the earlier one was taken.
    """
    found: list[Last] = []
    if series is None:
        return found
    for index, (at, value) in enumerate(zip(series.times, series.values, strict=True)):
        if value is None or value < 0:
            continue
        one = _last(series, index, at, int(value) * SECOND_MS)
        before = found[-1] if found else None
        is_same = before is not None and one.latest <= before.seen_until and one.latest >= before.earliest
        if before is not None and is_same and one.earliest <= before.latest:
            found[-1] = _narrowed(before, one)
        else:
            found.append(one)
    return found


def _last(series: Series, index: int, at: int, ago_ms: int) -> Last:
    older = series.times[index - SURELY_OLDER] if index >= SURELY_OLDER else None
    return Last(
        earliest=at - ago_ms - SECOND_MS + 1,
        latest=at + series.grain_ms - 1 - ago_ms,
        surely_after=None if older is None else older - ago_ms - SECOND_MS + 1,
        seen_at=at,
        seen_until=at,
        ago_ms=ago_ms,
        series=series,
        first=index,
        last=index,
    )


def _narrowed(before: Last, one: Last) -> Last:
    known = [at for at in (before.surely_after, one.surely_after) if at is not None]
    return replace(
        before,
        earliest=max(before.earliest, one.earliest),
        latest=min(before.latest, one.latest),
        surely_after=max(known, default=None),
        seen_until=one.seen_until,
        ago_ms=one.ago_ms,
        last=one.last,
    )


@dataclass(frozen=True, slots=True)
class Rise:
    """By how much a counter rose between two instants: at least, and at most where samples lie on both sides.

    samples: the two that say the most, in order.
    """

    at_least: int
    at_most: int | None
    samples: tuple[str, ...]


class Count:
    """A counter since its client's start. A fall is a client that started again: across it nothing is known."""

    def __init__(self, series: Series) -> None:
        self.series = series
        self._known = [index for index, value in enumerate(series.values) if value is not None]
        self._times = [series.times[index] for index in self._known]
        self._values = [series.values[index] or 0.0 for index in self._known]
        pairs = enumerate(pairwise(self._values), start=1)
        self._resets = [place for place, (one, after) in pairs if after < one]

    def rise(self, since: int, until: int) -> Rise | None:
        """The rise after `since` and up to `until`; None where it was reset between, or nobody looked."""
        inner = self._surely_after(since), self._before(until)
        outer = self._before(since), self._surely_after(until)
        if self._has_reset(*outer) or self._has_reset(*inner):
            return None
        most = self._risen(*outer)
        least = self._risen(*inner)
        if most is None and least is None:
            return None
        first, last = outer if most is not None else inner
        return Rise(max(least or 0, 0), most, tuple(self.sample_text(place) for place in (first, last)))

    def seen(self, since: int, until: int | None) -> Rise | None:
        """The rise from the last sample before `since` to the first after `until` (to the last one, where that is open).

        As a rule, not whatever paused: it acquits, and accuses nobody.
        """
        first = self._before(since)
        last = len(self._times) - 1 if until is None else bisect_left(self._times, until)
        if first is None or not first < last < len(self._times) or self._has_reset(first, last):
            return None
        risen = self._risen(first, last)
        return Rise(risen or 0, risen, (self.sample_text(first), self.sample_text(last)))

    def within(self, since: int, until: int) -> int | None:
        """The rise from the first sample at `since` or later to the last before `until`: at least so much, as a rule."""
        first, last = bisect_left(self._times, since), self._before(until)
        if last is None or not first <= last or self._has_reset(first, last):
            return None
        return self._risen(first, last)

    def after(self, at: int) -> int | None:
        """The index of the first sample that was read at `at` or after, whatever paused."""
        place = self._surely_after(at)
        return None if place is None else self._known[place]

    def sample_text(self, place: int | None) -> str:
        """The sample at a place among those that are a number."""
        assert place is not None
        return sample_text(self.series, self._known[place])

    def steps(self) -> Iterator[tuple[int, int, float]]:
        """Each rise from one sample to the next: their times, and by how much; falls are left out."""
        for place in range(1, len(self._times)):
            risen = self._values[place] - self._values[place - 1]
            if risen > 0:
                yield self._times[place - 1], self._times[place], risen

    def _before(self, at: int) -> int | None:
        """The last sample taken at `at` or before, whatever its clock cut off."""
        place = bisect_right(self._times, at - self.series.grain_ms + 1) - 1
        return place if place >= 0 else None

    def _surely_after(self, at: int) -> int | None:
        """The first sample that was read at `at` or after, whatever paused."""
        place = bisect_left(self._times, at) + SURELY_OLDER
        return place if place < len(self._times) else None

    def _risen(self, first: int | None, last: int | None) -> int | None:
        if first is None or last is None or last < first:
            return None
        return round(self._values[last] - self._values[first])

    def _has_reset(self, first: int | None, last: int | None) -> bool:
        if first is None or last is None:
            return False
        place = bisect_right(self._resets, min(first, last))
        return place < len(self._resets) and self._resets[place] <= max(first, last)


@dataclass(frozen=True, slots=True)
class Peak:
    """A value that was new in a windowed maximum: it was recorded after one sample and before the next.

    after: None where the first sample shows it. until: the sample that shows it was taken by then.
    """

    value: float
    after: int | None
    until: int
    sample: str


def peaks(series: Series | None, first: int = 0, last: int | None = None) -> Iterator[Peak]:
    """Each rise of a `-max`: the largest that was recorded between two samples. A fall is a window that passed.

    first, last: of the samples that show them, as in a slice.
    """
    if series is None:
        return
    before = series.values[first - 1] if first else None
    before_at = series.times[first - 1] if first else None
    for index in range(first, len(series.times) if last is None else min(last, len(series.times))):
        at, value = series.times[index], series.values[index]
        if value is not None and (before is None or value > before):
            yield Peak(value, before_at, at + series.grain_ms - 1, sample_text(series, index))
        before, before_at = value, at


def longest_gap_ms(series: Series, since: int, until: int) -> int | None:
    """The longest time in which nobody took a sample; None where the first comes after `since` or the last before `until`.

    Both ends are reached within one such time by any scrape that goes on.
    """
    inner = series.times[bisect_left(series.times, since) : bisect_right(series.times, until)]
    if not len(inner):
        return None
    edges = [since, *inner, until]
    return max(after - one for one, after in pairwise(edges))


def highest(series: Series | None, since: int, until: int) -> tuple[float, str] | None:
    """The highest that a windowed maximum shows of all that was recorded between two instants, and the sample with it.

    None where some of it lies in no sample's window, or nothing was recorded. What was recorded up to a window before
    counts as well: it is at most this.
    """
    if series is None:
        return None
    shortest_ms = WINDOW_MS[0]
    first, last = bisect_left(series.times, since), bisect_left(series.times, until) + SURELY_OLDER
    if last >= len(series.times):
        return None
    seen = [since, *(series.times[index] + series.grain_ms for index in range(first, last + 1))]
    if any(after - one > shortest_ms for one, after in pairwise(seen)):
        return None
    known = [
        (series.values[index] or 0.0, -index)
        for index in range(first, last + 1)
        if series.values[index] is not None
    ]
    value, index = max(known, default=(0.0, 0))
    return (value, sample_text(series, -index)) if known else None


def at_time(series: Series | None, at: int) -> float | None:
    """What a gauge stood at in the last sample up to then; None where that is a window or more ago."""
    if series is None:
        return None
    place = bisect_right(series.times, at) - 1
    if place < 0 or at - series.times[place] > WINDOW_MS[0]:
        return None
    return series.values[place]


def value_at(series: Series, stamp: int) -> float | None:
    """The value of the sample of that very time; None where there is none."""
    place = bisect_left(series.times, stamp)
    is_there = place < len(series.times) and series.times[place] == stamp
    return series.values[place] if is_there else None
