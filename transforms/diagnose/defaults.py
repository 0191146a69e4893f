"""settings.yaml, read: what the settings that a text names are where nobody set them."""

import re
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

from transforms import yaml_text

MOST = 4  # settings: an answer that names more lists what may be looked at
_NAME = re.compile(r"(?<![\w.])[a-z]+(?:\.[a-z]+)+(?![\w.]*\w)")


@cache
def defaults() -> Mapping[str, str]:
    """Settings and what each of them is where it is not set, in words."""
    parsed: dict[str, str] = yaml_text.parse(
        files("transforms.diagnose").joinpath("settings.yaml").read_text(encoding="utf-8")
    )
    return parsed


def unless_set(text: str) -> str | None:
    """`max.poll.interval.ms 5 min (300000 ms); max.poll.records 500`, in the order of the text; None where it names none."""
    named = [name for name in dict.fromkeys(_NAME.findall(text)) if name in defaults()]
    return "; ".join(f"{name} {defaults()[name]}" for name in named[:MOST]) or None
