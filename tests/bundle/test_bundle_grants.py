"""Who may do what with schemas and volumes: no more than each needs."""

import pytest

from expectations import TABLES
from jobs.storage.catalog import SCHEMAS
from tests.bundle.deployed import BUNDLE, deployed

READS, WRITES = {"USE_SCHEMA", "SELECT"}, {"USE_SCHEMA", "SELECT", "CREATE_TABLE"}
PROD = deployed("prod")["resources"]


def granted(kind: str, name: str) -> dict[str, set[str]]:
    return {one["principal"]: set(one["privileges"]) for one in PROD[kind][name]["grants"]}


@pytest.mark.parametrize(
    ("schema", "readers"), [("bronze", {}), ("silver", {"engineers": READS}), ("gold", {"engineers": READS})]
)
def test_readers_see_silver_and_gold_and_the_app_the_lines_that_prove_it_too(schema, readers):
    """None writes tables through the catalog: the jobs' files are written with the cluster's credentials."""
    assert granted("schemas", schema) == {"of-the-jobs": WRITES, "of-the-app": READS, **readers}


def test_logs_are_the_shippers_to_write_and_the_jobs_to_read():
    assert granted("schemas", "files") == {"of-the-jobs": {"USE_SCHEMA"}, "of-the-shippers": {"USE_SCHEMA"}}
    assert granted("volumes", "logs") == {
        "of-the-jobs": {"READ_VOLUME"},
        "of-the-shippers": {"READ_VOLUME", "WRITE_VOLUME"},
    }
    assert granted("volumes", "lake") == {"of-the-jobs": {"READ_VOLUME", "WRITE_VOLUME"}}


def test_schemas_are_those_that_the_jobs_would_make():
    """So that none is made anew: the jobs need no CREATE SCHEMA."""
    made = {name: schema["comment"] for name, schema in PROD["schemas"].items() if name != "files"}
    assert made == SCHEMAS
    assert set(made) == {table.split(".")[0] for table in TABLES}


def test_what_holds_files_is_not_deleted_with_the_bundle_in_prod():
    kept = {
        name
        for kind in ("schemas", "volumes")
        for name, one in PROD[kind].items()
        if one.get("lifecycle", {}).get("prevent_destroy")
    }
    assert kept == {"files", "logs", "lake"}
    for kind, overrides in BUNDLE["targets"]["prod"]["resources"].items():
        for name, override in overrides.items():  # what a target has to name again stays as it is
            same = {key: value for key, value in override.items() if key in BUNDLE["resources"][kind][name]}
            assert same == {key: BUNDLE["resources"][kind][name][key] for key in same}


@pytest.mark.parametrize(
    ("kind", "name", "who"),
    [
        ("apps", "kipwatch_app", {"level": "CAN_USE", "group_name": "on-call"}),
        ("dashboards", "kipwatch_gold", {"level": "CAN_READ", "group_name": "engineers"}),
        ("alerts", "kipwatch_broken", {"level": "CAN_READ", "group_name": "engineers"}),
    ],
)
def test_who_sees_what_is_shown(kind, name, who):
    assert PROD[kind][name]["permissions"] == [who]


def test_in_prod_none_but_who_deploys_may_change_what_the_jobs_run():
    """Who may write the folder of the wheel has the rights of the jobs; they only read it."""
    prod = BUNDLE["targets"]["prod"]
    assert prod["workspace"]["root_path"].startswith("/Workspace/Users/${workspace.current_user.userName}/")
    assert prod["permissions"] == [{"level": "CAN_VIEW", "service_principal_name": "${var.writer}"}]


def test_a_viewer_of_the_dashboard_sees_what_he_may_ask():
    assert PROD["dashboards"]["kipwatch_gold"]["embed_credentials"] is False
