"""What holds of all rules at once; a new rule is tested by being there."""

import string
from collections import Counter

import pytest

from transforms.rules import pages
from transforms.rules.docstrings import parts_of
from transforms.rules.promises import promises
from transforms.rules.registry import RULES
from transforms.rules.rule import CATEGORIES, SEVERITIES
from transforms.timers.episodes import Episode

EVERY_RULE = pytest.mark.parametrize("rule", RULES.values(), ids=list(RULES))


@EVERY_RULE
def test_it_says_what_it_finds_where_that_stands_and_when_it_is_silent(rule):
    parts = parts_of(rule.judge)
    assert len(parts[""].split()) > 3
    assert parts[""].endswith(".")
    assert parts["Source"]
    assert parts["Silent when"]


@EVERY_RULE
def test_it_tells_what_to_do(rule):
    assert 2 <= len(rule.runbook) <= 3
    for step in (*rule.runbook, rule.advice):
        assert len(step.split()) > 3, step
        assert step.endswith((".", "?")), step


@EVERY_RULE
def test_it_is_named_as_its_function_and_watches_a_promise(rule):
    source, name = rule.rule_id.split(".")
    assert rule.judge.__name__ == name
    assert source in rule.judge.__module__ or rule.judge.__module__.endswith((".heartbeats", ".timeouts"))
    assert rule.rule_id in promises()


@EVERY_RULE
def test_it_judges_episodes_and_gives_the_contracts_words(rule):
    assert issubclass(rule.judges, Episode)
    assert rule.severity in SEVERITIES
    assert rule.gives
    assert set(rule.gives) <= set(CATEGORIES)


@EVERY_RULE
def test_its_sentence_is_a_format_string(rule):
    named = [name for _, name, _, _ in string.Formatter().parse(rule.says) if name is not None]
    assert all(name.isidentifier() for name in named), rule.says


@pytest.mark.parametrize("kip", ["KIP-572", "KIP-580", "KIP-91", "KIP-62"])
def test_each_kip_has_its_rules(kip):
    assert Counter(rule.kip for rule in RULES.values())[kip] >= 4


def test_every_category_is_given():
    assert {category for rule in RULES.values() for category in rule.gives} == set(CATEGORIES)


def test_the_page_is_what_the_rules_say():
    assert pages.PAGE.read_text(encoding="utf-8") == pages.page(), "run: python -m transforms.rules.pages"


def test_the_page_has_one_anchor_for_each_rule():
    headings = [line.removeprefix("### ") for line in pages.page().splitlines() if line.startswith("### ")]
    assert sorted(headings) == sorted(RULES)
