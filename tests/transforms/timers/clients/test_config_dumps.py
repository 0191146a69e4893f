"""Configurations rebuilt from dumps and constructors' words."""

from tests.timelines_configs import consumer_dump, folded, producer_dump, timeline
from transforms.events import ClientEvent


def test_a_dump_proves_every_value():
    (config,) = folded(producer_dump())
    assert (config.client_id, config.client_kind, config.ms("linger.ms")) == ("p1", "producer", 0)
    assert config.settings["retries"].origin == "logged"
    assert config.text("transactional.id") is None


def test_the_version_line_ends_the_constructor():
    first, second = folded(producer_dump(), "version", producer_dump(client_id="p2"))
    assert (first.started_by, second.started_by) == ("e1", None)


def test_two_constructors_at_once_prove_neither():
    found = folded(producer_dump(), producer_dump(client_id="p2"), "version")
    assert [config.started_by for config in found] == [None, None]


def test_threads_tell_two_constructors_apart():
    first, second = producer_dump(), producer_dump(client_id="p2")
    (version,) = timeline("version")
    first.thread, second.thread, version.thread = "main", "worker", "main"
    found = folded(first, second, version)
    assert [(config.client_id, config.started_by) for config in found] == [("p1", "e2"), ("p2", None)]


def test_a_request_proves_the_start():
    request = ClientEvent("other_kafka", "net-send", client_kind="producer", client_id="p1", api="METADATA")
    (config,) = folded(producer_dump(), request)
    assert config.started_by == "e1"


def test_a_client_made_twice_is_one_subject():
    first, second = folded(producer_dump(), producer_dump())
    assert first.subject == second.subject
    assert first.config_id != second.config_id


def test_a_refusal_is_of_the_client_of_its_kind():
    found = folded(producer_dump(), consumer_dump(), "refused")
    assert [(config.client_id, config.refused_by) for config in found] == [("p1", "e2"), ("c1", None)]


def test_a_refused_client_is_closed_before_the_application_says_why():
    (config,) = folded(producer_dump(), "closed:p1", "refused")
    assert (config.started_by, config.refused_by) == (None, "e2")


def test_a_closed_client_is_given_at_once():
    found = folded(producer_dump(), "version", "closed:p1", "adjusted")
    assert [config.adjusted_to for config in found] == [None]


def test_an_adjustment_is_of_the_named_client():
    found = folded(producer_dump(), producer_dump(client_id="p2"), "adjusted:p1")
    assert [config.adjusted_to is not None for config in found] == [True, False]


def test_unused_keys_are_kept_with_their_line():
    (config,) = folded(producer_dump(), "unused:[task.timeout.ms, my.own.key]")
    assert config.unused == {"task.timeout.ms": "e1", "my.own.key": "e1"}


def test_what_is_settled_is_forgotten():
    found = folded(producer_dump(), "adjusted", every_ms=700_000)
    assert [config.adjusted_to for config in found] == [None]


def test_the_clients_of_streams_are_embedded():
    (config,) = folded(consumer_dump(client_id="app-1-StreamThread-1-consumer"))
    assert config.is_embedded
