"""Since the deploy, and what the bad ones share: the pages say what the saved queries say."""

from pathlib import Path

import pytest
from dash import html

from dashboards.pages import incident_classes, incidents, settings
from dashboards.pages.page import Address
from dashboards.queries import LakeReader
from dashboards.queries.classes import classes_of, in_common
from jobs.sql.query import query_rows
from tests.dashboards.lake import NOON, sha
from tests.jobs.lakes import write
from transforms.diagnose.fleets.since import NEW

HOUR = 3_600_000
QUERIES = Path(__file__).parents[2] / "conf" / "queries"
KIND = "membership_poll_expired"
POLL = "max.poll.interval.ms"


def who(unit, incarnation=0):
    return {
        "service": "orders",
        "instance": unit,
        "unit_id": f"orders/{unit}",
        "unit_bucket": 1,
        "incarnation": incarnation,
    }


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    lake = tmp_path_factory.mktemp("lake")
    starts = [(unit, start, NOON + start * HOUR) for unit in "abcd" for start in (0, 1)]
    write(
        lake, "silver.client_events",
        *(
            {"event_id": sha(f"{unit}{start}"), "kind": "config_dump", "happened_at": at, "client_id": unit,
             "client_version": "3.9.0" if start else "3.7.2", **who(unit, start)}
            for unit, start, at in starts
        ),
    )  # fmt: skip
    write(
        lake, "silver.client_settings",
        *(
            {"client_id": unit, "client_kind": "consumer", "name": POLL,
             "value": "5000" if start and unit in "ab" else "9000", "origin": "logged", "from_at": at, **who(unit, start)}
            for unit, start, at in starts
        ),
    )  # fmt: skip
    write(lake, "gold.client_health", *({"client_id": unit, "client_kind": "consumer", "client_version": "3.9.0",
          "status": "ok", **who(unit)} for unit in "abcd"))  # fmt: skip
    rows = [("a", 2 * HOUR, "poll"), ("b", 3 * HOUR, "poll"), ("c", HOUR // 2, "old"), ("c", 2 * HOUR, "old")]
    write(
        lake, "gold.incidents",
        *(
            {"incident_id": sha(f"{unit}{at}"), "kind": KIND if name == "poll" else "commit_refused",
             "verdict": "as_designed", "impact": "delayed", "title": f"{unit} was kicked out",
             "started_at": NOON + at, "fingerprint": sha(name),
             "scope_id": f"orders/{unit}", "client_ids": [unit], **who(unit)}
            for unit, at, name in rows
        ),
    )  # fmt: skip
    return lake


def asked(root, number):
    (file,) = QUERIES.glob(f"{number}-*.sql")
    return list(query_rows(root, file.read_text(encoding="utf-8"))[1])


def texts(part):
    """All words of a component, in order."""
    if isinstance(part, str):
        return part
    children = getattr(part, "children", part) if not isinstance(part, list | tuple) else part
    return (
        "".join(map(texts, children))
        if isinstance(children, list | tuple)
        else texts(children)
        if children
        else ""
    )


def test_the_page_and_sql_say_since_when(root):
    known = classes_of(LakeReader(root))
    told = {row["fingerprint"]: row for row in asked(root, 13)}
    assert {name: (one.state == NEW, one.times) for name, one in known.items()} == {
        sha("poll"): (True, 2),
        sha("old"): (False, 2),
    }
    for name, one in known.items():
        row = told[name]
        assert ((row["state"] == "new"), row["times"]) == (one.state == NEW, one.times)
        assert round(row["since_at"].timestamp() * 1000) == one.since.at
    assert known[sha("poll")].since.what == f"{POLL}=5000, start 2 and version 3.9.0"


def test_the_page_says_it_of_each(root):
    shown = texts(incidents.PAGE.layout(LakeReader(root), Address((), {"service": "orders"})))
    assert f"New since {POLL}=5000, start 2 and version 3.9.0" in shown
    assert "2 times, also after later changes." in shown


def test_what_the_bad_share_is_the_same_in_sql_and_on_both_pages(root):
    lake = LakeReader(root)
    bad, good, found = in_common(lake, lake.read("gold.incidents", where=[("kind", "=", KIND)]).rows)
    assert (bad, good) == (2, 2)
    (row,) = asked(root, 14)
    assert [(one.name, one.value, one.bad, one.bad_of, one.good, one.good_of) for one in found] == [
        (f"consumer setting {POLL}", "5000", 2, 2, 0, 2)
    ]
    assert tuple(row.values()) == (f"consumer setting {POLL}", "5000", 2, 2, 0, 2)
    shown = texts(incidents.PAGE.layout(lake, Address((), {"kind": KIND, "service": "orders"})))
    assert f"consumer setting {POLL}50002 of 20 of 2" in shown
    of_service = texts(settings.PAGE.layout(lake, Address((), {"service": "orders"})))
    assert f"consumer setting {POLL}50002 of 30 of 1" in of_service


def test_without_others_there_is_nothing_to_compare_with(root):
    lake = LakeReader(root)
    rows = lake.read("gold.incidents").rows
    everyone = [*rows, rows[0] | {"unit_id": "orders/d"}]
    part = incident_classes.share(lake, everyone, "x")
    assert isinstance(part, html.Section)
    assert "no other process" in texts(part)
