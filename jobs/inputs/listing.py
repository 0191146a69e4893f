"""Which files a run is about: paths, globs and folders, without what kipwatch or a shipper leaves beside logs.

Of an object store a prefix is what a folder is.
"""

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from stat import S_ISREG

from conf.names import is_hidden, may_be_log
from jobs.inputs.places import below, matching, open_input
from transforms.errors import BadInput
from transforms.plans.chunks import Listed
from transforms.plans.urls import MARKS, check, is_object


@dataclass(frozen=True, slots=True)
class LeftOut:
    """What stands among files and can't be read as one: its path, fit to be shown, and why."""

    path: str
    reason: str


def list_files(
    paths: Iterable[str],
    *,
    what: str = "--logs",
    may_vanish: bool = False,
    left_out: list[LeftOut] | None = None,
) -> list[Listed]:
    """Every file of the paths, globs and folders (taken whole, hidden files left out), once each, by path.

    may_vanish: what isn't there, or goes while it is listed, is left out, as rotation may take it away at any time.
    left_out: takes what a folder or glob holds and can't be read, so that one file ends no run.
    Raises: BadInput (exit 2) for a path given by itself that does not exist or can't be read, naming it; StoreAway.
    """
    found: dict[str, Listed] = {}
    for given in paths:
        if is_object(given):
            found |= {listed.path: listed for listed in _objects(given, what, may_vanish=may_vanish)}
            continue
        for path in _expand(given, what, may_vanish=may_vanish):
            listed = _looked_at(path, may_vanish=may_vanish)
            if isinstance(listed, Listed):
                found[listed.path] = listed
            elif listed is not None and path != _absolute(given):
                if left_out is not None:
                    left_out.append(listed)
            elif listed is not None:
                raise BadInput(listed.reason, where=listed.path, todo="make it a file that may be read")
    return [found[path] for path in sorted(found)]


def _looked_at(path: Path, *, may_vanish: bool) -> Listed | LeftOut | None:
    """The file as it is; None where it went. A pipe is not opened, as that would wait for who writes into it."""
    shown = os.fsencode(path).decode("utf-8", "backslashreplace")
    try:
        stat = path.stat()
        if not S_ISREG(stat.st_mode):
            return LeftOut(shown, "is no file but a pipe, socket or device")
        str(path).encode()
        with path.open("rb"):
            pass
    except UnicodeEncodeError:
        return LeftOut(shown, "has a name that is no UTF-8")
    except OSError as error:
        if isinstance(error, FileNotFoundError) and (may_vanish and not path.is_symlink()):
            return None
        return LeftOut(shown, f"can't be read ({error.strerror})")
    return Listed(str(path), stat.st_size, stat.st_mtime_ns)


def _absolute(given: str) -> Path:
    return Path(given).expanduser().absolute()


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
    return [one for path, one in listed if path == root or (not is_hidden(path, root) and may_be_log(path))]


def _expand(given: str, what: str, *, may_vanish: bool) -> Iterable[Path]:
    """What is there, but for folders; a link to nothing or in a circle too, so that it can be told."""
    path = _absolute(given)
    if path.is_dir():
        return [
            p for p in sorted(path.rglob("*")) if not p.is_dir() and not is_hidden(p, path) and may_be_log(p)
        ]
    if os.path.lexists(path):
        return [path]
    if any(mark in given for mark in "*?["):
        root = Path(path.anchor)
        matched = [p for p in sorted(root.glob(str(path.relative_to(root)))) if not p.is_dir()]
        if matched or may_vanish:
            return matched
        raise BadInput("no file matches", where=f"{what} {given}", todo="check the pattern")
    if may_vanish:
        return []
    raise BadInput("no such file or folder", where=f"{what} {given}", todo="check the path")
