"""The demo: the main job on recordings of real clients that ship with the project."""

import sysconfig
import tempfile
from pathlib import Path

import typer
from rich.console import Console

from conf.settings import load_conf
from expectations.place import LakePlace
from jobs.engine.choice import Engines
from jobs.pipeline import run
from jobs.progress import Progress
from jobs.summary import print_findings
from transforms.errors import BadInput

# One scenario a KIP at least, and one in which everything is as it should be.
SCENARIOS = (
    "p572-task-expire-35",
    "p572-task-immediate-death-42",
    "p580-exp-42",
    "p580-static-35",
    "p91-overlap-produce-poll-42",
    "p62-slow-poll-42",
    "p62-kill9-session-42",
)


def recordings_folder() -> Path:
    """Where the recordings are: in a checkout's tests, else in the installed wheel's data. Raises: BadInput for neither."""
    checkout = Path(__file__).resolve().parents[2] / "tests" / "recordings"
    installed = Path(sysconfig.get_path("data")) / "share" / "kipwatch" / "recordings"
    for folder in (checkout, installed):
        if (folder / SCENARIOS[0]).is_dir():
            return folder
    raise BadInput("the demo's recordings are not found", where=str(installed), todo="reinstall kipwatch")


def run_demo(lake: LakePlace | None, as_json: bool) -> None:
    """Run over the recordings into `lake` (a temporary folder by default), and print each finding with its proof."""
    folder = recordings_folder()
    logs = [str(path) for name in SCENARIOS for path in sorted((folder / name).glob("*.log*"))]
    metrics = [str(path) for name in SCENARIOS for path in sorted((folder / name).glob("*metrics.jsonl*"))]
    conf = load_conf()
    with tempfile.TemporaryDirectory(prefix="kipwatch-demo-") as made:
        root = lake or Path(made) / "lake"
        progress = Progress(is_shown=False if as_json else None)
        result = run(Engines(conf.spark, progress), root, logs, metrics, conf, progress, job="demo")
        result.seconds = progress.seconds
        console = Console(highlight=False, markup=False, emoji=False, width=None)
        print_findings(root, result, console, as_json)
        if lake is not None and not as_json:
            typer.echo(f"\nLook further: kipwatch dashboard --lake {lake}")
