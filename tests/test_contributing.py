"""CONTRIBUTING's rule is a rule: a function, its histories and its page are all that it takes."""

import re
import sys
import textwrap
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from types import ModuleType
from unittest import mock

import pytest
import yaml

import transforms.rules
from tests.rule_cases import KINDS, lacking, tried
from tests.rule_examples import of_cases
from tests.transforms.rules import test_registry as holds_of_all
from transforms.rules import pages
from transforms.rules.promises import promises
from transforms.rules.rule import RULES, Rule

TEXT = (Path(__file__).parents[1] / "CONTRIBUTING.md").read_text(encoding="utf-8")
SECTION = TEXT.split("## Adding a rule\n")[1].split("\n## ")[0]
BLOCKS = [
    (language, textwrap.dedent(code))
    for language, code in re.findall(r"^ *```(\w+)\n(.*?)^ *```$", SECTION, re.MULTILINE | re.DOTALL)
]
HISTORIES, FUNCTION, PAGE = (code for _, code in BLOCKS)
RULE_ID = "timeouts.api_timeout_below_request"
MODULE = "transforms.rules.timeouts"


@pytest.fixture
def added() -> Iterator[Rule]:
    """The rule, alone in the registry for as long as a test takes."""
    module = ModuleType(MODULE)
    with ExitStack() as stack:
        stack.enter_context(mock.patch.dict(RULES, clear=True))
        stack.enter_context(mock.patch.dict(promises(), yaml.safe_load(PAGE)))
        stack.enter_context(mock.patch.dict(sys.modules, {MODULE: module}))
        stack.enter_context(mock.patch.object(transforms.rules, "timeouts", module))
        exec(FUNCTION, vars(module))
        (rule,) = RULES.values()
        yield rule


def histories(text: str = HISTORIES) -> ModuleType:
    module = ModuleType("test_timeouts")
    exec(text, vars(module))
    return module


def test_there_are_three_blocks() -> None:
    assert [language for language, _ in BLOCKS] == ["python", "python", "yaml"]


def test_its_histories_are_its_six_cases(added: Rule) -> None:
    ran = tried(histories())
    assert [one.kind for one in ran] == list(KINDS)
    assert {one.rule_id for one in ran} == {added.rule_id} == {RULE_ID}
    assert [one.name for one in ran if not one.fits] == []
    assert [told for kind in KINDS if (told := lacking(RULE_ID, kind, ran))] == []


@pytest.mark.parametrize("kind", KINDS)
def test_a_case_that_is_missing_is_told_by_rule_and_case(kind: str, added: Rule) -> None:
    short = kind.removeprefix("just ").removeprefix("looks ")
    ran = tried(histories(HISTORIES.replace(f"        {short}(", "        pytest.param(")))
    (told,) = [told for kind in KINDS if (told := lacking(RULE_ID, kind, ran))]
    assert told.startswith(f"{RULE_ID} has no case '{kind}'")


def test_a_history_that_is_not_the_case_it_says_is_told(added: Rule) -> None:
    (one,) = [one for one in tried(histories(HISTORIES.replace('"29999"', '"30000"'))) if not one.fits]
    assert (one.kind, one.name) == ("just outside", "shorter")


def test_without_its_function_its_histories_fail(added: Rule) -> None:
    judge = "timeouts.api_timeout_below_request(config)"
    with pytest.raises(AttributeError):
        tried(histories(HISTORIES.replace(judge, "timeouts.not_written_yet(config)")))


def test_what_holds_of_all_rules_holds_of_it(added: Rule) -> None:
    holds_of_all.test_it_says_what_it_finds_where_that_stands_and_when_it_is_silent(added)
    holds_of_all.test_it_tells_what_to_do(added)
    holds_of_all.test_it_is_named_as_its_function_and_watches_a_promise(added)
    holds_of_all.test_it_judges_episodes_and_gives_the_contracts_words(added)
    holds_of_all.test_its_sentence_is_a_format_string(added)


def test_its_page_has_its_promise_and_an_example(added: Rule) -> None:
    text = pages.section(added, of_cases(tried(histories())))
    assert f"### {RULE_ID}" in text
    assert promises()[RULE_ID] in text
    assert "default.api.timeout.ms=1000 is below request.timeout.ms=30000" in text
    assert "default_api_timeout_ms=1000, request_timeout_ms=30000" in text


def test_the_registry_is_as_it_was() -> None:
    assert RULE_ID not in RULES
    assert RULE_ID not in promises()
    assert "kip91.expired_early" in RULES
