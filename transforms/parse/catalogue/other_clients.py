"""Heads of clients that are not Java's: whose line it is, and where its text begins.

A line is known by what only its library writes, wherever that stands: librdkafka by its own head, by `[thrd:NAME]: `, or
by a handle (`rdkafka#consumer-1`), whatever a binding or a callback of the application made of the rest; Python's clients
by their loggers; sarama and kafkajs by their names. What stands before is read around it.

Sources: librdkafka, rd_kafka_log_print and rd_kafka_log0 (rdkafka.c); confluent-kafka-python, log_cb (confluent_kafka.c);
confluent-kafka-go, kafka/log.go; confluent-kafka-dotnet, LogMessage; kafka-python, aiokafka: names of their modules.
"""

import re
from dataclasses import dataclass

from transforms.events import JAVA, LIBRDKAFKA
from transforms.parse.catalogue.forms import PYTHONS_CLIENTS
from transforms.when_used import when_used
from transforms.whole import whole_number, whole_or_none

JUDGED = frozenset({JAVA, LIBRDKAFKA})

# Syslog's levels by number, as librdkafka has them, in log4j's words.
SYSLOG = ("FATAL", "FATAL", "FATAL", "ERROR", "WARN", "INFO", "INFO", "DEBUG")
# From where its characters begin: looked for from each of them, a long word would take the square of its length.
HANDLE = r"(?<![^\s|\[\]\"'(){},=:])[^\s|\[\]\"'(){},=:]+#(?P<kind>consumer|producer)-\d+"
_OWN_HEAD = when_used(
    r"%(?P<severity>[0-7])\|(?:(?P<at>\d{9,11}\.\d{3}|[^|\sA-Z]*)\|)?(?P<facility>[A-Z][A-Z0-9_]*)\|"
    r"(?:(?P<handle>[^|\n]*)\|(?:\.{3}:)? ?|: )"
)
_THREAD = when_used(r"(?:\[(?=\[))?\[thrd:(?P<thread>(?:[^\[\]\n]|\[[^\[\]\n]*\])*)\]: ?")
OWN_NAME = when_used(rf"(?P<handle>{HANDLE})")
# `FAC|handle| ` of older bindings, `FAC [handle] ` of Python's; `[handle][FAC][L]` of Go's.
_FACILITY_AND_HANDLE = when_used(
    rf"\b(?P<facility>[A-Z][A-Z0-9_]{{2,}})(?:\||:? \[?)(?P<handle>{HANDLE})(?:\||\]|:) ?"
)
_GO = when_used(rf"\[(?P<handle>{HANDLE})\]\[(?P<facility>[A-Z][A-Z0-9_]*)\]\[(?P<severity>[0-7])\] ?")
# `RDKAFKA-3-FAIL: handle: `, also by an application's name; `librdkafka: FAIL ` (Rust); `KafkaConsumer[x] FAIL | ` (C++).
_OLD_HEAD = when_used(
    r"\b(?:(?:RDKAFKA|LOG|[A-Z]{2,12}(?=-[0-7]-[A-Z0-9_]{2,24}: \S{1,250}#(?:consumer|producer)-\d))(?: - |-)"
    r"(?P<severity>[0-7])(?: - |-)|librdkafka: (?=[A-Z0-9_]+ )|\bKafka\w{5,11}\[[^\]\n]{1,99}\] (?=[A-Z0-9_]+ \| \[))"
    rf"(?P<facility>[A-Z][A-Z0-9_]+):? (?:\| )?(?:(?P<handle>{HANDLE}):? )?"
)
# `3|2017-03-05 09:14:50.237|handle|FAC| `: .NET's own callback; `handle|3|FAC|`: its parts; `handle [FAC] `: pykafka's.
_HANDLE_AND_FACILITY = when_used(
    rf"(?:\b(?P<severity>[0-7])\|[^|\n]{{0,40}}\|)?(?P<handle>{HANDLE})(?P<sign>\||:(?!(?:ERROR|WARN\w*|INFO|NOTICE|DEBUG):)"
    r"| \[)(?:(?P<inner>[0-7])(?P=sign))?(?P<facility>[A-Z][A-Z0-9_]{2,})(?:(?P=sign)|\]) ?"
)
# What is left where a layout took the facility for a name of its own: `handle|kafka1:9092/2: `.
_HANDLE_ALONE = when_used(rf"\A(?P<handle>{HANDLE})\| ?")
# confluent-kafka-javascript and node-rdkafka: an object, of which the message is a field; a binding's own by its name.
_BINDING = when_used(rf"\bname\W{{1,4}}(?P<handle>{HANDLE})\W{{1,24}}fac\W{{1,4}}(?P<facility>BINDING)\b")
_FAC_FIELD = when_used(r"\bfac[\"']?: ?[\"']([A-Z][A-Z0-9_]*)[\"']")
_SEVERITY = when_used(r"(?:\b(?:severity|lvl)[\"']?[:=] ?|\((?=[0-7]\)[ \[]*\Z))(?P<severity>[0-7])\b")
# `handle,7,FAC,` or `7 FAC `: what applications print of a message's parts, in whatever order, the facility last.
_LEVEL_FIRST = when_used(r"(?<![\w.:-])(?P<severity>[0-7])\W{1,3}[A-Z][A-Z0-9_]{2,}\W{1,3}\Z")
_NO_FACILITY = r"(?!(?:TRACE|DEBUG|INFO|WARN(?:ING)?|ERR(?:OR)?|FATAL|CRITICAL|NOTICE|UTC|GMT)\b)"
_FACILITY = when_used(rf"(?<![\w%.]){_NO_FACILITY}([A-Z][A-Z0-9_]{{2,}})(?![\w.])")
# `GroupCoordinator/1: `, `sasl_ssl://kafka-1.example.org:9092/1: `, `127.0.0.1:9092/bootstrap: `; first, in what is
# raised as an error too, the handle.
_NODE = when_used(
    rf"(?:{HANDLE}: )?(?:(?P<node>(?:\w+://)?\[?[^\s/\]]+\]?(?::\d+)?)/(?P<id>-?\d+|bootstrap|internal)"
    r"|(?P<logical>GroupCoordinator|TxnCoordinator)|(?P<masked>\w+://[^\s/]+)): (?:[^\s/:]{1,253}:\d+: )?"
)
_SARAMA = when_used(r"\[[Ss]arama\]")
# By its name in whatever field but one of ids (a client's default is the same), or before a namespace: `kafkajs Runner: `;
# by a part of it that has a field of its own, of a common word beside another of its fields.
_KAFKAJS = when_used(
    r"(?<![iI]d)(?<![iI]d[\"'])[\"']?: ?[\"']kafkajs\b|(?<!\bname: ')KafkaJS|\bkafkajs(?:: [A-Z]|[^\w:]{1,3}[A-Z]\w+\]?: )"
    r"|\"namespace\": ?\"(?:(?:Connection(?:Pool)?|BrokerPool|ConsumerGroup|FetchManager|RequestQueue)\""
    r"|(?:Consumer|Producer|Runner)\", ?\"(?:groupId|memberId|retryCount)\":)|\"(?:groupId|memberId|retryTime)\": ?"
    r"(?:\d{1,15}|\"[^\"\n]{0,200}\"), ?\"namespace\": ?\"(?:Consumer|Producer|Runner)\""
)
# Modules of kafka-python; broker's loggers of the same beginning go on with a class.
_MODULE = (
    r"(?:aiokafka\.[a-z_]\w*|kafka\.(?:conn|cluster|coordinator|client(?:_async)?|consumer|producer|net|metrics)\b"
    r"(?!:type=))(?:\.[a-z_][a-z_0-9]*)*"  # so a name of JMX goes on
)
_PYTHON = when_used(rf"{_MODULE}$")
# Also with its file, as pytest prints it: `kafka.conn:conn.py:429 <BrokerConnection`.
_PYTHON_IN_LINE = when_used(rf"(?<![\w.])(?P<logger>{_MODULE})(?::\w+\.py:\d+(?= )|(?=:|\]| - | \|))")
# Cheap, on a record's whole text: without one of these it names no other client.
MAY_BE_OTHER = when_used(
    r"\[thrd:|#(?:consumer|producer)-\d|%[0-7]\||\b(?:RDKAFKA|LOG)(?: -|-)[0-7]|librdkafka: [A-Z]{2}|\baiokafka\b"
    r"|\bkafka\.(?:conn|cluster|coordinator|client|consumer|producer|net)\b|kafkajs|KafkaJS|\[[Ss]arama\]|\"namespace\":"
)


@dataclass(frozen=True, slots=True)
class ClientHead:
    """Whose line it is. begin, end: what of the text its head takes. at: its time as written, where it has one.

    facility: librdkafka's word for what the line is about, such as MAXPOLL. node: the broker it names first.
    """

    library: str
    begin: int = 0
    end: int = 0
    at: str | None = None
    level: str | None = None
    client_kind: str | None = None
    client_id: str | None = None
    thread: str | None = None
    facility: str | None = None
    node: str | None = None
    node_id: int | None = None


def client_of_other_language(text: str, logger: str | None = None) -> ClientHead | None:
    """Whose line a text is, if a client's other than Java's; None where nothing in it says so.

    text: a record's, with or without what its layout puts first. logger: where the layout names one.
    """
    if logger is not None and (library := library_of(logger)) is not None:
        return ClientHead(library)
    return (_rdkafka(text) or _by_name(text)) if MAY_BE_OTHER.search(text) is not None else None


def library_of(logger: str) -> str | None:
    """Whose a logger is that is kafkajs', or a module of kafka-python or aiokafka; None of any other."""
    if logger in ("kafkajs", "aiokafka"):
        return logger
    return PYTHONS_CLIENTS[logger.startswith("aio")] if _PYTHON.match(logger) is not None else None


def instant_of(at: str | None) -> int | None:
    """librdkafka's `1700000000.123` as ms since the epoch; None where it is something else."""
    return whole_number(at.replace(".", "")) if at and re.fullmatch(r"\d{9,11}\.\d{3}", at) else None


def _rdkafka(text: str) -> ClientHead | None:
    for pattern in (_OWN_HEAD, _OLD_HEAD, _GO, _HANDLE_AND_FACILITY, _FACILITY_AND_HANDLE, _HANDLE_ALONE):
        if (found := pattern.search(text)) is not None:
            return _head(text, found.start(), found.end(), found.groupdict())
    if (thread := _THREAD.search(text)) is None:
        return _head(text, 0, 0, own.groupdict()) if (own := _BINDING.search(text)) is not None else None
    before = text[: thread.start()]
    handles = OWN_NAME.findall(before) or OWN_NAME.findall(text, thread.end()) or [(None, None)]
    of_object = _SEVERITY.search(before) or _LEVEL_FIRST.search(before)
    severity = of_object["severity"] if of_object is not None else None
    facilities = _FAC_FIELD.findall(text)[:1] or _FACILITY.findall(before)[-1:]
    told = {"handle": handles[-1][0], "facility": next(iter(facilities), None), "severity": severity}
    return _head(text, thread.start(), thread.start(), told)


def _head(text: str, begin: int, end: int, found: dict[str, str | None]) -> ClientHead:
    if (thread := _THREAD.match(text, end)) is not None:
        end = thread.end()
    if (node := _NODE.match(text, end)) is not None:
        end = node.end()
    elif thread is not None and text.startswith(f"{thread['thread']}: ", end):  # a name that was masked
        end += len(thread["thread"]) + 2
    handle = found.get("handle") or None
    named = re.search(r"#(consumer|producer)-\d+$", handle or "")
    severity = found.get("severity") or found.get("inner")
    return ClientHead(
        LIBRDKAFKA,
        begin,
        end,
        found.get("at") or None,
        SYSLOG[int(severity)] if severity else None,
        named[1] if named else None,
        handle if named else None,
        thread["thread"] if thread else None,
        found.get("facility"),
        (node["node"] or node["logical"] or node["masked"]) if node is not None else None,
        whole_or_none(node["id"]) if node is not None else None,
    )


def _by_name(text: str) -> ClientHead | None:
    if (sarama := _SARAMA.search(text)) is not None:  # Fabric puts it behind the line
        return ClientHead("sarama", *(sarama.span() if text[sarama.end() :].strip() else (0, 0)))
    if _KAFKAJS.search(text) is not None:
        return ClientHead("kafkajs")
    if (python := _PYTHON_IN_LINE.search(text)) is None:
        return None
    return ClientHead(PYTHONS_CLIENTS[python["logger"].startswith("aio")], 0, python.end())
