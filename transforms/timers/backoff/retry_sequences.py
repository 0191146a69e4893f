"""One sequence of retries while it is rebuilt: its waits, the rows made from it, and what its rules judge."""

from dataclasses import dataclass, field

from transforms.events import ClientEvent
from transforms.timers.backoff.envelope import backoff_of
from transforms.timers.episodes import BackoffAttempt, Episode, episode_id, whose
from transforms.timers.profile import ClientProfile

MACHINE = "backoff_attempts"
WAITS_KEPT = 100
LOG_CLOCK_GRAIN_MS = 1  # a wait is a difference of two clocks cut to whole milliseconds
# The client takes its time before it writes the failure's line: what the line's logging costs on a busy
# core. Where the response's own line is seen (DEBUG), the wait counts from there and needs none of it.
LINE_LATENCY_MS = 5
# A path that waits by a timer of its own, which is no backoff: no shortest or longest wait is known.
OWN_TIMER = "own_timer"


@dataclass(slots=True)
class Wait:
    """One wait of a sequence, as rules need it.

    at_most_ms: the wait was no longer than this, whatever the log's clocks cut off or a logger delayed.
    at_least_ms: and no shorter than this, where that is another number.
    drawn_ms: the wait that the client drew, where its line prints it. is_sent_known: waited_ms ends at a
    send line.
    is_alone: nothing but the backoff held it: no other request was under way, no other batch waited.
    leader_excluded: no leader change can have cut it short. is_ambiguous: the failure before may be another
    batch's.
    read_after: of the lines that the client wrote before it read the clock that the wait counts from, the last one
    known: the answer's, the request's, or the failure before. No pause lies between it and an earlier reading.
    """

    failures: int
    failed_at: int
    waited_ms: int
    at_most_ms: int
    event_ids: tuple[str, ...]
    is_sent_known: bool = False
    drawn_ms: int | None = None
    leader_excluded: bool = False
    is_ambiguous: bool = False
    at_least_ms: int | None = None
    is_alone: bool = False
    read_after: int | None = None

    @property
    def until(self) -> int:
        """When the wait was over, or was to be."""
        return self.failed_at + self.waited_ms

    def is_shorter_than(self, shortest_ms: int) -> bool:
        """Whether it was shorter than this, lines being as late as a busy core makes them, and no later."""
        latency = 0 if self.at_most_ms > self.waited_ms else LINE_LATENCY_MS
        return self.at_most_ms < shortest_ms - LOG_CLOCK_GRAIN_MS - latency


@dataclass(slots=True, kw_only=True)
class BackoffSequence(Episode):
    """The retries of one request, batch or call, until it went through or nothing more was seen. Judged, not stored.

    waits: the first WAITS_KEPT. retries: all. short_before: too short waits of the client's sequences that ended
    before. path: how the client waits there: `producer`, `lookup` (a
    consumer's coordinator lookup, within one poll()), `metadata`, `admin`, `admin_lookup`, `static`, `own_timer`.
    """

    sequence_id: str
    path: str
    api: str | None = None
    subject: str | None = None
    started_at: int | None = None
    retries: int = 0
    waits: list[Wait] = field(default_factory=list)
    short_before: list[Wait] = field(default_factory=list)


@dataclass(slots=True)
class Sequence:
    """A sequence of retries that goes on. failures: so far, the last one included; last: the line of the last one."""

    sequence_id: str
    path: str
    api: str
    subject: str | None
    profile: ClientProfile
    last: ClientEvent
    last_at: int
    failures: int = 1
    last_known_at: int | None = None
    sent_at: int | None = None
    retries: int = 0
    waits: list[Wait] = field(default_factory=list)
    started_at: int | None = None

    @classmethod
    def begun(
        cls, event: ClientEvent, profile: ClientProfile, path: str, api: str, subject: str | None
    ) -> "Sequence":
        """The first failure. The event's time must be known."""
        at = event.happened_at or 0
        name = episode_id(event.unit_id, MACHINE, event.event_id)
        return cls(name, path, api, subject, profile, event, at, started_at=at)

    def waited(self, wait: Wait, sent_at: int | None) -> BackoffAttempt:
        """One more retry: kept for the rules, and given as a row."""
        self.retries += 1
        if len(self.waits) < WAITS_KEPT:
            self.waits.append(wait)
        backoff = backoff_of(self.profile) if self.path != OWN_TIMER else None
        bounds = backoff.bounds(wait.failures) if backoff else (None, None)
        base = self.profile.whole("retry.backoff.ms")
        cap = self.profile.whole("retry.backoff.max.ms")
        return BackoffAttempt(
            **whose(self.last),
            event_ids=list(wait.event_ids),
            profile=self.profile,
            sequence_id=self.sequence_id,
            api=self.api,
            subject=self.subject,
            failures=wait.failures,
            failed_at=wait.failed_at,
            sent_at=sent_at,
            waited_ms=wait.waited_ms,
            is_lower_bound=not wait.is_sent_known and wait.drawn_ms is None,
            retry_backoff_ms=base.ms if base else None,
            retry_backoff_max_ms=cap.ms if cap else None,
            shortest_ms=bounds[0],
            longest_ms=bounds[1],
        )

    def failed_again(self, event: ClientEvent, failures: int | None = None) -> None:
        """The next failure; the waits after it count from its line."""
        self.last = event
        self.last_at = event.happened_at or self.last_at
        self.last_known_at = None
        self.sent_at = None
        self.failures = failures if failures is not None else self.failures + 1

    def ended(self) -> list[Episode]:
        """What the rules judge; nothing where there was no retry."""
        if not self.waits:
            return []
        ids = [event_id for wait in self.waits for event_id in wait.event_ids]
        return [
            BackoffSequence(
                **whose(self.last),
                event_ids=list(dict.fromkeys(ids)),
                profile=self.profile,
                sequence_id=self.sequence_id,
                path=self.path,
                api=self.api,
                subject=self.subject,
                started_at=self.started_at,
                retries=self.retries,
                waits=self.waits,
            )
        ]
