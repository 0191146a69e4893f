"""Which client that is not Java's a line speaks of, be it its own line or its application's."""

from transforms.events import JAVA, UNNAMED
from transforms.parse.catalogue.anchors import ON_LIBRDKAFKA
from transforms.sieve import Sieved
from transforms.when_used import when_used

# By name, what marks a line. Source: the clients' own logging code.
_MARKS = {
    "librdkafka": r"%[0-7]\|\d{9,}\.\d{3}\||\[thrd:[^\]\n]{1,200}\]: "
    r"|\brdkafka#(?:consumer|producer)-\d|\blibrdkafka\b(?!-dev|\d)|\brdkafka_\w{1,60}\.c\b|\b_?confluent_kafka\b"
    r"|\bKafkaError\{code=|\bLocal_[A-Z]\w+\b|\bnode-rdkafka\b|\bConfluent\.Kafka\."
    rf"|{ON_LIBRDKAFKA}"
    r"|\bRdKafka\\+[A-Z]|\b[Rr]dkafka::[A-Za-z]"  # PHP's; Ruby's and Rust's
    r"|\b[A-Z]\w+ \((?:Local|Broker): [A-Z]"
    r"|\bLocal: (?:Message timed out|Timed out|Broker transport failure|All broker connections|Host resolution|Queue full)",
    "kafkajs": r"(?i)\bkafkajs\w*\b"
    r"|\[(?:connection|consumer ?group|runner|brokerpool|cluster)\] .{0,200}\"(?:clientId|groupId|broker)\"",
    "sarama": r"(?i)\bsarama\b|\bclient/(?:metadata|brokers|coordinator|seedbrokers)\b"
    r"|\b(?:consumer|producer)/(?:broker|leader)/"
    r"|\bkafka: (?:client has run out of|error while|couldn't|failed to (?:produce|deliver)\b|invalid|broker not connected)",
    "aiokafka": r"\baiokafka\b|\bfaust\.\w|\[\^-*[A-Z]\w+(?:: [^\]\n]{1,80})?\]: ",
    "kafka-python": r"<Broker(?:Connection|Metadata)\b"
    r"|\bkafka\.(?:conn|client(?:_async)?|cluster|coordinator(?:\.(?:base|consumer|heartbeat))?"
    r"|consumer\.(?:group|fetcher|subscription_state)|producer\.(?:kafka|sender|record_accumulator))(?=[\s:\]|,])"
    r"|\bkafka\.errors\.\w+",
    "franz-go": r"\bfranz-go\b|\bkgo\.\w",
    "kafka-go": r"\bsegmentio/kafka-go\b|\bkafka-go\b|\bkafka\.\(\*(?:Reader|Writer|Conn)\)",
    "ruby-kafka": r"\bruby-kafka\b|\bKafka::[A-Z]\w+|\[\[[^\]\n]*\] \{[^}\n]*\}:\]"
    r"|\b(?:Fetching|Discovered) cluster metadata(?: from |; nodes: )",
}
_COMPILED = [(name, Sieved(mark)) for name, mark in _MARKS.items()]
# For many lines at once (RE2, on bytes, which knows no looking ahead): no line without one of these is of a client.
MAY_BE_CLIENT = (
    "|".join(f"(?:{mark})" for mark in _MARKS.values())
    .replace("(?=", "(?:")
    .replace(r"(?!-dev|\d)", "")
    .replace("{0,200}", "*")
    .replace(r"\b", "")
)
# A cheap look first: one of these is in every mark above.
HINT = when_used(
    r"(?i)kafka|sarama|\[thrd:|%[0-7]\||Local_|Local: |Broker: |client/|/broker/|/leader/|faust|kgo|luster metadata|<Broker"
    r"|clientId|groupId|kafka:|\}:\]|\[\^|quixstreams"
)


def client_of(text: str) -> str | None:
    """The client that a line speaks of, where the line itself says so; None for Java's and where it does not."""
    if "org.apache.kafka" in text or HINT.search(text) is None:
        return None
    return next((name for name, mark in _COMPILED if mark.search(text)), None)


# What clients call themselves where their application does not: their ids, and those that brokers make of them for members.
_IDS = {
    "librdkafka": r"rdkafka(?:-|$)",
    "kafkajs": r"kafkajs(?:-|$)",
    "sarama": r"sarama(?:-|$)",
    "aiokafka": r"(?:aiokafka|faust)-\d",
    "kafka-python": r"kafka-python-\d",
    "franz-go": r"kgo(?:-|$)",
    "kafka-go": r".*\(github\.com/segmentio/kafka-go\)",
    "ruby-kafka": r"(?:ruby-kafka|racecar)(?:-|$)",
    "brod": r"\S+@\S+/<\d+\.\d+\.\d+>",
    JAVA: r"(?:consumer|connector-consumer|adminclient|producer)-\w|.*-StreamThread-\d+-consumer",
}
_OF_IDS = [(name, when_used(mark)) for name, mark in _IDS.items()]


def a_client(library: str | None) -> str:
    """`an aiokafka client`; `a client` of one that is not known."""
    if library in (None, UNNAMED):
        return "a client"
    name = "Go" if library == "go" else library
    return f"{'an' if name[0] in 'aeiou' else 'a'} {name} client"


def client_of_id(identity: str | None) -> str | None:
    """The library that makes such an id of a client or member where nobody sets one; None of an id that somebody chose."""
    return next((name for name, mark in _OF_IDS if mark.match(identity or "")), None)
