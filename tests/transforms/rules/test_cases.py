"""Each rule has its six cases: what ran, and what the rule said of it."""

import pytest

from tests.rule_cases import KINDS, SENSELESS, Tried, all_tried, lacking
from transforms.rules.registry import RULES


@pytest.fixture(scope="module")
def ran() -> tuple[Tried, ...]:
    return all_tried()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("rule_id", RULES)
def test_every_rule_has_its_case(rule_id: str, kind: str, ran: tuple[Tried, ...]) -> None:
    assert lacking(rule_id, kind, ran) is None


@pytest.mark.parametrize("rule_id", RULES)
def test_every_case_is_the_kind_it_says(rule_id: str, ran: tuple[Tried, ...]) -> None:
    wrong = [
        f"{one.test}[{one.name}] is no case '{one.kind}': "
        f"{one.failure or f'{rule_id} says {[verdict.outcome for verdict in one.verdicts]}'}"
        for one in ran
        if one.rule_id == rule_id and not one.fits
    ]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("rule_id", RULES)
def test_no_history_is_two_cases_of_one_rule(rule_id: str, ran: tuple[Tried, ...]) -> None:
    kinds: dict[tuple[str, str], set[str]] = {}
    for one in ran:
        if one.rule_id == rule_id:
            kinds.setdefault((one.test, one.name), set()).add(one.kind)
    assert not {where: sorted(said) for where, said in kinds.items() if len(said) > 1}


def test_what_makes_no_sense_is_said_of_rules_that_are_there() -> None:
    for reason, (kinds, rule_ids) in SENSELESS.items():
        assert set(kinds) <= set(KINDS), reason
        assert rule_ids <= set(RULES), reason
