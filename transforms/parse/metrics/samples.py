"""What every reader of metrics gives: samples with the MBean's canonical name, and books that balance.

Source: Kafka clients, JmxReporter (`domain:type=group,tag=value`; `-avg`, `-max`, `-min` and `-rate` describe a window of
metrics.num.samples x metrics.sample.window.ms) and Sanitizer.jmxSanitize (which values of tags are quoted);
javax.management.ObjectName.quote.
"""

import json
import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, NamedTuple

from transforms.parse.lines.timestamps import is_kept
from transforms.when_used import when_used

# A comma inside a quoted value does not end it.
_PROPERTY = when_used(r'(?s)(?P<key>[^=]+)=(?P<value>"(?:[^"\\]|\\.)*"|(?!")[^,]*)(?:,|\Z)')
_QUOTED_ESCAPE = when_used(r'\\(["*?\\n])')
_NEEDS_NO_QUOTES = when_used(r"(?a)[\w\-%. \t]*\Z")  # Sanitizer.MBEAN_PATTERN
STREAMS_THREAD = when_used(r"-(?:Global)?StreamThread(?:-\d+)?$|-StateUpdater-\d+$")
_WINDOWED = when_used(r"-(?:avg|max|min|rate|rate-per-hour)$|^(?:io|io-wait|bufferpool-wait)-ratio$")
_CLIENT_DOMAINS = frozenset(
    {"kafka.consumer", "kafka.producer", "kafka.admin.client", "kafka.streams", "kafka.connect"}
)

# By the defaults metrics.num.samples=2 and metrics.sample.window.ms=30000: the older sample is whole, the younger has begun.
WINDOW_MS = (30_000, 60_000)
# Whose clock told the times: `process` where it was the client's own (Jolokia's agent), else `collector`.
PROCESS, COLLECTOR = "process", "collector"
# A metric whose name says no MBean of Kafka's stands under this domain: it is kept, and counted.
UNMAPPED = "unmapped"
# Numbers of seconds, ms, µs and ns since 1973 and until 5138 don't meet; what is beyond is no time.
_UNITS = ((10**11, 1000, 1), (10**14, 1, 1), (10**17, 1, 1000), (10**20, 1, 1_000_000))
_EARLIEST_S = 10**8
NO_LABELS: Mapping[str, str] = {}


@dataclass(slots=True)
class MetricSample:
    """One attribute of one MBean at one time. sampled_at: ms since the epoch, UTC.

    item: its number, or that of the response it stands in, in its piece of input. value: None for NaN, an infinity, and
    where it is a text. labels: what the collector added that is no key of the MBean, such as `job` and `instance`.
    """

    sampled_at: int
    item: int
    mbean: str
    attribute: str
    value: float | None
    text_value: str | None
    tags: Mapping[str, str]
    client_id: str | None
    labels: Mapping[str, str] = field(default_factory=dict)


@dataclass(slots=True)
class MetricBooks:
    """What became of what was read: `read` = samples + all in `skipped` by reason.

    responses: documents, responses, lines or series looked at. unmapped: samples, of those given, whose metric is no
    MBean of Kafka's by its name. structure: lines that say how others are to be read (headers, HELP, TYPE).
    """

    responses: int = 0
    samples: int = 0
    unmapped: int = 0
    structure: int = 0
    skipped: Counter[str] = field(default_factory=Counter)

    @property
    def read(self) -> int:
        """Values met, and responses or lines that had none to give."""
        return self.samples + self.skipped.total()

    def sample(
        self,
        at: int,
        item: int,
        mbean: "MBean",
        attribute: str,
        told: tuple[float | None, str | None],
        labels: Mapping[str, str] = NO_LABELS,
    ) -> MetricSample:
        """One more, counted. told: its number, or its text."""
        name, tags, client_id = mbean
        value, text = told
        self.samples += 1
        self.unmapped += name.startswith(UNMAPPED)
        return MetricSample(at, item, name, attribute, value, text, tags, client_id, labels)

    def skip(self, reason: str) -> None:
        """One more document, response or series that has no value to give."""
        self.responses += 1
        self.skipped[reason] += 1

    def add(self, other: "MetricBooks") -> None:
        """Take another's counts in."""
        self.responses += other.responses
        self.samples += other.samples
        self.unmapped += other.unmapped
        self.structure += other.structure
        self.skipped.update(other.skipped)


class MBean(NamedTuple):
    """name: canonical. tags: its keys, unquoted. client_id: the client.id it speaks of."""

    name: str
    tags: Mapping[str, str]
    client_id: str | None


@lru_cache(1 << 15)
def mbean_of(name: str) -> MBean:
    """An MBean by its name as written.

    Raises: ValueError where it is no object name.
    """
    domain, _, properties = name.partition(":")
    written, at = {}, 0
    while at < len(properties) and (found := _PROPERTY.match(properties, at)):
        written[found["key"]], at = found["value"], found.end()
    if not domain or not written or at < len(properties):
        raise ValueError(f"{name!r} is no MBean name; it has the form domain:key=value,...")
    return _mbean(domain, written)


def mbean_from(domain: str, tags: Mapping[str, str]) -> MBean:
    """An MBean by its domain and its keys; a value is quoted where Kafka quotes it, one that is quoted stays as it is."""
    return _mbean(domain, {key: quoted(value) for key, value in tags.items()})


def _mbean(domain: str, written: Mapping[str, str]) -> MBean:
    """Its name is `domain:type=...` with the other keys sorted; its tags have their quotes taken off."""
    keys = sorted(written, key=lambda key: (key != "type", key))
    tags = {key: unquoted(written[key]) for key in keys}
    return MBean(f"{domain}:{','.join(f'{key}={written[key]}' for key in keys)}", tags, client_of(tags))


def client_of(tags: Mapping[str, str]) -> str | None:
    """The client.id an MBean speaks of; of a Streams thread's MBean, that of its Streams client."""
    if "client-id" in tags:
        return tags["client-id"]
    if tags.get("type") == "app-info":
        return tags.get("id")
    thread = tags.get("thread-id")
    return STREAMS_THREAD.sub("", thread) if thread else None


def window_of(mbean: str, attribute: str) -> tuple[int, int] | None:
    """The shortest and the longest time, ms, that a value of this attribute may describe, by Kafka's defaults.

    None where it is a count since the start, or read at the moment of the query.
    """
    return WINDOW_MS if mbean.partition(":")[0] in _CLIENT_DOMAINS and _WINDOWED.search(attribute) else None


def value_of(raw: Any) -> tuple[float | None, str | None]:
    """The number, or the text, of an attribute; a list is kept as the text of its JSON."""
    if raw is None:
        return None, None
    if isinstance(raw, bool | int | float):
        try:
            number = float(raw)
        except OverflowError:
            return None, str(raw)
        return (number if math.isfinite(number) else None), None
    return None, raw if isinstance(raw, str) else json.dumps(raw, sort_keys=True)


def written_value(text: str) -> tuple[float | None, str | None]:
    """The number, or the text, of a value that was written as text: `NaN`, `+Inf` and `null` are no number and no text."""
    if text in ("", "null"):
        return None, None
    try:
        number = float(text) if "_" not in text else None  # Python's 1_000 is nobody's number
    except ValueError:
        number = None
    if number is None:
        return (1.0, None) if text == "true" else (0.0, None) if text == "false" else (None, text)
    return (number if math.isfinite(number) else None), None


def instant_ms(raw: Any) -> int | None:
    """A time since the epoch in s, ms, µs or ns, told by its size; a fraction of a ms is cut. None where it is none."""
    if isinstance(raw, str):
        try:
            raw = int(raw) if raw.strip().lstrip("-").isdecimal() else float(raw)
        except ValueError:
            return None
    if isinstance(raw, bool) or not isinstance(raw, int | float) or not math.isfinite(raw):
        return None
    if raw < _EARLIEST_S:
        return None
    for limit, times, per in _UNITS:
        if raw < limit:
            # Seconds with a fraction are rounded: 1.001 s is 1000.9999 ms in a double.
            at = round(raw * times) if times > 1 else int(raw) // per
            return at if is_kept(at) else None
    return None


def inside(holder: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """An object that stands in another under a name; an empty one where none does."""
    found = holder.get(name)
    return found if isinstance(found, dict) else {}


def leaves(value: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """The values of an object and of the objects in it, each with the names that lead to it; of what is none nothing."""
    for name, inner in value.items() if isinstance(value, dict) else ():
        if isinstance(inner, dict):
            yield from leaves(inner, (*path, str(name)))
        else:
            yield (*path, str(name)), inner


def quoted(value: str) -> str:
    """A value as Kafka writes it into an MBean's name."""
    if len(value) >= 2 and value[0] == value[-1] == '"':
        return value
    if _NEEDS_NO_QUOTES.match(value):
        return value
    escaped = re.sub(r'(["*?\\])', r"\\\1", value).replace("\n", "\\n")
    return f'"{escaped}"'


def unquoted(value: str) -> str:
    """The value a client gave."""
    if not (len(value) >= 2 and value[0] == value[-1] == '"'):
        return value
    return _QUOTED_ESCAPE.sub(lambda match: "\n" if match[1] == "n" else match[1], value[1:-1])
