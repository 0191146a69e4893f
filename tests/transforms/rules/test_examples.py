"""The examples of the rules' page are what the recordings and the rules' own cases show."""

import pytest

from tests import rule_examples
from transforms.rules import pages
from transforms.rules.examples import Example, examples
from transforms.rules.registry import RULES


def test_the_examples_are_what_recordings_and_cases_show():
    kept = rule_examples.FILE.read_text(encoding="utf-8")
    assert kept == rule_examples.text_of(rule_examples.made()), "run: make docs"


@pytest.mark.parametrize("rule_id", RULES)
def test_every_rule_has_an_example_and_says_whether_a_client_did_it(rule_id):
    example = examples()[rule_id]
    assert example.says
    assert example.shown
    assert (example.recording is None) != (example.test is None)


def test_what_a_log_says_stays_inside_its_block():
    text = pages.section(RULES["kip91.expired_early"], Example("*late* <b>", ("```", "# a"), recording="p1"))
    assert text.count("```") == 2
    assert r"*\*late\* &lt;b&gt;*" in text
