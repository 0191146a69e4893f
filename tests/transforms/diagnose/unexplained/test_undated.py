# ruff: noqa: E501  # a line of a log is a line
"""Logs whose times have no date."""

import pytest

from tests.answered import answered
from transforms.diagnose.reports.report import Report

JOINED = "{}10:00:0{},120 INFO  [org.apache.kafka.clients.consumer.internals.ConsumerCoordinator] (main) [Consumer clientId=pay-1, groupId=pay] {}\n"
MEMBER = "Successfully joined group with generation Generation{generationId=1, memberId='pay-1-7', protocol='range'}"


@pytest.mark.parametrize(
    ("text", "is_said"),
    [
        pytest.param(JOINED.format("", 1, MEMBER), True, id="a membership, by the time of day"),
        pytest.param(JOINED.format("2026-01-05 ", 1, MEMBER), False, id="with its date"),
        pytest.param(JOINED.format("", 1, "(Re-)joining group"), False, id="nothing that would be timed"),
    ],
)
def test_that_nothing_was_timed_is_said(text, is_said, tmp_path):
    kind, said = answered(text, tmp_path)
    assert kind == "nothing_wrong"
    assert ("app.log have no date: how long things took was neither" in said) == is_said


@pytest.mark.parametrize(("when", "said"), [("", "X was lost"), ("10:00:01", "10:00:01: X was lost")])
def test_what_has_no_time_begins_with_what_it_is(when, said):
    assert Report("incident", "1", "X was lost", "pay", when, []).dated == said
