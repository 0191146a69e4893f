"""Which too short waits prove something: not one that a pause of the process, or a new leader, may have faked.

A wait counts from the client's reading of its clock; the log shows the failure's line, which a pause between
the two makes late. What was decided, and why: docs/decisions/0007-pauses.md.
"""

from collections.abc import Iterable, Sequence

from transforms.rules.clocks import PAUSE
from transforms.rules.rule import Verdict, unjudged
from transforms.timers.backoff.envelope import Backoff
from transforms.timers.backoff.retry_sequences import LOG_CLOCK_GRAIN_MS, Wait

# Each of so many retries in a row without its wait would need a leader election of its own: a pattern, not an excuse.
IN_A_ROW = 3

LEADER = unjudged("leader change not excluded", "DEBUG of NetworkClient and RecordAccumulator")
PAUSED = unjudged(
    PAUSE,
    "a second short wait, the GC log, or DEBUG of NetworkClient",
)


def proving(
    short: Sequence[Wait], waits: Iterable[Wait], backoff: Backoff, before: Sequence[Wait] = ()
) -> list[Wait]:
    """The fewest of these short waits that nothing excuses.

    One that no pause explains; else two that no one pause explains, be the other of an earlier sequence of the
    client (`before`); else so many in a row that each would need a leader change of its own.
    """
    alone = [wait for wait in short if wait.leader_excluded and not wait.is_ambiguous]
    sure = [wait for wait in alone if not _may_be_paused(wait, backoff)]
    return sure[:1] or _pair(alone, [*before, *alone], backoff) or _row(short, waits)


def unproven(short: Iterable[Wait]) -> Verdict:
    """What is said of short waits that prove nothing."""
    return PAUSED if any(wait.leader_excluded and not wait.is_ambiguous for wait in short) else LEADER


def _pair(alone: Sequence[Wait], others: Sequence[Wait], backoff: Backoff) -> list[Wait]:
    for wait in alone:
        for other in others:
            if other is not wait and not _may_share_a_pause(wait, other, backoff):
                return [wait, other]
    return []


def _may_share_a_pause(one: Wait, other: Wait, backoff: Backoff) -> bool:
    """Whether the stretches that a pause must have covered, to fake the one and the other, overlap."""
    (begun, ended), (other_begun, other_ended) = _paused(one, backoff), _paused(other, backoff)
    return begun <= other_ended and other_begun <= ended


def _paused(wait: Wait, backoff: Backoff) -> tuple[int, int]:
    """From where the clock must have been read, at the latest, if the wait was long enough, to the line."""
    return wait.until - backoff.bounds(wait.failures)[0] + LOG_CLOCK_GRAIN_MS, wait.failed_at


def _may_be_paused(wait: Wait, backoff: Backoff) -> bool:
    """Whether the clock may have been read early enough: no line stands between that and the failure's."""
    return wait.read_after is None or wait.read_after <= _paused(wait, backoff)[0]


def _row(short: Sequence[Wait], waits: Iterable[Wait]) -> list[Wait]:
    row: list[Wait] = []
    for wait in waits:
        row = [*row, wait] if wait in short and not wait.is_ambiguous else []
        if len(row) == IN_A_ROW:
            return row
    return []
