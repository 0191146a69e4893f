"""Groups of which one party breaks one promise of KIP-62, or of the client timeouts around it."""

from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random

from lab.simulate.coordinator import Faults
from lab.simulate.line import Text
from lab.simulate.memberships import Group, Logs
from lab.simulate.process import MAX_INT, Client, Process, dump, start_lines
from lab.simulate.truth import Truth
from lab.simulate.wired import NOON, Life

Planted = tuple[Logs, Truth]
# Versions whose requests are in a DEBUG log, and of them those that say at INFO that a generation is reset.
REQUESTS = ("2.6.3", "2.8.2", "3.1.2", "3.5.2", "3.7.2", "3.9.1", "4.0.1", "4.2.1")
RESETS = ("3.2.3", "3.5.2", "3.7.2", "3.9.1", "4.0.1", "4.2.1")
ALL = ("1.0.2", "2.0.1", "2.3.1", "2.4.1", *REQUESTS)
BOTH, DEBUG = ("INFO", "DEBUG"), ("DEBUG",)
APP = "com.example.orders.OrderService"
THROWN = (
    "org.apache.kafka.common.KafkaException: Failed to construct kafka consumer\n"
    "\tat org.apache.kafka.clients.consumer.KafkaConsumer.<init>(KafkaConsumer.java:800)\n"
    "Caused by: java.lang.IllegalArgumentException: Heartbeat must be set lower than the session timeout\n"
    "\t... 7 more"
)
BOUNDS = (
    "The session timeout is not within the range allowed by the broker (as configured by "
    "group.min.session.timeout.ms and group.max.session.timeout.ms)."
)
TEXTS = {
    "refused": Text("Could not start order consumer", APP, "ERROR", "p91-config-42-28"),
    "join_fatal": Text(
        "[Consumer clientId={client}, groupId={group}] JoinGroup failed due to fatal error: " + BOUNDS,
        "org.apache.kafka.clients.consumer.internals.ConsumerCoordinator",
        "ERROR",
        because="in no recording; text of AbstractCoordinator.JoinGroupResponseHandler for fatal errors",
    ),
    "crashed": Text(
        "Order consumer failed",
        APP,
        "ERROR",
        because="an application's own words",
    ),
    "unused": Text(
        "These configurations '[{keys}]' were supplied but are not used yet.",
        "org.apache.kafka.clients.consumer.ConsumerConfig",
        recorded="p572-commit-multi-42",
    ),
}


@dataclass(frozen=True)
class Scene:
    """A group with one party at fault. The first member has the bugs and its life; the others are healthy.

    settings: of the first member; others: start and life of each other member, with settings of its own.
    """

    bugs: tuple[str, ...] = ()
    life: Life = field(default_factory=Life)
    faults: Faults = field(default_factory=Faults)
    settings: dict[str, object] = field(default_factory=dict)
    others: tuple[tuple[Life, dict[str, object]], ...] = ()
    versions: tuple[str, ...] = REQUESTS
    levels: tuple[str, ...] = DEBUG
    ms: int = 180_000


USUAL: dict[str, object] = {
    "max.poll.interval.ms": 40_000,
    "session.timeout.ms": 20_000,
    "enable.auto.commit": "false",
}


def _of(scene: Scene, rule_id: str) -> Callable[[Random], Planted]:
    def plant(rng: Random) -> Planted:
        group = Group(
            rng, is_new_broker=scene.faults.fences is not None or rng.random() < 0.6, faults=scene.faults
        )
        level = rng.choice(scene.levels)
        members = ((scene.life, scene.settings), *scene.others)
        for number, (life, settings) in enumerate(members):
            version = rng.choice(scene.versions)
            process = Process("orders", f"consumer-{'abcd'[number]}.log", version, level=level)
            group.add(process, life, USUAL | settings, *(scene.bugs if number == 0 else ()))
        group.run(scene.ms)
        return group.logs(), group.truth(rule_id)

    return plant


# 50 s between two polls, of 40 s that are allowed; and 30 s, which are.
TOO_SLOW, SLOW = Life(slow={8: 50_000}), Life(slow={6: 30_000})
AND_COMMITS = Life(slow={8: 50_000}, commits_each=2_000)
SLOW_TWICE = Life(slow={6: 32_000, 7: 32_000}, commits_each=2_000)
COMES_LATER = (Life(starts=18_000), {})
FROZEN = Life(frozen=[(40_000, 70_000)])
LONG: dict[str, object] = {"session.timeout.ms": 45_000}
BRIEF: dict[str, object] = {"max.poll.interval.ms": 20_000}
STATIC: dict[str, object] = {"group.instance.id": "node-a"}

SCENES: dict[str, Scene] = {
    "kip62.left_early": Scene(("expires_early",), SLOW),
    "kip62.left_late": Scene(("leaves_late",), AND_COMMITS, versions=RESETS),
    "kip62.poll_limit_below_session": Scene(
        (), TOO_SLOW, settings=LONG, levels=BOTH, versions=(*RESETS, "2.4.1", "2.3.1")
    ),
    "kip62.not_left": Scene(("leaves_silently",), TOO_SLOW, versions=RESETS),
    "kip62.heartbeat_after_expiry": Scene(("beats_on",), TOO_SLOW),
    "kip62.not_rejoined": Scene(("polls_on",), TOO_SLOW),
    "kip62.evicted_early": Scene((), FROZEN, Faults(session=0.4)),
    "kip62.evicted_late": Scene(
        (),
        Life(frozen=[(40_000, 92_000)]),
        Faults(session=2.5),
        {"max.poll.interval.ms": 200_000, "session.timeout.ms": 15_000},
        ((Life(starts=65_000), {}),),  # long after the limit: the coordinator is awake
    ),
    "kip62.evicted_in_rebalance_early": Scene(
        (), SLOW_TWICE, Faults(rebalance=0.3), others=(COMES_LATER,), levels=BOTH
    ),
    "kip62.rebalance_limit_not_largest": Scene(
        (),
        Life(frozen=[(30_000, 62_000)]),
        Faults(own_limit_for="consumer-a"),
        LONG | {"max.poll.interval.ms": 15_000},
        ((Life(starts=500), {}), (Life(starts=32_000), {})),
        levels=BOTH,
    ),
    "kip62.rebalance_overran": Scene(
        (),
        Life(dies=30_000),
        Faults(rebalance=2.0),
        {"session.timeout.ms": 120_000} | BRIEF,
        # The last comes long after the limit: the coordinator is awake.
        ((Life(starts=500), BRIEF), (Life(starts=32_000), BRIEF), (Life(starts=60_000), BRIEF)),
        levels=BOTH,
    ),
    "kip62.heartbeats_stopped_in_rebalance": Scene(
        ("stops_in_rebalance",), SLOW_TWICE, settings=LONG, others=(COMES_LATER,)
    ),
    "kip62.evicted_by_other_timeout": Scene(
        ("resets_on_commit_timeout",), faults=Faults(times_out_commit=9), levels=BOTH, versions=RESETS
    ),
    "kip62.fenced_without_duplicate": Scene(
        faults=Faults(fences="node-a"), settings=STATIC, others=((Life(starts=500), {}),), levels=BOTH
    ),
    "kip62.commit_after_leaving": Scene(("commits_on",), TOO_SLOW, Faults(takes_strangers_commits=True)),
    "timeouts.heartbeat_starved": Scene(("starves",)),
    "timeouts.join_cut_short": Scene(("cuts_join",)),
}


def _configured(
    rule_id: str, versions: tuple[str, ...], settings: dict[str, object], starts: bool = True, *texts: str
) -> Callable[[Random], Planted]:
    """A consumer with settings that contradict each other, or what the broker allows."""

    def plant(rng: Random) -> Planted:
        process = Process("orders", "consumer-a.log", rng.choice(versions))
        client = Client("consumer", "consumer-a", "order-service", settings)
        lines = start_lines(process, [client], NOON) if starts else [dump(process, client, NOON)]
        for number, key in enumerate(texts):
            fields = {"client": client.client_id, "group": client.group_id, "keys": "retries"}
            trace = {"refused": THROWN, "crashed": f"org.apache.kafka.common.errors.{REFUSED}: {BOUNDS}"}.get(
                key
            )
            lines.append(TEXTS[key].line(NOON + 300 + number, "main", trace=trace, **fields))
        return {("orders", "consumer-a.log"): lines}, Truth(violated={rule_id})

    return plant


# At INFO: the lines show nothing of it, metrics do. So long after its join no line tells of a poll.
SLOW_LATER = Life(slow={60: 30_000})
METRIC_SCENES: dict[str, Scene] = {
    "kip62.left_early": Scene(("expires_early",), SLOW_LATER, levels=("INFO",), versions=RESETS),
    "kip62.heartbeat_after_expiry": Scene(("beats_on",), TOO_SLOW, levels=("INFO",), versions=RESETS),
    "timeouts.heartbeat_starved": Scene(("starves",), Life(closes=150_000), levels=("INFO",)),
}
METRIC_DEFECTS = {rule_id: _of(scene, rule_id) for rule_id, scene in METRIC_SCENES.items()}

REFUSED = "InvalidSessionTimeoutException"
DEFECTS: dict[str, Callable[[Random], Planted]] = {
    **{rule_id: _of(scene, rule_id) for rule_id, scene in SCENES.items()},
    "timeouts.heartbeat_not_below_session": _configured(
        "timeouts.heartbeat_not_below_session",
        ALL,
        {"heartbeat.interval.ms": 12_000, "session.timeout.ms": 12_000},
        False,
        "refused",
    ),
    "timeouts.heartbeat_above_third": _configured(
        "timeouts.heartbeat_above_third", ALL, {"heartbeat.interval.ms": 5_000, "session.timeout.ms": 12_000}
    ),
    "timeouts.session_outside_broker_bounds": _configured(
        "timeouts.session_outside_broker_bounds",
        REQUESTS,
        {"session.timeout.ms": 4_000},
        True,
        "join_fatal",
        "crashed",
    ),
    "timeouts.session_above_poll_limit": _configured(
        "timeouts.session_above_poll_limit",
        ALL,
        {"session.timeout.ms": 60_000, "max.poll.interval.ms": 30_000},
    ),
    "timeouts.poll_limit_unbounded": _configured(
        "timeouts.poll_limit_unbounded", ALL, {"max.poll.interval.ms": MAX_INT}
    ),
    "timeouts.setting_ignored": _configured(
        "timeouts.setting_ignored",
        ("3.7.2", "3.9.1", "4.0.1", "4.2.1"),
        {"group.protocol": "consumer", "session.timeout.ms": 30_000},
    ),
}
