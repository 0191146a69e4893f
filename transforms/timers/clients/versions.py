"""Versions as processes print them, and the defaults of a release line."""

from collections.abc import Iterator, Mapping
from typing import Any

from transforms.when_used import when_used
from transforms.whole import whole_number

Version = tuple[int, int, int]
DefaultTables = Mapping[str, Mapping[str, Mapping[str, Any]]]

_RELEASE = when_used(r"(\d+)\.(\d+)(?:\.(\d+))?(.*)")


def version_of_text(text: str | None) -> Version | None:
    """The Apache Kafka version behind a printed one; None where it does not tell (`unknown`).

    Confluent's builds (`7.6.1-ccs`) count for themselves: 5.n is 2.n, 6.n is 2.(6+n), 7.n is 3.n, 8.n is 4.n.
    """
    match = _RELEASE.match(text or "")
    if match is None:
        return None
    major, minor, patch = whole_number(match[1]), whole_number(match[2]), whole_number(match[3] or "0")
    if match[4].startswith(("-ccs", "-ce")):
        of_confluent = {5: (2, minor), 6: (2, 6 + minor), 7: (3, minor), 8: (4, minor)}.get(major)
        return (*of_confluent, patch) if of_confluent else None
    return (major, minor, patch) if major <= 4 else None


def named(version: Version) -> str:
    """`4.2.1`."""
    return ".".join(map(str, version))


def defaults_at(tables: DefaultTables, table: str, version: Version | None) -> Iterator[tuple[str, str]]:
    """The defaults that a class has in a version; those of the newest line known where the version is not.

    tables: conf/kafka_defaults by class; a value stands under the first release line that has it, null where
    it is gone.
    """
    for name, by_line in tables.get(table, {}).items():
        value = _value_at(by_line, version)
        if value is not None:
            yield name, _printed(value)


def _value_at(by_line: Mapping[str, Any], version: Version | None) -> Any:
    value = None
    for line, then in by_line.items():
        since = tuple(int(part) for part in str(line).split("."))
        if version is None or version[: len(since)] >= since:
            value = then
    return value


def _printed(value: Any) -> str:
    """As a dump prints it."""
    return str(value).lower() if isinstance(value, bool) else str(value)
