"""What metrics add: docs/evidence.md, made by `python -m lab.score.evidence` from the recordings that have metrics.

Measured against what code around the clients and the proxy noted, as in lab.score; a sampling interval is the time between
the samples on either side of an instant, or from the last one to the membership's end, and at least Jolokia's second.
"""

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from lab.corpus import Recording, ms, recordings
from lab.score.pure import story_of
from lab.score.samples import series_in
from transforms.pure import Story
from transforms.timers.groups.membership import Membership
from transforms.timers.samples.series import SECOND_MS

PAGE = Path(__file__).parents[2] / "docs" / "evidence.md"
INTRO = """\
# What metrics add

Made by `make score` from the recordings that have metrics, unedited; `docs/metrics.md` says what is read,
`docs/decisions/0009-metrics-as-evidence.md` what it proves.

"""
SCORED = """\
## Last polls, gaps between polls, last heartbeats

Of each membership the columns that the log leaves open and Jolokia's samples fill (`from_metrics`), against what was
noted around `poll()` and on the wire. Within: no further from the truth than one sampling interval. Open: samples were
there, and too coarse.

"""
UNJUDGED = """\
## What was unjudged, and is judged

Subjects without metrics, and with them, of the processes that have metrics. A recording that left nothing open without them
can't gain.

"""
REMAINS = """\
## What stays open, and why

"""
# Why no metric that clients have settles it: (rule, reason) -> why.
NO_METRIC_TELLS = {
    ("kip62.commit_after_leaving", "commits not logged"): (
        "commits were answered between the last sample before the next membership and the first after it: how they were "
        "answered `commit-total` does not say"
    ),
    ("kip91.gave_up_early", "the batch's creation is not in the log"): (
        "`record-queue-time-max` bounds a batch's age from above; this one may have been older than its limit"
    ),
}


@dataclass(frozen=True)
class Measured:
    """One value from metrics against the truth. off_ms: None where it stayed open."""

    recording: str
    what: str
    off_ms: int | None
    interval_ms: int

    @property
    def is_within(self) -> bool:
        """No further off than one sampling interval."""
        return self.off_ms is not None and abs(self.off_ms) <= self.interval_ms


def with_metrics() -> list[Recording]:
    """The recordings that have samples of Jolokia's."""
    return [one for one in recordings() if any(one.folder.glob("*metrics.jsonl.gz"))]


@cache
def stories(recording: Recording) -> tuple[Story, Story]:
    """What is rebuilt of a recording with its metrics, and without them."""
    return story_of(recording), story_of(recording, has_samples=False)


def measured(recording: Recording, story: Story) -> Iterator[Measured]:
    """What metrics say of each membership that the log does not."""
    times = {
        one.unit_id: one.times
        for one in series_in(recording)
        if one.attribute == "last-heartbeat-seconds-ago"
    }
    for member in story.episodes:
        if isinstance(member, Membership) and member.sampled is not None:
            yield from _of_member(recording, member, times[member.unit_id])


def _of_member(recording: Recording, member: Membership, times: Sequence[int]) -> Iterator[Measured]:
    session, filled = member.session, member.session.from_metrics
    end = session.ended_at if session.ended_at is not None else 1 << 60
    truth: dict[str, int | None] = {
        "last_poll_at": max((at for at, _ in _polls(recording, member) if at <= end), default=None),
        "last_heartbeat_at": max((at for at in _beats(recording, member) if at <= end), default=None),
        "max_poll_gap_ms": max(_gaps(recording, member, end), default=None),
    }
    for column, true in truth.items():
        told = getattr(session, column)
        if true is None or (told is not None and column not in filled):
            continue
        at = end if column == "max_poll_gap_ms" else true
        yield Measured(
            recording.name, column, None if told is None else told - true, _interval(times, at, end)
        )


def _interval(times: Sequence[int], at: int, end: int) -> int:
    place = bisect_right(times, at - SECOND_MS)
    before = times[place - 1] if place else times[0]
    after = times[place] + SECOND_MS if place < len(times) else end
    return max(SECOND_MS, min(after, max(end, before)) - before)


def _polls(recording: Recording, member: Membership) -> list[tuple[int, int]]:
    """When polls began, and how long after the one before."""
    name = (member.instance or "").removesuffix(".app.log")
    clients = [one.name for one in recording.clients if one.instance == member.instance or one.name == name]
    events = (event for client in clients for event in recording.events(client))
    return [(ms(event["t"]), event["gap_ms"]) for event in events if event["event"] == "poll_enter"]


def _gaps(recording: Recording, member: Membership, end: int) -> list[int]:
    """Those that began while it was a member, from its first poll after the join's on."""
    joined = member.session.joined_at or 0
    return [gap for at, gap in _polls(recording, member) if gap and joined <= at - gap <= end]


def _beats(recording: Recording, member: Membership) -> list[int]:
    return [
        ms(one["t"])
        for one in recording.wire()
        if one.get("ev") == "req" and one.get("api") == "Heartbeat" and one.get("client") == member.client_id
    ]


def open_subjects(story: Story, units: set[str]) -> Counter[tuple[str, str]]:
    """Unjudged subjects of these processes, by rule and reason."""
    found: Counter[tuple[str, str]] = Counter()
    for row in story.unjudged:
        if row.unit_id in units:
            found[row.rule_id, row.reason] += row.subjects
    return found


def page() -> str:
    """The whole page; equal recordings and code give equal text."""
    scored: list[Measured] = []
    opened: list[tuple[str, Counter[tuple[str, str]], Counter[tuple[str, str]]]] = []
    for recording in with_metrics():
        (story, without_metrics), units = stories(recording), {one.unit_id for one in series_in(recording)}
        scored += measured(recording, story)
        without = open_subjects(without_metrics, units)
        opened.append((recording.name, without, open_subjects(story, units)))
    return f"{INTRO}{SCORED}{_scores(scored)}\n{UNJUDGED}{_opened(opened)}\n{REMAINS}{_remains(opened)}"


def _scores(scored: Sequence[Measured]) -> str:
    lines = ["| column | n | within | beyond | open | furthest off, ms |", "|---|---:|---:|---:|---:|---:|"]
    for column in sorted({one.what for one in scored}):
        known = [one for one in scored if one.what == column and one.off_ms is not None]
        within = sum(one.is_within for one in known)
        still_open = sum(one.what == column and one.off_ms is None for one in scored)
        furthest = max((abs(one.off_ms or 0) for one in known), default=0)
        counts = f"{len(known)} | {within} | {len(known) - within} | {still_open} | {furthest}"
        lines.append(f"| `{column}` | {counts} |")
    return "\n".join(lines) + "\n"


def _opened(opened: Sequence[tuple[str, Counter[tuple[str, str]], Counter[tuple[str, str]]]]) -> str:
    lines = ["| recording | rule | without | with |", "|---|---|---:|---:|"]
    for name, without, left in opened:
        lines.append(f"| **{name}** | all | **{without.total()}** | **{left.total()}** |")
        for rule_id in sorted({rule_id for rule_id, _ in without + left}):
            counts = [sum(n for (rule, _), n in one.items() if rule == rule_id) for one in (without, left)]
            lines.append(f"| | `{rule_id}` | {counts[0]} | {counts[1]} |")
    totals = [sum(one[place].total() for one in opened) for place in (1, 2)]  # type: ignore[union-attr]
    return "\n".join([*lines, f"| **all** | | **{totals[0]}** | **{totals[1]}** |"]) + "\n"


def _remains(opened: Sequence[tuple[str, Counter[tuple[str, str]], Counter[tuple[str, str]]]]) -> str:
    left: Counter[tuple[str, str]] = Counter()
    for _, _, one in opened:
        left += one
    lines = ["| rule | what is open | subjects | why no metric settles it |", "|---|---|---:|---|"]
    lines += [f"| `{key[0]}` | {key[1]} | {n} | {NO_METRIC_TELLS[key]} |" for key, n in sorted(left.items())]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
