"""Two more loops of Kafka Streams (KIP-572): the global thread's start-up, and the leader's over internal topics.

Written from GlobalStateManagerImpl.retryUntilSuccessOrThrowOnTaskTimeout and InternalTopicManager.makeReady.
"""

from dataclasses import dataclass, field
from random import Random
from typing import Any

from lab.simulate.line import Line, Text, shown
from lab.simulate.process import Client, Process, start_lines
from lab.simulate.tasks import CLIENT, INTERNALS, NOON, STREAMS_EXCEPTION, THREAD, TIMEOUT, application
from lab.simulate.tasks import TEXTS as THREAD_TEXTS
from lab.simulate.truth import Fact, Truth

GLOBAL, TOPICS = f"{INTERNALS}GlobalStreamThread", f"{INTERNALS}InternalTopicManager"
OF_GLOBAL, OF_LEADER = "global-stream-thread [{thread}] ", "stream-thread [main] "
EXPIRE, HALF = "p572-global-expire-42", "p572-leader-half-42"

TEXTS = {
    "global_retry": Text(
        OF_GLOBAL
        + "Failed to get offsets for partitions [{partitions}]. The broker may be transiently unavailable at the "
        + "moment.",
        f"{INTERNALS}GlobalStateManagerImpl",
        "WARN",
        EXPIRE,
    ),
    "global_state": Text(OF_GLOBAL + "State transition from {old} to {new}", GLOBAL, recorded=EXPIRE),
    "not_started": Text("Kafka Streams did not start", "com.example.orders.OrderService", "ERROR", EXPIRE),
    "global_died": Text(
        "stream-client [{client}] Global thread has died. The streams application or client will now close to "
        "ERROR.",
        CLIENT,
        "ERROR",
        EXPIRE,
    ),
    "create_timed_out": Text(
        OF_LEADER + "Creating topic {topic} timed out.\nError message was: {error}", TOPICS, "ERROR", HALF
    ),
    "round": Text(
        OF_LEADER
        + "Topics [{topic}] could not be made ready. Will retry in {backoff} milliseconds. Remaining time in "
        + "milliseconds: {remaining}",
        TOPICS,
        recorded=HALF,
    ),
    "gave_up": Text(
        OF_LEADER
        + "Could not create topics within {limit} milliseconds. This can happen if the Kafka cluster is "
        + "temporarily not available.",
        TOPICS,
        "ERROR",
        HALF,
    ),
}


@dataclass
class Startup:
    """A Streams process that starts, and what it writes. limits: how long its calls take until they time out."""

    rng: Random
    process: Process
    client: Client
    now: int = NOON
    lines: list[Line] = field(default_factory=list)
    facts: list[Fact] = field(default_factory=list)

    def start(self) -> None:
        self.lines += start_lines(self.process, [self.client], self.now)
        self.now = self.lines[-1].at + 20

    def say(self, name: str, thread: str = "main", trace: str | None = None, **fields: Any) -> None:
        self.lines.append(
            TEXTS[name].line(self.now, thread, trace=trace, client=self.client.client_id, **fields)
        )

    def limit(self, name: str) -> int:
        """One of the application's settings, ms."""
        return int(str(self.client.settings.get(name, self.process.values(self.client).get(name))))

    def told(self, violated: set[str] | None = None) -> tuple[list[Line], Truth]:
        return shown(self.lines, self.process.level), Truth(self.facts, violated or set())


class GlobalThread(Startup):
    """The global thread asks for end offsets until an answer comes. outage_ms: how long none comes."""

    backoff_ms = 0
    gives_up_after: float = 1.0

    def run(self, outage_ms: int) -> None:
        self.start()
        name = f"{self.client.client_id}-GlobalStreamThread"
        took = self.limit("default.api.timeout.ms")
        limit_ms = self.limit("task.timeout.ms")
        began, first, attempts = self.now, None, 0
        while self.now - began < outage_ms:
            self.now += took + self.rng.randint(0, 8)
            attempts += 1
            cause = f"{TIMEOUT}: Failed to get offsets by times in {took}ms"
            if limit_ms == 0:
                self.facts.append(
                    Fact("global_timer", name, self.now, None, 0, "expired", attempts, self.now)
                )
                wrapped = f"{STREAMS_EXCEPTION}: Retrying is disabled. You can enable it by setting "
                self.dies(
                    name, f"{wrapped}`task.timeout.ms` to a value larger than zero.\nCaused by: {cause}"
                )
                return
            if first is not None and self.now - first >= limit_ms * self.gives_up_after:
                stalled = self.now - first
                self.facts.append(
                    Fact("global_timer", name, first, stalled, limit_ms, "expired", attempts, self.now)
                )
                text = f"Global task did not make progress to restore state within {stalled} ms."
                self.dies(name, f"{TIMEOUT}: {text} Adjust `task.timeout.ms` if needed.\nCaused by: {cause}")
                return
            first = first if first is not None else self.now
            self.say("global_retry", name, trace=cause, partitions="customers-1, customers-0")
            self.now += self.backoff_ms
        self.now += 30
        self.say("global_state", name, old="CREATED", new="RUNNING")

    def dies(self, name: str, cause: str) -> None:
        self.say("global_state", name, old="CREATED", new="PENDING_SHUTDOWN")
        self.say("global_state", name, old="PENDING_SHUTDOWN", new="DEAD")
        text = f"{STREAMS_EXCEPTION}: Exception caught during initialization of GlobalStreamThread"
        self.say(
            "not_started", trace=f"{text}\n\tat {GLOBAL}.run(GlobalStreamThread.java:276)\nCaused by: {cause}"
        )
        self.say("global_died", name)


class Leader(Startup):
    """The leader creates internal topics. lacking_ms: how long the brokers don't do it."""

    gives_up_after: float = 1.0
    is_fatal = False

    def run(self, lacking_ms: int) -> None:
        self.start()
        limit_ms = self.limit("max.poll.interval.ms") // 2
        backoff = self.limit("retry.backoff.ms")
        took = self.limit("default.api.timeout.ms")
        topic = f"{self.client.group_id}-count-repartition"
        began = self.now
        deadline = began + limit_ms
        while self.now - began < lacking_ms:
            self.now += took + self.rng.randint(0, 10)
            call = f"Call(callName=createTopics, deadlineMs={self.now - 3}, tries=1, nextAllowedTryMs={self.now + 88})"
            error = f"{TIMEOUT}: {call} timed out at {self.now} after 1 attempt(s)"
            self.say("create_timed_out", topic=topic, error=error)
            if self.now - began >= limit_ms * self.gives_up_after:
                self.say("gave_up", limit=limit_ms)
                self.facts.append(
                    Fact("leader_loop", topic, began, self.now - began, limit_ms, "expired", None, self.now)
                )
                if self.is_fatal:
                    self.dies(limit_ms)
                    return
                self.now += 1000  # the rebalance fails, the member joins again
                began, deadline = self.now, self.now + limit_ms
                lacking_ms = 0
                continue
            self.say("round", topic=topic, backoff=backoff, remaining=deadline - self.now)
            self.now += backoff
        self.now += 200
        self.lines.append(self.of_thread("state", old="STARTING", new="PARTITIONS_ASSIGNED"))
        self.lines.append(self.of_thread("state", old="PARTITIONS_ASSIGNED", new="RUNNING"))

    def of_thread(self, name: str, trace: str | None = None, **fields: Any) -> Line:
        thread = f"{self.client.client_id}-StreamThread-1"
        return THREAD_TEXTS[name].line(self.now, thread, trace=trace, client=self.client.client_id, **fields)

    def dies(self, limit_ms: int) -> None:
        text = f"Could not create topics within {limit_ms} milliseconds. This can happen if the Kafka cluster is "
        trace = f"{TIMEOUT}: {text}temporarily not available.\n\tat {TOPICS}.makeReady(InternalTopicManager.java:464)"
        how = "the registered exception handler opted to"
        self.lines.append(
            self.of_thread(
                "died",
                trace=f"{STREAMS_EXCEPTION}: {trace}\n\tat {THREAD}.run(StreamThread.java:916)",
                how=how,
            )
        )
        self.lines.append(self.of_thread("client_state", old="REBALANCING", new="PENDING_ERROR"))


def global_faulty(rng: Random, process: Process) -> tuple[list[Line], Truth]:
    """A start-up with the brokers away, for less or more than the limit. process: 2.7 or later."""
    client = application(rng, **{"task.timeout.ms": rng.choice((0, 4000, 9000, 30_000))})
    thread = GlobalThread(rng, process, client)
    thread.run(rng.choice((2000, 8000, 20_000)))
    return thread.told()


def leader_faulty(rng: Random, process: Process) -> tuple[list[Line], Truth]:
    """A rebalance with brokers that create no topics, for less or more than the limit. process: 2.7 or later."""
    client = application(rng, **{"max.poll.interval.ms": rng.choice((12_000, 30_001, 60_000))})
    leader = Leader(rng, process, client)
    leader.run(rng.choice((2000, 10_000, 40_000)))
    return leader.told()
