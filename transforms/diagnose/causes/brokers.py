"""Brokers that began anew in their own log: killed, shut down in order, or nobody knows."""

from collections.abc import Iterable, Iterator

from transforms.diagnose.incident import Incident, of_episodes
from transforms.diagnose.wording.words import span
from transforms.timers.clients.broker_starts import BrokerStart

KILLED, RESTARTED, BEGAN_ANEW = "broker_killed", "broker_restarted", "broker_began_anew"
# What a broker's own log tells of its absence: whoever lost it then has the reason in it.
ABSENCES = (KILLED, RESTARTED, BEGAN_ANEW)
_HOW = "the kernel's OOM killer, a probe or a timeout of what runs it, kill -9, a crash of its JVM, or its host went down"
_AS_IT_ENDED = (
    "See how it ended: the state and exit code of its container (137 or OOMKilled: killed), the kernel's log, "
    "hs_err_pid*.log, and its last lines before this start."
)


def broker_incidents(starts: Iterable[BrokerStart], scope_id: str) -> Iterator[Incident]:
    """One for each start; that of a broker that had shut down is benign, and so is one of which nobody knows."""
    for start in starts:
        kind = RESTARTED if not start.was_killed else KILLED if start.is_clean is False else BEGAN_ANEW
        title, cause, advice = _told(kind, start)
        yield of_episodes(
            kind,
            scope_id,
            [start],
            started_at=start.started_at if start.stopping_at is None else start.stopping_at,
            ended_at=start.up_at,
            title=title,
            cause=cause,
            cause_confidence="proven" if start.is_clean is not None else "inferred",
            impact="delayed" if kind == KILLED else "none",
            advice=advice,
            subject_ids=[start.start_id],
            verdict="as_designed" if kind == KILLED else "benign",
            actor="nobody" if kind == RESTARTED else "broker",
            places=[f"broker:{start.broker_id}"],
        )


def _told(kind: str, start: BrokerStart) -> tuple[str, str, str]:
    """Title, cause and advice."""
    is_to_number_itself = start.broker_id.startswith("-")
    who = "A broker" if is_to_number_itself else f"Broker {start.broker_id}"
    if kind == RESTARTED:
        took, later = _took(start.stopping_at, start.up_at), _took(start.stopping_at, start.started_at)
        if start.has_failed:
            return (
                f"{who} ended itself and was started again{f' (up after {took})' if took else ''}",
                f"All its log directories had failed; it started again{f' {later} later' if later else ''}.",
                "Look at what failed.",
            )
        return (
            f"{who} was shut down and started again{f' (up after {took})' if took else ''}",
            f"It said that it shuts down, and started again{f' {later} later' if later else ''}."
            if start.is_stopping
            else "As it started again it found its logs closed, as a shutdown leaves them.",
            "Nothing to do.",
        )
    if kind == BEGAN_ANEW:
        return (
            f"{who} began anew, and no line tells of a shutdown before",
            f"It was killed ({_HOW}), or lines of its log are missing.",
            _AS_IT_ENDED,
        )
    took = _took(start.started_at, start.up_at)
    later = f" It was up {took} after that start." if took else ""
    if start.is_stopping:
        return (
            f"{who} was killed while it shut down, and started again",
            "It had said that it shuts down, and its next start found no file of a clean shutdown: it was ended before "
            f"it was done, and had to go through its logs first.{later}",
            "Give it more time to shut down (terminationGracePeriodSeconds, TimeoutStopSec, docker stop -t): it hands its "
            "partitions over first, and closes its logs.",
        )
    return (
        f"{who} ended without a shutdown, and was started again",
        "At its start it found no file of a clean shutdown, and had to go through its logs: it had been killed or had "
        f"crashed ({_HOW}).{later}",
        _AS_IT_ENDED,
    )


def _took(begin: int | None, end: int | None) -> str:
    return "" if begin is None or end is None else span(end - begin)
