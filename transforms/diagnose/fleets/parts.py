"""What is told as a part of which fault, by the kinds of both."""

from functools import cache

from transforms.diagnose.fleets.fleet_effects import EVICTED

_UNANSWERED = (
    "requests_unanswered",
    "request_timed_out",
    "disconnected",
    "coordinator_lost",
    "coordinator_missing",
)
_CONNECT = ("connect_failed", "connect_timed_out", "connection_")
_OF_MEMBER = (
    "heartbeat_refused",
    "partitions_lost",
    "commit_refused",
    "commit_failed",
    "commit_epoch_stale",
    "member_unknown",
    "generation_reset",
    "task_migrated",
    "streams_closed_dirty",
)
_WITHOUT_CONNECTION = (
    *_UNANSWERED,
    *_CONNECT,
    "metadata_",
    "admin_found_no_broker",
    "connect_failed_to_start",
    "batch",
)
_WITHOUT_BROKER = (
    *_UNANSWERED,
    "metadata_",
    "admin_",
    "call_timed_out",
    "close_timed_out",
    "coordinator_",
    "heartbeat_refused",
)
_WITHOUT_COORDINATOR = (
    *_OF_MEMBER,
    *_UNANSWERED,
    *_CONNECT,
    "commit_timed_out",
    "commit_not_written",
    "produce_cut_off",
)
_SESSION = ("zookeeper_session_expired", "zookeeper_session_over", "zookeeper_unheard")
# Who has to write as it is closed.
_WRITES_IN_VAIN = (
    "container_stopped",
    "close_timed_out",
    "connect_flush",
    "connect_stop_timed_out",
    "ended_with_messages",
    "producer_closed_by_force",
)
_UNSAID = ("other", "kafka_exception")  # what names an exception at most
# What is told as a part of a fault, where it met the same client at the same time. By the beginnings of kinds: the first
# that fits a trouble gives what belongs to it, and what comes first here is told first among equals.
PARTS = {
    "replication_factor_too_large": ("coordinator_missing",),
    "no_broker_registered": ("coordinator_missing",),
    "out_of_memory_reading": ("out_of_memory", "call_timed_out", "admin_", *_UNSAID),
    "out_of_memory": (
        *_OF_MEMBER,
        *_UNANSWERED,
        "streams_",
        "membership_",
        "session_timed_out",
        "close_timed_out",
        "connect_flush",
        "interrupted",
        *_UNSAID,
    ),
    "broker_not_registered_in_time": ("connect_failed", "connect_timed_out", "server_connect_failed"),
    "broker_killed": (EVICTED, "broker_log_cut"),
    # Whose heartbeats it takes too late it fences.
    **dict.fromkeys(("controller_overloaded", "controller_slow"), ("broker_fenced", "broker_heartbeat_slow")),
    "broker_heartbeat_slow": ("request_timed_out", "disconnected"),
    "broker_gone": ("partition_without_leader",),
    "leader_not_handed_over": ("broker_not_shut_down_in_order",),
    # Whatever cut it off from ZooKeeper, a standstill most often, kept its members' heartbeats from it.
    **dict.fromkeys(
        ("broker_lost_zookeeper", "zookeeper_session_expired"),
        (EVICTED, "broker_answers_nobody", "broker_zookeeper_erred", "replica_fetch_failed", *_SESSION),
    ),
    "zookeeper_session_over": ("broker_zookeeper_erred", "controller_erred", *_SESSION),
    # A server that did not start keeps everybody waiting.
    **dict.fromkeys(
        ("zookeeper_config_refused", "zookeeper_directory_unwritable", "zookeeper_ended"),
        ("zookeeper_unreached", "broker_found_no_zookeeper"),
    ),
    **dict.fromkeys(
        ("zookeeper_unresolved", "zookeeper_unreached"),
        (
            "broker_not_shut_down_in_order",
            "broker_stopped_at_start",
            "broker_found_no_zookeeper",
            "zookeeper_unheard",
        ),
    ),
    # Without TLS that both understand no connection to ZooKeeper is made.
    **dict.fromkeys(
        ("zookeeper_tls_files", "zookeeper_client_unread"),
        ("zookeeper_unreached", "broker_found_no_zookeeper", "broker_stopped_at_start"),
    ),
    "zookeeper_refuses_ahead": ("broker_of_another_cluster",),
    # Where replicas are missing nobody can take over.
    "coordinator_writes_refused": ("broker_not_shut_down_in_order", *_WRITES_IN_VAIN),
    "broker_not_shut_down_in_order": (
        "server_connect_failed",
        "connect_timed_out",
        "local_port_refused",
        "dns_failed_of_server",
    ),
    "libraries_differ": ("broker_ended", "connect_", "streams_", *_UNSAID),
    **dict.fromkeys(
        ("files_held_on_windows", "checkpoint_held_on_windows"), ("storage_", "metadata_log_damaged")
    ),
    "dir_flushed_on_windows": ("storage_",),
    **dict.fromkeys(
        ("disk_full", "log_files_gone", "maps_exhausted"),
        ("storage_", "broker_", "controller_erred", *_UNSAID),
    ),
    "storage_": ("broker_", *_UNSAID),
    "connect_task_killed": (
        "close_timed_out",
        "connect_commit_failed",
        "connect_task_stays",
        "deserialization_failed",
        "not_registry_bytes",
        "schema_",
        *_UNSAID,
    ),
    "plugin_missing": ("connect_failed_to_start",),
    "sink_write_failed": ("connect_commit_failed", "connect_task_stays"),
    "connect_orphan": ("connect_flush", "close_timed_out", *_UNSAID),
    **dict.fromkeys(
        ("not_registry_bytes", "deserialization_failed", "schema_", "record_"), ("connect_task_stays",)
    ),
    "connect_task_stays": ("connect_commit_failed",),
    "streams_died": ("streams_", "task_stalled", "task_waits", "close_timed_out", *_UNSAID),
    "streams_thread_died": (
        *_UNANSWERED,
        "task_stalled",
        "task_waits",
        "close_timed_out",
        "commit_refused",
        "streams_closed_dirty",
        *_UNSAID,
    ),
    "task_stalled": (*_UNANSWERED, "streams_revived", "streams_closed_dirty"),
    "leader_loop_expired": (*_UNANSWERED, "admin_timed_out"),
    "global_thread_stalled": _UNANSWERED,
    "not_authorized": (
        *_OF_MEMBER,
        "membership_session_expired",
        "membership_unknown",
        "metadata_timed_out",
        "container_stopped",
    ),
    "membership_fenced": (*_OF_MEMBER, "member_fenced", "client_fatal", "consumer_fatal"),
    "member_fenced": (*_OF_MEMBER, "client_fatal", "consumer_fatal"),
    "producer_fenced": ("client_fatal", "ended_with_messages", "streams_closed_dirty"),
    "membership_session_expired": (*_WITHOUT_COORDINATOR, "session_timed_out"),
    "session_timed_out": (*_WITHOUT_COORDINATOR, "membership_unknown"),
    "dns_failed": (*_WITHOUT_CONNECTION, "membership_unknown", "member_unknown", *_UNSAID),
    "tls_stores_at_odds": (*_WITHOUT_CONNECTION, "container_stopped", "broker_ended"),
    "certificate_": (*_WITHOUT_CONNECTION, "container_stopped"),
    "tls_": (*_WITHOUT_CONNECTION, "container_stopped"),
    "auth_": (*_WITHOUT_CONNECTION, "container_stopped"),
    "sasl_": _WITHOUT_CONNECTION,
    "login_": _WITHOUT_CONNECTION,
    "protocol_doubted": _WITHOUT_CONNECTION,
    "server_connect_failed": ("quorum_election_failed", "quorum_without_leader", "replica_fetch_failed"),
    "framework_commit_timed_out": ("coordinator_", "commit_timed_out"),
    "topic_refused": ("admin_found_no_broker",),
    "topic_missing": ("task_migrated", "streams_in_error"),
    "listener_missing": ("batch",),
    "batch": (
        *_UNANSWERED,
        *_CONNECT,
        "produce_",
        "not_enough_replicas",
        "call_timed_out",
        "transaction_failed",
    ),
    "not_enough_replicas": _WRITES_IN_VAIN,
    # Its session may have ended while it had no broker: nothing else says why.
    "connect_failed": (
        *_WITHOUT_BROKER,
        "connect_timed_out",
        "membership_unknown",
        "member_unknown",
        "connect_worker_alone",
    ),
    "connect_timed_out": (*_WITHOUT_BROKER, "membership_unknown", "member_unknown"),
    "membership_unknown": _WITHOUT_COORDINATOR,
    "membership_": (*_OF_MEMBER, "poll_too_slow", "member_removed", "rebalance_storm"),
    "poll_too_slow": (*_OF_MEMBER, "member_removed"),
    "admin_timed_out": _UNANSWERED,
    "requests_unanswered": (
        "request_timed_out",
        "disconnected",
        "coordinator_lost",
        "produce_retried",
        "produce_cut_off",
        "init_transactions_timed_out",
        "commit_timed_out",
    ),
    "requests_given_up": (*_UNANSWERED, "library_error", "produce_retried"),
    "request_timed_out": (
        "disconnected",
        "coordinator_lost",
        "produce_retried",
        "commit_timed_out",
        "library_error",
    ),
    "coordinator_missing": ("coordinator_lost", "disconnected", "commit_timed_out", "commit_not_written"),
    "commit_not_written": ("coordinator_lost",),
    "coordinator_": ("coordinator_lost", "disconnected", "commit_timed_out"),
    "produce_cut_off": ("disconnected",),
}


@cache
def has_part(whole: str, part: str) -> bool:
    """Whether one kind is told as a part of the other; of kinds that each could hold the other, the first in PARTS does."""
    parts = next((parts for kind, parts in PARTS.items() if whole.startswith(kind)), ())
    return part.startswith(tuple(parts)) and turn(whole) < turn(part)


@cache
def turn(kind: str) -> int:
    """A kind's place in PARTS."""
    return next((turn for turn, begin in enumerate(PARTS) if kind.startswith(begin)), len(PARTS))
