"""Rules over consumers' timeouts, from their dumps and from the time their JoinGroup requests get."""

import pytest

from tests.rule_cases import case, guilty, inside, negative, outside, positive, unknown
from tests.timelines_batches import NOON, UNIT, fold
from tests.timelines_configs import consumer_dump, folded, producer_dump
from transforms.events import ClientEvent
from transforms.rules import timeouts
from transforms.timers.clients.cancelled_requests import CancelledRequests
from transforms.timers.profile import ClientProfile, Setting


def verdict(rule, *steps):
    (config,) = folded(*steps)
    found = rule(config)
    return found.category or found.outcome


MEMBER_RULES = [
    timeouts.heartbeat_not_below_session,
    timeouts.heartbeat_above_third,
    timeouts.session_outside_broker_bounds,
    timeouts.session_above_poll_limit,
]
GUILTY = {
    "heartbeat_interval_ms": "900",
    "session_timeout_ms": "1000",
    "max_poll_interval_ms": "500",
}


@case("negative")
@pytest.mark.parametrize("rule", [*MEMBER_RULES, timeouts.poll_limit_unbounded])
def test_the_defaults_conform(rule):
    assert verdict(rule, consumer_dump()) == "conforms"


@pytest.mark.parametrize("rule", MEMBER_RULES)
@pytest.mark.parametrize(
    "settings",
    [
        pytest.param({"group_id": None}, id="no group, no membership"),
        guilty({"group_protocol": "CONSUMER"}, id="the broker's own timeouts"),
        unknown({"session_timeout_ms": None}, id="unknown"),
    ],
)
def test_no_classic_member(rule, settings):
    assert verdict(rule, consumer_dump(**{**GUILTY, **settings})) == "not_applicable"


@pytest.mark.parametrize("rule", [*MEMBER_RULES, timeouts.poll_limit_unbounded, timeouts.setting_ignored])
def test_a_producer_is_no_member(rule):
    assert verdict(rule, producer_dump()) in ("not_applicable", "conforms")


@pytest.mark.parametrize(
    ("heartbeat", "not_below", "above_third"),
    [
        inside("2000", "conforms", "conforms", id="a third exactly", of="timeouts.heartbeat_above_third"),
        outside(
            "2001",
            "conforms",
            "misconfiguration",
            id="a millisecond more",
            of="timeouts.heartbeat_above_third",
        ),
        inside(
            "5999",
            "conforms",
            "misconfiguration",
            id="just below the session",
            of="timeouts.heartbeat_not_below_session",
            also=case("positive", of="timeouts.heartbeat_above_third"),
        ),
        outside(
            "6000",
            "misconfiguration",
            "not_applicable",
            id="the session exactly",
            of="timeouts.heartbeat_not_below_session",
        ),
        positive(
            "9000",
            "misconfiguration",
            "not_applicable",
            id="above the session",
            of="timeouts.heartbeat_not_below_session",
        ),
    ],
)
def test_heartbeats(heartbeat, not_below, above_third):
    dump = consumer_dump(heartbeat_interval_ms=heartbeat, session_timeout_ms="6000")
    assert verdict(timeouts.heartbeat_not_below_session, dump) == not_below
    assert verdict(timeouts.heartbeat_above_third, dump) == above_third


def test_the_refusal_is_part_of_the_proof():
    (config,) = folded(
        consumer_dump(heartbeat_interval_ms="6000", session_timeout_ms="6000"), "refused session"
    )
    assert timeouts.heartbeat_not_below_session(config).event_ids == ("e0", "e1")


@pytest.mark.parametrize(
    ("session", "then", "wanted"),
    [
        pytest.param("6000", None, "conforms", id="inside the brokers' defaults"),
        unknown("5999", None, "unjudged", id="below them: only the broker knows"),
        pytest.param("1800001", None, "unjudged", id="above them"),
        positive("6000", "session refused", "misconfiguration", id="the broker said no"),
        negative("1800000", None, "conforms", id="their upper one"),
        negative("5000", "joined", "conforms", id="below them: the broker took the join"),
        pytest.param("5000", "joined as another", "unjudged", id="another's join"),
    ],
)
def test_session_outside_broker_bounds(session, then, wanted):
    dump = consumer_dump(session_timeout_ms=session)
    assert verdict(timeouts.session_outside_broker_bounds, dump, then) == wanted


@pytest.mark.parametrize(
    ("poll", "wanted"),
    [
        inside("45000", "conforms", id="as long as the session"),
        outside("44999", "misconfiguration", id="a millisecond less"),
        unknown(None, "not_applicable", id="unknown"),
        positive("5000", "misconfiguration", id="far less"),
    ],
)
def test_session_above_poll_limit(poll, wanted):
    assert verdict(timeouts.session_above_poll_limit, consumer_dump(max_poll_interval_ms=poll)) == wanted


@pytest.mark.parametrize(
    ("settings", "wanted"),
    [
        outside({"max_poll_interval_ms": "2147483647"}, "misconfiguration", id="never ends"),
        inside({"max_poll_interval_ms": "2147483646"}, "conforms", id="long, but ends"),
        guilty({"max_poll_interval_ms": "2147483647", "group_id": None}, "not_applicable", id="no group"),
        positive(
            {"max_poll_interval_ms": "2147483647", "group_protocol": "consumer"},
            "misconfiguration",
            id="KIP-848 too",
        ),
        unknown({"max_poll_interval_ms": None}, "not_applicable", id="unknown"),
    ],
)
def test_poll_limit_unbounded(settings, wanted):
    assert verdict(timeouts.poll_limit_unbounded, consumer_dump(**settings)) == wanted


@pytest.mark.parametrize(
    ("settings", "then", "wanted"),
    [
        negative({}, None, "conforms", id="all in use"),
        positive(
            {"group_protocol": "consumer", "session_timeout_ms": "9000"},
            None,
            "misconfiguration",
            id="the broker's now",
        ),
        guilty({"group_protocol": "consumer"}, None, "conforms", id="defaults only"),
        pytest.param({}, "unused:[task.timeout.ms]", "misconfiguration", id="a key of another client"),
        guilty({}, "unused:[my.own.key]", "conforms", id="the application's own key"),
        guilty({}, "unused:[key.converter, session.timeout.ms]", "not_applicable", id="of a Connect worker"),
        pytest.param(
            {"client_id": "app-1-StreamThread-1-consumer"},
            "unused:[retries]",
            "not_applicable",
            id="Streams passed it on",
        ),
    ],
)
def test_setting_ignored(settings, then, wanted):
    assert verdict(timeouts.setting_ignored, consumer_dump(**settings), then) == wanted


def test_ignored_settings_are_named():
    (config,) = folded(
        consumer_dump(group_protocol="consumer", session_timeout_ms="9000"), "unused:[retries]"
    )
    found = timeouts.setting_ignored(config)
    assert found.facts["names"] == "retries, session.timeout.ms=9000"
    assert found.event_ids == ("e0", "e1")


def join(timeout_ms, poll="300000", origin="logged", version=(4, 2, 1), kind="consumer"):
    settings = {} if poll is None else {"max.poll.interval.ms": Setting("max.poll.interval.ms", poll, origin)}
    profile = ClientProfile(UNIT, "c1", kind, version=version, settings=settings)
    event = ClientEvent(
        "request_cancelled", "net-inflight-cancelled", event_id="e0", unit_id=UNIT, client_kind="consumer",
        client_id="c1", api="JOIN_GROUP", correlation_id=7, elapsed_ms=100, limit_ms=timeout_ms, happened_at=NOON,
    )  # fmt: skip
    (request,) = fold(CancelledRequests(), [event], profile)
    found = timeouts.join_cut_short(request)
    return found.category or found.outcome


@pytest.mark.parametrize(
    ("history", "wanted"),
    [
        inside({"timeout_ms": 305000}, "conforms", id="poll limit and five seconds"),
        outside({"timeout_ms": 304999}, "broken_semantics", id="a millisecond short"),
        positive({"timeout_ms": 30000}, "broken_semantics", id="cut at request.timeout.ms"),
        negative({"timeout_ms": 400000}, "conforms", id="a longer request.timeout.ms"),
        unknown({"timeout_ms": 30000, "poll": None}, "unjudged", id="poll limit unknown"),
        unknown({"timeout_ms": 30000, "origin": "assumed"}, "unjudged", id="poll limit assumed"),
        guilty({"timeout_ms": 30000, "kind": "connect"}, "not_applicable", id="a Connect worker"),
        pytest.param({"timeout_ms": 2147483647, "poll": "2147483647"}, "conforms", id="as long as can be"),
        pytest.param(
            {"timeout_ms": 30000, "poll": "2147483647", "version": (2, 8, 2)},
            "older_semantics",
            id="overflow to 3.0",
        ),
        pytest.param(
            {"timeout_ms": 30000, "poll": "2147483647", "version": (3, 1, 0)},
            "broken_semantics",
            id="mended in 3.1",
        ),
        pytest.param(
            {"timeout_ms": 30000, "poll": "2147483647", "version": None}, "unjudged", id="version unknown"
        ),
        pytest.param(
            {"timeout_ms": 30000, "poll": "2147478647", "version": (2, 8, 2)},
            "broken_semantics",
            id="no overflow yet",
        ),
    ],
)
def test_join_cut_short(history, wanted):
    assert join(**history) == wanted


def test_a_join_is_judged_once():
    sent = ClientEvent(
        "other_kafka", "net-send", event_id="e0", unit_id=UNIT, client_kind="consumer", client_id="c1",
        api="JOIN_GROUP", correlation_id=7, happened_at=NOON, details={"timeout_ms": "305000"},
    )  # fmt: skip
    again = ClientEvent(
        "request_cancelled", "net-inflight-cancelled", event_id="e1", unit_id=UNIT, client_kind="consumer",
        client_id="c1", api="JOIN_GROUP", correlation_id=7, limit_ms=305000, elapsed_ms=5, happened_at=NOON,
    )  # fmt: skip
    found = fold(CancelledRequests(), [sent, again], ClientProfile(UNIT, "c1", "consumer"))
    assert [(request.request_id, request.request_timeout_ms) for request in found] == [("e0", 305000)]
