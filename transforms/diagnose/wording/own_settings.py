"""A setting by the name that a client which is not Java's has for it, beside Kafka's."""

import re
from collections.abc import Iterable, Mapping
from functools import cache

from transforms import yaml_text
from transforms.events import JAVA
from transforms.when_used import when_used

ALONE = "= "  # before a name that stands for Kafka's, and not beside it
# What only Java's clients have, and what stands for it where another one is meant.
_OF_JAVA = (
    (
        when_used(
            r"(?:The (?:WARN )?lines of|The client's lines of AbstractCoordinator and) NetworkClient(?: and Sender)?"
            r"|NetworkClient's lines"
        ),
        "The client's own lines",
    ),
    (
        when_used("The producer's metrics request-latency-avg and produce-throttle-time-avg"),
        "The client's own statistics of latency and throttling",
    ),
)


def in_words_of(library: str | None, text: str) -> str:
    """A sentence with the settings of a library: the first time each stands beside Kafka's name of it, then alone.

    library: as events and lines name it; of one that has no names of its own, and of Java's, the text as it is.
    """
    names = _names().get(library or "", {})
    told: set[str] = set()

    def own(found: re.Match[str]) -> str:
        name = names.get(found[0])
        if name is None:
            return found[0]
        if name.startswith(ALONE):
            return name.removeprefix(ALONE)
        is_first = found[0] not in told
        told.add(found[0])
        if not is_first:
            return name
        within = text[: found.start()].endswith("(")
        return f"{name}, {found[0]}" if within else f"{name} ({found[0]})"

    return _setting().sub(own, text) if names else text


def evidence_for(library: str | None, text: str) -> str:
    """What would tell more of a library's client, in words that hold for it."""
    if library not in (None, JAVA):
        for of_java, others in _OF_JAVA:
            text = of_java.sub(others, text)
    return in_words_of(library, text)


@cache
def _names() -> Mapping[str, Mapping[str, str]]:
    names: Mapping[str, Mapping[str, str]] = yaml_text.of_package("transforms.diagnose", "own_settings.yaml")
    return names


@cache
def _setting() -> re.Pattern[str]:
    """Any of Kafka's names."""
    return any_whole(name for names in _names().values() for name in names)


def any_whole(settings: Iterable[str]) -> re.Pattern[str]:
    """Any of these names of settings, of which there is at least one; none that is a part of a longer one."""
    known = sorted(set(map(re.escape, settings)), key=len, reverse=True)
    return re.compile(rf"(?<![\w.])(?:{'|'.join(known)})(?![\w\-]|\.\w)")
