"""Scenarios drawn at random can be played, and their truth tells apart what ended at once."""

import re
from pathlib import Path
from typing import Any

import pytest

from lab.corpus import Recording
from lab.record.answers import answer_of, failed, refused
from lab.record.drawn import RUN_MS, drawn
from lab.record.frames import Request
from lab.record.run import source_for
from lab.record.truth import completions_of


@pytest.mark.parametrize("seed", range(40))
def test_a_drawn_scenario_can_be_played(seed: int) -> None:
    scenario = drawn(seed)
    assert scenario == drawn(seed)
    names = [client.name for client in scenario.clients]
    assert len(names) == len(set(names))
    assert scenario.steps == sorted(scenario.steps, key=lambda step: step.at_ms)
    assert all(0 < step.at_ms < RUN_MS for step in scenario.steps)
    begun = [step.name for step in scenario.steps if step.does == "begin"]
    assert sorted(begun) == sorted(step.name for step in scenario.steps if step.does == "end")
    assert all(step.name in names for step in scenario.steps if step.does == "kill")
    broker = [step.does for step in scenario.steps if step.name == "broker"]
    assert broker in ([], ["freeze", "thaw"], ["kill9", "restarted"], ["stopped", "restarted"])


def test_seeds_differ() -> None:
    assert len({drawn(seed).description for seed in range(40)}) == 40


@pytest.mark.parametrize(
    ("version", "has"), [("2.3.1", ""), ("3.7.2", "streams"), ("4.3.1", "share streams")]
)
def test_the_application_has_what_its_release_can_compile(version: str, has: str) -> None:
    source = source_for(version)
    found = " ".join(mode for mode in ("share", "streams") if f'case "{mode}"' in source)
    assert found == has
    assert "KafkaShareConsumer" in source or "share" not in has
    assert source.count("{") == source.count("}")
    assert ("withStreamPartitioner" in source) is version.startswith("4")
    assert not re.search(r"^ *// (since|end)", source, re.MULTILINE)


@pytest.mark.parametrize(
    ("said", "batches"),
    [([(6342, 2), (6342, 2)], [2]), ([(6342, 1), (6135, 1)], [1, 1]), ([(6342, 1), (6342, 1)], [1, 1])],
    ids=["two records of one", "two batches", "two that are as old"],
)
def test_batches_that_expire_at_once_are_told_apart_by_what_is_said_of_each(
    said: list[tuple[int, int]], batches: list[int]
) -> None:
    record = {
        "t": "2026-01-05T10:00:07.000Z",
        "topic": "orders",
        "partition": 0,
        "outcome": "failed",
        "send_ms": 0,
    }
    ended = [
        record
        | {
            "seq": number,
            "exc": f"Expiring {count} record(s) for orders-0:{age} ms has passed since batch creation",
        }
        for number, (age, count) in enumerate(said)
    ]
    assert [found["records"] for found in completions_of(ended)] == batches


def test_when_nobody_could_be_reached(monkeypatch: pytest.MonkeyPatch) -> None:
    def at(second: int) -> str:
        return f"1970-01-01T00:00:{second:02}.000Z"

    truth: dict[str, Any] = {
        "recorded": {"from": at(0), "to": at(50)},
        "injected_faults": [
            {"t": at(1), "fault": "fault-0_begin", "how": "stall"},
            {"t": at(2), "fault": "fault-1_begin", "how": "reset"},
            {"t": at(3), "fault": "fault-0_end"},
            {"t": at(4), "fault": "fault-1_end"},
            {"t": at(5), "fault": "broker_kill9"},
            {"t": at(9), "fault": "broker_restarted"},
            {"t": at(20), "fault": "fault-2_begin", "how": "reset"},
        ],
    }
    monkeypatch.setattr(Recording, "truth", truth)
    assert Recording(Path()).shut == [(2000, 4000), (5000, 9000), (20_000, 50_000)]


@pytest.mark.parametrize(
    ("api", "version", "answer"),
    [
        ("Heartbeat", 0, b"\0\0"),
        ("Heartbeat", 3, b"\0\0\0\0\0\0"),
        ("Heartbeat", 4, b"\0\0\0\0\0\0\0\0"),
        ("EndTxn", 1, b"\0\0\0\0\0\0"),
        ("SyncGroup", 3, b"\0\0\0\0\0\0\0\0\0\2ab"),
    ],
)
def test_an_answer_fails_by_another_error_and_says_the_rest_as_it_was(
    api: str, version: int, answer: bytes
) -> None:
    request = Request(api, 12, version, 7, "consumer-a")
    whole = b"\0\0\0\7" + answer
    assert answer_of(request, whole) == {"error": "NONE"}
    changed = failed(request, whole, 16)
    assert answer_of(request, changed) == {"error": "NOT_COORDINATOR"}
    assert len(changed) == len(whole)
    assert changed.replace(b"\x10", b"\0") == whole.replace(b"\x10", b"\0")


NUMBER, LONG, NONE = b"\0\0\0\0", b"\0" * 8, b"\0\0"


@pytest.mark.parametrize(
    ("api", "version", "answer", "errors"),
    [
        ("OffsetCommit", 2, b"\0\0\0\1\0\1o\0\0\0\2" + (NUMBER + NONE) * 2, 2),
        ("OffsetCommit", 8, b"\0" + NUMBER + b"\2\2o\2" + NUMBER + NONE + b"\0\0\0", 1),
        (
            "OffsetFetch",
            8,
            b"\0" + NUMBER + b"\2\2g\2\2o\2" + NUMBER + LONG + NUMBER + b"\1" + NONE + b"\0\0" + NONE + b"\0\0",
            2,
        ),
        ("FindCoordinator", 4, b"\0" + NUMBER + b"\2\2g" + NUMBER + b"\2h" + NUMBER + NONE + b"\0\0\0", 1),
        (
            "Fetch",
            12,
            b"\0" + NUMBER + NONE + NUMBER + b"\2\2o\2" + NUMBER + NONE + LONG * 3 + b"\0" + NUMBER + b"\1\0\0\0",
            1,
        ),
        ("ListOffsets", 0, b"\0\0\0\1\0\1o\0\0\0\1" + NUMBER + NONE + b"\0\0\0\1" + LONG, 1),
        (
            "Metadata",
            9,
            b"\0" + NUMBER + b"\2" + NUMBER + b"\2h" + NUMBER + b"\0\0" + b"\2c" + NUMBER
            + b"\2" + NONE + b"\2o\0\2" + NONE + NUMBER * 3 + b"\2" + NUMBER + b"\1\1\0" + NUMBER + b"\0" + b"\0",
            1,
        ),
    ],
    ids=lambda value: str(value) if isinstance(value, str | int) else "",
)  # fmt: skip
def test_an_error_stands_at_each_of_what_an_answer_is_about(
    api: str, version: int, answer: bytes, errors: int
) -> None:
    request = Request(api, 0, version, 7, "consumer-a")
    whole = b"\0\0\0\7" + answer
    assert answer_of(request, whole) == {"error": "NONE"}
    changed = failed(request, whole, 22)
    assert answer_of(request, changed) == {"error": "ILLEGAL_GENERATION"}
    assert [after for before, after in zip(whole, changed, strict=True) if before != after] == [22] * errors


def test_an_answer_without_an_error_of_its_own_stays() -> None:
    assert failed(Request("ApiVersions", 18, 3, 7, "consumer-a"), b"\0\0\0\7rest", 16) == b"\0\0\0\7rest"


@pytest.mark.parametrize("version", range(10))
def test_a_join_is_refused_in_the_form_of_its_version(version: int) -> None:
    request = Request("JoinGroup", 11, version, 7, "consumer-a", {"member_id": "consumer-a-1"})
    answer = refused(request, 14)
    assert answer_of(request, answer) == {"error": "COORDINATOR_LOAD_IN_PROGRESS"}
    assert answer.count(b"consumer-a-1") == 1
    again = refused(request, 79)  # an error with a member's id: read to its end
    assert answer_of(request, again)["member_id"] == "consumer-a-1"
