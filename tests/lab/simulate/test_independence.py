"""The model shares nothing with what it tests: no module of `transforms`, not even through another one."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
FOLDER = ROOT / "lab" / "simulate"
# These bring the two together.
MEET = {"judging", "__main__", "mutants", "instead", "lost"}
MODEL = sorted(
    path.stem
    for path in FOLDER.glob("*.py")
    if path.stem not in MEET and not path.stem.startswith(("test_", "__init__"))
)
LOADED = "import sys, {modules}; print(*(name for name in sys.modules if name.split('.')[0] in {ours}))"
OURS = {"transforms", "jobs", "expectations", "dashboards"}


def test_the_model_imports_nothing_of_what_it_tests():
    modules = ", ".join(f"lab.simulate.{name}" for name in MODEL)
    code = LOADED.format(modules=modules, ours=OURS)
    told = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert told.stdout.split() == []


@pytest.mark.parametrize("name", MODEL)
def test_the_model_reads_no_file_of_ours(name):
    """Nor takes over a table: patterns, defaults and tolerances are its own."""
    text = (FOLDER / f"{name}.py").read_text(encoding="utf-8")
    assert ".yaml" not in text
    assert "conf/" not in text
