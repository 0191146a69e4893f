"""Jobs of the bundle: the command lines they call, the wheel they install, the lake they write, who runs when."""

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

from conf.settings import load_conf
from expectations.place import CatalogName, place_of
from jobs.catalogued import place_to_read
from jobs.cli import app
from jobs.engine.choice import Engines
from jobs.progress import Progress
from tests.bundle.deployed import BUNDLE, ROOT, deployed

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
QUARTZ = re.compile(
    r"^[0-9*/,-]+ [0-9*/,-]+ [0-9*/,-]+ [0-9*/,?LW-]+ [0-9A-Z*/,-]+ [0-9A-Z*/,?L#-]+( [0-9*/,-]+)?$"
)
JOBS = [(target, name) for target in BUNDLE["targets"] for name in BUNDLE["resources"]["jobs"]]


@pytest.fixture(params=JOBS, ids="-".join)
def named(request) -> tuple[str, str]:
    return request.param


@pytest.fixture
def job(named) -> dict[str, Any]:
    target, name = named
    return deployed(target)["resources"]["jobs"][name]


def parameters(job: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """The command that a job calls, and what it makes of its parameters."""
    (task,) = job["tasks"]
    command = get_command(app)
    name, *rest = task["python_wheel_task"]["parameters"]
    return name, command.commands[name].make_context(name, rest).params


def test_the_task_is_the_wheel_this_project_builds(job):
    (task,) = job["tasks"]
    wheel = task["python_wheel_task"]
    assert wheel["package_name"] == PROJECT["name"]
    assert wheel["entry_point"] in PROJECT["scripts"]
    of_environments = [one for key in job.get("environments", ()) for one in key["spec"]["dependencies"]]
    (installed,) = [*(one["whl"] for one in task.get("libraries", ())), *of_environments]
    (artifact,) = BUNDLE["artifacts"].values()
    (built,) = artifact["files"]
    assert built["source"] == f"bundle/{Path(installed)}"  # paths are as of the file that has them
    assert artifact["build"].startswith(f"python -m build --wheel --outdir {Path(built['source']).parent} ")


def test_the_command_line_takes_the_job_s_parameters(named, job):
    target, name = named
    called, given = parameters(job)
    assert called == job["tasks"][0]["task_key"]
    resources = deployed(target)["resources"]
    files = f"/Volumes/main/{resources['schemas']['files']['name']}"
    logs = [] if called == "maintain" else [f"{files}/{resources['volumes']['logs']['name']}"]
    assert [*given.get("logs", ())] == logs
    if "serverless" in name:
        assert (given["lake"], given["conf"]) == (
            Path(f"{files}/{resources['volumes']['lake']['name']}"),
            None,
        )
        assert given.get("available_now", True)  # a query without end is not for serverless compute
        return
    assert isinstance(given["lake"], CatalogName)
    for schema in ("bronze", "silver", "gold"):
        made = resources["schemas"][schema]
        assert (made["catalog_name"], made["name"]) == ("main", f"{given['lake'].prefix}{schema}")


def test_on_a_cluster_the_lake_lies_in_the_location(named, job, monkeypatch):
    if "serverless" in named[1]:
        assert "job_clusters" not in job
        return
    (cluster,) = job["job_clusters"]
    for name, value in cluster["new_cluster"]["spark_env_vars"].items():
        monkeypatch.setenv(name, value)
    _, given = parameters(job)
    conf = load_conf(Path(given["conf"]))
    engines = Engines(conf.spark, Progress(is_shown=False))
    assert place_to_read(given["lake"], conf, engines) == place_of("s3://lakes/kipwatch")


@pytest.mark.parametrize("target", BUNDLE["targets"])
def test_no_two_targets_have_a_lake_in_common(target):
    """But for their location, which whoever deploys says."""
    prefix = deployed(target)["resources"]["schemas"]["gold"]["name"]
    assert prefix == {"dev": "dev_anna_kipwatch_gold", "prod": "kipwatch_gold"}[target]


def test_in_prod_all_jobs_run_as_the_one_that_may_write():
    jobs = deployed("prod")["resources"]["jobs"].values()
    assert [job["run_as"] for job in jobs] == [{"service_principal_name": "of-the-jobs"}] * len(jobs)
    assert not any("run_as" in job for job in deployed("dev")["resources"]["jobs"].values())


def test_a_job_that_fails_is_told(named, job):
    whom = {"dev": "anna@example.org", "prod": "on-call@example.org"}[named[0]]
    assert job["email_notifications"] == {"on_failure": [whom]}


def test_none_runs_twice_at_once(job):
    assert job["max_concurrent_runs"] == 1


@pytest.mark.parametrize("target", BUNDLE["targets"])
def test_one_is_scheduled_and_one_is_always_on_where_it_is_started(target):
    jobs = deployed(target)["resources"]["jobs"]
    schedule = jobs["kipwatch"]["schedule"]
    assert QUARTZ.match(schedule["quartz_cron_expression"])
    assert schedule["timezone_id"] == "UTC"
    for name in ("kipwatch_stream", "kipwatch_serverless_stream"):
        assert jobs[name]["continuous"] == {"pause_status": "PAUSED"}
        assert "schedule" not in jobs[name]
        assert parameters(jobs[name])[0] == "stream"
    (cluster,) = jobs["kipwatch_stream"]["job_clusters"]
    assert cluster["new_cluster"]["data_security_mode"] == "SINGLE_USER"


def test_dev_waits_to_be_started_and_in_prod_one_job_writes_and_one_keeps_up():
    going = {
        target: {
            name
            for name, job in deployed(target)["resources"]["jobs"].items()
            if job.get("schedule", job.get("continuous"))["pause_status"] == "UNPAUSED"
        }
        for target in BUNDLE["targets"]
    }
    assert going == {"dev": set(), "prod": {"kipwatch", "kipwatch_maintain"}}


def test_a_job_is_on_a_schedule_or_always_on(job):
    assert ("schedule" in job) != ("continuous" in job)
    assert "schedule" not in job or QUARTZ.match(job["schedule"]["quartz_cron_expression"])


def test_every_task_has_its_cluster_or_environment(job):
    keys = {one["job_cluster_key"] for one in job.get("job_clusters", ())}
    keys |= {one["environment_key"] for one in job.get("environments", ())}
    assert {task.get("job_cluster_key", task.get("environment_key")) for task in job["tasks"]} == keys


@pytest.mark.parametrize("odd", ["* * * * *", "every 5 minutes", "0 0/15 * * * ? ; x"])
def test_what_is_no_quartz_expression_is_told_apart(odd):
    assert not QUARTZ.match(odd)
