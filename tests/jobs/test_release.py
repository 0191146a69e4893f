"""`kipwatch --version`, which whoever reports a fault is asked for."""

from importlib.metadata import version

from typer.testing import CliRunner

from jobs.cli import app


def test_it_says_which_release_it_is():
    told = CliRunner().invoke(app, ["--version"])
    assert (told.exit_code, told.output) == (0, f"{version('kipwatch')}\n")
