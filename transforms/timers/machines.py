"""Which machines run over a unit, in which order. A new machine is added here and nowhere else."""

from collections.abc import Sequence, Set
from functools import cache

from transforms.events import ClientEvent
from transforms.timers.backoff import (
    attempts,
    heartbeat_waits,
    rdkafka_retries,
    reconnects,
    setup_timeouts,
    static_loops,
)
from transforms.timers.backoff.attempts import BackoffAttempts
from transforms.timers.backoff.heartbeat_waits import HeartbeatWaits
from transforms.timers.backoff.rdkafka_retries import RdkafkaRetries
from transforms.timers.backoff.reconnects import Reconnects
from transforms.timers.backoff.setup_timeouts import SetupTimeouts
from transforms.timers.backoff.static_loops import StaticLoops
from transforms.timers.batches.lifetimes import BatchLifetimes
from transforms.timers.clients import broker_starts, client_configs, never_joined
from transforms.timers.clients.benign_lines import BenignCounts
from transforms.timers.clients.broker_starts import BrokerStarts
from transforms.timers.clients.cancelled_requests import CancelledRequests
from transforms.timers.clients.client_configs import ClientConfigs
from transforms.timers.clients.config_dumps import ConfigDumps
from transforms.timers.clients.never_joined import NeverJoined
from transforms.timers.clients.troubles import Troubles
from transforms.timers.groups import member_epochs
from transforms.timers.groups.commit_failures import CommitFailures
from transforms.timers.groups.member_epochs import MemberEpochs
from transforms.timers.machine import Machine
from transforms.timers.samples.producer_counts import ProducerCounts
from transforms.timers.streams import (
    commit_outages,
    global_timers,
    leader_loops,
    skipped_tasks,
    streams_failures,
)
from transforms.timers.streams.commit_outages import CommitOutages
from transforms.timers.streams.global_timers import GlobalTimers
from transforms.timers.streams.leader_loops import LeaderLoops
from transforms.timers.streams.skipped_tasks import SkippedTasks
from transforms.timers.streams.streams_failures import StreamsFailures
from transforms.timers.streams.task_timers import TaskTimers

# Most lines of a client at DEBUG, and of its memberships only (transforms.timers.groups.group): no unit machine reads them.
# They tell the time, as the next line does; and that their thread goes on, which matters for a stream thread.
TELLS_TIME_ONLY = frozenset({"heartbeat-send", "heartbeat-ok", "c848-heartbeat-ok", "offset-committed"})
OF_STREAM_THREAD = "-StreamThread-"


def tells_time_only(event: ClientEvent) -> bool:
    """Whether no unit machine learns anything from an event."""
    return event.message_id in TELLS_TIME_ONLY and OF_STREAM_THREAD not in (event.thread or "")


# In their order, with the kinds and families of the events that each reads; None: it reads every event.
MACHINES: Sequence[tuple[type[Machine], Set[str] | None]] = (
    (BatchLifetimes, None),
    (CancelledRequests, None),
    (ConfigDumps, None),
    (TaskTimers, None),
    (StreamsFailures, streams_failures.KINDS),
    (CommitOutages, commit_outages.FAMILIES),
    (SkippedTasks, skipped_tasks.FAMILIES | skipped_tasks.TAKEN),
    (GlobalTimers, global_timers.FAMILIES),
    (LeaderLoops, leader_loops.FAMILIES | {leader_loops.DUMPED}),
    (ClientConfigs, client_configs.KINDS),
    (BackoffAttempts, attempts.FAMILIES | attempts.KINDS),
    (RdkafkaRetries, rdkafka_retries.FAMILIES),
    (HeartbeatWaits, {heartbeat_waits.RETRIED}),
    (MemberEpochs, member_epochs.TELLS_OF_END | {member_epochs.TRANSITION}),
    (SetupTimeouts, {setup_timeouts.TIMED_OUT}),
    (Reconnects, reconnects.FORGOTTEN | reconnects.FAILED | {reconnects.TRIED, reconnects.DUMPED}),
    (StaticLoops, static_loops.FAMILIES),
    (CommitFailures, None),
    (BenignCounts, None),
    (ProducerCounts, None),
    (Troubles, None),
    (NeverJoined, never_joined.READS),
    (BrokerStarts, broker_starts.READS),
)


def unit_machines(*, has_forgotten: bool = False) -> list[Machine]:
    """Fresh machines for one unit, as MACHINES has them. has_forgotten: of which others have let go of clients."""
    return [
        ConfigDumps(has_forgotten=has_forgotten) if machine is ConfigDumps else machine()
        for machine, _ in MACHINES
    ]


@cache
def readers(kind: str, message_id: str) -> tuple[int, ...]:
    """Which machines read events of a kind and family: places in MACHINES."""
    return tuple(
        place
        for place, (_, read) in enumerate(MACHINES)
        if read is None or kind in read or message_id in read
    )
