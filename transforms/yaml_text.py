"""YAML of our own, read by libyaml where it is there: ten times as fast as by Python."""

from typing import Any

import yaml

_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def parse(text: str) -> Any:
    """What a text says, as plain Python.

    Raises: yaml.YAMLError.
    """
    return yaml.load(text, Loader=_LOADER)
