"""Each rule has its six cases: what ran, and what the rule said of it."""

import pytest

from tests.rule_cases import KINDS, SENSELESS, Tried, all_tried, lacking
from transforms.rules.registry import RULES


@pytest.fixture(scope="module")
def ran() -> tuple[Tried, ...]:
    return all_tried()


def test_every_rule_has_its_case(ran: tuple[Tried, ...]) -> None:
    missing = [lacking(rule_id, kind, ran) for rule_id in RULES for kind in KINDS]
    told = [one for one in missing if one is not None]
    assert not told, "\n".join(told)


def test_every_case_is_the_kind_it_says(ran: tuple[Tried, ...]) -> None:
    wrong = [
        f"{one.test}[{one.name}] is no case '{one.kind}': "
        f"{one.failure or f'{one.rule_id} says {[verdict.outcome for verdict in one.verdicts]}'}"
        for one in ran
        if one.rule_id in RULES and not one.fits
    ]
    assert not wrong, "\n".join(wrong)


def test_no_history_is_two_cases_of_one_rule(ran: tuple[Tried, ...]) -> None:
    kinds: dict[tuple[str, str, str], set[str]] = {}
    for one in ran:
        kinds.setdefault((one.rule_id, one.test, one.name), set()).add(one.kind)
    assert not {where: sorted(said) for where, said in kinds.items() if len(said) > 1}


def test_what_makes_no_sense_is_said_of_rules_that_are_there() -> None:
    for reason, (kinds, rule_ids) in SENSELESS.items():
        assert set(kinds) <= set(KINDS), reason
        assert rule_ids <= set(RULES), reason
