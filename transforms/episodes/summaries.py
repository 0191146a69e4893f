"""The question that a page answers, in one sentence computed from its rows. Text; who shows it escapes it."""

from collections.abc import Mapping, Sequence

from transforms.diagnose.wording.words import counted, origin_words, span
from transforms.episodes import memberships as members
from transforms.episodes.backoff import per_second
from transforms.episodes.bars import KICKED_OUT
from transforms.episodes.batches import over_ms, stages
from transforms.episodes.lanes import Row
from transforms.episodes.task_timers import left_ms
from transforms.episodes.words import POLL, SESSION, group_of, limit_words, short_name, topic_partition
from transforms.rules.rule import HELD_AGAINST

Summary = tuple[str, str]  # the sentence, and its tone: calm, warn or broken
Outcomes = Mapping[str, int]


def stalls(rows: Sequence[Row], ended: Outcomes) -> Summary:
    """Will it recover, and how long is left? Else: what was the longest stall, and was it within its limit?

    ended: how many of all timers, listed or not, ended how.
    """
    total = sum(ended.values())
    is_open = [row for row in rows if row["outcome"] == "open"]
    limited = sorted((left, row["timer_id"], row) for row in is_open if (left := left_ms(row)) is not None)
    if limited:
        left, _, row = limited[0]
        others = f"; {counted(len(is_open) - 1, 'other timer')} open" if len(is_open) > 1 else ""
        of = f"{span(row['task_timeout_ms'])} allowed ({origin_words(row['timeout_origin'])})"
        if left >= 0:
            return f"Task {row['task_id']} makes no progress: {span(left)} left of {of}{others}.", "warn"
        return (
            f"Task {row['task_id']} makes no progress and is {span(-left)} past its {of}{others}.",
            "broken",
        )
    if is_open:
        return (
            f"{counted(len(is_open), 'timer')} open, of unknown limit: task {is_open[0]['task_id']}.",
            "warn",
        )
    timed = [row for row in rows if row["stalled_ms"] is not None]
    if not timed:
        return f"{counted(total, 'timer')}, none of known length.", "none"
    row = max(timed, key=lambda one: (one["stalled_ms"], one["timer_id"]))
    gave_up = ended.get("expired", 0)
    limit = row["task_timeout_ms"]
    if limit is None:
        return f"Longest stall {span(row['stalled_ms'])} (task {row['task_id']}), limit unknown.", "none"
    over = row["stalled_ms"] - limit
    whose = f"(task {row['task_id']}, {origin_words(row['timeout_origin'])})"
    told = f"Longest stall {span(row['stalled_ms'])} of {span(limit)} allowed {whose}"
    sentence = f"{told}: {row['outcome']}{f' {span(over)} past its deadline' if over > 0 else ''}."
    return f"{sentence} {gave_up} of {counted(total, 'timer')} gave up.", "broken" if gave_up else "calm"


def retries(rows: Sequence[Row], total: int, found: Sequence[Row]) -> Summary:
    """Does it back off, or hammer? rows: of queries.waits.sequences, the most waits shorter than legal first.

    found: what rules found of the first of them. A short wait is a fact; only a rule knows what excuses it.
    """
    worst = rows[0]
    if worst["short"]:
        many = f"{short_name(worst['client_id'])} retried {worst['api'] or 'a call'} {counted(worst['retries'], 'time')}"
        often = per_second(worst)
        pace = f" in {span(worst['last_at'] - worst['first_at'])}, {often:.0f} a second" if often else ""
        others = sum(bool(row["short"]) for row in rows[1:])
        least = "At least " if others + 1 == len(rows) < total else ""
        more = f" {least}{counted(others, 'other sequence')} had short waits." if others else ""
        rules = ", ".join(sorted({one["rule_id"] for one in found if one["category"] in HELD_AGAINST}))
        judged = f" (found by {rules})" if rules else " (no rule holds it against it)"
        were = "was" if worst["short"] == 1 else "were"
        told = f"{worst['short']} of its waits {were} shorter than the {worst['least_ms']} ms it had to wait at least"
        return f"{many}{pace}: {told}{judged}.{more}", "broken" if _is_broken(found) else "warn"
    bounded = sum(row["bounded"] for row in rows)
    if not bounded:
        return f"{counted(total, 'sequence')} of retries, the legal waits of none are known.", "none"
    busiest = max(rows, key=lambda row: (row["retries"], row["sequence_id"]))
    of_listed = f" in the {len(rows)} sequences listed" if len(rows) < total else ""
    return (
        f"No wait was shorter than allowed, of {bounded} whose bounds are known{of_listed}; the most retries in a row are "
        f"{busiest['retries']}, by {short_name(busiest['client_id'])}.",
        "calm",
    )


def _is_broken(found: Sequence[Row]) -> bool:
    return any(one["category"] == "broken_semantics" for one in found)


def lifetimes(rows: Sequence[Row], outcomes: Sequence[Row]) -> Summary:
    """Was it lost, and which stage ate the time? outcomes: of queries.episodes.batch_outcomes."""
    by_outcome = {row["outcome"]: row for row in outcomes}
    expired, failed = by_outcome.get("expired"), by_outcome.get("failed")
    if expired is None and failed is None:
        kept = ", ".join(f"{row['batches']} {row['outcome']}" for row in outcomes)
        return f"No batch expired or failed: {kept}.", "calm"
    also = f" {counted(failed['batches'], 'batch')} failed otherwise." if failed and expired else ""
    if expired is None:
        errors = sorted(
            {row["error_class"] or "an unknown error" for row in rows if row["outcome"] == "failed"}
        )
        return (
            f"{counted((failed or {})['batches'], 'batch')} failed, none by expiry: {', '.join(errors[:3])}.",
            "broken",
        )
    records = f" with {counted(expired['records'], 'record')}" if expired["records"] else ""
    told = f"{counted(expired['batches'], 'batch')}{records} expired"
    aged = [row for row in rows if row["outcome"] == "expired" and row["age_ms"] is not None]
    if not aged:
        return f"{told}.{also}", "broken"
    oldest = max(aged, key=lambda row: (row["age_ms"], row["batch_id"]))
    over = over_ms(oldest)
    limit = (
        f" of {span(oldest['delivery_timeout_ms'])} allowed, {origin_words(oldest['timeout_origin'])}"
        if over is not None
        else ", limit unknown"
    )
    return (
        f"{told}; the oldest lived {span(oldest['age_ms'])}{limit} "
        f"({topic_partition(oldest)}): {_eaten(oldest)}.{also}",
        "broken",
    )


def memberships(rows: Sequence[Row], ended: Outcomes) -> Summary:
    """Why was it kicked out, by how much, against which limit? The longest gap between polls first.

    ended: how many of all memberships, listed or not, ended how.
    """
    kicked = sum(many for outcome, many in ended.items() if outcome in KICKED_OUT)
    if not kicked:
        many = counted(sum(ended.values()), "membership")
        return f"Nobody was kicked out: {many}, open or closed by the member.", "calm"
    out = [row for row in rows if row["outcome"] in KICKED_OUT]
    if not out:
        told = f"{counted(kicked, 'membership')} ended by force, none of them among the {len(rows)} listed"
        return f"{told}: choose a client or a shorter time to see them.", "broken"
    worst = max(out, key=members.badness)
    who = short_name(worst["client_id"] or worst["member_id"])
    others = kicked - 1
    more = f" {counted(others, 'other membership')} ended by force." if others else ""
    return f"{who} {_kicked(worst)}.{_back(worst)}{more}", "broken"


def _kicked(row: Row) -> str:
    group, ended_at, polled_at = f"group {group_of(row)}", row["ended_at"], row["last_poll_at"]
    if row["outcome"] == "poll_expired":
        poll = limit_words(POLL, row["max_poll_interval_ms"], row.get("poll_origin"))
        is_known = polled_at is not None and ended_at is not None
        after = f"{span(ended_at - polled_at)} after its last poll" if is_known else "for want of a poll"
        gap_ms = row["max_poll_gap_ms"]
        gap = "" if gap_ms is None else f"; {span(gap_ms)} passed between two polls"
        return f"left {group} {after} (limit {poll or 'unknown'}){gap}"
    if row["outcome"] == "session_expired":
        limit = limit_words(SESSION, row["session_timeout_ms"], row.get("session_origin"))
        told = limit or f"{SESSION}, value unknown"
        return f"was put out of {group}: no heartbeat came within its limit ({told})"
    if row["outcome"] == "rebalance_expired":
        return f"was put out of {group}: it did not join a rebalance in time"
    static = f" {row['group_instance_id']}" if row["group_instance_id"] else ""
    return f"was fenced from {group}: another member took its group.instance.id{static}"


def _back(row: Row) -> str:
    away = members.away_ms(row)
    return (
        " It is not seen to have come back."
        if away is None
        else f" It was a member again {span(away)} later."
    )


def _eaten(row: Row) -> str:
    names = {
        "waiting_ms": "waiting",
        "in_flight_ms": "in flight",
        "rest_ms": "between",
        "unknown_ms": "in stages the log does not tell",
    }
    parts = sorted(stages(row).items(), key=lambda part: -part[1])
    return ", ".join(f"{span(ms)} {names[stage]}" for stage, ms in parts if ms)
