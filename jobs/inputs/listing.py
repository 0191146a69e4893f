"""Which files a run is about: paths, globs and folders, without what kipwatch or a shipper leaves beside logs.

Of an object store a prefix is what a folder is.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from jobs.conf import SourceHint
from jobs.errors import BadInput
from jobs.inputs.places import MARKS, below, check, is_object, matching, open_input

# .1, -20240501, .2024-05-01, .log.3 and the endings of compressed files
ROTATION = re.compile(r"([._-](\d{1,3}|\d{8}|\d{4}-\d{2}-\d{2}([-_.T]\d{2,6})?(\.\d+)?))+$")
ENDINGS = (".gz", ".gzip")
NEVER_LOGS = (
    ".parquet",
    ".crc",
    ".properties",
    ".yaml",
    ".yml",
    ".jar",
    ".class",
    ".zip",
    ".tar",
    ".tgz",
    ".pyc",
)


@dataclass(frozen=True, slots=True)
class Listed:
    """One file or object: its path, size in bytes and time of change (ns), as listed."""

    path: str
    size: int
    changed_ns: int


def list_files(paths: Iterable[str], *, what: str = "--logs", may_vanish: bool = False) -> list[Listed]:
    """Every file of the paths, globs and folders (taken whole, hidden files left out), once each, by path.

    may_vanish: what isn't there, or goes while it is listed, is left out, as rotation may take it away at any time.
    Raises: BadInput (exit 2) for a path that does not exist or can't be read, naming it; StoreAway.
    """
    found: dict[str, Listed] = {}
    for given in paths:
        if is_object(given):
            found |= {listed.path: listed for listed in _objects(given, what, may_vanish=may_vanish)}
            continue
        for path in _expand(given, what, may_vanish=may_vanish):
            try:
                stat = path.stat()
                with path.open("rb"):
                    pass
            except OSError as error:
                if may_vanish and isinstance(error, FileNotFoundError):
                    continue
                raise BadInput(
                    f"can't be read ({error.strerror})", where=str(path), todo="make it readable"
                ) from None
            found[str(path)] = Listed(str(path), stat.st_size, stat.st_mtime_ns)
    return [found[path] for path in sorted(found)]


def _objects(given: str, what: str, *, may_vanish: bool) -> list[Listed]:
    check(given, what)
    where = f"{what} {given}"
    try:
        found = _look(given)
        if found and not may_vanish:  # who may list need not be one who may read
            open_input(found[0].path).close()
    except OSError as error:
        todo = (
            "give credentials that may list and read it in the environment (AWS_PROFILE, AWS_ACCESS_KEY_ID)"
        )
        raise BadInput(f"can't be read ({error.strerror})", where=where, todo=todo) from None
    if found is None and not may_vanish:
        if MARKS.search(given):
            raise BadInput("no object matches", where=where, todo="check the pattern")
        raise BadInput("no such object, prefix or bucket", where=where, todo="check the path")
    return found or []


def _look(given: str) -> list[Listed] | None:
    """The object, those below the prefix, or those that a glob fits; None where there is nothing of the kind."""
    if MARKS.search(given) and (fitting := matching(given)):
        return [Listed(*stat) for stat in fitting]
    found = below(given)
    if found is None:
        return None
    root = Path(given)
    listed = [(Path(stat[0]), Listed(*stat)) for stat in found]
    return [one for path, one in listed if path == root or (not _is_hidden(path, root) and _may_be_log(path))]


def _expand(given: str, what: str, *, may_vanish: bool) -> Iterable[Path]:
    path = Path(given).expanduser().absolute()
    if path.is_file():
        return [path]
    if path.is_dir():
        return [
            p for p in sorted(path.rglob("*")) if p.is_file() and not _is_hidden(p, path) and _may_be_log(p)
        ]
    if any(mark in given for mark in "*?["):
        root = Path(path.anchor)
        matched = [p for p in sorted(root.glob(str(path.relative_to(root)))) if p.is_file()]
        if matched or may_vanish:
            return matched
        raise BadInput("no file matches", where=f"{what} {given}", todo="check the pattern")
    if may_vanish:
        return []
    raise BadInput("no such file or folder", where=f"{what} {given}", todo="check the path")


def _is_hidden(path: Path, root: Path) -> bool:
    return any(part.startswith((".", "_")) for part in path.relative_to(root).parts)


def _may_be_log(path: Path) -> bool:
    return not path.name.endswith(NEVER_LOGS)


def unit_names(path: str, hint: SourceHint) -> tuple[str, str]:
    """(service, instance) of a file: declared, else the name of its folder and its own without rotation suffix."""
    file = Path(path)
    return hint.service or file.parent.name, hint.instance or without_rotation(file.name)


def without_rotation(name: str) -> str:
    """`app.log.3.gz`, `app.log.2024-05-01` and `app.log` are one: `app.log`."""
    for ending in ENDINGS:
        name = name.removesuffix(ending)
    stem = ROTATION.sub("", name)
    return stem or name
