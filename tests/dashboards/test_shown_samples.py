"""A story that metrics prove shows their samples."""

from dashboards.story_parts import proof
from tests.timelines_samples import CONSUMER
from transforms.diagnose.reports.report import Report

SAMPLE = f"2026-11-21T02:43:56.803Z {CONSUMER} last-poll-seconds-ago=<b>12</b>"


def told(*samples: str) -> Report:
    return Report(what="finding", id="f1", heading="", who="", when="", facts=[], samples=samples)


def test_samples_are_shown_as_text():
    assert proof(told(SAMPLE)).to_plotly_json()["props"]["children"][0].children == SAMPLE


def test_without_any_proof_that_is_said():
    assert proof(told()).id == "finding-no-lines"
