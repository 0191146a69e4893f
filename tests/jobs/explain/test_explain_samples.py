"""`explain` prints the samples that prove a finding, under its lines."""

import io

from rich.console import Console

from jobs.explain.forms import print_as
from tests.timelines_samples import CONSUMER
from transforms.diagnose.reports.report import Report

SAMPLE = f"2026-11-21T02:43:56.803Z {CONSUMER} last-poll-seconds-ago=12"


def test_samples_are_printed():
    printed = io.StringIO()
    told = Report(
        what="finding", id="f1", heading="late", who="app", when="10:00", facts=[], samples=(SAMPLE,)
    )
    print_as("text", told, Console(file=printed, width=200))
    assert "Samples of metrics that prove it\n" in printed.getvalue()
    assert SAMPLE in printed.getvalue()
    assert told.as_dict()["samples"] == [SAMPLE]
