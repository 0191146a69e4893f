"""What the repository promises of itself: imports point one way, files stay small, docs name what is there."""

import ast
import re
import shlex
import subprocess
import tomllib
from collections import Counter
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest
import typer
from typer.core import TyperGroup

from jobs.cli import app
from jobs.commands.demo import SCENARIOS

ROOT = Path(__file__).resolve().parent.parent
OURS = ("conf", "transforms", "expectations", "jobs", "dashboards")
# A package, and what it may import of ours and of Spark and Delta.
MAY_IMPORT = {
    "conf": {"conf", "transforms"},
    "transforms": {"transforms"},
    "expectations": {"expectations", "transforms"},
    "jobs": {*OURS, "pyspark", "delta", "deltalake"},
    "dashboards": {"dashboards", "conf", "expectations", "transforms", "deltalake"},
    "lab": {"lab", *OURS, "pyspark", "delta", "deltalake"},
}
BOUND = {*OURS, "lab", "tests", "pyspark", "delta", "deltalake"}
# Of jobs, in the order that data goes; what all may use.
FOLDERS = (
    *(
        "inputs",
        "engine",
        "storage",
        "alerts",
        "gauges",
        "plans",
        "reading",
        "metrics",
        "folds",
        "explain",
        "sql",
    ),
    *("upkeep", "streaming", "commands"),
)
OF_ALL = {"console", "garbage", "progress"}
# What takes runs, and what is known of one.
TAKE_RUNS = {"streaming", "commands"}
OF_A_RUN = {"pipeline", "checks", "runs", "summary"}
LONGEST_FILE = 500  # lines: readable in one go
# Lines of Python in a folder: for what comes in, something goes.
MOST_LINES = {"jobs": 9_990, "dashboards": 8_283, "transforms/parse": 12_982}


def _group() -> TyperGroup:
    group = typer.main.get_command(app)
    assert isinstance(group, TyperGroup)
    return group


def _project() -> dict:
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def _normal(name: str) -> str:
    """A package's name as PEP 503 compares it."""
    return re.sub(r"[-_.]+", "-", name).lower()


@cache
def tracked() -> tuple[str, ...]:
    names = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True)
    return tuple(name for name in names.stdout.split("\0") if name and (ROOT / name).is_file())


def python_files(*tops: str) -> list[str]:
    return [name for name in tracked() if name.endswith(".py") and name.split("/")[0] in tops]


def texts() -> list[str]:
    """Tracked text files; recordings are gzipped, pictures are pictures."""
    return [name for name in tracked() if not name.endswith((".gz", ".png"))]


@cache
def imports_of(name: str) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """What a file imports, wherever it does: the module, and the names that are taken from it."""
    found: list[tuple[str, tuple[str, ...]]] = []
    waiting: list[ast.AST] = [ast.parse((ROOT / name).read_text(encoding="utf-8"))]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Import):
            found += [(alias.name, ()) for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.append((node.module, tuple(alias.name for alias in node.names)))
        for part in (
            "body",
            "orelse",
            "handlers",
            "finalbody",
            "cases",
        ):  # no statement is within an expression
            below = getattr(node, part, ())
            waiting += below if isinstance(below, list) else ()
    return tuple(found)


def test_imports_point_one_way():
    against = {}
    for name in python_files(*OURS, "lab"):
        tops = {module.split(".")[0] for module, _ in imports_of(name)}
        against[name] = (tops & BOUND) - MAY_IMPORT[name.split("/")[0]]
    assert {name: tops for name, tops in against.items() if tops} == {}


def test_folders_of_jobs_use_those_before_them():
    """None of them knows the command line, which stands above them all."""
    against = {}
    for name in (name for name in python_files("jobs") if name.count("/") > 1):
        folder = name.split("/")[1]
        used = {module.split(".")[1] for module, _ in imports_of(name) if module[:5] == "jobs."}
        allowed = {*OF_ALL, *FOLDERS[: FOLDERS.index(folder) + 1]}
        against[name] = used - (allowed | OF_A_RUN if folder in TAKE_RUNS else allowed)
    assert {name: folders for name, folders in against.items() if folders} == {}


@cache
def rooms() -> dict[str, dict[str, set[str]]]:
    """Of each folder, its files and folders, and which of them each imports from."""
    found: dict[str, dict[str, set[str]]] = {}
    modules = {
        name.removesuffix(".py").removesuffix("/__init__"): name for name in python_files(*OURS, "lab")
    }
    for module, name in modules.items():
        for target, names in imports_of(name):
            whole = target.replace(".", "/")
            for used in [f"{whole}/{one}" for one in names if f"{whole}/{one}" in modules] or [whole]:
                here, there = module.split("/"), used.split("/")
                pairs = enumerate(zip(here, there, strict=False))
                if same := next((at for at, (one, other) in pairs if one != other), None):
                    folder = found.setdefault("/".join(here[:same]), {})
                    folder.setdefault(here[same], set()).add(there[same])
    return found


FOLDERS_OF_ALL = sorted({str(Path(name).parent) for name in python_files(*OURS, "lab")})


@pytest.mark.parametrize("folder", FOLDERS_OF_ALL)
def test_no_room_of_a_folder_imports_in_a_circle(folder):
    """Files and folders that lie side by side: of two at most one knows the other, also by way of a third."""
    TopologicalSorter(rooms().get(folder, {})).prepare()  # raises CycleError, which names the circle


def test_every_folder_is_looked_at():
    assert rooms().keys() <= set(FOLDERS_OF_ALL)
    assert rooms()["jobs/folds"]["rebuild"] >= {"fold_input", "folding", "touched"}


def test_the_expectations_and_the_command_line_load_spark_only_when_they_need_it():
    for name in (*python_files("expectations"), "jobs/cli.py", "jobs/explain/by_id.py", "jobs/sql/query.py"):
        body = ast.parse((ROOT / name).read_text(encoding="utf-8")).body
        imported = [node.module or "" for node in body if isinstance(node, ast.ImportFrom)]
        imported += [alias.name for node in body if isinstance(node, ast.Import) for alias in node.names]
        assert not [module for module in imported if module.startswith("pyspark")], name


def test_few_modules_know_spark():
    """The engine, streams, a source for others: all else gives tasks to whichever engine there is."""
    knowing = {
        name
        for name in python_files("jobs")
        for module, _ in imports_of(name)
        if module.split(".")[0] in ("pyspark", "py4j", "delta")
    }
    assert knowing == {
        "jobs/engine/session.py",
        "jobs/engine/spark.py",
        "jobs/log_source.py",
        "jobs/streaming/stream_query.py",
    }


def test_of_the_dashboard_only_queries_read_tables():
    readers = [
        name
        for name in python_files("dashboards")
        if re.search(r"^\s*(from|import) deltalake", (ROOT / name).read_text(encoding="utf-8"), re.MULTILINE)
    ]
    assert readers == ["dashboards/queries/files.py"]


@pytest.mark.parametrize("folder", ["conf", "transforms", "jobs"])
def test_no_pattern_is_compiled_as_a_module_is_imported(folder):
    """A small log needs a fifth of them: when_used() has them wait."""
    at_once = [
        f"{name}:{node.lineno}"
        for name in python_files(folder)
        for statement in ast.parse((ROOT / name).read_text(encoding="utf-8")).body
        if not isinstance(statement, ast.FunctionDef | ast.ClassDef)
        for node in ast.walk(statement)
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "re.compile"
    ]
    assert not at_once


@cache
def lines_of(name: str) -> int:
    return len((ROOT / name).read_text(encoding="utf-8").splitlines())


def test_no_module_is_longer_than_a_reader_bears():
    lines = {name: lines_of(name) for name in python_files(*OURS, "tests", "lab")}
    assert {name: number for name, number in lines.items() if number > LONGEST_FILE} == {}


@pytest.mark.parametrize("folder", MOST_LINES)
def test_a_folder_grows_no_further(folder):
    names = [name for name in python_files(folder.split("/")[0]) if name.startswith(f"{folder}/")]
    assert 0 < sum(map(lines_of, names)) <= MOST_LINES[folder]


# Somebody's own folders and hosts: a clone has none of them.
PATHS = re.compile(r"(?<![\w.}~-])/(?:work|tmp|root|home/\w+|Users/\w+)/[\w.]")
HOSTS = re.compile(r"https?://[\w.-]*(?:artifactory|nexus|pypi|registry|mirror|proxy)[\w.-]*\.[a-z]{2,}")


def test_modules_of_tests_have_names_of_their_own():
    """Pytest imports a test by its bare name: a second one of that name stops the whole run."""
    names = Counter(Path(name).name for name in python_files("tests") if Path(name).name.startswith("test_"))
    assert [name for name, times in names.items() if times > 1] == []


def test_nothing_names_a_machine_or_a_package_registry():
    read = {name: (ROOT / name).read_text(encoding="utf-8", errors="replace") for name in texts()}
    named = {name: [*PATHS.findall(text), *HOSTS.findall(text)] for name, text in read.items()}
    assert {name: found for name, found in named.items() if found} == {}


def test_constraints_pin_names_and_versions_only_and_cover_what_is_needed():
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").split("\n")
    pins = [line for line in lines if line and not line.startswith("#")]
    assert [line for line in pins if not re.fullmatch(r"[\w.-]+==[\w.!+]+", line)] == []
    pinned = {_normal(line.split("==")[0]) for line in pins}
    project = _project()["project"]
    extras = project["optional-dependencies"]
    needed = [*project["dependencies"], *extras["spark"], *extras["dev"]]
    assert {_normal(re.split(r"[<>=!~\[; ]", one)[0]) for one in needed} - pinned == set()


def test_the_wheel_carries_the_demos_recordings():
    folders = _project()["tool"]["setuptools"]["data-files"]
    prefix = "share/kipwatch/recordings/"
    carried = {name.removeprefix(prefix): globs for name, globs in folders.items() if name.startswith(prefix)}
    assert set(carried) == set(SCENARIOS)
    for name, globs in carried.items():
        assert all(glob.startswith(f"tests/recordings/{name}/") for glob in globs)
        assert any(list(ROOT.glob(glob)) for glob in globs)


def test_the_wheel_carries_the_settings():
    """Files of folders that hold no code are listed as they are, those beside code by what their names end in."""
    globs = _project()["tool"]["setuptools"]["package-data"]
    carried = {path for glob in (*globs["*"], *globs["conf"]) for path in (ROOT / "conf").glob(glob)}
    data = {ROOT / name for name in tracked() if name.startswith("conf/") and not name.endswith(".py")}
    assert data <= carried


def commands() -> list[str]:
    """`kipwatch ...` as a reader would type it: whole lines of code blocks, and code spans in sentences."""
    found = []
    for name in tracked():
        if not (name.endswith(".md") and name.split("/")[0] in {"README.md", "CONTRIBUTING.md", "docs"}):
            continue
        text = (ROOT / name).read_text(encoding="utf-8")
        for block in re.findall(r"^```(?:sh|bash|shell)\n(.*?)^```", text, re.MULTILINE | re.DOTALL):
            # A quoted argument may go over several lines.
            found += re.findall(r"^(?:\S*/)?(kipwatch (?:\"[^\"]*\"|'[^']*'|[^\n\"'])*)", block, re.MULTILINE)
        found += re.findall(r"`(kipwatch [a-z][^`\n]*)`", text)
    return found


def epilogs() -> list[str]:
    return [
        found.epilog.removeprefix("Example: ")
        for found in _group().commands.values()
        if (found.epilog or "").startswith("Example: ")
    ]


def test_there_are_commands_to_parse():
    assert len(commands()) >= 5
    assert len(epilogs()) == len(_group().commands)


@pytest.mark.parametrize("line", [*commands(), *epilogs()])
def test_the_commands_that_docs_show_parse(line):
    _, name, *words = shlex.split(line, comments=True)
    assert name in _group().commands
    _group().commands[name].make_context(name, words)  # raises where a word is none of the command's


def test_a_command_that_is_none_would_fail():
    with pytest.raises(Exception, match="No such option"):
        _group().commands["run"].make_context("run", ["--log", "a", "--no-such", "--lake", "b"])
