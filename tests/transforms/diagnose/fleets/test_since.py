"""Since which rollout there is a trouble: new, back, known all along, or from the first start on."""

import pytest

from transforms.diagnose.fleets.shared import shared
from transforms.diagnose.fleets.since import ROLLOUT_MS, changes_of, classes

HOUR = 3_600_000


def start(at, version="3.7.2", incarnation=0, service="s"):
    return {"service": service, "incarnation": incarnation, "client_version": version, "happened_at": at}


def held(value, at, name="max.poll.interval.ms"):
    return {"service": "s", "client_kind": "consumer", "name": name, "value": value, "from_at": at}


def incident(at, fingerprint="f", service="s"):
    return {"fingerprint": fingerprint, "service": service, "started_at": at}


DEPLOYS = [start(0), start(HOUR, "3.9.0", 1), start(2 * HOUR, "4.0.0", 2), start(3 * HOUR, "4.1.0", 3)]


@pytest.mark.parametrize(
    ("at", "state", "since"),
    [
        pytest.param([HOUR + 5], "new", HOUR, id="after a deploy for the first time"),
        pytest.param([HOUR], "new", HOUR, id="in its very instant"),
        pytest.param([HOUR - 1], "first", 0, id="a ms before it"),
        pytest.param([5, HOUR + 5], "known", 0, id="before and after"),
        pytest.param([5, 2 * HOUR + 5], "back", 2 * HOUR, id="not in the deploy between"),
        pytest.param([5, 2 * HOUR + 5, 3 * HOUR + 5], "back", 2 * HOUR, id="back, and still there"),
        pytest.param([-5], "first", None, id="before anything is known"),
    ],
)
def test_the_state_of_a_class(at, state, since):
    told = classes([incident(one) for one in at], changes_of(DEPLOYS, []))["f"]
    assert (told.state, told.since and told.since.at) == (state, since)
    assert (told.first_at, told.last_at, told.times) == (min(at), max(at), len(at))


def test_a_rollout_over_many_processes_is_one_change():
    rows = [start(0), *(start(HOUR + number * ROLLOUT_MS, "3.9.0", 1) for number in range(5))]
    (first, change) = changes_of(rows, [held("5", HOUR + 1_000), held("1", None)])
    assert first.is_first
    assert (change.at, change.what) == (HOUR, "max.poll.interval.ms=5, start 2 and version 3.9.0")


def test_what_comes_later_than_a_rollout_takes_is_another():
    rows = [start(0), start(HOUR, "3.9.0"), start(HOUR + ROLLOUT_MS + 1, "4.0.0")]
    assert [one.what for one in changes_of(rows, [])][1:] == ["version 3.9.0", "version 4.0.0"]


def test_another_services_deploy_and_what_has_no_time_tell_nothing():
    told = classes(
        [incident(HOUR + 5)], changes_of([start(0), start(HOUR, "9", service="t"), start(None, "8")], [])
    )
    assert told["f"].state == "first"
    assert classes([incident(None)], []) == {}


def test_a_value_that_held_from_the_beginning_is_no_change():
    assert changes_of([], [held("1", HOUR), held("1", None)]) == []


TRAITS = [
    *((unit, ("version", "3.7.2")) for unit in "abc"),
    *((unit, ("version", "4.0.0")) for unit in "de"),
    *((unit, ("setting x", "1")) for unit in "ad"),
    ("a", ("host", "h1")),
]


def test_what_tells_the_bad_from_the_good_comes_first():
    (version,) = shared({"a", "b"}, {"c", "d", "e"}, [one for one in TRAITS if one[1][0] == "version"])
    assert version.says() == "version is 3.7.2: 2 of 2 with it, 1 of 3 without it"
    found = shared({"a", "b"}, {"d", "e"}, TRAITS)
    assert [(one.name, one.apart) for one in found] == [
        ("version", 1.0)
    ]  # x is 1 for both of whom it is known


def test_a_trait_that_is_known_of_one_side_only_tells_nothing():
    assert shared({"a"}, {"d"}, [("a", ("host", "h1"))]) == []
    assert shared({"a"}, set(), TRAITS) == []
