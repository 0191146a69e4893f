"""What stands before a Kafka client's text: whose line it is (org.apache.kafka.common.utils.LogContext)."""

import re
from dataclasses import dataclass, replace
from functools import lru_cache

from transforms.parse.catalogue.anchors import CUT_NAMES, OF_CLIENTS, OF_SERVERS
from transforms.when_used import when_used

CLIENT_KINDS = {
    "Consumer": "consumer",
    "Producer": "producer",
    "AdminClient": "admin",
    "ShareConsumer": "share",
    "Worker": "connect",
}
# `[Consumer clientId=c, groupId=g] `, `[Controller id=0, targetBrokerId=0] `, `[Schema registry clientId=sr-1, groupId=g] `.
_CONTEXT = when_used(
    r"\[(?P<what>[A-Z]\w*(?: [A-Za-z]\w*){0,3})[ \t]+"
    r"(?=(?:(?:client[-._])?\w*[Ii]d|groupID|listenerType|broker|name|partition)=)(?P<fields>(?:[^\n]|,\n)*?)\]:?\s"
)
# As a poster leaves out what it holds: `[Consumer ...] `; or all of it, which only a logger tells to be a context's.
_DOTS = r"(?:\.{2,3}|\u2026)"
_ELIDED = when_used(rf"\[(?P<what>Consumer|Producer|AdminClient|ShareConsumer|Worker) ?{_DOTS}\]\s")
LEFT_OUT = when_used(rf"(?:\[{_DOTS}\]|{_DOTS})\s+(?=\S)")
# As most are: no sign in it that an id could share with the prefix itself. A paste may break it behind a comma. Read by
# itself, as clients that are named once each (short-lived ones) cost a tenth more of reading without it.
_USUAL = when_used(
    r"\[(?P<what>Consumer|Producer|AdminClient|ShareConsumer) clientId=([^\s,=\]]*)(?:,\s+groupId=([^\s,=\]]*))?\]\s"
)
# What a paste left of one: fields whose values have no blank in them, a bracket on one of their sides or on none, a piece of
# what stood before them. Closed, it may be anybody's; without its end it must say which client it is.
_ID = r"(?:client|group|instance|transactional)[-._]?Id"
_IDS = rf"{_ID}=(?:[^\s,\]\[]|\[\w*\])*(?:,\s*{_ID}=(?:[^\s,\]\[]|\[\w*\])*)*|(?:{CUT_NAMES})=[^\s,\]\[]+"
_LEFT = when_used(
    rf"(?i)\W{{0,4}}(?:(?P<what>[A-Za-z]{{1,20}})[ \t]+|(?P<glued>{'|'.join(CLIENT_KINDS)}))?"
    rf"(?:(?:[A-Za-z]{{0,8}}=(?P<id>[^\s\[\],]{{1,200}})|[^\s\[\],]{{1,200}}),[ \t]+)??(?P<fields>{_IDS})\]:?\s+",
)
_OPEN = when_used(
    rf"(?i)\[?(?P<what>Consumer|Producer|AdminClient|ShareConsumer|Worker)[ \t]+(?P<fields>{_IDS})\s+"
)
# The same at a line's beginning.
CUT_CONTEXT = r"\W{0,4}(?:[A-Za-z]{1,20} )?(?:client|instance)Id=[^\]\[\n]{1,400}\]\s"
# One that a paste glued to what it begins.
_GLUED = when_used(r"\[[A-Z]\w* (?:clientId|instanceId)=[^\]\[\n]{1,400}\](?=[A-Za-z(])")
_FIELD = when_used(rf"([\w.\-]+)=(.*?)(?=,\s+(?:[\w.\-]+=|{_DOTS}$)|\s+{_ID}=|$)")
_GROUP = when_used(r"\[GroupId (?P<group>[^\]]*)\]\s?(?:\[MemberId (?P<member>[^\]]*)\]\s?)?")
# Of an application and its process or thread, as Streams makes it; it tells itself where a bracket is lost.
_UUID = r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
_ID_OF_STREAMS = r"[^\s\[\]=,]{{1,200}}-(?:{uuid}|StreamThread-\d{{1,5}})(?:-[^\s\[\]=,]{{1,60}})?"
STREAMS_ID = _ID_OF_STREAMS.format(uuid=_UUID)
_CUT_ID = _ID_OF_STREAMS.format(uuid="[0-9a-f]{4}-[0-9a-f]{12}")
_STREAMS = when_used(
    r"(?P<what>stream-thread|stream-client|state-updater|global-stream-thread)\s+"
    rf"(?:\[(?P<name>[^\[\]]*)\]|\[?(?P<bare>{STREAMS_ID}|[^\s\[\]]{{1,200}}(?=\])|(?<=\[)[^\s\[\]]{{1,200}})\]?)"
    r"(?:\s+|(?<=\])(?=[A-Z]))(?:(?:standby-|stream-)?task\s+\[(?P<task>[^\]]*)\]\s)?"
)
_STREAMS_LEFT = when_used(
    r"(?i)\W{0,4}(?:[a-z\-]{0,16}(?P<what>thread|client)\s+\[(?P<bare>[^\[\]]*)"
    rf"|(?:[a-z\-]{{1,16}} )?\[?(?P<name>{_CUT_ID}))"
    r"\]\s+(?:(?:standby-|stream-)?task\s+\[(?P<task>[^\]]*)\]\s+)?",
)
_OF_CLIENT = when_used(r"-(?:consumer|producer|admin)$")
# Streams to 1.0 names the task alone: `task [0_1] `.
_STREAMS_TASK = when_used(r"(?:standby-|stream-)?task\s+\[(?P<task>(?:\S+__)?\d+_\d+)\]\s+")
# The producer of 0.11: `[TransactionalId orders-0_1] `.
_TRANSACTIONAL = when_used(r"\[TransactionalId (?P<id>[^\]]+)\] ")
_BROKER = when_used(OF_SERVERS + r":? ")
# What a worker of Connect begins with where it speaks of one of its own: `WorkerSinkTask{id=orders-sink-0} `.
_WORKER = when_used(r"(?P<worker>(?:ExactlyOnce)?Worker\w*\{id=[^}\n]*\}) ")
_STREAMS_PART = when_used(
    r"^(?P<base>.+?)-(?:StreamThread-\d|StateUpdater-\d|GlobalStreamThread$|CleanupThread$)"
    # These only behind a generated id: an application may call its own client `orders-admin`.
    r"|^(?P<uuid>.+-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})-(?:admin|global-consumer)$"
)

# Spring Boot's `%15.15t`; the end of `..-StreamThread-1` or `..-GlobalStreamThread`.
SPRING_THREAD = 15
_STREAM_THREAD_END = when_used(r"eamThread(?:-\d+)?$")


@dataclass(slots=True)
class Prefix:
    """Whose line it is, as far as its prefix says; never changed once it is made.

    `length`: characters of the message it takes; `outer`: without the group that a coordinator names behind its own name,
    which some of its messages begin with.
    """

    length: int = 0
    client_kind: str | None = None
    client_id: str | None = None
    group_id: str | None = None
    group_instance_id: str | None = None
    transactional_id: str | None = None
    thread: str | None = None
    task_id: str | None = None
    outer: int = 0
    worker: str | None = None


NO_PREFIX = Prefix()
_MORE = frozenset("\n[ \t|")  # what may go on with a prefix
_GAPS = " \t\n|"
LONGEST = 900  # characters: no prefix of real ids is longer
_KEPT = 4096


def prefix_of(message: str) -> Prefix:
    """The prefix of a message; NO_PREFIX where it has none."""
    usual = _USUAL.match(message, 0, LONGEST)
    if (
        usual is not None
        and message[usual.end() - 1] == " "
        and message[usual.end() : usual.end() + 1] not in _MORE
    ):
        return _of_usual(usual)  # nothing but words may follow it
    prefix = _first_of(message)
    # A paste broke the line, doubled the blank, or put it into cells.
    if prefix.length and message[prefix.length : prefix.length + 1] in _MORE:
        prefix = replace(prefix, length=len(message) - len(message[prefix.length :].lstrip(_GAPS)))
    if prefix.client_kind == "streams" and not prefix.task_id:
        task = _STREAMS_TASK.match(message, prefix.length)
        return replace(prefix, length=task.end(), task_id=task["task"]) if task else prefix
    if message.startswith("[GroupId ", prefix.length):  # a coordinator's, behind its own name or alone
        of_group = _GROUP.match(message, prefix.length)
        if of_group is not None:
            outer = prefix.length
            return replace(
                prefix, length=of_group.end(), outer=outer, client_kind="broker", group_id=of_group["group"]
            )
    return prefix


def _first_of(message: str) -> Prefix:
    """The prefix but for a coordinator's group behind it."""
    if message[:1] in ("W", "E") and (worker := _WORKER.match(message)):
        return Prefix(worker.end(), "connect", worker=worker["worker"])
    whole = _whole_of(message) if message[:1] in ("[", "s", "g", "t") else NO_PREFIX
    return whole if whole.length else _left_of(message)


def _whole_of(message: str) -> Prefix:
    """A prefix as Kafka writes it."""
    end = message.find("]", 0, LONGEST)
    if end >= 0 and message[0] == "[":  # a broker's ends with a colon, in some releases
        end = end if message.startswith(("]: ", "]\n"), end) else message.find("] ", end, LONGEST)
        if message.find("[", 1, end) >= 0 and _OPEN.match(message):
            return NO_PREFIX  # it ends before what a list within the message does
    elif message.startswith(("] task [", "] stream-task [", "] standby-task ["), end):
        end = message.find("] ", end + 1, LONGEST)
    if end < 0:
        glued = _GLUED.match(message)
        whole = _parsed(f"{glued[0]} ") if glued else NO_PREFIX
        return replace(whole, length=whole.length - 1) if whole.length else _parsed(message[:LONGEST])
    return _parsed(message[: end + 3] if message.startswith("]: ", end) else message[: end + 2])


def _left_of(message: str) -> Prefix:
    """What is left of a context, at a message's beginning; which kind of client it is stays open where several end so."""
    # A cheap look first: it is closed by a bracket, or names the client's kind at once.
    is_closed = message.find("]", 0, LONGEST) >= 0
    found = (is_closed and _LEFT.match(message, 0, LONGEST)) or _OPEN.match(message, 0, LONGEST)
    if found is None:
        streams = _STREAMS_LEFT.match(message, 0, LONGEST) if is_closed else None
        if streams is None:
            return NO_PREFIX
        name = streams["name"] or streams["bare"]
        own = Prefix(streams.end(), client_id=name, task_id=streams["task"])
        told = own if _OF_CLIENT.search(name) else _of_streams(streams, name)
        return told if streams["what"] else replace(told, client_id=told.client_id or name)
    said = found["what"] or found.groupdict().get("glued") or "?"
    ends = (what for what in CLIENT_KINDS if what.endswith(said) and (what == said or said[0].islower()))
    kinds = [CLIENT_KINDS[what] for what in ends]
    # One that no bracket closes ends in a colon.
    told = _told_by(found["fields"].rstrip(":"), found.end(), kinds[0] if len(kinds) == 1 else None)
    # Of a field whose name was cut off: the client's id, which the others stand behind.
    return replace(told, client_id=told.client_id or found.groupdict().get("id"))


def streams_client_of(client_id_or_thread: str | None) -> str | None:
    """The Streams client a thread or an embedded client belongs to: what stands before `-StreamThread-N`.

    Source: Kafka Streams, ClientUtils (getConsumerClientId, getThreadProducerClientId, getAdminClientId).
    """
    part = _STREAMS_PART.match(client_id_or_thread or "")
    return (part["base"] or part["uuid"]) if part else None


def whole_thread(name: str | None) -> str | None:
    """The name of a record's thread; None where Spring Boot's layout cut it to its last 15 characters, so that it is the
    same for the stream threads of all applications."""
    is_cut = name is not None and len(name) == SPRING_THREAD and _STREAM_THREAD_END.search(name) is not None
    return None if is_cut else name


# The same few prefixes stand on all lines of a client: each is parsed once.
@lru_cache(_KEPT)
def _parsed(text: str) -> Prefix:
    if text[0] == "[":
        return _of_client(text)
    streams = _STREAMS.match(text)
    if streams is None:
        task = _STREAMS_TASK.match(text)
        return Prefix(task.end(), "streams", task_id=task["task"]) if task else NO_PREFIX
    return _of_streams(streams, streams["name"] or streams["bare"] or "")


def _of_streams(streams: re.Match[str], name: str) -> Prefix:
    is_client = (streams["what"] or "").lower() in ("stream-client", "client")
    # Assignor lines carry the consumer's id where other lines carry the thread's.
    thread = None if is_client else re.sub(r"(-StreamThread-\d+)-(?:restore-)?consumer$", r"\1", name)
    return Prefix(
        length=streams.end(),
        client_kind="streams",
        client_id=(name or None) if is_client else streams_client_of(name),
        thread=thread or None,
        task_id=streams["task"],
    )


def _of_client(text: str) -> Prefix:
    usual = _USUAL.match(text)
    if usual is not None:
        return _of_usual(usual)
    found = _CONTEXT.match(text)
    if found is not None:
        kind = "consumer" if found["what"] == "Heartbeat" else CLIENT_KINDS.get(found["what"])
        told = _told_by(found["fields"], found.end(), kind)
        is_brokers = told.client_kind is None and not any(name in found["fields"] for name in OF_CLIENTS)
        return replace(told, client_kind="broker") if is_brokers else told
    if (elided := _ELIDED.match(text)) is not None:
        return Prefix(elided.end(), CLIENT_KINDS[elided["what"]])
    if (transactional := _TRANSACTIONAL.match(text)) is not None:
        return Prefix(transactional.end(), "producer", transactional_id=transactional["id"])
    broker = _BROKER.match(text)
    return Prefix(length=broker.end(), client_kind="broker") if broker else NO_PREFIX


def _told_by(written: str, length: int, client_kind: str | None) -> Prefix:
    fields = {_key_of(name): value for name, value in _FIELD.findall(written)}
    return Prefix(
        length=length,
        client_kind=client_kind,
        client_id=_named(fields.get("clientId")),
        group_id=_named(fields.get("groupId")),
        group_instance_id=_named(fields.get("instanceId")),
        transactional_id=_named(fields.get("transactionalId")),
    )


def _key_of(name: str) -> str:
    """`clientId` of `client-id`, as who writes it again from memory has it, of `CLIENTID`, and of `ientId`, cut off."""
    bare = re.sub(r"[-._]", "", name).lower()
    return next((one for one in OF_CLIENTS if one.lower() == bare or (name[2:] and one.endswith(name))), name)


def _of_usual(found: re.Match[str]) -> Prefix:
    what, client_id, group_id = found.groups()
    return Prefix(found.end(), CLIENT_KINDS[what], _named(client_id), _named(group_id))


def _named(value: str | None) -> str | None:
    """What a field names: nothing where it is empty, or who wrote it again left it out (`clientId=...`)."""
    return None if value in (None, "", "null", "...", "\u2026") else value
