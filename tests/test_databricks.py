"""databricks.yml: a deploy tried on paper, with the command lines the jobs call and the wheel they install."""

import re
import tomllib
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
import yaml
from databricks.bundles.jobs import Job
from typer.main import get_command

from jobs.cli import app

ROOT = Path(__file__).parents[1]
BUNDLE = yaml.safe_load((ROOT / "databricks.yml").read_text(encoding="utf-8"))
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
REFERENCE = re.compile(r"\$\{([^}]*)\}")
QUARTZ = re.compile(
    r"^[0-9*/,-]+ [0-9*/,-]+ [0-9*/,-]+ [0-9*/,?LW-]+ [0-9A-Z*/,-]+ [0-9A-Z*/,?L#-]+( [0-9*/,-]+)?$"
)
GIVEN = {"catalog": "main"}


def deployed(target: str) -> dict[str, Any]:
    """The bundle as one target has it: settings laid over, references resolved."""
    chosen = BUNDLE["targets"][target]
    merged = _over(deepcopy(BUNDLE), {"resources": chosen.get("resources", {})})
    values = {f"var.{name}": said.get("default") for name, said in BUNDLE["variables"].items()}
    values |= {f"var.{name}": value for name, value in (GIVEN | chosen.get("variables", {})).items()}
    values |= {"bundle.name": BUNDLE["bundle"]["name"], "bundle.target": target}
    return _resolved(merged, values)


def _over(below: dict[str, Any], above: dict[str, Any]) -> dict[str, Any]:
    for key, value in above.items():
        below[key] = _over(below[key], value) if isinstance(value, dict) and key in below else value
    return below


def _resolved(part: Any, values: dict[str, Any]) -> Any:
    if isinstance(part, dict):
        return {key: _resolved(value, values) for key, value in part.items()}
    if isinstance(part, list):
        return [_resolved(value, values) for value in part]
    return REFERENCE.sub(lambda match: str(values[match[1]]), part) if isinstance(part, str) else part


JOBS = [(target, name) for target in BUNDLE["targets"] for name in BUNDLE["resources"]["jobs"]]


@pytest.fixture(params=JOBS, ids="-".join)
def job(request) -> dict[str, Any]:
    target, name = request.param
    return deployed(target)["resources"]["jobs"][name]


def test_the_targets_are_dev_and_prod_and_dev_is_the_one_meant_where_none_is_named():
    modes = {name: target["mode"] for name, target in BUNDLE["targets"].items()}
    assert modes == {"dev": "development", "prod": "production"}
    assert [name for name, target in BUNDLE["targets"].items() if target.get("default")] == ["dev"]


def test_every_variable_is_explained_and_used():
    text = (ROOT / "databricks.yml").read_text(encoding="utf-8")
    used = {name.removeprefix("var.") for name in REFERENCE.findall(text) if name.startswith("var.")}
    assert used == set(BUNDLE["variables"])
    assert all(said["description"] for said in BUNDLE["variables"].values())
    assert {name for name, said in BUNDLE["variables"].items() if "default" not in said} == set(GIVEN)


def test_databricks_own_library_knows_every_field_and_value(job):
    assert Job.from_dict(job).name == job["name"]


@pytest.mark.parametrize("odd", [{"continous": {}}, {"continuous": {"pause_status": "OFF"}}])
def test_it_tells_a_field_and_a_value_that_are_none(odd):
    with pytest.raises(ValueError, match=r"Unexpected field 'continous'|'OFF' is not a valid PauseStatus"):
        Job.from_dict({"name": "a", **odd})


def test_the_task_is_the_wheel_this_project_builds(job):
    (task,) = job["tasks"]
    wheel = task["python_wheel_task"]
    assert wheel["package_name"] == PROJECT["name"]
    assert wheel["entry_point"] in PROJECT["scripts"]
    of_environments = [one for key in job.get("environments", ()) for one in key["spec"]["dependencies"]]
    assert [*(one["whl"] for one in task.get("libraries", ())), *of_environments] == ["./dist/*.whl"]
    (artifact,) = BUNDLE["artifacts"].values()
    assert (artifact["type"], artifact["build"]) == ("whl", "python -m build --wheel")


def test_the_command_line_takes_the_job_s_parameters(job):
    (task,) = job["tasks"]
    command = get_command(app)
    name, *rest = task["python_wheel_task"]["parameters"]
    parsed = command.commands[name].make_context(name, rest).params
    assert name == task["task_key"]
    assert parsed.get("logs") == (None if name == "maintain" else ["/Volumes/main/kipwatch/logs"])
    assert parsed["lake"] == Path("/Volumes/main/kipwatch/lake")


def test_none_runs_twice_at_once(job):
    assert job["max_concurrent_runs"] == 1


@pytest.mark.parametrize("target", BUNDLE["targets"])
def test_one_is_scheduled_and_one_is_always_on_where_it_is_started(target):
    jobs = deployed(target)["resources"]["jobs"]
    schedule = jobs["kipwatch"]["schedule"]
    assert QUARTZ.match(schedule["quartz_cron_expression"])
    assert schedule["timezone_id"] == "UTC"
    stream = jobs["kipwatch_stream"]
    assert stream["continuous"] == {"pause_status": "PAUSED"}
    assert "schedule" not in stream
    (cluster,) = stream["job_clusters"]
    assert cluster["new_cluster"]["data_security_mode"] == "SINGLE_USER"
    assert stream["tasks"][0]["python_wheel_task"]["parameters"][0] == "stream"


def test_dev_waits_to_be_started_and_in_prod_one_job_writes_and_one_keeps_up():
    going = {
        target: {
            name
            for name, job in deployed(target)["resources"]["jobs"].items()
            if job.get("schedule", job.get("continuous")).get("pause_status", "UNPAUSED") == "UNPAUSED"
        }
        for target in BUNDLE["targets"]
    }
    assert going == {"dev": set(), "prod": {"kipwatch", "kipwatch_maintain"}}


def test_every_schedule_is_one(job):
    assert ("schedule" in job) != ("continuous" in job)
    assert "schedule" not in job or QUARTZ.match(job["schedule"]["quartz_cron_expression"])


def test_every_task_has_its_cluster_or_environment(job):
    keys = {one["job_cluster_key"] for one in job.get("job_clusters", ())}
    keys |= {one["environment_key"] for one in job.get("environments", ())}
    assert {task.get("job_cluster_key", task.get("environment_key")) for task in job["tasks"]} == keys


@pytest.mark.parametrize("odd", ["* * * * *", "every 5 minutes", "0 0/15 * * * ? ; x"])
def test_what_is_no_quartz_expression_is_told_apart(odd):
    assert not QUARTZ.match(odd)
