"""The wheel alone, in an environment without the checkout: the settings and the demo's recordings travel with it."""

import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
CARRIED = ("transforms", "expectations", "jobs", "dashboards", "conf", "tests/recordings")


def _run(*command: str | Path, cwd: Path) -> subprocess.CompletedProcess[str]:
    of_python = ("PYTHON", "PYSPARK")  # a session that was made in this process names its own Python
    environment = {name: value for name, value in os.environ.items() if not name.startswith(of_python)}
    done = subprocess.run(
        [str(part) for part in command], cwd=cwd, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    return done


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the commands of an environment that has the wheel, and what it depends on from this one."""
    folder = tmp_path_factory.mktemp("wheel")
    source = folder / "source"
    for name in CARRIED:
        shutil.copytree(ROOT / name, source / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md"):
        shutil.copy(ROOT / name, source / name)
    _run(sys.executable, "-m", "build", "--wheel", "--outdir", folder / "dist", source, cwd=folder)
    _run(sys.executable, "-m", "venv", "--without-pip", folder / "env", cwd=folder)
    bin_ = folder / "env" / "bin"
    wheel = next((folder / "dist").glob("*.whl"))
    pip = (sys.executable, "-m", "pip", "--python", bin_ / "python")
    _run(*pip, "install", "--quiet", "--no-deps", wheel, cwd=folder)
    # Dependencies are those installed here: a path in a .pth file is looked in, its own .pth files (the checkout's) are not.
    site = Path(
        _run(
            bin_ / "python", "-c", "import sysconfig; print(sysconfig.get_path('purelib'))", cwd=folder
        ).stdout.strip()
    )
    (site / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n", encoding="utf-8")
    return bin_


def test_the_checkout_is_not_what_runs(installed: Path, tmp_path: Path) -> None:
    told = _run(
        installed / "python",
        "-c",
        "import jobs, transforms; print(jobs.__file__, transforms.__file__)",
        cwd=tmp_path,
    )
    assert str(ROOT) not in told.stdout


def test_demo_runs_from_the_wheel_alone(installed: Path, tmp_path: Path) -> None:
    done = _run(installed / "kipwatch", "demo", cwd=tmp_path)
    assert done.stderr == ""  # what Spark says of itself is not what was asked
    for kip in ("task.timeout.ms", "delivery.timeout.ms", "max.poll.interval.ms", "retry.backoff"):
        assert kip in done.stdout
