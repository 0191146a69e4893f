"""Every field and value of the bundle: known to Databricks' own library, and to its CLI's schema where that is there."""

import json
import os
import shutil
import subprocess
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from databricks.bundles.alerts import Alert
from databricks.bundles.apps import App
from databricks.bundles.dashboards import Dashboard
from databricks.bundles.jobs import Job
from databricks.bundles.schemas import Schema
from databricks.bundles.volumes import Volume
from jsonschema import Draft202012Validator
from jsonschema.exceptions import best_match

from tests.bundle.deployed import BUNDLE, FILES, GIVEN, GIVEN_IN_PROD, REFERENCE, ROOT, deployed

KINDS = {
    "alerts": Alert,
    "apps": App,
    "dashboards": Dashboard,
    "jobs": Job,
    "schemas": Schema,
    "volumes": Volume,
}
RESOURCES = [
    (target, kind, name)
    for target in BUNDLE["targets"]
    for kind in KINDS
    for name in BUNDLE["resources"][kind]
]
# The schema is Databricks' and is not ours to keep: `databricks bundle schema > FILE` writes it.
SCHEMA = "KIPWATCH_BUNDLE_SCHEMA"


@pytest.fixture(scope="module")
def validator() -> Draft202012Validator:
    file = os.environ.get(SCHEMA)
    if file:
        text = Path(file).read_text(encoding="utf-8")
    elif program := shutil.which("databricks"):
        text = subprocess.run(
            [program, "bundle", "schema"], capture_output=True, text=True, check=True
        ).stdout
    else:
        pytest.skip(f"neither {SCHEMA} (of `databricks bundle schema > FILE`) nor the CLI is there")
    # Classes of Unicode, which Python's expressions don't know; what is referred to here is ASCII.
    text = text.replace(r"[\\p{L}\\p{N}]", "[a-zA-Z0-9]").replace(r"\\p{L}", "[a-zA-Z]")
    return Draft202012Validator(json.loads(text))


def told(validator: Draft202012Validator, part: dict[str, Any]) -> list[str]:
    """What is wrong, each by its innermost place."""
    found = [best_match([error]) for error in validator.iter_errors(part)]
    return [f"{'.'.join(map(str, error.absolute_path))}: {error.message}" for error in found]


@pytest.mark.parametrize("file", FILES)
def test_the_cli_s_schema_knows_what_is_written(validator, file):
    assert told(validator, FILES[file]) == []


@pytest.mark.parametrize("target", BUNDLE["targets"])
def test_the_cli_s_schema_knows_what_is_deployed(validator, target):
    assert told(validator, deployed(target)) == []


@pytest.mark.parametrize("kind", KINDS)
def test_the_cli_s_schema_tells_what_it_does_not_know(validator, kind):
    odd = deepcopy(BUNDLE)
    name = next(iter(odd["resources"][kind]))
    odd["resources"][kind][name]["no_such"] = 1
    (said,) = told(validator, odd)
    assert said.startswith(f"resources.{kind}.{name}")


def test_all_kinds_are_looked_at():
    assert set(BUNDLE["resources"]) == set(KINDS)


@pytest.mark.parametrize(("target", "kind", "name"), RESOURCES, ids="-".join)
def test_databricks_own_library_knows_every_field_and_value(target, kind, name):
    resource = deployed(target)["resources"][kind][name]
    KINDS[kind].from_dict(resource)
    with pytest.raises(ValueError, match="Unexpected field 'no_such'"):
        KINDS[kind].from_dict({**resource, "no_such": 1})


@pytest.mark.parametrize("odd", [{"continous": {}}, {"continuous": {"pause_status": "OFF"}}])
def test_it_tells_a_field_and_a_value_that_are_none(odd):
    with pytest.raises(ValueError, match=r"Unexpected field 'continous'|'OFF' is not a valid PauseStatus"):
        Job.from_dict({"name": "a", **odd})


def test_a_key_names_one_resource():
    """`databricks bundle run KEY` takes jobs and apps alike; the CLI refuses one key for two resources."""
    keys = [name for kind in KINDS for name in BUNDLE["resources"][kind]]
    assert sorted(keys) == sorted(set(keys))


def test_the_targets_are_dev_and_prod_and_dev_is_the_one_meant_where_none_is_named():
    modes = {name: target["mode"] for name, target in BUNDLE["targets"].items()}
    assert modes == {"dev": "development", "prod": "production"}
    assert [name for name, target in BUNDLE["targets"].items() if target.get("default")] == ["dev"]


def test_every_variable_is_explained_and_used():
    used = {
        name.removeprefix("var.") for name in REFERENCE.findall(json.dumps(FILES)) if name.startswith("var.")
    }
    assert used == set(BUNDLE["variables"])
    assert all(said["description"] for said in BUNDLE["variables"].values())


@pytest.mark.parametrize(("target", "more"), [("dev", {}), ("prod", GIVEN_IN_PROD)])
def test_what_must_be_said_is_told_in_the_docs(target, more):
    needed = {name for name, said in BUNDLE["variables"].items() if "default" not in said}
    assert needed - set(BUNDLE["targets"][target]["variables"]) == {*GIVEN, *more}
    told_in = (ROOT / "docs" / "deploying.md").read_text(encoding="utf-8")
    assert [name for name in needed if f"| `{name}` |" not in told_in] == []


@pytest.mark.parametrize("target", BUNDLE["targets"])
def test_every_reference_leads_somewhere(target):
    found = deployed(target)
    assert "${" not in json.dumps({"resources": found["resources"], "artifacts": found["artifacts"]})


def test_what_is_included_is_there_and_what_is_there_is_sent():
    assert BUNDLE["include"] == ["bundle/*.yml"]
    assert BUNDLE["sync"]["paths"] == ["bundle"]
