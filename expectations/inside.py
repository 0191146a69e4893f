"""Files that a table names, and whether all of them are its own: a Delta log may name any file by an absolute path."""

import re
from collections.abc import Iterable

TODO = "take that commit back, or read the same logs again into a new lake"
_LEAVES = re.compile(r"/|[A-Za-z][A-Za-z\d+.\-]*:|(?:.*/)?(?:\.|%2[Ee]){2}(?:/|%2[Ff]|\Z)", re.DOTALL)


def outside(paths: Iterable[str]) -> str | None:
    """The first of a table's files, as its log names them, that does not lie in its own folder."""
    return next((path for path in paths if _LEAVES.match(path)), None)


def told(path: str) -> str:
    """That the table names it, in a sentence."""
    return f"names the file {path}, which is not in its own folder"
