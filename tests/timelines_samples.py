"""What a scraper would have seen of true instants: `scraped(polls="0 2000 4000", until=9000)`.

Times are ms; a scrape is stamped with its second, as Jolokia does. The client is `c` of unit `app`.
"""

from collections.abc import Iterable
from itertools import pairwise

from transforms.parse.metrics.samples import PROCESS, mbean_of
from transforms.timers.samples.series import Series

CONSUMER = "kafka.consumer:type=consumer-metrics,client-id=c"
COORDINATOR = "kafka.consumer:type=consumer-coordinator-metrics,client-id=c"


def series(
    mbean: str,
    attribute: str,
    points: Iterable[tuple[int, float | None]],
    unit: str = "app",
    clock: str = PROCESS,
) -> Series:
    """Samples as they stand: (time, value)."""
    name, tags, client_id = mbean_of(mbean)
    times, values = zip(*points, strict=True)
    return Series(unit, name, attribute, client_id, tags, times, values, None, clock)


def scraped(
    *,
    polls: str = "",
    beats: str = "",
    rebalances: str = "",
    commits: str = "",
    since: int = 0,
    until: int,
    every: int = 1_000,
    blind: tuple[int, int] = (0, 0),
    answer_ms: int = 3,
    unit: str = "app",
    clock: str = PROCESS,
) -> list[Series]:
    """A consumer's series. blind: no scrape was answered between the two. answer_ms: how long each
    heartbeat was on its way.
    """
    taken = [at for at in range(since, until + 1, every) if not blind[0] < at < blind[1]]
    at_poll, at_beat = _instants(polls), _instants(beats)
    gaps = [(end, end - begin) for begin, end in pairwise(at_poll)]
    values = {
        (CONSUMER, "last-poll-seconds-ago"): lambda at: _ago(at_poll, at),
        (CONSUMER, "time-between-poll-max"): lambda at: max(
            (float(gap) for end, gap in gaps if at - 60_000 < end <= at), default=0.0
        ),
        (COORDINATOR, "last-heartbeat-seconds-ago"): lambda at: _ago(at_beat, at),
        (COORDINATOR, "heartbeat-total"): lambda at: _count([one + answer_ms for one in at_beat], at),
        (COORDINATOR, "heartbeat-response-time-max"): lambda at: float(answer_ms),
        (COORDINATOR, "rebalance-total"): lambda at: _count(_instants(rebalances), at),
        (COORDINATOR, "commit-total"): lambda at: _count(_instants(commits), at),
    }
    return [
        series(mbean, attribute, [(at // 1_000 * 1_000, value(at)) for at in taken], unit, clock)
        for (mbean, attribute), value in values.items()
    ]


def _instants(text: str) -> list[int]:
    """`0 2000-6000/500 9000`: instants, and from-to/step."""
    found: list[int] = []
    for word in text.split():
        if "-" in word:
            begin, _, rest = word.partition("-")
            end, _, step = rest.partition("/")
            found.extend(range(int(begin), int(end) + 1, int(step)))
        else:
            found.append(int(word))
    return found


def _ago(instants: list[int], at: int) -> float:
    last = max((one for one in instants if one <= at), default=None)
    return -1.0 if last is None else float((at - last) // 1_000)


def _count(instants: list[int], at: int) -> float:
    return float(sum(one <= at for one in instants))
