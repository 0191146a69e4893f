"""Typed events of clients that are not Java's: of their own lines, and of what applications print of their errors."""

import re
from itertools import product

from transforms.events import LIBRDKAFKA, UNNAMED, UNRECOGNIZED, ClientEvent, client_of_member
from transforms.parse.catalogue.errors import NAMES, code_in
from transforms.parse.catalogue.form import Family, Form
from transforms.parse.catalogue.forms import PYTHONS_CLIENTS, finder, finder_of, said_by
from transforms.parse.catalogue.other_clients import JUDGED, OWN_NAME, ClientHead, client_of_other_language
from transforms.parse.catalogue.other_words import told_anywhere, told_by_line
from transforms.parse.events.fields import fill
from transforms.parse.events.refine import put_case
from transforms.parse.lines.jsonlines import KAFKAJS
from transforms.parse.records.placing import ProcessRef, numbered, placed
from transforms.records import LogRecord
from transforms.when_used import when_used
from transforms.whole import whole_number, whole_or_none

# Of a client whose families are few, what it says is kept as it is.
LOUD = frozenset({"WARN", "WARNING", "ERROR", "FATAL", "CRITICAL"})
QUIET = frozenset({"DEBUG", "TRACE"})
LONGEST_SAID = 400
# Kinds of lines whose cause stands in words around what their families name: `SASL authentication failure: Disconnected`.
IN_WORDS = frozenset({"connect_failed", "disconnect", "other_kafka"})
# `KafkaError{code=_MSG_TIMED_OUT,..}`, `reason=UNKNOWN_MEMBER_ID`, `[Local_MsgTimedOut]`, `_TRANSPORT`.
_ERROR = when_used(
    r"\b(?:code|reason|error|err)[=:] ?\"?(?P<named>_?[A-Z]+(?:_[A-Z]+)+)\b|\b(?P<local>Local_\w+|_[A-Z]+(?:_[A-Z]+)*)\b"
    r"|\[Error -?\d+\] (?P<python>[A-Z]\w+Error)\b|\b(?P<numbered>[A-Z]\w+Error) - \d+ - |\bKafka::(?P<ruby>[A-Z]\w+)"
    r"|\b(?P<own>Kafka(?!JS)[A-Z]\w*Error)(?=[:(])|: (?P<bare>(?:[A-Z][a-z]+){2,9}Error)(?=\s*$)"
)
_TRACEBACK = "Traceback (most recent call last)"  # of Python's: its last line names what was raised
_RAISED = when_used(r"(?m)^(?:[A-Za-z_]\w*\.)*(?P<name>[A-Z]\w+)(?:: (?P<message>.+))?$")
# kafkajs' part that speaks, where a logger has a field for it.
_NAMESPACE = when_used(r"\bnamespace[\"']?: ?[\"'](\w+)")
_NAMES_KAFKAJS = when_used(r"\"namespace\":|\bkafkajs(?:[\"']|: (?=[A-Z])|[^\w:]{1,3}[A-Z]\w+\]?: )")
_NAMESPACED = when_used(r"\[[A-Z]\w+\] [A-Z]")
_BEFORE_KAFKAJS = when_used(
    r"\A(?:(?:.*?\bkafkajs(?:[^\w:]{1,3}([A-Z]\w+)\]?)?|(?i:error|warn|info|debug)|\[[\w:.-]+\]): )?(.*)"
)
# `<BrokerConnection node_id=2 host=kafka2:9092 <connected> ..>`, `<AIOKafkaConnection host=kafka2 port=9092>`.
_CONNECTION = when_used(r"<\w*Connection .*?(?:node_id=(?!boot)\D*(\d+) )?host=([\w./\-]+)(?::| port=)(\d+)")
# ruby-kafka's tag: `[[group] {topic: 0, 1}:]`.
_TAG = when_used(r"\[\[(?P<group_id>[^\]\n]+)\] \{[^}\n]*\}:\]")
# In JSON, and as Node prints an object: `clientId: 'orders',`; a quote that is escaped is none of the line's own.
_JSON_TEXT = when_used(
    rf"(?P<quote>\"?)\b(?P<name>{'|'.join(KAFKAJS)})(?P=quote)\s*:\s*"
    r"(?:\"(?P<text>(?:[^\"\\]|\\.)*)\"|'(?P<single>[^'\n]*)'|(?P<number>-?\d+)(?![\w:]))"
)
# What loggers with fields add to an error: `consumer_group=orders`, `"groupId":"orders"`; `join group orders: EOF`.
_GROUP_FIELD = when_used(
    r"(?:\b(?<!the )(?:consumer_?[gG]|g)roup(?:_?[iI]d)?\"?[=:] ?\"?(?![\w.\-]+: )"
    r"|\b(?:join|for) group \\?[\"'`]?(?=[\w.\-]+\\?[\"'`]?:))"
    r"(?P<group_id>(?!Group |session:|(?:dial|read|write) tcp\b|EOF\b|i/o )[\w.\-]+)"
)
# `topic orders partition 3`, `partition 3 of orders`, `topic="orders", partition=3`, as applications print them.
_OF_TOPIC = when_used(
    r"\btopic [\\\"'`]{0,2}(?P<topic>[\w.\-]{1,249})[\\\"'`]{0,2},? partition (?:%!s\(int32=)?(?P<partition>\d{1,9})\b"
    r"|\bpartition (?P<number>\d{1,9}) of (?:topic )?[\"'`]?(?P<name>[\w.\-]{1,249})"
    r"|\b(?:fetch|read|consum|writ|produc|publish|send|subscrib)\w* (?:(?:to|from|for) )?topic "
    r"[\"'`]?(?!metadata\b)(?P<done>[\w.\-]{0,248}\w)[\"'`]?(?=[.,:;]|$)"
    r"|(?<![\w-])topic\"?[=:] ?(?!(?:not?|buffer|cannot|failed|unable|unknown) [a-z])"
    r"(?:\w+\(name=)?[\"']?(?P<key>[\w.-]{1,249})(?:\W{0,4}partition\"?[=:] ?(?P<value>\d{1,9}))?"
)
# Of a traceback, whose errors are kafka-python's by their names; and sentences that no release of kafka-python has.
_AIOKAFKAS = when_used(
    r"\b(?:aiokafka[/.]|Unable connect to (?:node|\")|Unable to (?:request|update) metadata from |Failed fetch \w+ from "
    r"|Heartbeat send request failed: |FindCoordinator Request failed|Error from SyncGroup: |Unexpected error in \w+ routine"
    r"|Successfully synced group \S+ with|Got error produce)|ions frozenset\(|\] -- marking |\(node [^)\n]{1,20}\)for group "
)
LONGEST_LINE = 4000
_CLOCK = when_used(r".{0,60}?\d:\d\d:\d\d")
MOST_WRAPPED = 4  # lines that one line was broken into
# Exceptions of librdkafka's bindings that carry the error.
WRAPPERS = frozenset({"ConsumeException", "ProduceException", "KafkaException", "TopicPartitionException"})
# sarama gives its lines no level: whatever prints them chooses one for all of them, most often DEBUG.
WITHOUT_LEVELS = frozenset({"sarama"})
# What librdkafka ends a line with, in parentheses, and the request that ruby-kafka makes, as threads stand in other layouts.
IN_STATE = "ms in state "
_NO_THREAD = when_used(rf"after \d+{IN_STATE}|[a-z]+(?:_[a-z]+)+$")
_CLOSED = when_used(rf"\(after \d+{IN_STATE}.*\)$")
_TOPIC_PARTITION = when_used(r"Partition\W+topic[^'\"]+['\"](?P<topic>[^'\"]*)\W+\w+\W+(?P<partition>\d+)")
# Lines that a paste left out below one.
_ELIDED = when_used(r"(?:\n[ .\u2026:]*)+\Z")
# A file or a function, and their line, as Python's formats put them behind the logger.
_PLACE = when_used(r"^\[?(?:\w+\.py\S*|[a-z_]\w*(?::\d+)?\]?(?= [-|] )) (?:[-|] )?(?:\w+ [-|] ){0,2}")


def events_of_client(record: LogRecord, process: ProcessRef, head: ClientHead) -> list[ClientEvent]:
    """The events of a record that a client of another language wrote: of no family, it is kept as its library's."""
    text = _text_of(record, head)
    head, found = _wrapped(record, head, is_closed=True) if IN_STATE in text else (head, None)
    found = found or finder_of(head.library).find(text, head.facility or record.logger)
    if found is None and ("\n" in text or "  " in text or "\t" in text):
        head, found = _wrapped(record, head)
    if found is None and head.library in PYTHONS_CLIENTS:  # they repeat sentences of Java's clients
        found = finder().find(text, None)
    if found is not None:
        form, match = found
        events = _of_family(record, process, head, form.family, match)
        return events if head.library in JUDGED else _with_error(events, record, match)
    whole = text if head.end else whole_of(record)
    joined = " ".join(whole[:LONGEST_LINE].split())  # a page broke it within its message
    for line, one in product(dict.fromkeys((whole, joined, record.text)), said_by(head.library)):
        if one.literal in line and (said := one.regex.search(line)) is not None:
            return _of_form(record, process, head, one, said)
    return [_event(record, process, head, "other_kafka", UNRECOGNIZED)]


def _wrapped(
    record: LogRecord, head: ClientHead, *, is_closed: bool = False
) -> tuple[ClientHead, tuple[Form, re.Match[str]] | None]:
    """The head and the form of a line that its page broke, a program's comment too, or whose blanks it doubled.

    is_closed: up to where librdkafka ends its line by `(after 312ms in state AUTH_REQ)`; what is below is another's.
    """
    broken = whole_of(record).split("\n", MOST_WRAPPED)[:MOST_WRAPPED]
    lines = [" ".join(line.split()).strip(" /#>") for line in broken]
    for count in range(1, len(lines) + 1) if lines != broken[:1] else ():
        if is_closed and not _CLOSED.search(lines[count - 1]):
            continue
        joined = " ".join(lines[:count])
        whole = client_of_other_language(joined, record.logger)
        if whole is not None and whole.library == head.library:
            rest = joined[whole.end :].lstrip(": ")
            if (found := finder_of(head.library).find(rest, whole.facility or record.logger)) is not None:
                return whole, found
    return head, None


def said_of_other(record: LogRecord, process: ProcessRef) -> ClientEvent | None:
    """What a record that names no client tells in the words of one, or of its errors; None where it tells nothing."""
    told = told_by_line(record.message) or told_anywhere(record.text)
    told = told or told_by_line(f"{record.logger}: {record.message}")  # a first word, taken for a logger
    if told is None:
        return None
    form, match = told
    on_top = record.level is not None and "\n" not in match.string[: match.start()]
    if form.family.library == UNNAMED and not (on_top or record.logger or _CLOCK.match(record.text)):
        return None  # prose has the same words
    library = "aiokafka" if _AIOKAFKAS.search(record.text) else form.family.library
    event = _of_form(record, process, ClientHead(library), form, match)[0]
    if event.group_id is None and (group := _GROUP_FIELD.search(record.text)) is not None:
        event.group_id = group["group_id"]
    return event


def whole_of(record: LogRecord) -> str:
    """A record with its head, of which other clients have their own; of JSON the message alone, but of kafkajs' own, whose
    logger begins each message with a namespace (`[Connection] `): others put it into a field, or nowhere."""
    if _NAMES_KAFKAJS.search(record.text) is None:
        return record.message if record.text.startswith("{") else record.text
    [(named, said)] = _BEFORE_KAFKAJS.findall(record.message)
    if said.startswith("[") or _NAMESPACED.search(said) is not None:
        return record.text
    named = named or next(iter(_NAMESPACE.findall(record.text)), "KafkaJS")
    return f'"[{named}] {said}",,{record.text}'


def _text_of(record: LogRecord, head: ClientHead) -> str:
    if head.begin == head.end == 0:
        return _PLACE.sub("", record.message, 1)  # the layout's logger told whose it is
    text = _ELIDED.sub("", (whole := whole_of(record))[head.end :].lstrip("]: "))
    quote = whole[head.begin - 1] if head.begin and "[thrd:" in whole[head.begin : head.end] else ""
    if quote in ("'", '"'):  # a field of an object
        text = re.split(rf"(?<!\\){quote}", text, maxsplit=1)[0].replace(f"\\{quote}", quote)
    return text


def _of_form(
    record: LogRecord, process: ProcessRef, head: ClientHead, form: Form, match: re.Match[str]
) -> list[ClientEvent]:
    return _with_error(_of_family(record, process, head, form.family, match), record, match)


def _with_error(events: list[ClientEvent], record: LogRecord, match: re.Match[str]) -> list[ClientEvent]:
    """The first of them with the error that its line names, by a class, a code, or in words."""
    if events[0].error_class is None and (named := _ERROR.search(record.message)) is not None:
        events[0].error_class = next(filter(None, named.groups()))
    if events[0].error_class is None or events[0].error_class in WRAPPERS:
        events[0].error_class = code_in(match.string[match.start() :]) or events[0].error_class
    if events[0].topic is None and (of := _OF_TOPIC.search(record.text, 0, LONGEST_LINE)) is not None:
        events[0].topic = (of["topic"] or of["name"] or of["done"] or of["key"]).rstrip(".")
        events[0].partition = whole_or_none(of["partition"] or of["number"] or of["value"])
    return events


def _of_family(
    record: LogRecord, process: ProcessRef, head: ClientHead, family: Family, match: re.Match[str]
) -> list[ClientEvent]:
    event = _event(record, process, head, family.kind, family.id)
    if head.library == LIBRDKAFKA and head.level is None and QUIET.issuperset(family.levels or LOUD):
        # What it says at DEBUG alone has its printer's level.
        event.level = None if event.level in LOUD else event.level
    event.benign = event.benign or family.benign
    event.api = family.api
    event.client_kind = event.client_kind or family.client
    fill(event, match.groupdict())
    event.group_id = event.group_id and event.group_id.strip("\"'`")  # as `%q` quotes it
    if head.library == "kafka-go" and event.error_class:
        event.error_class = event.error_class.upper().replace(" ", "_")  # as the protocol names it
    if event.error_class is None and (code := whole_or_none(event.details.get("code"))) is not None:
        event.error_class = NAMES.get(code)  # of libraries that say the protocol's errors by number
    if head.library == "kafkajs":
        said = _said_in_json(record)
        event.client_id = said.pop("client_id", None) or client_of_member(said.get("member_id"))
        fill(event, said)
    elif head.library == LIBRDKAFKA and event.client_id is None and (own := OWN_NAME.search(record.text)):
        event.client_id = own["handle"]  # a field of its logger
    if (connection := _CONNECTION.search(record.message)) is not None:
        event.node_id = whole_or_none(connection[1]) if event.node_id is None else event.node_id
        event.details.setdefault("address", f"{connection[2]}:{connection[3]}")
    if head.library == "ruby-kafka" and event.group_id is None and (tag := _TAG.search(record.text)):
        event.group_id = tag["group_id"]
    traced = record.text.rfind(_TRACEBACK)
    for raised in list(_RAISED.finditer(record.text, traced))[-1:] if traced >= 0 else ():
        fill(event, {"cause_class": raised["name"], "cause_message": raised["message"]})
    if (partition := _TOPIC_PARTITION.search(event.details.get("assigned", ""))) is not None:
        event.topic, event.partition = partition["topic"], whole_number(partition["partition"])
    is_judged = head.library in JUDGED
    is_loud = (event.level is None or event.level in LOUD) and (not is_judged or family.kind in IN_WORDS)
    if is_loud or not (is_judged or family.kind == "other_kafka"):
        event.details.setdefault("said", _said(record, match)[:LONGEST_SAID])
    put_case(event, record, family)
    if family.id == "rdkafka-max-poll" and event.limit_ms is not None:
        exceeded_ms = whole_or_none(event.details["exceeded_ms"])  # who posts it may have masked it
        event.elapsed_ms = event.limit_ms + exceeded_ms if exceeded_ms is not None else None
        if "leaving group" in record.message:
            leave = _event(record, process, head, "leave_group", "rdkafka-leave-poll")
            leave.client_kind = "consumer"
            leave.details["reason"] = "consumer poll timeout has expired."
            return numbered([event, leave])
    return [event]


def _said(record: LogRecord, match: re.Match[str]) -> str:
    """A record's message; of one of several lines, or that its layout cut, the line in which it was found."""
    if match.string.endswith(f",{record.text}"):  # as its fields were put in order
        return match.string.removesuffix(f",{record.text}").rpartition('",')[0].lstrip('"')
    first, newline, _ = record.message.partition("\n")
    if match[0] in (first if newline else record.message):
        return record.message
    whole = match.string if " ".join(match[0].split()) in " ".join(record.text.split()) else record.text
    begin = whole.rfind("\n", 0, match.start()) + 1
    return whole[begin:].partition("\n")[0]


def _event(
    record: LogRecord, process: ProcessRef, head: ClientHead, kind: str, message_id: str
) -> ClientEvent:
    thread = head.thread or record.thread
    if thread is not None and _NO_THREAD.match(thread):
        thread = None
    said = (
        head.level or record.level, head.client_kind, head.client_id, None, None,
        None, None, None, None, thread,
    )  # fmt: skip
    event = placed(record, process, kind, message_id, said)
    event.client_library = head.library
    if head.library in WITHOUT_LEVELS and event.level in QUIET:
        event.level = None
    event.node_id = head.node_id
    fill(event, {"facility": head.facility, "node": head.node})
    return event


def _said_in_json(record: LogRecord) -> dict[str, str | None]:
    """What a line of kafkajs says beside its message; also where the line is cut."""
    # Where a message is a string of JSON, its own fields are escaped.
    found = (one for said in (record.message, record.text) for one in _JSON_TEXT.finditer(said))
    return {KAFKAJS[one["name"]]: one[str(one.lastgroup)] for one in found}
