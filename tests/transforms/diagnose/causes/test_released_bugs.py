"""Bugs of released clients are named by the release that wrote the lines, and only then as a cause."""

import pytest

from tests.story import CONSUMER, line, told
from transforms.diagnose import bug_pages
from transforms.diagnose.causes.released_bugs import released_bugs
from transforms.parse.catalogue.forms import families

COORDINATOR = "org.apache.kafka.clients.consumer.internals.ConsumerCoordinator"
FAILED = f"{CONSUMER}An error occurred while authenticating in the heartbeat thread"


def of_release(version):
    started = (
        [line(0, "INFO", "org.apache.kafka.common.utils.AppInfoParser", f"Kafka version: {version}")]
        if version
        else []
    )
    found = [one for one in told(*started, line(1, "ERROR", COORDINATOR, FAILED)) if one.verdict != "benign"]
    assert found
    return found


@pytest.mark.parametrize("version", ["3.9.1", "4.3.1"])
def test_a_release_that_has_a_bug_is_told_of_it_and_of_the_one_that_mends(version):
    (incident,) = of_release(version)
    assert f"In this release ({version})" in incident.cause
    assert "KAFKA-20253" in incident.cause
    assert "upgrade to 4.4" in incident.advice


def test_a_release_in_which_it_is_mended_is_not():
    (incident,) = of_release("4.4.0")
    assert "KAFKA-20253" not in f"{incident.cause} {incident.advice} {incident.tells_more}"


def test_without_a_release_it_is_a_question_and_no_cause():
    (incident,) = of_release(None)
    assert "KAFKA-20253" not in incident.cause
    assert any("from 0.10.1 on before 4.4" in more for more in incident.tells_more)


def test_each_bug_is_of_lines_that_are_known_and_is_mended_after_it_came():
    for bug in released_bugs():
        assert bug.families <= set(families())
        assert bug.mended_in is None or bug.since < bug.mended_in


def test_the_page_is_what_the_table_says():
    assert bug_pages.PAGE.read_text(encoding="utf-8") == bug_pages.page()
