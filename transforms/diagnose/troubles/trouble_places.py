"""Whom and what lines of trouble name: clients, brokers, topics, as a sentence says them."""

import re
from collections.abc import Iterator, Mapping, Sequence

from transforms.diagnose.wording.named_clients import a_client
from transforms.diagnose.wording.words import listed
from transforms.events import JAVA, is_named
from transforms.parse.lines.prefixes import streams_client_of
from transforms.parse.lines.tokens import THREADY
from transforms.timers.clients.troubles import TroubleLines
from transforms.when_used import when_used
from transforms.whole import is_whole, whole_number

BROKERS = 1_000_000  # ids below it are brokers
COORDINATOR = 2**31 - 1  # the connection to a coordinator has this number less the broker's id
_ADVERTISED = when_used(r"broker \d+ \((?:localhost|127\.)")  # only metadata tells a broker's number
_PLAIN_NODE = when_used(r"(?:\w+://)?(?P<address>[\w.\-\[\]*]+:\d{2,5})")  # librdkafka's
# By whoever posted it: it tells no address from another.
_ALL_MASKED = when_used(r"(?:ipv[46]#)?[.*]+(?::\d+)?")
_FAMILY = when_used(r"^ipv[46]#")  # how librdkafka names an address that it resolved
_RESOLVED = when_used(r"([\w.\-]+)/[\d.]+(?=:\d)")  # `kafka/10.0.0.1:9092`
LOCAL = when_used(r"\b(?:localhost|127\.0\.0\.1)\b|(?<![\w:])::1\b")
_COLON = when_used(":")
# A connection as Go names it, `10.0.0.4:51137->10.0.0.5:9092`: its own end, then the broker's.
_OWN_END = when_used(r"[\w.\-\[\]:]+-(?:>|\\+u003e)")
# `async_producer.go:1192` is a line of a source, no port.
_SOURCES = r"(?![\w\-]+\.(?:go|cs|rs|[jt]s|py|rb|c|cc|cpp|ex|erl|php|java|scala|kt):)"
_HOST = when_used(  # none that nginx serves, as it ends each line of its own
    rf"\b(?<!\w\.)(?<!\*\.)(?<!, server: )(?:\d{{1,3}}(?:\.\d{{1,3}}){{3}}|{_SOURCES}[a-zA-Z][\w\-]*(?:\.[\w\-]+)+)"
    r":\d{4,5}\b|\[?::1\]?:\d{4,5}\b"
)
_ADDRESS = when_used(r"^(?P<address>\S+) \(id: (?P<id>-?\d+)")
# Source: GroupCoordinator, GroupMetadata.generateMemberId: the client's id (or group.instance.id), a dash, a UUID.
_OF_MEMBER_ID = when_used(r"-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$")
_TASK = when_used(r"\bWorkerS\w+Task\{id=([^}]+)\}")
# Clients of languages that name no threads: what looks like one is a word of the line.
WITHOUT_THREADS = frozenset({"sarama", "franz-go", "kafka-go", "go", "kafkajs"})
# A thread whose name says something of whose it is: neither everybody's, nor a class, a logger, a place in code, an address,
# nor fields, an id or a sentence of an application.
_TELLING = when_used(
    r"(?!(?:main|app|(?:[A-Z][a-z]+){2,}(?<!Thread)|[a-z]\w*(?:\.[a-z]\w*)+)$|.*://|\S+:\d+(?:/[\w-]+)?$"
    r"|[\da-f]{8}(?:-[\da-f]{4}){3}-|(?:\S+ ){4})"
    r"[\w.#\-|:/ ]{2,80}$"
)


def who_of(stretch: Sequence[TroubleLines]) -> str:
    """Whose lines they are: clients by name, those of a Streams client by its own where it is among them; else what their
    members' ids or their thread tell of them.
    """
    clients = {one.client_id for one in stretch if one.client_id}
    if clients:
        return listed(sorted(one for one in clients if streams_client_of(one) not in clients))
    if tasks := sorted(
        {task[1] for one in stretch for said in one.first.values() if (task := _TASK.search(said))}
    ):
        return f"Connect task {listed(tasks)}"
    if members := sorted({name for one in stretch if (name := _of_member(one.first))}):
        return listed(members)
    if all(one.is_server for one in stretch):
        return "a broker or controller"
    libraries = {one.library for one in stretch} - {"java"}
    threads = sorted(
        {one.thread for one in stretch if one.thread and _TELLING.match(one.thread) and _is_thread(one)}
        if not libraries & WITHOUT_THREADS
        else ()
    )
    client = a_client(libraries.pop() if len(libraries) == 1 else None)
    return f"{client} (thread {threads[0]})" if len(threads) == 1 else client


def _of_member(named: Mapping[str, str]) -> str | None:
    """The client that a member id is made of; none where the broker knows it by an id alone (KIP-848)."""
    client = _OF_MEMBER_ID.sub("", named.get("member_id", ""))
    return client if is_named(client) and not _OF_MEMBER_ID.match(f"-{client}") else None


def _is_thread(one: TroubleLines) -> bool:
    """Whether what its layout took for a thread is one: of other languages it is mostly a logger, a part or an id."""
    return one.library == JAVA or THREADY.match(one.thread or "") is not None


def places_of(stretch: Sequence[Mapping[str, str]], *, of_servers: bool = False) -> dict[str, str]:
    """Which nodes and partitions. of_servers: servers say it of each other, of which some are controllers alone."""
    found: dict[str, str] = {}
    kind = "node" if of_servers else "broker"
    named = sorted({node for one in stretch if (node := _node(one, kind))})
    less = {name for node in named for name in _less(node) if name != node} if len(named) > 1 else ()
    nodes = [node for node in named if node not in less]
    if nodes:
        found["node"] = listed(nodes)
        if any(LOCAL.search(node) for node in nodes):
            found["advertised" if any(map(_ADVERTISED.match, nodes)) else "localhost"] = ""
        if any(one.get("node_id", "-1")[:2] in ("-2", "-3") for one in stretch):
            found["bootstrap"] = ""  # there are several: the first has the number -1
    by_partition = {one.get("topic") for one in stretch if one.get("partition")}
    topics = sorted({topic for one in stretch if (topic := topic_of(one)) and topic not in by_partition})
    if topics:
        found["topic"] = listed(topics)
    return found


def _less(node: str) -> Iterator[str]:
    """What names the same node and says less: its name or its address alone, or without what that resolved to."""
    for held in re.finditer(r"\(", node):
        yield node[: held.start()].removesuffix(" ")
        yield from (node[held.end() : colon.start()] for colon in _COLON.finditer(node, held.end()))
        if node.endswith(")"):
            yield node[held.end() : -1]
    yield _RESOLVED.sub(r"\1", node)


def topic_of(named: Mapping[str, str]) -> str | None:
    """`orders-3`, or the topic alone."""
    topic, partition = named.get("topic"), named.get("partition")
    return f"{topic}-{partition}" if topic and partition else topic


def _node(named: Mapping[str, str], kind: str) -> str | None:
    """`broker 3 (kafka3:9092)`, as far as the line names it. kind: what such a one is called."""
    address, number = address_of(named), number_of(named)
    if number is None:
        return address
    is_coordinator = whole_number(named.get("node_id") or "0") > COORDINATOR - BROKERS
    name = (
        f"{kind} {number}{' (coordinator)' if is_coordinator else ''}"
        if number >= 0
        else "a bootstrap address"
    )
    return f"{name} ({address})" if address else name


def address_of(named: Mapping[str, str]) -> str | None:
    """Host and port, as far as a line names them."""
    node = _ADDRESS.match(named["node"]) if "node" in named else None
    host, port = named.get("host"), named.get("port")
    if host and port:
        host = f"{host}:{port}"
    found = named.get("address") or host or (node["address"] if node else named.get("broker"))
    if found is not None and _ALL_MASKED.fullmatch(found):
        found = None
    if found is None and "node" in named and (plain := _PLAIN_NODE.fullmatch(named["node"])) is not None:
        found = plain["address"]
    if (
        found is None
        and "said" in named
        and (said := _HOST.search(_OWN_END.sub("", named["said"]))) is not None
    ):
        found = said[0]
    return _FAMILY.sub("", found).removeprefix("/") if found else None


def number_of(named: Mapping[str, str]) -> int | None:
    """The broker's id, also where its connection as coordinator is named; negative for a bootstrap address."""
    text = named.get("node_id")
    if not text and "node" in named and (node := _ADDRESS.match(named["node"])) is not None:
        text = node["id"]
    if not text or not is_whole(text):
        return None
    number = whole_number(text)
    return COORDINATOR - number if number > COORDINATOR - BROKERS else number
