"""Names of metrics as collectors write them -> MBeans of Kafka's clients.

A collector flattens `domain:type=group,tag=value` and an attribute into one name: `domain_group_attribute` (jmx_exporter's
default), `kafka_group_attribute` without `-metrics` (jmx_exporter's rules for Connect and MirrorMaker, Micrometer's
KafkaMetrics), `org.apache.kafka.group.attribute` (KIP-714, Metric naming) or `kafka.consumer.attribute` (OpenTelemetry's
Kafka instrumentation, which leaves the group out). Hyphens, dots and underscores are one there, so the way back needs to
know the groups, and, where the group is cut or left out, their attributes.
"""

from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

from transforms import yaml_text
from transforms.parse.metrics.samples import STREAMS_THREAD, UNMAPPED, MBean, mbean_from
from transforms.when_used import when_used

KNOWN = yaml_text.of_package("transforms.parse", "mbeans.yaml")
# domain, type: the attributes it is known to have, if any.
GROUPS: dict[tuple[str, str], str] = {
    (domain, kind): " ".join(attributes)
    for domain, kinds in KNOWN["domains"].items()
    for kind, attributes in kinds.items()
}

_TAG_BY_LETTERS = {tag.replace("-", ""): tag for tag in KNOWN["tags"].split()}
_STORE = when_used(r"[a-z][a-z-]*-state-id$")
_NO_LETTER = when_used(r"[^A-Za-z0-9]+")

# attr text + `(domain<type=group, ...><>attribute)`, and from 0.18 on `domain:name=...,type=group,attribute=attribute`.
_HELP = (
    when_used(r"(?:^|\()(?P<domain>[\w.]+)<type=(?P<type>[^,>]+)[^>]*><>(?P<attribute>[^\s):]+)\)?\s*$"),
    when_used(r"(?:^|\s)(?P<domain>[\w.]+):name=[^,]*,type=(?P<type>[^,]+),attribute=(?P<attribute>\S+)\s*$"),
)


class Named(NamedTuple):
    """What a metric's name says: an MBean's domain and type, and the attribute in Kafka's spelling."""

    domain: str
    type: str
    attribute: str


def _flat(text: str) -> str:
    return _NO_LETTER.sub("_", text).strip("_").lower()


_ATTRIBUTES = {
    # Reversed: of two spellings the first one listed is taken, which is that of the newer clients.
    group: {_flat(attribute): attribute for attribute in reversed(text.split())}
    for group, text in GROUPS.items()
}
# `c, topic=orders`; the value may be quoted.
_NEXT_KEY = when_used(r'(?s)(?P<value>"(?:[^"\\]|\\.)*"|[^",]+), (?P<key>[a-z][a-z-]*)=(?P<rest>.+)')
_DOMAINS = frozenset(domain for domain, _ in GROUPS)
_DOMAIN_OF_TYPE = {kind: domain for domain, kind in GROUPS if kind != "app-info"}


def _prefixes() -> list[tuple[str, bool, tuple[tuple[str, str], ...]]]:
    """(beginning of a name, whether the attribute must be known, the groups it may mean), the longest first."""
    found: dict[str, tuple[bool, list[tuple[str, str]]]] = {}
    for group in GROUPS:
        domain, kind = group
        cut = kind.removesuffix("-metrics")
        written = (
            (f"{domain}_{kind}", False),
            (f"kafka_{kind}", kind == cut),
            (f"{domain}_{cut}", True),
            (f"kafka_{cut}", True),
            (domain, True),
        )
        for name, is_strict in written:
            _, groups = found.setdefault(_flat(name), (is_strict, []))
            if group not in groups:
                groups.append(group)
    return sorted(
        ((f"{name}_", is_strict, tuple(groups)) for name, (is_strict, groups) in found.items()),
        key=lambda entry: -len(entry[0]),
    )


_PREFIXES = _prefixes()


def named(name: str, labels: Mapping[str, str], attribute: str | None = None) -> Named | None:
    """The MBean and attribute that a metric's name means, or None where it is none of Kafka's.

    labels: tell which group it is where the name leaves it out. attribute: where the collector keeps it apart.
    """
    kind = labels.get("type", "")
    if attribute is not None and kind in _DOMAIN_OF_TYPE:
        return Named(_DOMAIN_OF_TYPE[kind], kind, spelled(kind, attribute))
    keys = frozenset(tag for tag in map(tag_of, labels) if tag)
    return _named(name if attribute is None else f"{name}_{attribute}", keys)


def spelled(kind: str, attribute: str) -> str:
    """An attribute of a type in Kafka's own spelling: `heartbeat_rate` is `heartbeat-rate`."""
    return known_attribute(kind, attribute) or attribute.replace("_", "-")


def known_attribute(kind: str, flat: str) -> str | None:
    """An attribute that a type is known to have, written in any way, in Kafka's own spelling."""
    domain = _DOMAIN_OF_TYPE.get(kind)
    return _ATTRIBUTES[domain, kind].get(_flat(flat)) if domain else None


@lru_cache(1 << 14)
def _named(name: str, keys: frozenset[str]) -> Named | None:
    flat = _flat(name).removeprefix("org_apache_").removeprefix("messaging_")
    if not flat.startswith("kafka_"):
        flat = f"kafka_{flat}"
    for prefix, is_strict, groups in _PREFIXES:
        if not flat.startswith(prefix):
            continue
        rest = flat[len(prefix) :]
        # A library that names every counter `_total` adds it to attributes that have no such ending.
        for written in (rest, rest.removesuffix("_total")):
            known = [group for group in groups if written in _ATTRIBUTES[group]]
            if is_strict and "node-id" not in keys:
                known = [group for group in known if "-node-" not in group[1]]
            if known:
                domain, kind = max(known, key=lambda group: _fits(group[1], keys))
                return Named(domain, kind, _ATTRIBUTES[domain, kind][written])
        if not is_strict and rest:
            domain, kind = groups[0]
            return Named(domain, kind, rest.replace("_", "-"))
    return None


def _fits(kind: str, keys: frozenset[str]) -> int:
    """How well a type goes with the keys of a metric: a node's metrics have a node, a topic's a topic."""
    is_of_node, is_of_topic = "-node-" in kind, kind == "producer-topic-metrics"
    fits = int(is_of_node == ("node-id" in keys))
    return fits + int("topic" not in keys or is_of_topic or kind == "consumer-fetch-manager-metrics")


def from_help(text: str) -> Named | None:
    """The client's MBean that jmx_exporter's own HELP text names, whatever a rule made of the metric's name."""
    for pattern in _HELP:
        if (found := pattern.search(text)) and found["domain"] in _DOMAINS:
            return Named(found["domain"], found["type"], found["attribute"])
    return None


@lru_cache(1 << 12)
def tag_of(label: str) -> str | None:
    """The key of an MBean that a label is: `client_id` and `clientId` are `client-id`; None where it is none."""
    tag = _TAG_BY_LETTERS.get(_NO_LETTER.sub("", label).lower())
    if tag is None and _STORE.match(hyphened := label.replace("_", "-")):
        return hyphened
    return tag


def mapped(
    name: str, labels: Mapping[str, str], attribute: str | None = None, given: Named | None = None
) -> tuple[MBean, str, dict[str, str]]:
    """MBean, attribute, and the labels that are no keys of it, of a metric.

    given: what the collector itself says it is. A metric that is none of Kafka's is `unmapped:type=<name>` with its
    labels as keys.
    """
    meant = given or named(name, labels, attribute)
    if meant is None:
        return _unmapped(name, labels, attribute)
    tags, rest = {"type": meant.type}, {}
    for label, value in labels.items():
        tag = tag_of(label)
        if tag is None and meant.type == "app-info" and label == "id":
            tag = "id"
        if tag:
            tags |= _keys_in(tag, value)
        elif label != "type":
            rest[label] = value
    # Threads' MBeans have a thread-id, which such rules call client_id as well.
    if meant.type.startswith("stream-") and STREAMS_THREAD.search(tags.get("client-id", "")):
        tags.setdefault("thread-id", tags.pop("client-id"))
    return mbean_from(meant.domain, tags), meant.attribute, rest


def _keys_in(tag: str, value: str) -> dict[str, str]:
    """The keys in a label: a rule of jmx_exporter that ends greedily (`client-id=(.+)><>`) puts all that follow into one.

    Kafka quotes a value that has a comma, so that what is behind one outside of quotes is another key.
    """
    behind = _NEXT_KEY.fullmatch(value)
    next_tag = tag_of(behind["key"]) if behind else None
    if behind is None or next_tag is None:
        return {tag: value}
    return {tag: behind["value"]} | _keys_in(next_tag, behind["rest"])


# Labels by which collectors say where they found a metric, and what others begin with that do.
_LABELS = {name: tuple(labels.split()) for name, labels in KNOWN["labels"].items()}
_COLLECTORS = frozenset((*_LABELS["service"], *_LABELS["instance"], *_LABELS["place"]))


def _unmapped(
    name: str, labels: Mapping[str, str], attribute: str | None
) -> tuple[MBean, str, dict[str, str]]:
    rest = {
        label: value
        for label, value in labels.items()
        if label in _COLLECTORS or label.startswith(_LABELS["begins"])
    }
    tags = {label.replace(",", "_").replace("=", "_"): v for label, v in labels.items() if label not in rest}
    return mbean_from(UNMAPPED, {**tags, "type": name}), attribute or "value", rest


def who(labels: Mapping[str, str]) -> tuple[str | None, str | None]:
    """(service, instance) by the labels of a collector, as far as they say."""
    service, instance = (
        next(filter(None, map(labels.get, _LABELS[name])), None) for name in ("service", "instance")
    )
    return service, instance
