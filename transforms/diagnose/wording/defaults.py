"""settings.yaml and own_defaults.yaml, read: what the settings that a text names are where nobody set them."""

from collections.abc import Mapping
from functools import cache

from transforms import yaml_text
from transforms.diagnose.wording.own_settings import any_whole
from transforms.events import JAVA
from transforms.when_used import when_used

MOST = 4  # settings: an answer that names more lists what may be looked at
_NAME = when_used(r"(?<![\w.])(?<!know no )[a-z]+(?:\.[a-z]+)+(?![\w.]*\w)")

_MS = when_used(r"\((\d+) ms\)")


@cache
def defaults() -> Mapping[str, str]:
    """Settings and what each of them is where it is not set, in words."""
    parsed: dict[str, str] = yaml_text.of_package("transforms.diagnose", "settings.yaml")
    return parsed


@cache
def defaults_of(library: str) -> Mapping[str, str]:
    """Those of a client that is not Java's, by its own names; none of a library that is not known."""
    parsed = yaml_text.of_package("transforms.diagnose", "own_defaults.yaml")
    return dict(parsed.get(library, {}))


def default_ms(name: str) -> int | None:
    """What a setting of Java's clients is where it is not set; None of one that is no time, or has no default."""
    found = _MS.search(defaults().get(name, ""))
    return int(found[1]) if found else None


def unless_set(text: str, library: str = JAVA) -> str | None:
    """`max.poll.interval.ms 5 min (300000 ms); max.poll.records 500`, in the order of the text; None where it names none."""
    known = defaults() if library == JAVA else defaults_of(library)
    found = _NAME.findall(text) if library == JAVA else _own_names(library, text)
    named = [name for name in dict.fromkeys(found) if name in known]
    return "; ".join(f"{name} {known[name]}" for name in named[:MOST]) or None


def _own_names(library: str, text: str) -> list[str]:
    names = defaults_of(library)
    return any_whole(names).findall(text) if names else []
