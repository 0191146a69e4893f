"""The table of KIPs names what there is, and leaves no rule out."""

import re
from pathlib import Path

from transforms import yaml_text
from transforms.parse.catalogue.forms import families
from transforms.rules.kips import PAGE, kips, page, rules_of
from transforms.rules.registry import RULES

TROUBLES = Path(__file__).parents[3] / "transforms" / "diagnose" / "troubles.yaml"


def test_the_page_is_what_the_table_and_the_registry_say():
    assert PAGE.read_text(encoding="utf-8") == page()


def test_each_rule_is_of_a_kip_in_the_table():
    assert {rule_id for entry in kips() for rule_id in rules_of(entry)} == set(RULES)


def test_families_and_incidents_are_known():
    known = {entry["kind"] for entry in yaml_text.parse(TROUBLES.read_text(encoding="utf-8"))}
    for entry in kips():
        assert set(entry["seen"].get("families", ())) <= set(families())
        assert set(entry.get("told", ())) <= known


def test_each_entry_says_since_when():
    assert all(re.match(r"\d+\.\d+", entry["since"]) for entry in kips())
