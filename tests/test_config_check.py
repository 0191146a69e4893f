"""Client .properties against the KIPs' rules: what is said of a file, and what is not."""

import pytest

from transforms.config_check import check_properties
from transforms.config_file import clients_in, entries_of, known_keys

DEFAULTS = {
    "producer": {
        "acks": {"1.0": "1", "3.0": "all"},
        "delivery.timeout.ms": {"2.1": 120000},
        "enable.idempotence": {"1.0": False, "3.0": True},
        "linger.ms": {"1.0": 0, "4.0": 5},
        "max.in.flight.requests.per.connection": {"1.0": 5},
        "request.timeout.ms": {"1.0": 30000},
        "retries": {"1.0": 0, "2.1": 2147483647},
        "retry.backoff.ms": {"1.0": 100},
        "retry.backoff.max.ms": {"3.7": 1000},
    },
    "consumer": {
        "heartbeat.interval.ms": {"1.0": 3000},
        "max.poll.interval.ms": {"1.0": 300000},
        "session.timeout.ms": {"1.0": 10000, "3.0": 45000},
    },
    "streams": {"task.timeout.ms": {"2.7": 300000}},
    "embedded_producer": {"linger.ms": {"1.0": 100}},
}


def said(text, client_kind=None, version=None, defaults=DEFAULTS):
    return [finding.rule_id for finding in check_properties(text, client_kind, version, defaults)]


@pytest.mark.parametrize(
    ("text", "version", "wanted"),
    [
        pytest.param("", None, [], id="empty"),
        pytest.param("# only a comment\n! and another\n", None, [], id="comments"),
        pytest.param("bootstrap.servers=b:9092\nacks=all\n", None, [], id="healthy producer"),
        pytest.param("group.id=g\nsession.timeout.ms=9000\n", None, [], id="healthy consumer"),
        pytest.param("delivery.timeout.ms=30105", None, [], id="room with every release's defaults"),
        pytest.param("delivery.timeout.ms=30100", None, [], id="too short for the newest only: not said"),
        pytest.param(
            "delivery.timeout.ms=30100", "4.2.1", ["kip91.no_room_for_one_attempt"], id="said for a version"
        ),
        pytest.param(
            "delivery.timeout.ms=30099", None, ["kip91.no_room_for_one_attempt"], id="too short for all"
        ),
        pytest.param(
            "request.timeout.ms=150000\nacks=all",
            None,
            ["kip91.delivery_timeout_adjusted"],
            id="will be adjusted",
        ),
        pytest.param(
            "request.timeout.ms=2147483647\ndelivery.timeout.ms=2147483647\nacks=all",
            None,
            [],
            id="without end",
        ),
        pytest.param("retries=3\nacks=all", None, ["kip91.explicit_retries"], id="retries"),
        pytest.param("retries=2147483647\nacks=all", None, [], id="retries as they are anyway"),
        pytest.param("acks=1", None, ["kip91.reordering_possible"], id="acks=1 switches idempotence off"),
        pytest.param("acks=1\nmax.in.flight.requests.per.connection=1", None, [], id="one in flight"),
        pytest.param(
            "group.id=g\nheartbeat.interval.ms=10000\nsession.timeout.ms=10000",
            None,
            ["timeouts.heartbeat_not_below_session"],
            id="heartbeat as long as the session",
        ),
        pytest.param(
            "group.id=g\nheartbeat.interval.ms=9000", None, [], id="fine with 3.0 and later: not said"
        ),
        pytest.param(
            "group.id=g\nheartbeat.interval.ms=9000",
            "2.8.2",
            ["timeouts.heartbeat_above_third"],
            id="but with 2.8",
        ),
        pytest.param(
            "group.id=g\nmax.poll.interval.ms=5000",
            None,
            ["timeouts.session_above_poll_limit"],
            id="short polls",
        ),
        pytest.param(
            "group.id=g\nmax.poll.interval.ms=2147483647",
            None,
            ["timeouts.poll_limit_unbounded"],
            id="endless polls",
        ),
        pytest.param(
            "group.id=g\ngroup.protocol=consumer\nsession.timeout.ms=9000",
            None,
            ["timeouts.setting_ignored"],
            id="not the client's under KIP-848",
        ),
        pytest.param(
            "group.id=g\ntask.timeout.ms=5000", None, ["timeouts.setting_ignored"], id="a Streams setting"
        ),
        pytest.param(
            "group.id=g\nlinger.ms=5\nacks=all", None, [], id="one file for a producer and a consumer"
        ),
        pytest.param(
            "retry.backoff.ms=2000\nacks=all", "3.9.1", ["kip580.base_above_max"], id="base above the cap"
        ),
        pytest.param("retry.backoff.ms=2000\nacks=all", "3.5.2", [], id="no cap before 3.7"),
    ],
)
def test_what_is_said(text, version, wanted):
    assert said(text, version=version) == wanted


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        pytest.param("application.id=a", [], id="healthy"),
        pytest.param("application.id=a\nretries=5", ["kip572.retries_set"], id="retries"),
        pytest.param(
            "application.id=a\ntask.timeout.ms=1000\nconsumer.default.api.timeout.ms=4000",
            ["kip572.room_for_one_retry"],
            id="a call longer than the task's time",
        ),
        pytest.param(
            "application.id=a\nproducer.delivery.timeout.ms=30199",
            ["kip91.no_room_for_one_attempt"],
            id="the producer inside, with the linger that Streams gives it",
        ),
        pytest.param("application.id=a\nproducer.delivery.timeout.ms=30200", [], id="and with room"),
        pytest.param(
            "application.id=a\nmax.poll.interval.ms=5000",
            ["timeouts.session_above_poll_limit"],
            id="passed on as it is",
        ),
        pytest.param(
            "application.id=a\nmain.consumer.max.poll.interval.ms=90000\nconsumer.max.poll.interval.ms=5000",
            [],
            id="the main consumer's own value wins",
        ),
    ],
)
def test_streams_files(text, wanted):
    assert said(text, version="3.5.2") == wanted


def test_without_defaults_only_what_the_file_says_is_known():
    assert said("delivery.timeout.ms=10", defaults=None) == []
    full = "delivery.timeout.ms=10\nlinger.ms=5\nrequest.timeout.ms=10\nretry.backoff.ms=1"
    assert said(full, defaults=None) == ["kip91.no_room_for_one_attempt"]


def test_a_finding_names_the_client_the_values_and_the_way_out():
    (finding,) = check_properties("delivery.timeout.ms=3000", version="4.2.1", defaults=DEFAULTS)
    assert finding.client_kind == "producer"
    assert finding.explanation.startswith("delivery.timeout.ms=3000 has no room for one full attempt")
    assert "30105 ms" in finding.explanation
    assert finding.advice.startswith("Set delivery.timeout.ms to at least")
    assert finding.as_dict()["rule_id"] == "kip91.no_room_for_one_attempt"


@pytest.mark.parametrize(
    ("text", "hint", "line"),
    [
        pytest.param("\ndelivery.timout.ms=3000\nacks=all", "config.unknown_key", 2, id="a slip in a name"),
        pytest.param(
            "application.id=a\nproducer.linger.msec=3", "config.unknown_key", 2, id="behind a prefix"
        ),
        pytest.param("acks=all\nlinger.ms=5s", "config.not_a_number", 2, id="a unit"),
        pytest.param("acks=all\nacks=all", "config.set_twice", 2, id="twice"),
    ],
)
def test_hints(text, hint, line):
    assert [(f.rule_id, f.line) for f in check_properties(text, version="4.2.1")] == [(hint, line)]


@pytest.mark.parametrize("key", ["schema.registry.url", "specific.avro.reader", "my.own.key"])
def test_keys_of_others_are_left_alone(key):
    assert said(f"acks=all\n{key}=x") == []


def test_the_worst_comes_first():
    text = "delivery.timout.ms=3000\nlinger.ms=5s\nacks=1"
    severities = [finding.severity for finding in check_properties(text, defaults=DEFAULTS)]
    assert severities == ["error", "warning", "info"]


@pytest.mark.parametrize(
    ("text", "entries"),
    [
        pytest.param("a=b", [("a", "b", 1)], id="equals"),
        pytest.param("a : b", [("a", "b", 1)], id="colon"),
        pytest.param("a b c", [("a", "b c", 1)], id="blank"),
        pytest.param("  a=b  ", [("a", "b", 1)], id="blanks around"),
        pytest.param("a=b\\\n  c\nd=e", [("a", "bc", 1), ("d", "e", 3)], id="a line goes on"),
        pytest.param("a=b\\\\\nd=e", [("a", "b\\", 1), ("d", "e", 2)], id="an escaped backslash ends it"),
        pytest.param("a\\=b=\\u0063", [("a=b", "c", 1)], id="escapes"),
        pytest.param("a", [("a", "", 1)], id="no value"),
        pytest.param("a=b\\", [("a", "b", 1)], id="a backslash at the end of the file"),
    ],
)
def test_properties_as_java_reads_them(text, entries):
    assert [(entry.key, entry.value, entry.line) for entry in entries_of(text)] == entries


@pytest.mark.parametrize(
    ("keys", "kinds"),
    [
        pytest.param(["acks"], ["producer"], id="producer"),
        pytest.param(["group.id"], ["consumer"], id="consumer"),
        pytest.param(["group.id", "linger.ms"], ["producer", "consumer"], id="both"),
        pytest.param(["bootstrap.servers"], ["admin"], id="common keys only"),
        pytest.param(
            ["application.id"],
            ["streams", "embedded_consumer", "embedded_producer", "embedded_admin"],
            id="Streams",
        ),
        pytest.param(["offset.storage.topic", "producer.acks"], ["connect", "producer"], id="Connect"),
    ],
)
def test_whose_file_it_is(keys, kinds):
    assert list(clients_in(dict.fromkeys(keys, "x"), None)) == kinds


@pytest.mark.parametrize("kind", ["producer", "consumer", "admin", "streams"])
def test_every_kind_knows_its_keys(kind):
    assert {"bootstrap.servers", "request.timeout.ms", "retry.backoff.ms"} <= known_keys(kind)
