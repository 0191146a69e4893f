"""The table of answers to labelled logs: what counts as trouble, as a fact, as the right ending."""

import pytest

from conf.settings import load_conf
from lab.posted.answers import answered, facts_of, has_trouble, names, page

JOINED = (
    "[2026-05-01 10:00:00,000] INFO [Consumer clientId=a, groupId=g] Successfully joined group with generation "
    "Generation{generationId=5, memberId='a-1', protocol='range'} "
    "(org.apache.kafka.clients.consumer.internals.ConsumerCoordinator)\n"
)


@pytest.mark.parametrize(
    ("entry", "trouble"),
    [
        ({"events": [{"kind": "heartbeat-failed"}], "violations_or_findings": ["Healthy start"]}, False),
        ({"events": [{"kind": "heartbeat-failed"}], "violations_or_findings": ["Refused"]}, True),
        ({"events": [{"kind": "joined"}], "violations_or_findings": ["Two members join"]}, False),
        ({"events": [], "violations_or_findings": ["Slow"], "cause": "a sleep"}, True),
        ({"events": [], "cause": "wait", "must_not_conclude": ["ERROR does not make it a failure"]}, False),
        ({"events": [], "trouble": True, "violations_or_findings": ["Healthy"]}, True),
    ],
)
def test_whether_a_label_tells_of_trouble(entry, trouble):
    assert has_trouble(entry) is trouble


def test_the_facts_of_a_cause():
    cause = "max.poll.interval.ms=7000 ms and a TimeoutException, NOT_COORDINATOR; 12 s per record, 3 brokers"
    assert facts_of(cause) == [
        "max.poll.interval.ms",
        "TimeoutException",
        "NOT_COORDINATOR",
        "7000 ms",
        "12 s",
    ]


@pytest.mark.parametrize(
    ("text", "fact", "named"),
    [
        ("limit\n7 s", "7000 ms", True),
        ("limit 70 s", "7000 ms", False),
        ("max.poll.\ninterval.ms", "max.poll.interval.ms", True),
    ],
)
def test_a_fact_is_named_in_whatever_unit(text, fact, named):
    assert names(text, fact) is named


def test_the_page_has_names_and_verdicts_and_no_text_of_a_log(tmp_path):
    (tmp_path / "a.log").write_text(JOINED)
    entry = {"file": "a.log", "violations_or_findings": ["Healthy"]}
    healthy = answered(tmp_path, entry, load_conf())
    wrong = answered(tmp_path, entry | {"trouble": True, "cause": "retries=3 for 5 s"}, load_conf())
    made = page([healthy, wrong])
    assert "| a | java | no | nothing wrong | right |  |" in made
    assert "| a | java | yes | nothing wrong | FALSE ALL-CLEAR | 0 of 1 |" in made
    assert "clientId" not in made
