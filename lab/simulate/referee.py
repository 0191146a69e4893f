"""Reads a log at DEBUG back, and says which promises of KIP-572 and KIP-580 it breaks: the model's own judgement.

Patterns and bounds are written here from Kafka's classes and the KIPs, and shared with nothing. A promise is said to
be broken only beyond `margin_ms`: what a busy core may add between a clock's reading and the line that tells it. With a
margin, a wait that one pause of the process there explains breaks nothing either: its line may be as late as it likes.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from math import floor, log2

from lab.simulate.line import Line
from lab.simulate.process import MAX_INT

TASK = r"stream-thread \[(?P<thread>[^\]]+)\] (?:standby-)?task \[(?P<task>[\w_]+)\] "
ARMED = re.compile(
    TASK + r"Task did not make progress\. Remaining time to deadline (?P<remaining>-?\d+); retrying\."
)
CLEARED = re.compile(TASK + r"Clearing task timeout\.")
CLOSED = re.compile(TASK + r"Closed (?:clean|dirty)")
COMMIT_FAILED = re.compile(
    r"stream-thread \[(?P<thread>[^\]]+)\] Committing task\(s\) (?P<tasks>[\w_, ]+) failed\."
)
EXPIRED = re.compile(r"TimeoutException: Task (?P<task>[\w_]+) did not make progress within (?P<ms>\d+) ms")
OF_THREAD = re.compile(r"stream-thread \[(?P<thread>[^\]]+)\]")
DUMP = re.compile(r"(?P<kind>Producer|Consumer|AdminClient|Streams)Config values: \n")
VERSION = re.compile(r"Kafka version ?: (?P<major>\d+)\.(?P<minor>\d+)")
SENT = re.compile(
    r"\[Producer clientId=(?P<client>[^,\]]+)\] Sending PRODUCE request .*?correlationId=(?P<id>\d+)"
)
ANSWERED = re.compile(
    r"\[Producer clientId=(?P<client>[^,\]]+)\] Received PRODUCE response .*?correlationId=(?P<id>\d+)"
)
METADATA = re.compile(r"\[Producer clientId=(?P<client>[^,\]]+)\] Received METADATA response")
RETRY = re.compile(
    r"\[Producer clientId=(?P<client>[^,\]]+)\] Got error produce response with correlation id (?P<id>\d+) on "
    r"topic-partition (?P<partition>\S+), retrying \((?P<left>\d+) attempts left\)\. Error: (?P<error>\w+)"
)
ADMIN = re.compile(
    r"\[AdminClient clientId=(?P<client>[^\]]+)\] Call\(callName=(?P<call>\w+), deadlineMs=(?P<deadline>\d+), "
    r"tries=(?P<tries>\d+), nextAllowedTryMs=(?P<next>\d+)\) failed: "
)
READ = (ARMED, CLEARED, CLOSED, COMMIT_FAILED, EXPIRED, SENT, ANSWERED, RETRY, ADMIN)
# Errors that may come with a new leader, which is tried at once.
OF_LEADERS = re.compile(r"LEADER|NETWORK|TIMED_OUT|UNKNOWN_TOPIC|REPLICA_NOT_AVAILABLE|STORAGE")
JUDGED = frozenset(
    {
        "kip572.deadline_moved",
        "kip572.retried_after_deadline",
        "kip572.timer_not_reset",
        "kip572.timer_not_shared",
        "kip572.died_early",
        "kip580.backoff_too_short",
        "kip580.backoff_too_long",
        "kip580.above_cap",
        "kip572.retries_not_warned",
        "kip580.base_above_max_not_warned",
    }
)
SAME_MS = 200  # Lines of one failure: one call, several lines.


def is_read(line: Line) -> bool:
    """Whether the referee learns anything from a line."""
    return any(pattern.search(line.text) for pattern in READ)


@dataclass
class Timer:
    """What the lines of one task say. cleared: the deadline that a clear took away."""

    first_at: int | None = None
    armed: tuple[int, int] | None = None
    cleared: int | None = None
    is_exact: bool = False
    by_commit: bool = False


@dataclass
class Failed:
    """A failure of a batch. known_at: the earliest that its wait can count from; its answer's line, if is_answered."""

    at: int
    known_at: int
    left: int
    error: str
    sent_at: int | None
    is_answered: bool


@dataclass
class Referee:
    """State of one reading."""

    margin_ms: int
    broken: set[str] = field(default_factory=set)
    version: tuple[int, int] | None = None
    settings: dict[str, dict[str, str]] = field(default_factory=dict)
    limit_ms: int | None = None
    timers: dict[tuple[str, str], Timer] = field(default_factory=dict)
    commit: tuple[str, int, list[str], set[str]] | None = None
    lacked_one: bool = False
    sent: dict[tuple[str, str], int] = field(default_factory=dict)
    answered: dict[tuple[str, str], int] = field(default_factory=dict)
    metadata_at: dict[str, int] = field(default_factory=dict)
    failed: dict[tuple[str, str], list[Failed]] = field(default_factory=dict)
    warned: set[str] = field(default_factory=set)
    drawn_short: dict[str, int] = field(default_factory=dict)

    def read(self, lines: Iterable[Line]) -> set[str]:
        for line in lines:
            self._read(line)
        self._configs()
        return self.broken

    def _read(self, line: Line) -> None:
        text, at = line.text, line.at
        if found := DUMP.match(text):
            self._dump(found["kind"], text)
        elif found := VERSION.match(text):
            self.version = (int(found["major"]), int(found["minor"]))
        elif text.startswith("Configuration parameter `retries` is deprecated"):
            self.warned.add("retries")
        elif "A static backoff with value" in text:
            self.warned.add("base")
        elif found := EXPIRED.search(text):
            self._expired(found["task"], int(found["ms"]), at)
        elif found := ADMIN.match(text):
            self._admin(found, at)
        elif "Producer clientId" in text:
            self._producer(text, at)
        else:
            self._streams(text, at)

    def _dump(self, kind: str, text: str) -> None:
        pairs = (line.strip("\t").partition(" = ") for line in text.splitlines()[1:] if line.startswith("\t"))
        values = {name: value for name, _, value in pairs}
        self.settings[values["client.id"] if kind != "Streams" else "streams"] = values
        if kind == "Streams":
            self.limit_ms = int(values["task.timeout.ms"]) if "task.timeout.ms" in values else None

    # --- tasks

    def _streams(self, text: str, at: int) -> None:
        thread = OF_THREAD.match(text)
        found = ARMED.match(text)
        if self.commit and thread and thread["thread"] == self.commit[0] and not found:
            self._end_commit(
                is_closed="Closed" in text or "Suspended" in text or "closed and revived" in text
            )
        if found:
            self._armed(found["thread"], found["task"], int(found["remaining"]), at)
        elif found := CLEARED.match(text):
            timer = self.timers.setdefault((found["thread"], found["task"]), Timer())
            timer.cleared = sum(timer.armed) if timer.armed else None
            timer.armed = timer.first_at = None
        elif found := CLOSED.match(text):
            self.timers.pop((found["thread"], found["task"]), None)
        elif found := COMMIT_FAILED.match(text):
            self.commit = (found["thread"], at, found["tasks"].split(", "), set())

    def _armed(self, thread: str, task: str, remaining: int, at: int) -> None:
        timer = self.timers.setdefault((thread, task), Timer())
        of_commit = self.commit is not None and self.commit[0] == thread
        if self.commit and of_commit:
            self.commit[3].add(task)
        if timer.armed is None:
            timer.first_at, timer.by_commit = at, of_commit
            timer.is_exact = remaining == self.limit_ms
            goes_on = timer.cleared is not None and abs(timer.cleared - at - remaining) <= SAME_MS
            if goes_on and self.limit_ms is not None and remaining < self.limit_ms - self.margin_ms:
                self.broken.add("kip572.timer_not_reset")
        elif at - timer.armed[0] > SAME_MS + self.margin_ms:
            if remaining < 0 or (remaining == 0 and timer.armed[1] == 0):
                self.broken.add("kip572.retried_after_deadline")
            elif remaining >= timer.armed[1]:
                self.broken.add("kip572.deadline_moved")
        if timer.armed is None or remaining < timer.armed[1]:
            timer.armed = (at, remaining)
        timer.cleared = None

    def _end_commit(self, is_closed: bool) -> None:
        _, _, tasks, armed = self.commit or ("", 0, [], set())
        self.commit = None
        if armed and not is_closed and set(tasks) - armed and len(tasks) > 1:
            if self.lacked_one:
                self.broken.add("kip572.timer_not_shared")
            self.lacked_one = True  # once, a lost line would explain it

    def _expired(self, task: str, stalled_ms: int, at: int) -> None:
        self.commit = None
        if self.limit_ms is None:
            return
        if stalled_ms <= self.limit_ms - self.margin_ms:
            self.broken.add("kip572.died_early")
        timer = next((timer for (_, name), timer in self.timers.items() if name == task), None)
        # A failed commit reads the clock after the call: the line's own time.
        # One of process() read it before, so that nobody can be sure.
        may_tell = timer is not None and timer.is_exact and timer.first_at is not None
        is_told = may_tell and timer is not None and (timer.by_commit or self.margin_ms == 0)
        if is_told and timer and at - (timer.first_at or at) < self.limit_ms - self.margin_ms:
            self.broken.add("kip572.died_early")

    # --- waits

    def _bounds(self, client: str, failures: int) -> tuple[int, int, int | None] | None:
        """Shortest and longest wait after so many failures, and the cap."""
        values = self.settings.get(client)
        if values is None or self.version is None:
            return None
        base = int(values["retry.backoff.ms"])
        if self.version < (3, 7):
            return base, base, None
        cap = int(values["retry.backoff.max.ms"])
        if cap <= base:
            return cap, cap, cap
        term = base * 2 ** min(failures - 1, log2(cap / max(base, 1)))
        return min(floor(term * 0.8), cap), min(floor(term * 1.2), cap), cap

    def _admin(self, found: re.Match[str], at: int) -> None:
        bounds = self._bounds(found["client"], int(found["tries"]))
        if bounds is None:
            return
        drawn = int(found["next"]) - at
        if drawn < bounds[0] - 1 - self.margin_ms:
            # The clock was read before that line: one pause explains one of them, or two that it holds up.
            before = self.drawn_short.get(found["client"])
            is_another = before is not None and before + self.margin_ms < at + drawn - bounds[0]
            if self.margin_ms == 0 or is_another:
                self.broken.add("kip580.backoff_too_short")
            self.drawn_short[found["client"]] = at
        if drawn > bounds[1] + 1 + self.margin_ms:
            self.broken.add("kip580.backoff_too_long")
        if bounds[2] is not None and drawn > bounds[2] + 1 + self.margin_ms:
            self.broken.add("kip580.above_cap")

    def _producer(self, text: str, at: int) -> None:
        if found := SENT.match(text):
            self.sent[found["client"], found["id"]] = at
        elif found := ANSWERED.match(text):
            self.answered[found["client"], found["id"]] = at
        elif found := METADATA.match(text):
            self.metadata_at[found["client"]] = at
        elif found := RETRY.match(text):
            self._retried(found, at)

    def _retried(self, found: re.Match[str], at: int) -> None:
        key = (found["client"], found["id"])
        sent_at = self.sent.get(key)
        left = int(found["left"])
        failures = self.failed.setdefault((found["client"], found["partition"]), [])
        before = [failure for failure in failures if failure.left == left + 1]
        if len(before) == 1 and sent_at is not None and sent_at >= before[0].at:
            self._waited(found["client"], before[0], sent_at)
        elif self.margin_ms == 0:
            for failure in before:  # A retry that failed by then had left before: maybe one of these.
                self._waited(found["client"], failure, at)
        for failure in before:
            failures.remove(failure)
        known_at = min(at, self.answered.get(key, at))
        failures.append(Failed(at, known_at, left, found["error"], sent_at, key in self.answered))

    def _waited(self, client: str, failure: Failed, sent_at: int) -> None:
        bounds = self._bounds(client, MAX_INT - failure.left)
        if bounds is None or failure.sent_at is None:
            return
        learnt_at = self.metadata_at.get(client)
        may_be_new = OF_LEADERS.search(failure.error) is not None
        may_be_new = may_be_new or (learnt_at is not None and learnt_at >= failure.sent_at)
        is_excused = may_be_new and self.version is not None and self.version >= (3, 6)
        # Without the answer's line the clock may have been read as early as the request left.
        since = failure.known_at if failure.is_answered or self.margin_ms == 0 else failure.sent_at
        if not is_excused and sent_at - since < bounds[0] - 1 - self.margin_ms:
            self.broken.add("kip580.backoff_too_short")

    # --- starts

    def _configs(self) -> None:
        if self.version is None:
            return
        streams = self.settings.get("streams", {})
        has_key = (2, 7) <= self.version < (4, 0)
        if has_key and streams.get("retries", "0") != "0" and "retries" not in self.warned:
            self.broken.add("kip572.retries_not_warned")
        for values in self.settings.values():
            cap = values.get("retry.backoff.max.ms")
            if cap is not None and int(values["retry.backoff.ms"]) > int(cap) and "base" not in self.warned:
                self.broken.add("kip580.base_above_max_not_warned")


def broken_by(lines: Iterable[Line], margin_ms: int = 0) -> set[str]:
    """The promises that this history breaks, of those in JUDGED."""
    return Referee(margin_ms).read(lines)
