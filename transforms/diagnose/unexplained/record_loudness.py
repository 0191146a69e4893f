"""How loudly a record speaks of what nothing explains: by its level, its events, its words. And what is quoted of it."""

from collections.abc import Iterable, Sequence
from functools import cache

from transforms.diagnose.unexplained.raw_line import RawLine, without_key
from transforms.diagnose.unexplained.source_read import ReadRecord
from transforms.diagnose.wording.loudness import LOUD, fails_in_words, is_thrown, loudness_of
from transforms.diagnose.wording.named_clients import client_of
from transforms.events import APPLICATION_EXCEPTION, JAVA, LIBRDKAFKA, UNRECOGNIZED, ClientEvent
from transforms.parse.catalogue.exceptions import chain_of
from transforms.parse.catalogue.forms import exception_forms, families
from transforms.parse.catalogue.other_clients import JUDGED
from transforms.parse.events.other_events import WITHOUT_LEVELS
from transforms.timers.clients.trouble_events import has_printers_level
from transforms.when_used import when_used

# Kinds of events that some client must act on or wait for, at whatever level its client says it.
OF_TROUBLE = frozenset({
    "task_timeout_expired", "batch_expired", "produce_failed", "request_timeout", "connect_failed", "poll_interval_expired",
    "heartbeat_failed", "session_expired", "coordinator_lost", "fenced", "commit_failed", "partitions_lost",
    "broker_member_failed", "streams_error",
})  # fmt: skip
# Of these, what is trouble whatever level it is said at.
NEVER_QUIET = frozenset({
    "task_timeout_expired", "batch_expired", "request_timeout", "poll_interval_expired", "session_expired", "fenced",
})  # fmt: skip
QUIET = ("INFO", "DEBUG", "TRACE")
FRAME = when_used(r"(?:^|\s|\\t)at (?:[\w$<>]+\.)+[\w$<>]+\([^()]*\)(?: ~?\[[^\]]*\])?\s*$")


def speaks(record: ReadRecord, events: Iterable[ClientEvent]) -> str:
    """How loudly a record speaks of what nothing explains; empty where it is of a known family and quiet, or normal."""
    told = list(events)
    # A client of another language says its level in a head of its own.
    said = next((event.level for event in told if event.client_library != JAVA and event.level), record.level)
    if said and told and all(has_printers_level(event.message_id) for event in told):
        said = "DEBUG" if said in ("DEBUG", "TRACE") else "INFO"
    if (said in QUIET and all(_is_quiet(event) for event in told)) or all(event.benign for event in told):
        return ""
    head = record.text.strip().partition("\n")[0]
    if all(_is_without_level(event, said) for event in told):
        return "words" if fails_in_words(head) else ""
    level = _of_level(said) if said else loudness_of(head)
    if level in LOUD:
        return level
    # Kafka's own INFO is quiet whatever it names; an application that prints an exception of Kafka's at INFO is not.
    is_printed = any(map(_is_printed, told))
    if (is_printed or said not in QUIET) and is_thrown(record.text):
        return "exception"
    if any(event.kind in NEVER_QUIET for event in told):
        return level or "words"
    if any(event.kind in OF_TROUBLE for event in told):
        return level
    # Clients of other languages print failures at INFO, or at no level at all; so do bindings what librdkafka says at DEBUG.
    may_say = any(map(_may_say_in_words, told)) or (said is None and _names_a_library(head, told))
    is_said = may_say and said not in ("DEBUG", "TRACE") and fails_in_words(head)
    is_said = is_said and all(event.kind == "other_kafka" for event in told)
    is_unknown = all(event.message_id == UNRECOGNIZED for event in told)
    may_be = (
        said is None and (is_unknown or any(map(_may_be_loud, told))) and fails_in_words(without_key(head))
    )
    return "words" if is_said or may_be else ""


def is_thrown_last(
    record: ReadRecord, events: Sequence[ClientEvent], is_all_quiet: bool, is_last: bool
) -> bool:
    """Whether a log shows that something was thrown and nothing that the client got on, at whatever level it was said.

    So it is where it ends in a stack trace, or, where nothing else is told of, in frames whose head is not there.
    """
    if is_all_quiet and record.level is None and FRAME.search(record.text.partition("\n")[0]) is not None:
        return True
    is_trace = is_last and "\n" in record.text and not any(event.benign for event in events)
    return is_trace and bool(chain_of(record.text))


def loudest_line(record: ReadRecord, loudness: str, events: Iterable[ClientEvent]) -> RawLine:
    """What is quoted of a record: its first line, or the one that names an exception where that is all; and whose it is."""
    lines = record.text.split("\n")
    if lines[0].strip() == "{":  # an object of its own lines: its message is one of them
        lines = [" ".join(line.strip() for line in lines)]
    at = 0
    if loudness == "exception":
        at = next((number for number, line in enumerate(lines) if is_thrown(line)), 0)
    above = lines[0] if at else ""
    libraries = (event.client_library for event in events if event.client_library != JAVA)
    said, client = lines[at].strip(), next(libraries, None) or client_of(lines[0]) or client_of(lines[at])
    return RawLine(record.source, record.line + at, said, loudness, client, record=record.text, above=above)


@cache
def _of_level(level: str) -> str:
    return loudness_of(f" {level} ")


def _may_be_loud(event: ClientEvent) -> bool:
    """Whether an event's line, of which the level was cut off, is one that some releases write at WARN or louder, and none
    at DEBUG."""
    family = families().get(event.message_id)
    levels = family.levels if family is not None and not event.benign else ()
    return "DEBUG" not in levels and any(_of_level(level) in LOUD for level in levels)


def _is_without_level(event: ClientEvent, said: str | None) -> bool:
    """Whether an event is a known line whose level was chosen by whatever prints it: of a library that gives its lines
    none, or what librdkafka says at DEBUG alone."""
    if event.message_id == UNRECOGNIZED or event.kind in NEVER_QUIET:
        return False
    is_taken = event.client_library == LIBRDKAFKA and event.level is None and said is not None
    return is_taken or (said == "WARN" and event.client_library in WITHOUT_LEVELS)


def _may_say_in_words(event: ClientEvent) -> bool:
    """Whether an event is of a client that is not Java's, and of no family that says what it means."""
    is_known = event.client_library in JUDGED and event.message_id != UNRECOGNIZED
    return event.client_library != JAVA and not is_known and not event.benign


def _names_a_library(line: str, events: Iterable[ClientEvent]) -> bool:
    """Whether a line of no family speaks of another language's client: a loader does, or the shell, without a level."""
    return all(event.message_id == UNRECOGNIZED for event in events) and client_of(line) is not None


def _is_quiet(event: ClientEvent) -> bool:
    """Whether an event is none that speaks at whatever level: so are most lines of a log."""
    return not _may_say_in_words(event) and event.kind not in NEVER_QUIET and not _is_printed(event)


def _is_printed(event: ClientEvent) -> bool:
    """Whether an event is an exception of Kafka's that an application printed, known by its message or not."""
    return event.message_id in _printed()


@cache
def _printed() -> frozenset[str]:
    return frozenset({APPLICATION_EXCEPTION, *(form.family.id for form in exception_forms())})
