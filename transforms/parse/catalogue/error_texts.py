"""Errors of Kafka's protocol as clients spell them in words: sarama, kafkajs, librdkafka; Kafka's own messages of them.

Sources: sarama, errors.go; kafkajs, src/protocol/error.js; librdkafka, rd_kafka_err_descs (rdkafka.c); Kafka, Errors.
"""

import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from itertools import chain

from transforms.parse.catalogue.error_codes import ITS_OWN, NAMES

# By name, words that are in no other's sentence, in lower case.
TEXTS = {
    "UNKNOWN_SERVER_ERROR": (
        "unexpected (unknown?) server error",
        "experienced an unexpected error when processing the request",
    ),
    "OFFSET_OUT_OF_RANGE": ("outside the range of offsets", "not within the range of offsets"),
    "CORRUPT_MESSAGE": ("does not match its crc", "failed its crc checksum", "broker: invalid message"),
    "UNKNOWN_TOPIC_OR_PARTITION": (
        "does not host this topic-partition",
        "topic or partition that does not exist on this broker",
    ),
    "LEADER_NOT_AVAILABLE": ("in the middle of a leadership election",),
    "NOT_LEADER_OR_FOLLOWER": (
        "replica that is not the leader for some partition",
        "not the leader for that topic-partition",
        "not leader for partition",
    ),
    "REQUEST_TIMED_OUT": ("request exceeded the user-specified time limit",),
    "BROKER_NOT_AVAILABLE": ("the broker is not available",),
    "REPLICA_NOT_AVAILABLE": (
        "replica information not available",
        "replica is not available for the requested",
    ),
    "MESSAGE_TOO_LARGE": (
        "message was too large, server rejected it",
        "message larger than the max message size",
        "broker: message size too large",
    ),
    "OFFSET_METADATA_TOO_LARGE": (
        "configured maximum for offset metadata",
        "metadata field of the offset request was too large",
    ),
    "NETWORK_EXCEPTION": ("server disconnected before a response", "broker disconnected before response"),
    "COORDINATOR_LOAD_IN_PROGRESS": ("still loading offsets", "coordinator is loading"),
    "COORDINATOR_NOT_AVAILABLE": ("coordinator is not available", "offset's topic has not yet been created"),
    "NOT_COORDINATOR": ("group that is not coordinated by this broker", "not the correct coordinator"),
    "INVALID_TOPIC_EXCEPTION": ("an operation on an invalid topic", "broker: invalid topic"),
    "RECORD_LIST_TOO_LARGE": (
        "larger than the configured segment size",
        "larger than configured server segment size",
    ),
    "NOT_ENOUGH_REPLICAS": (
        "rejected since there are fewer in-sync replicas",
        "not enough in-sync replicas",
    ),
    "NOT_ENOUGH_REPLICAS_AFTER_APPEND": (
        "written to the log, but to fewer in-sync replicas",
        "written to insufficient number of in-sync replicas",
    ),
    "INVALID_REQUIRED_ACKS": (
        "number of required acks is invalid",
        "invalid value for required acks",
        "invalid required acks value",
    ),
    "ILLEGAL_GENERATION": ("generation id is not the current generation", "group generation id is not valid"),
    "INCONSISTENT_GROUP_PROTOCOL": (
        "protocol type is incompatible with the other members",
        "incompatible with those of existing members",
    ),
    "INVALID_GROUP_ID": (
        "provided group id was empty",
        "configured groupid is invalid",
        "broker: invalid group.id",
    ),
    "UNKNOWN_MEMBER_ID": (
        "member is not known in the current generation",
        "coordinator is not aware of this member",
        "broker: unknown member",
    ),
    "INVALID_SESSION_TIMEOUT": (
        "session timeout is outside the allowed range",
        "session timeout is not within the range",
    ),
    "REBALANCE_IN_PROGRESS": (
        "rebalance for the group is in progress",
        "group is rebalancing, so a rejoin is needed",
        "broker: group rebalance in progress",
    ),
    "TOPIC_AUTHORIZATION_FAILED": ("not authorized to access this topic",),
    "GROUP_AUTHORIZATION_FAILED": ("not authorized to access this group",),
    "CLUSTER_AUTHORIZATION_FAILED": ("not authorized to send this request type",),
    "INVALID_TIMESTAMP": ("timestamp of the message is out of acceptable range",),
    "UNSUPPORTED_SASL_MECHANISM": ("does not support the requested sasl mechanism",),
    "ILLEGAL_SASL_STATE": ("not valid given the current sasl state", "not valid in current sasl state"),
    "UNSUPPORTED_VERSION": ("the version of api is not supported", "broker: api version not supported"),
    "TOPIC_ALREADY_EXISTS": ("topic with this name already exists",),
    "INVALID_PARTITIONS": ("number of partitions is invalid", "broker: invalid number of partitions"),
    "INVALID_REPLICATION_FACTOR": ("replication-factor is invalid",),
    "NOT_CONTROLLER": ("not the correct controller for this cluster", "broker: not controller for cluster"),
    "UNSUPPORTED_FOR_MESSAGE_FORMAT": (
        "not supported by the message format version",
        "message format version on the broker does not support",
        "message format on broker does not support",
    ),
    "POLICY_VIOLATION": ("do not satisfy the configured policy",),
    "INVALID_PRODUCER_EPOCH": ("attempted an operation with an old epoch",),
    "INVALID_TXN_STATE": ("transactional operation in an invalid state",),
    "INVALID_PRODUCER_ID_MAPPING": ("not currently assigned to its transactional id",),
    "INVALID_TRANSACTION_TIMEOUT": ("transaction timeout is larger than the maximum",),
    "CONCURRENT_TRANSACTIONS": ("another concurrent operation on the same transaction",),
    "KAFKA_STORAGE_ERROR": ("disk error when trying to access log file",),
    "UNKNOWN_PRODUCER_ID": ("could not locate the producer metadata",),
    "FETCH_SESSION_ID_NOT_FOUND": ("the fetch session id was not found",),
    "INVALID_FETCH_SESSION_EPOCH": ("the fetch session epoch is invalid",),
    "LISTENER_NOT_FOUND": ("no listener on the leader broker that matches", "broker: no matching listener"),
    "UNSUPPORTED_COMPRESSION_TYPE": ("does not support the compression type",),
    "MEMBER_ID_REQUIRED": ("needs to have a valid member id", "needs a valid member id"),
    "GROUP_MAX_SIZE_REACHED": ("group has reached its max size", "group has reached maximum size"),
    "FENCED_INSTANCE_ID": ("rejected this static consumer", "static consumer fenced by other consumer"),
    "INVALID_RECORD": ("failed the validation on broker", "broker failed to validate record"),
    "UNSTABLE_OFFSET_COMMIT": ("unstable offsets that need to be cleared",),
    "THROTTLING_QUOTA_EXCEEDED": ("throttling quota has been exceeded",),
    "PRODUCER_FENCED": ("newer producer with the same transactionalid",),
    "FENCED_MEMBER_EPOCH": ("member epoch is fenced by the group coordinator",),
    "STALE_MEMBER_EPOCH": ("the member epoch is stale",),
}
# librdkafka, `Broker: ` and a name's own words; of codes that are younger than it a number.
BY_LIBRDKAFKA, BY_NUMBER, BY_RUST = "Broker: ", "Err-", "KafkaError ("
# rust-rdkafka's errors have a name of their own, and librdkafka's words where whoever prints them left them.
_SPELLED = re.compile(
    rf"\b(?:{BY_LIBRDKAFKA}|Kafka\w* \((?:[A-Z]?[a-z]+ ){{1,3}}error: )(?P<words>[A-Z][A-Za-z -]{{5,60}})"
)
_UNNAMED = re.compile(rf"\b{BY_NUMBER}(?P<code>\d{{1,3}})\?")
LONGEST_SEARCHED = 4_000  # characters


def code_in(text: str) -> str | None:
    """The error of the protocol that a text spells first; None where it spells none."""
    return next(iter(codes_in(text)), None)


def codes_in(text: str) -> list[str]:
    """The errors of the protocol that a text spells, in its order: by their names' own words, by phrases, by numbers."""
    searched = " ".join(text[:LONGEST_SEARCHED].split())  # YAML and pages break lines within it
    plain = searched.casefold()
    found = [(at, name) for phrase, name in _phrases_of(plain) if (at := plain.find(phrase)) >= 0]
    if BY_LIBRDKAFKA in searched or BY_RUST in searched:
        found += [
            (said.start(), name) for said in _SPELLED.finditer(searched) if (name := _spelled(said["words"]))
        ]
    if BY_NUMBER in searched:
        found += [
            (said.start(), name)
            for said in _UNNAMED.finditer(searched)
            if (name := NAMES.get(int(said["code"])))
        ]
    return list(dict.fromkeys(name for _, _, name in sorted((at, -len(name), name) for at, name in found)))


def _spelled(words: str) -> str | None:
    """The error whose name words begin with: `Not coordinator for group` is NOT_COORDINATOR."""
    spelled = words.replace("-", " ").split()
    names = ("".join(spelled[:end]).casefold() for end in range(len(spelled), 0, -1))
    return next(filter(None, map(_names().get, names)), None)


def _phrases_of(text: str) -> Iterator[tuple[str, str]]:
    """The phrases that a text may have, with their errors: of most it lacks a word."""
    by_word = _phrases()
    for word in by_word.keys() & {"", *text.split(" ")}:
        yield from by_word[word]


@cache
def _phrases() -> dict[str, list[tuple[str, str]]]:
    """Phrases with their errors, by the longest word that stands between two spaces; by none those that have none."""
    found: dict[str, list[tuple[str, str]]] = defaultdict(list)
    own = ((name, (name.replace("_", " ").lower(),)) for name in NAMES.values() if ITS_OWN.search(name))
    for name, phrases in chain(TEXTS.items(), own):
        for phrase in phrases:
            found[max(phrase.split(" ")[1:-1], key=len, default="")].append((phrase, name))
    return found


@cache
def _names() -> dict[str, str]:
    """The errors by their names in lower case, without what joins their words."""
    return {name.replace("_", "").casefold(): name for name in NAMES.values()}
