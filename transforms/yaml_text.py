"""YAML of our own, read by libyaml where it is there: ten times as fast as by Python."""

from importlib.resources import files
from typing import Any

import yaml

_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def parse(text: str) -> Any:
    """What a text says, as plain Python.

    Raises: yaml.YAMLError.
    """
    return yaml.load(text, Loader=_LOADER)


def of_package(package: str, name: str) -> Any:
    """What a file that stands in a package of ours says."""
    return parse(files(package).joinpath(name).read_text(encoding="utf-8"))
