"""Settings, Quality and Rules without a browser: their numbers, and that they are what SQL says."""

import pytest

from dashboards.pages import quality, rules, settings
from dashboards.pages.page import Address
from dashboards.queries import LakeReader
from dashboards.queries.findings import fired
from dashboards.queries.quality import COUNTED, accounting, is_balanced, summed
from dashboards.queries.settings import differences, latest, of_service
from jobs.sql.query import query_rows
from tests.dashboards.lake import HOSTILE, good_lake
from transforms.rules.registry import RULES


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    return good_lake(tmp_path_factory.mktemp("lake"))


def setting(
    client: str, name: str, value: str, at: int | None = 0, incarnation: int = 0, kind: str = "consumer"
):
    return {"unit_id": f"u-{client}", "client_id": client, "client_kind": kind, "name": name, "value": value,
            "origin": "logged", "from_at": at, "until_at": None, "incarnation": incarnation}  # fmt: skip


def told(rows):
    return [(one.client_kind, one.name, one.values) for one in differences(latest(rows))]


@pytest.mark.parametrize(
    ("rows", "differ"),
    [
        pytest.param([], [], id="nothing known"),
        pytest.param([setting("a", "x", "1"), setting("b", "x", "1")], [], id="the same"),
        pytest.param([setting("a", "x", "1"), setting("b", "y", "2")], [], id="each has its own names"),
        pytest.param(
            [setting("a", "client.id", "a"), setting("b", "client.id", "b")], [], id="meant to differ"
        ),
        pytest.param([setting("a", "x", "1"), setting("b", "x", "2", kind="producer")], [], id="two kinds"),
        pytest.param(
            [setting("a", "x", "1", 0), setting("a", "x", "2", 9)], [], id="one client, one after the other"
        ),
        pytest.param(
            [setting("a", "x", "2", 5, 0), setting("a", "x", "1", 1, 1), setting("b", "x", "1")],
            [],
            id="a later start of the process holds, whatever its clock said",
        ),
        pytest.param(
            [setting("a", "x", "1"), setting("b", "x", "2"), setting("c", "x", "2")],
            [("consumer", "x", (("2", ("b", "c")), ("1", ("a",))))],
            id="one has another value",
        ),
    ],
)
def test_where_a_fleet_differs(rows, differ):
    assert told(rows) == differ


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


def test_sources_that_do_not_balance_are_named():
    even = {"source": "s", "status": "complete", "dropped_by_reason": [("blank", 2)], "unparsed_by_reason": None,
            "lines_read": 5, "lines_in_records": 2, "lines_unparsed": 1, "lines_dropped": 2,
            "bytes_read": 5, "bytes_in_records": 2, "bytes_unparsed": 1, "bytes_dropped": 2}  # fmt: skip
    off = even | {"source": "off", "bytes_dropped": 1, "status": "truncated"}
    assert is_balanced(even)
    made = summed([even, off])
    assert (made.sources, made.off, made.sums["lines_read"]) == (2, ["off"], 10)
    assert (dict(made.dropped), dict(made.not_complete)) == ({"blank": 4}, {"truncated": 1})


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
