"""What names an object of a store, or a prefix: `scheme://bucket/key`. Looked at before any store is asked."""

from collections.abc import Sequence
from fnmatch import fnmatchcase

from transforms.errors import BadInput
from transforms.when_used import when_used

# Of a prefix that is a place to write to: no marks of a glob, nothing that a URL takes for something else.
PREFIX = when_used(r"[\w.=+@$()'!,~ /-]*")
SCHEMES = ("s3", "gs", "abfs", "abfss")
URL = when_used(r"(?s)(?P<root>(?P<scheme>[A-Za-z][A-Za-z0-9+.-]*)://(?P<bucket>[^/]*))/*(?P<key>.*)")
BUCKET = when_used(r"[\w-][\w.-]*")
AZURE = when_used(r"([\w$-]+@)?[\w-][\w.-]*")  # container@account's host
QUERY = when_used(r"\?[\w.-]+=")
MARKS = when_used(r"[*?\[]")


def is_object(path: str) -> bool:
    """Whether a path has a scheme. A file's path as it is listed never has: it is whole, without two slashes in a row."""
    return "://" in path and URL.fullmatch(path) is not None


def check(given: str, what: str) -> None:
    """Look at an argument with a scheme before anybody is asked. It is not repeated, as a secret may stand in it.

    Raises: BadInput for a scheme that is none of SCHEMES, credentials or a query, and for no bucket.
    """
    _, scheme, bucket, _ = parts_of(given)
    where = f"{what} {scheme}://..."
    if scheme not in SCHEMES:
        known = ", ".join(f"{one}://" for one in SCHEMES)
        raise BadInput(
            "can't be read from there", where=where, todo=f"give a path, or one that begins with {known}"
        )
    is_bucket = (AZURE if scheme.startswith("abfs") else BUCKET).fullmatch(bucket)
    if QUERY.search(given) or (not is_bucket and set(bucket) & set("@:")):
        raise BadInput(
            "credentials or settings stand in it",
            where=where,
            todo="leave them out; the environment has them, such as AWS_PROFILE and AWS_ENDPOINT_URL",
        )
    if not is_bucket:
        raise BadInput("names no bucket", where=where, todo=f"give {scheme}://bucket/prefix")


def check_prefix(given: str, what: str) -> None:
    """Look at a prefix that a lake lies under, as check() does.

    Raises: BadInput, also for a glob, and parts of a path that lead elsewhere.
    """
    check(given, what)
    _, scheme, _, key = parts_of(given)
    if not PREFIX.fullmatch(key) or any(
        part in ("", ".", "..") for part in key.rstrip("/").split("/") if key
    ):
        raise BadInput(
            "is no plain prefix", where=f"{what} {scheme}://...", todo=f"give {scheme}://bucket/prefix"
        )


def fits(parts: Sequence[str], pattern: Sequence[str]) -> bool:
    """Whether a glob fits a key, both by their parts."""
    if not pattern:
        return not parts
    if pattern[0] == "**":
        return any(fits(parts[number:], pattern[1:]) for number in range(len(parts) + 1))
    return bool(parts) and fnmatchcase(parts[0], pattern[0]) and fits(parts[1:], pattern[1:])


def parts_of(path: str) -> tuple[str, str, str, str]:
    """Root (`scheme://bucket`), scheme, bucket and key."""
    found = URL.fullmatch(path)
    assert found is not None  # is_object
    return found["root"], found["scheme"], found["bucket"], found["key"]
