"""Settings, Quality and Rules without a browser: their numbers, and that they are what SQL says."""

import pytest

from dashboards.pages import quality, rules, settings
from dashboards.pages.page import Address
from dashboards.queries import LakeReader
from dashboards.queries.findings import fired
from dashboards.queries.quality import accounting
from dashboards.queries.settings import of_service
from jobs.sql.query import query_rows
from tests.dashboards.lake import HOSTILE, good_lake
from transforms.diagnose.fleets.differences import differences, latest
from transforms.plans.balance import COUNTED
from transforms.rules.registry import RULES


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    return good_lake(tmp_path_factory.mktemp("lake"))


def test_settings_are_what_sql_says(root):
    wanted = (
        "SELECT name, count(DISTINCT value) n FROM silver.client_settings WHERE service = 'orders' "
        "AND name NOT IN ('client.id') GROUP BY client_kind, name HAVING count(DISTINCT value) > 1 ORDER BY name"
    )
    _, rows = query_rows(root, wanted)
    found = differences(latest(of_service(LakeReader(root), "orders").rows))
    assert [(one.name, len(one.values)) for one in found] == [(row["name"], row["n"]) for row in rows]
    assert found


def test_the_accounting_is_what_sql_says(root):
    _, rows = query_rows(
        root, f"SELECT {', '.join(f'sum({name}) {name}' for name in COUNTED)} FROM bronze.accounting"
    )
    _, made = accounting(LakeReader(root))
    assert [made.sums] == list(rows)
    assert made.off == []


def test_how_often_a_rule_fired_is_what_sql_says(root):
    _, rows = query_rows(
        root, "SELECT rule_id, count(*) n, sum(occurrences) o FROM gold.violations GROUP BY rule_id"
    )
    _, found = fired(LakeReader(root), list(RULES))
    wanted = {row["rule_id"]: (row["n"], row["o"]) for row in rows}
    assert {
        rule_id: (one.violations, one.occurrences) for rule_id, one in found.items() if one.violations
    } == wanted
    assert found["kip62.left_early"].unjudged == 3
    assert found["kip62.not_left"].violations == found["kip62.not_left"].unjudged == 0


@pytest.mark.parametrize("page", [settings, quality, rules], ids=lambda page: page.PAGE.path)
def test_a_lake_that_is_not_there_is_said_on_every_page(page, tmp_path):
    assert "state-no-lake" in str(page.PAGE.layout(LakeReader(tmp_path / "none"), Address()))


def test_hostile_values_stay_text(root):
    drawn = settings.PAGE.layout(
        LakeReader(root), Address(query={"service": "orders", "client": "consumer-a"})
    )
    assert "\x1b" not in str(drawn)
    assert HOSTILE.split(" ")[0] in str(drawn)
