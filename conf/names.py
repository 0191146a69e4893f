"""What a file's process is called: as the settings say, else by where it lies."""

from pathlib import Path

from conf.settings import SourceHint
from transforms.when_used import when_used

# .1, -20240501, .2024-05-01, .log.3 and the endings of compressed files
ROTATION = when_used(r"([._-](\d{1,3}|\d{8}|\d{4}-\d{2}-\d{2}([-_.T]\d{2,6})?(\.\d+)?))+$")
ENDINGS = (".gz", ".gzip")


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


def is_hidden(path: Path, root: Path) -> bool:
    """Whether it is, or lies in, what people and programs hide."""
    return any(part.startswith((".", "_")) for part in path.relative_to(root).parts)


def may_be_log(path: Path) -> bool:
    """Whether a folder may have it among logs."""
    return not path.name.endswith(NEVER_LOGS)
