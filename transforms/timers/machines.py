"""Which machines run over a unit, in which order. A new machine is added here and nowhere else."""

from transforms.events import ClientEvent
from transforms.timers.backoff.attempts import BackoffAttempts
from transforms.timers.backoff.heartbeat_waits import HeartbeatWaits
from transforms.timers.backoff.rdkafka_retries import RdkafkaRetries
from transforms.timers.backoff.reconnects import Reconnects
from transforms.timers.backoff.setup_timeouts import SetupTimeouts
from transforms.timers.backoff.static_loops import StaticLoops
from transforms.timers.batches.lifetimes import BatchLifetimes
from transforms.timers.clients.benign_lines import BenignCounts
from transforms.timers.clients.cancelled_requests import CancelledRequests
from transforms.timers.clients.client_configs import ClientConfigs
from transforms.timers.clients.config_dumps import ConfigDumps
from transforms.timers.clients.troubles import Troubles
from transforms.timers.groups.commit_failures import CommitFailures
from transforms.timers.groups.member_epochs import MemberEpochs
from transforms.timers.machine import Machine
from transforms.timers.samples.producer_counts import ProducerCounts
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


def unit_machines(*, has_forgotten: bool = False) -> list[Machine]:
    """Fresh machines for one unit. has_forgotten: of which others have let go of clients."""
    return [
        BatchLifetimes(),
        CancelledRequests(),
        ConfigDumps(has_forgotten=has_forgotten),
        TaskTimers(),
        StreamsFailures(),
        CommitOutages(),
        SkippedTasks(),
        GlobalTimers(),
        LeaderLoops(),
        ClientConfigs(),
        BackoffAttempts(),
        RdkafkaRetries(),
        HeartbeatWaits(),
        MemberEpochs(),
        SetupTimeouts(),
        Reconnects(),
        StaticLoops(),
        CommitFailures(),
        BenignCounts(),
        ProducerCounts(),
        Troubles(),
    ]
