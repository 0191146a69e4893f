"""The app of the bundle: its command, run with the environment that an app has, serves the project's own dashboard."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterator
from http.client import HTTPConnection
from pathlib import Path

import pytest

from tests.bundle.deployed import BUNDLE, FOLDER, ROOT, deployed

PROD = deployed("prod")["resources"]
APP = PROD["apps"]["kipwatch_app"]
SOURCE = FOLDER / Path(APP["source_code_path"])
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
# The connector and the SDK, in the place of which nothing answers: what is asked of them goes into a file.
ASKED = """
import json, os
def connect(**given):
    headers = given["credentials_provider"]()()
    text = json.dumps({"server": given["server_hostname"], "path": given["http_path"], "headers": headers})
    open(os.environ["ASKED"], "w").write(text)
    raise OSError("nothing answers")
"""
SIGNS_IN = """
class Config:
    def __init__(self, **given):
        self.given = given
    def authenticate(self):
        return {"as": self.given["client_id"]}
"""
# As an entry point of the wheel.
COMMAND = """#!{python}
import sys
from {module} import {function}
sys.exit({function}())
"""


def environment() -> dict[str, str]:
    """What Databricks gives an app, and what the bundle says beside it."""
    ids = {one["name"]: one["sql_warehouse"]["id"] for one in APP["resources"]}
    said = {one["name"]: one.get("value", ids.get(one.get("value_from"))) for one in APP["config"]["env"]}
    return said | {
        "DATABRICKS_HOST": "https://dbc-1.cloud.databricks.com",
        "DATABRICKS_CLIENT_ID": "of-the-app",
        "DATABRICKS_CLIENT_SECRET": "secret",
    }


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[int, Path]]:
    """The port that it listens on, and the file that has what was asked of the connector."""
    there = tmp_path_factory.mktemp("app")
    for name, text in (("sql", ASKED), ("sdk/core", SIGNS_IN)):
        module = there / "databricks" / f"{name}.py"
        module.parent.mkdir(parents=True, exist_ok=True)
        module.write_text(text, encoding="utf-8")
    module, function = PROJECT["scripts"]["kipwatch"].split(":")
    command = there / "bin" / "kipwatch"
    command.parent.mkdir()
    command.write_text(
        COMMAND.format(python=sys.executable, module=module, function=function), encoding="utf-8"
    )
    command.chmod(0o755)
    with socket.socket() as tried:
        tried.bind(("127.0.0.1", 0))
        port = tried.getsockname()[1]
    given = environment() | {
        "PATH": f"{command.parent}:{os.environ['PATH']}",
        "PYTHONPATH": f"{there}:{ROOT}",
        "DATABRICKS_APP_PORT": str(port),
        "ASKED": str(there / "asked.json"),
    }
    app = subprocess.Popen(APP["config"]["command"], cwd=SOURCE, env=given)
    try:
        _wait(app, port)
        yield port, there / "asked.json"
    finally:
        app.send_signal(signal.SIGTERM)
        app.wait(30)


def _wait(app: "subprocess.Popen[bytes]", port: int) -> None:
    until = time.monotonic() + 120
    while time.monotonic() < until and app.poll() is None:
        with socket.socket() as tried:
            if tried.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)
    raise AssertionError(f"it does not listen (exit {app.poll()})")


def got(port: int, path: str, **headers: str) -> tuple[int, str]:
    connection = HTTPConnection("127.0.0.1", port, timeout=30)
    connection.request("GET", path, headers={"Host": "kipwatch-prod-1.aws.databricksapps.com"} | headers)
    answer = connection.getresponse()
    return answer.status, answer.read().decode()


def test_it_serves_the_first_page_to_who_is_signed_in(site):
    port, _ = site
    status, page = got(port, "/", **{"X-Forwarded-Email": "anna@example.org"})
    assert status == 200
    assert "<title>kipwatch</title>" in page
    assert got(port, "/") == (403, "kipwatch: not let in by the proxy\n")


def test_it_asks_the_bundle_s_warehouse_as_the_app(site):
    port, asked = site
    assert got(port, "/health") == (503, '{"lake":"failed","status":"unavailable"}\n')
    assert json.loads(asked.read_text(encoding="utf-8")) == {
        "server": "dbc-1.cloud.databricks.com",
        "path": "/sql/1.0/warehouses/abcdef0123456789",
        "headers": {"as": "of-the-app"},
    }


def test_its_tables_are_those_of_the_jobs():
    given = environment()
    assert (given["KIPWATCH_CATALOG"], given["KIPWATCH_SCHEMA_PREFIX"] + "gold") == (
        PROD["schemas"]["gold"]["catalog_name"],
        PROD["schemas"]["gold"]["name"],
    )


def test_it_may_ask_the_warehouse_and_no_more():
    assert [one["sql_warehouse"]["permission"] for one in APP["resources"]] == ["CAN_USE"]
    assert "user_api_scopes" not in APP


def test_its_name_is_one_that_an_app_may_have():
    for target in BUNDLE["targets"]:
        assert re.fullmatch(
            r"[a-z][a-z0-9-]{1,29}", deployed(target)["resources"]["apps"]["kipwatch_app"]["name"]
        )


def test_it_installs_the_wheel_that_is_built_with_the_pinned_versions():
    constraint, wheel = (SOURCE / "requirements.txt").read_text(encoding="utf-8").splitlines()
    (artifact,) = BUNDLE["artifacts"].values()
    built = f"{SOURCE.relative_to(ROOT)}/dist"
    assert artifact["build"] == f"python -m build --wheel --outdir {built} && cp constraints.txt {built}/"
    assert constraint == "--constraint dist/constraints.txt"
    assert wheel == f"./dist/{PROJECT['name']}-{PROJECT['version']}-py3-none-any.whl[databricks]"
    assert "databricks" in PROJECT["optional-dependencies"]
