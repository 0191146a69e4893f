"""What marks a line as Kafka's, wherever it stands in it: contexts, loggers, what only Kafka says, exception classes.

Three steps, each dearer than the one before: MAY_BE_KAFKA only excludes, on raw bytes; is_kafka() decides on a
record that was taken apart; the catalogue (transforms.parse.events.messages) says which message it is.
"""

import re
import sys
from functools import cache, lru_cache

import re2

from transforms import yaml_text
from transforms.parse.catalogue.by_literal import any_of, encoded
from transforms.parse.catalogue.forms import (
    catalogue,
    known_loggers,
    said_anywhere,
    said_by_exceptions,
    said_on_lines,
)
from transforms.parse.catalogue.other_words import OF_PYTHON, is_of_other
from transforms.when_used import when_used

# What Kafka's own LogContexts begin with: a client, a thread or task of Streams, a part of a broker. No lookarounds:
# these are looked for in whole columns, too. Those in brackets are found many times as fast as those that words begin.
ON_LIBRDKAFKA = r"\bStreamiz\.Kafka\.|\bquixstreams\b"  # by their names, which none of its own words are in
OF_SERVERS = (
    r"\[(?:(?:(?:Group(?:Coordinator|MetadataManager)|TransactionCoordinator|Transaction State Manager|KafkaServer"
    r"|BrokerServer|ReplicaManager|BrokerLifecycleManager|RaftManager|QuorumController|Controller|SocketServer|KafkaApi"
    r"|ReplicaFetcher(?:Thread)?)(?:[ -][^\]]{0,200})?|group-coordinator(?: [^\]]{0,200})?)\]"
    r"|group-coordinator-[^\]]{1,60}\]:)"  # what a thread of one says of itself
)
_HELD_CONTEXTS = (
    r"\[[A-Z]\w*(?: \w+){0,3}[ \t]+(?:client[-._]?[iI]d|instanceId|groupId)=",
    r"\[Heartbeat groupID=",
    OF_SERVERS,
    r"\[[A-Z]\w+[ \t]+(?:[\w.\-]+ )?(?:id|nodeId|brokerId|replicaId|broker)=-?\d",
)
_NAMED_CONTEXTS = (
    r"\b(?:Consumer|Producer|AdminClient|ShareConsumer)[ \t]*(?:[cC]lient|group|instance)Id=",
    # What a paste left of one: its fields up to the bracket that closed it.
    r"\b(?:client|group|instance)Id=[^\s,\]\[(){}]+(?:,[ \t]*(?:client|group|instance|transactional)Id=[^\s,\]\[(){}]+)*\]",
    r"\b(?:global-)?stream-(?:thread|client)\s+(?:\[|[^\s\[\]]+\]\s)",
    r"\bstate-updater \[",
    r"\b(?:(?:stream-|standby-)task \[|task \[(?:\S+__)?\d+_\d+\] )",
    r"\b(?:ExactlyOnce)?Worker(?:Sink|Source)?(?:Task|Connector)\{id=",
    OF_PYTHON,
)
# Parts of a broker begin so too, and name the broker, never a client: `[TransactionCoordinator id=1] `.
OF_CLIENTS = ("clientId", "groupId", "instanceId", "transactionalId")
CUT_NAMES = "|".join(one[at:] for one in OF_CLIENTS for at in range(1, len(one) - 2))
# What a paste left of one at a text's beginning: a piece of what stood before its fields, of a name and its bracket.
_BEGUN = (
    r"^\W{0,4}[A-Za-z][a-z]{0,12}[A-Z]?[a-z]{0,12} (?:client|group|instance)Id=",
    rf"^(?:[A-Za-z]{{0,8}}=[^\s\[\],]+, (?:client|group)Id|{CUT_NAMES})=[^\s\[\]]*\]\s",
    r"^\W{0,4}[a-z\-]{0,16}(?:thread|client) \[",
    r"^\W{0,4}(?:[a-z\-]{1,16} \[?)?[^\s\[\]=,]+-(?:[0-9a-f]{4}-[0-9a-f]{12}|StreamThread-\d+)(?:-[^\s\[\]=,]+)?\]\s"
    r"(?![\W\d]{0,30}(?:TRACE|DEBUG|INFO|WARN|ERROR|FATAL)\b|(?:\w{1,20}\.){2})",  # else the thread of a head
)
_CONTEXTS = (*_HELD_CONTEXTS, *_NAMED_CONTEXTS)
CONTEXT = when_used("|".join(_CONTEXTS + _BEGUN))
_HELD = when_used("|".join(one.removeprefix(r"\[") for one in _HELD_CONTEXTS).join((r"\[(?:", ")")))
_NAMED = when_used("|".join(_NAMED_CONTEXTS))
# One is in each of them: of most lines that no context is in, none.
_IN_NAMED = ("Id=", "stream-", "-updater [", "task [", "{id=", "client_id=", "node_id=", "host=")
_CUT = when_used("|".join(_BEGUN))
# Those that may stand behind a head, in whole columns: no counts, which cost RE2 more than they leave out.
MAY_BE_CONTEXT = re.sub(r"\{0,\d+\}", "*", "|".join(_CONTEXTS))
# What a line begins with that begins with a client's context, or a coordinator's.
CONTEXT_BEGINS = (
    r"\[[A-Z]\w*(?: \w+){0,3}[ \t]+(?:client|group|instance)Id=|(?:global-)?stream-(?:thread|client) \["
    r"|\[(?:Group(?:Coordinator|MetadataManager)|TransactionCoordinator)[ \]]"
)
_NAME_ALONE = when_used(r"\[[\w\-]+\]$")

_PACKAGE = r"o(?:rg?)?\.a(?:p(?:a(?:c(?:he?)?)?)?)?\.[kK](?:a(?:f(?:ka?)?)?)?\."
_BROKER_PACKAGE = (
    r"kafka\.(?:server|coordinator|controller|cluster|log|network|utils|zk|zookeeper|raft|admin|consumer|producer|common"
    r"|security|tools|Kafka)"
)
# As loggers are written: in full, or shortened by Logback and log4j2 (`o.a.k.c.NetworkClient`, `o.a.kafka.clients...`).
KAFKA_LOGGER = when_used(
    rf"{_PACKAGE}|{_BROKER_PACKAGE}|kafkajs$|aiokafka\.|kafka\.(?:conn|client|client_async|net(?:\.[a-z]\w*)*)$|state\.change\.logger|io\.confluent\.support\.metrics\.Supported|k(?:afka)?(?:\.[a-z])+\.[A-Z][\w$]+$"
    r"|\.?(?:a\w{0,5})?\.k(?:afka)?\.[a-z]"  # Spring Boot cuts what is longer than 40 characters on the left
)
CLASSES = yaml_text.of_package("transforms.parse", "classes.yaml")
_PACKAGES = tuple(f".org.apache.kafka.{name}" for name in CLASSES["packages"])
# As Logback shortens them, `s.e.` of `o.a.k.s.e.`
_INITIALS = tuple("".join(f".{part[0]}" for part in one[1:].split(".")) for one in _PACKAGES)

# What only Kafka says, whoever logs it: contexts, its classes; messages of its exceptions are the catalogue's.
_TELLING = (
    r"org\.apache\.kafka\.",
    r"Expiring \S+ record\(s\) for ",
    r"ommit cannot be completed since ",
    r"Failed to construct kafka (?:producer|consumer)",
    # Clients of other languages (other_clients.py)
    r"\[thrd:",
    r"%[0-7]\|(?:[\d.]*\|)?[A-Z]",
    r"#(?:consumer|producer)-\d",
    r"\baiokafka\b",
    r"\bkafka\.(?:(?:conn|cluster|coordinator|client|consumer|producer)\b|net\.(?:connection|manager|backend|ssl|sasl)\b)",
    r"kafkajs|KafkaJS|\[[Ss]arama\]|kafka: error while|kafka server: |Application maximum poll interval",
    r"Consumer group session timed out|Local: Message timed out|_MSG_TIMED_OUT|Local_MsgTimedOut|_MAX_POLL_EXCEEDED",
    r"\(Re-\)joining group |\bJoined group '|Successfully synced group |Heartbeat failed for group "
    r"|(?:previously|newly) assigned partitions?\b",
    r"ommit failed: Broker: |ApiVersionRequest failed: Local: |\bTimed out \w+Request in flight ",
)
_KAFKA_TEXT = re2.compile("|".join(_CONTEXTS + _TELLING))
# Where the line has no logger: what Kafka says without any prefix.
_KAFKA_SAYS = re2.compile(
    r"(?m)Config values:|^Kafka (?:version|commitId|startTimeMs)\b|^Configuration '[\w.]+' with value '"
    r"|^Th(?:ese configurations|e configuration) '.*' w(?:ere|as) supplied but |^App info kafka\."
    r"|^Metrics (?:scheduler closed|reporters closed)|^Uncaught exception in thread 'kafka-"
    r"|^Exception caught during message processing, processor node: "
    r"|^Processing exception handler is set to fail|^(?:Shrinking|Expanding) ISR (?:for |from )"
    r"|^\s*[a-z][a-z0-9]*(?:\.[a-z0-9_]+)+ = "
)
# Words of Kafka's in a line that is in no family: it is counted as other_kafka, so that nothing of Kafka's is lost
# in silence.
_SPEAKS = re2.compile(
    r"org\.apache\.kafka\.|\bclientId=|\brdkafka\b|\blibrdkafka\b|\b(?:RDKAFKA|LOG)-[0-7]-[A-Z]{3,}: "
    rf"|{ON_LIBRDKAFKA}"
)


def context_in(text: str, begin: int = 0, end: int = sys.maxsize) -> re.Match[str] | None:
    """The context that a message begins with; one that is a name alone may be the logger's before it."""
    first: re.Match[str] | None = None
    at = begin
    while (found := next_context(text, at, end)) is not None:
        if _NAME_ALONE.match(found[0]) is None:
            return found
        first = first or found
        at = found.end()
    return first


def next_context(text: str, begin: int = 0, end: int = sys.maxsize) -> re.Match[str] | None:
    """What CONTEXT finds, by its parts."""
    held = _HELD.search(text, begin, end)
    # None of the others holds a bracket but as its end.
    until = end if held is None else held.start() + 1
    named = _NAMED.search(text, begin, until) if any(word in text for word in _IN_NAMED) else None
    found = named or held
    if found is not None and found.start() == begin:
        return found
    return _CUT.match(text, begin, end) or found


@lru_cache(maxsize=4096)
def is_kafka_logger(logger: str) -> bool:
    """Whether a logger is Kafka's own, written in full, shortened, or as a class name alone."""
    if logger.endswith(("Exception", "Error")) or logger.startswith("aiokafka.errors."):
        return False
    package, _, simple = logger.rpartition(".")
    if not package:
        return simple in kafka_classes() or simple in ("kafkajs", "aiokafka")
    if KAFKA_LOGGER.match(logger) is not None:
        return True
    if simple in kafka_classes() and any(one.endswith(f".{package}") for one in _INITIALS):
        return True
    return simple[:1].isupper() and any(one.endswith(package) for one in _PACKAGES)


@cache
def kafka_classes() -> frozenset[str]:
    """Simple names of the classes of org.apache.kafka that write what is of use here."""
    return known_loggers() | frozenset(CLASSES["loggers"])


def tells_kafkas(text: str) -> bool:
    """Whether a text says what only Kafka says, whoever logs it."""
    return _KAFKA_TEXT.search(encoded(text)) is not None


def speaks_of_kafka(text: str) -> bool:
    """Whether a text has words of Kafka's."""
    return _SPEAKS.search(encoded(text)) is not None


@lru_cache(maxsize=32)  # who waits for something says the same for hours
def is_kafka(logger: str | None, message: str, text: str) -> bool:
    """Whether a record is Kafka's or carries a Kafka exception (stack traces stand at the message's end)."""
    if logger is not None and is_kafka_logger(logger):
        return True
    if tells_kafkas(text) or speaks_of_kafka(text):
        return True
    if any(form.found_in(text) for form in said_by_exceptions()):  # without its class, too
        return True
    if (logger is None or "." not in logger) and _KAFKA_SAYS.search(encoded(message)) is not None:
        return True
    return is_of_other(message, text)


@cache
def may_be_kafka(*, has_full_loggers: bool = False) -> tuple[str, ...]:
    """Exclude only, on raw bytes (RE2): what matches none of these isn't Kafka's, whatever its layout.

    Every alternative of what is kept, and every literal of the catalogue, has one here (tested). has_full_loggers: of a
    source whose lines name their loggers in full, where a message alone makes no line Kafka's.
    """
    words = (
        r"kafka\.", r"\bk\.[a-z]\.", r"\bo\w{0,2}\.a\w{0,5}\.k", r"[a-z]\.k\.[a-z]", r"(?:client|instance|group)Id=",
        r"groupID=", r"stream-(?:thread|client|task)\s", r"state-updater \[", r"standby-task \[",
        r"record\(s\) for ", r"Worker\w*\{id=", r"ommit cannot be completed",
        r"Failed to construct kafka", r"state\.change\.logger", r"rdkafka", r"\.[a-z]+ = ",
        r"(?:clients|internals|consumer|producer|common|utils|admin|metrics|config|streams)\.[A-Z]",
        r"\[thrd:", r"%[0-7]\|", r"#(?:consumer|producer)-", r"aiokafka", r"[Kk]afka[jJ][sS]", r"arama\]",
        r"kafka: error while", r"kafka server: ", r"maximum poll interval", r"session timed out", r"essage timed out",
        r"MSG_TIMED_OUT", r"MsgTimedOut", r"MAX_POLL_EXCEEDED", r"ommit failed: Broker", r"ApiVersionRequest failed",
        r"Timed out ", r"joining group", r"Joined group", r"synced group", r"failed for group", r" assigned partition",
        r"oordinator unknown", r"eartbeat failed", r"<Broker", r"\b(?:RDKAFKA|LOG)-[0-7]-", r"quixstreams",
    )  # fmt: skip
    said, of_others = "|".join((*words, any_of(said_by_exceptions()))), any_of(said_anywhere())
    if has_full_loggers:
        return said, of_others
    classes = rf"\b(?:{'|'.join(map(re.escape, sorted(kafka_classes())))})\b"
    return said, classes, any_of(catalogue()), f"{of_others}|{any_of(said_on_lines())}"
