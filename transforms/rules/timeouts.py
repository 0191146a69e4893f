"""Client timeouts (KIP-62, KIP-266): rules over a consumer's configuration, and over the time a JoinGroup gets."""

from transforms.rules.rule import CONFORMS, NOT_APPLICABLE, Verdict, rule, unjudged, violated
from transforms.timers.clients.cancelled_requests import JoinRequest
from transforms.timers.clients.config_dumps import ClientConfig

MAX_INT = 2_147_483_647
JOIN_LAPSE_MS = 5_000  # AbstractCoordinator.JOIN_GROUP_TIMEOUT_LAPSE
# The broker's defaults (group.min and group.max.session.timeout.ms). Inside them a session timeout is taken
# for granted; outside, only the broker's own settings tell.
DEFAULT_SESSION_BOUNDS_MS = (6_000, 1_800_000)
SESSION_DEFAULTS = {"session.timeout.ms": 45_000, "heartbeat.interval.ms": 3_000}
# Settings that promise something, and do nothing in a client that does not know them.
PROMISING = frozenset(
    {
        "task.timeout.ms",
        "delivery.timeout.ms",
        "linger.ms",
        "retries",
        "max.block.ms",
        "session.timeout.ms",
        "heartbeat.interval.ms",
        "max.poll.interval.ms",
        "max.poll.records",
        "default.api.timeout.ms",
        "request.timeout.ms",
        "retry.backoff.ms",
        "retry.backoff.max.ms",
        "enable.idempotence",
        "max.in.flight.requests.per.connection",
    }
)


def _is_classic_member(config: ClientConfig) -> bool:
    """A client with heartbeats of its own: a consumer of a classic group, or a Connect worker."""
    if config.client_kind == "connect":
        return True
    has_group = config.group_id is not None or config.is_whole
    return config.client_kind == "consumer" and has_group and not _is_new_protocol(config)


def _is_new_protocol(config: ClientConfig) -> bool:
    own = (config.text("group.protocol") or "classic").lower()
    # Of a consumer within Streams that one's holds, whatever its own dump prints.
    return own == "consumer" or (config.profile is not None and config.profile.group_protocol == "streams")


def _found(
    config: ClientConfig, observed_ms: int | None, limit_ms: int | None, origin_of: str, *more: str | None
) -> Verdict:
    return violated(
        "misconfiguration",
        events=[config.config_id, *(event_id for event_id in more if event_id)],
        subject_id=config.subject,
        happened_at=config.happened_at,
        observed_ms=observed_ms,
        limit_ms=limit_ms,
        limit_origin=config.settings[origin_of].origin,
    )


@rule(
    "timeouts.heartbeat_not_below_session",
    judges=ClientConfig,
    severity="error",
    gives=("misconfiguration",),
    says="heartbeat.interval.ms={observed_ms} is not below session.timeout.ms={limit_ms}: the consumer refuses to start",
    runbook=(
        "The constructor throws `Heartbeat must be set lower than the session timeout` and logs nothing itself.",
        "Look for settings that come from two places: the session lowered in one, the heartbeat raised in another.",
    ),
    advice="Set heartbeat.interval.ms to at most a third of session.timeout.ms; more heartbeats cost next to nothing.",
)
def heartbeat_not_below_session(config: ClientConfig) -> Verdict:
    """Find a heartbeat interval that is no shorter than the session.

    Source: KIP-62, Public Interfaces; Heartbeat (constructor).
    Silent when: the consumer has no group, or the group's protocol leaves both to the broker.
    """
    session, heartbeat = config.ms("session.timeout.ms"), config.ms("heartbeat.interval.ms")
    if not _is_classic_member(config) or session is None or heartbeat is None:
        return NOT_APPLICABLE
    if heartbeat < session:
        return CONFORMS
    return _found(config, heartbeat, session, "session.timeout.ms", config.refused_by)


@rule(
    "timeouts.heartbeat_above_third",
    judges=ClientConfig,
    severity="warning",
    gives=("misconfiguration",),
    says="heartbeat.interval.ms={observed_ms} is above a third of session.timeout.ms={session}: one or two lost heartbeats "
    "end the membership",
    runbook=(
        "A session should outlast two lost heartbeats: a slow broker, a dropped connection, a short pause.",
        "Let it be where members may come and go cheaply.",
    ),
    advice="Lower heartbeat.interval.ms to at most a third of the session, or raise session.timeout.ms; "
    "crashed members are then noticed later.",
)
def heartbeat_above_third(config: ClientConfig) -> Verdict:
    """Find a heartbeat interval of more than a third of the session.

    Source: KIP-62, Public Interfaces; the documentation of heartbeat.interval.ms.
    Silent when: it is not below the session at all, which is said apart; no group; protocol without client heartbeats.
    """
    session, heartbeat = config.ms("session.timeout.ms"), config.ms("heartbeat.interval.ms")
    if not _is_classic_member(config) or session is None or heartbeat is None or heartbeat >= session:
        return NOT_APPLICABLE
    if heartbeat * 3 <= session:
        return CONFORMS
    return violated(
        "misconfiguration",
        events=[config.config_id],
        subject_id=config.subject,
        happened_at=config.happened_at,
        observed_ms=heartbeat,
        limit_ms=session // 3,
        limit_origin=config.settings["session.timeout.ms"].origin,
        session=session,
    )


@rule(
    "timeouts.session_outside_broker_bounds",
    judges=ClientConfig,
    severity="error",
    gives=("misconfiguration",),
    says="the broker refused session.timeout.ms={observed_ms}: it is outside group.min and group.max.session.timeout.ms",
    runbook=(
        "The consumer fails to join with InvalidSessionTimeoutException until the value fits.",
        "Ask the brokers for group.min.session.timeout.ms and group.max.session.timeout.ms (6 s and 30 min by default).",
    ),
    advice="Choose a session timeout within the brokers' bounds, or have the bounds widened for all clients.",
)
def session_outside_broker_bounds(config: ClientConfig) -> Verdict:
    """Find a session timeout that the broker does not allow.

    Source: KIP-62, Public Interfaces; GroupCoordinator (INVALID_SESSION_TIMEOUT).
    Silent when: the broker did not refuse it, and took a join with it or the value lies within the brokers' default bounds.
    """
    session = config.ms("session.timeout.ms")
    if not _is_classic_member(config) or session is None:
        return NOT_APPLICABLE
    if config.session_refused_by is not None:
        return _found(config, session, None, "session.timeout.ms", config.session_refused_by)
    shortest, longest = DEFAULT_SESSION_BOUNDS_MS
    if config.is_session_accepted or shortest <= session <= longest:
        return CONFORMS
    return unjudged(
        "the broker's bounds are unknown",
        "the answer to the consumer's join, or the broker's group.min and group.max.session.timeout.ms",
    )


@rule(
    "timeouts.session_above_poll_limit",
    judges=ClientConfig,
    severity="warning",
    gives=("misconfiguration",),
    says="max.poll.interval.ms={observed_ms} is below session.timeout.ms={limit_ms}: the poll limit alone decides, and a "
    "rebalance waits no longer than it",
    runbook=(
        "The KIP takes the larger of both as the limit for processing; no release does: the poll limit is enforced.",
        "Members that process longer than the poll limit leave and rejoin again and again.",
    ),
    advice="Raise max.poll.interval.ms above the longest processing of one poll, and above the session timeout; a stuck "
    "member is then noticed later.",
)
def session_above_poll_limit(config: ClientConfig) -> Verdict:
    """Find a poll limit below the session timeout.

    Source: KIP-62, Public Interfaces.
    Silent when: no group; protocol without client sessions.
    """
    session, poll = config.ms("session.timeout.ms"), config.ms("max.poll.interval.ms")
    if config.client_kind != "consumer" or not _is_classic_member(config) or session is None or poll is None:
        return NOT_APPLICABLE
    if poll >= session:
        return CONFORMS
    return _found(config, poll, session, "session.timeout.ms")


@rule(
    "timeouts.poll_limit_unbounded",
    judges=ClientConfig,
    severity="warning",
    gives=("misconfiguration",),
    says="max.poll.interval.ms={observed_ms}: a member that is stuck in processing is never noticed",
    runbook=(
        "Kafka Streams to 2.2 sets this itself; elsewhere somebody did, to stop evictions.",
        "A rebalance waits for such a member without end as long as it heartbeats.",
    ),
    advice="Set it to a few times the longest processing of one poll; too low, and slow batches cost the membership.",
)
def poll_limit_unbounded(config: ClientConfig) -> Verdict:
    """Find a poll limit that never ends.

    Source: KIP-62, Proposed Changes; StreamsConfig to 2.2 (KAFKA-6399).
    Silent when: no group.
    """
    poll = config.ms("max.poll.interval.ms")
    has_group = config.group_id is not None or config.is_whole
    if config.client_kind != "consumer" or not has_group or poll is None:
        return NOT_APPLICABLE
    return _found(config, poll, None, "max.poll.interval.ms") if poll >= MAX_INT else CONFORMS


@rule(
    "timeouts.setting_ignored",
    judges=ClientConfig,
    severity="warning",
    gives=("misconfiguration",),
    says="without effect as configured: {names}",
    runbook=(
        "Under group.protocol=consumer the broker's group.consumer.* settings decide session and heartbeat.",
        "A key that a client does not know is dropped, with one INFO line at start.",
    ),
    advice="Remove the setting, or set it where it is read; left there it promises what nothing keeps.",
)
def setting_ignored(config: ClientConfig) -> Verdict:
    """Find settings that this client does not use.

    Source: KIP-848 (session and heartbeat belong to the broker); AbstractConfig.logUnused.
    Silent when: the value is the default; Kafka Streams, or a Connect worker, passed its own settings on to its clients; an
    admin client was given those of the consumer or producer beside it, as Spark does, which nothing promised of it.
    """
    if config.is_frameworks or config.client_kind in ("streams", "admin"):
        return NOT_APPLICABLE
    ignored = {key: config.unused[key] for key in sorted(config.unused) if key in PROMISING}
    if config.client_kind == "consumer" and _is_new_protocol(config):
        for name, default_ms in SESSION_DEFAULTS.items():
            if config.ms(name) not in (None, default_ms):
                ignored[f"{name}={config.ms(name)}"] = config.config_id
    if not ignored:
        return CONFORMS
    return violated(
        "misconfiguration",
        events=list(dict.fromkeys([config.config_id, *ignored.values()])),
        subject_id=config.subject,
        happened_at=config.happened_at,
        names=", ".join(ignored),
    )


@rule(
    "timeouts.join_cut_short",
    judges=JoinRequest,
    severity="error",
    gives=("broken_semantics", "older_semantics"),
    says="a JoinGroup request was given {observed_ms} ms; a rebalance may take {limit_ms} ms (max.poll.interval.ms + 5 s)",
    runbook=(
        "A member whose JoinGroup is cut off rejoins for ever while the others are still processing.",
        "Clients before 3.1 overflow where max.poll.interval.ms is close to 2147483647 (KAFKA-13126).",
    ),
    advice="With a client before 3.1, set max.poll.interval.ms some seconds below 2147483647; otherwise report it.",
)
def join_cut_short(join: JoinRequest) -> Verdict:
    """Find a JoinGroup request with less time than a rebalance may take.

    Source: KIP-266, JoinGroup; AbstractCoordinator.sendJoinGroupRequest, max(request.timeout.ms, poll
    limit + 5 s).
    Silent when: max.poll.interval.ms is unknown; the client is a Connect worker, which has a rebalance timeout instead.
    """
    profile = join.profile
    if profile is None or profile.client_kind not in ("consumer", None):
        return NOT_APPLICABLE
    poll = profile.whole("max.poll.interval.ms")
    if poll is None or not poll.is_proven:
        return unjudged("limit unknown", "the consumer's configuration dump (ConsumerConfig values, INFO)")
    overflows = poll.ms + JOIN_LAPSE_MS > MAX_INT
    least_ms = min(poll.ms + JOIN_LAPSE_MS, MAX_INT)
    if join.request_timeout_ms >= least_ms:
        return CONFORMS
    is_before_31 = profile.at_least(3, 1) is False
    if overflows and profile.version is None:
        return unjudged("version unknown", "the client's line 'Kafka version: ...' (INFO of AppInfoParser)")
    return violated(
        "older_semantics" if overflows and is_before_31 else "broken_semantics",
        events=[join.request_id],
        happened_at=join.happened_at,
        observed_ms=join.request_timeout_ms,
        limit_ms=least_ms,
        limit_origin=poll.origin,
    )
