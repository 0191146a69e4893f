"""Typed events of a log record: which family of messages.yaml it is, and what its fields say."""

import re
from dataclasses import replace
from functools import lru_cache

from transforms.events import APPLICATION_EXCEPTION, UNEXPLAINED, UNRECOGNIZED, ClientEvent
from transforms.parse.catalogue.anchors import CLASSES, is_kafka_logger, speaks_of_kafka
from transforms.parse.catalogue.cut_off import begun
from transforms.parse.catalogue.exceptions import (
    Proof,
    chain_of,
    may_prove,
    names_kafkas,
    proof_in,
    tidied,
    whole_texts,
)
from transforms.parse.catalogue.form import Form
from transforms.parse.catalogue.forms import ANSWERED, exception_forms, finder
from transforms.parse.catalogue.other_clients import client_of_other_language, library_of
from transforms.parse.events.dumps import CLIENT_KINDS, class_by_keys, dumped, values_of
from transforms.parse.events.fields import explain, fill, put_chain, put_chain_of_proof, put_frame, put_worker
from transforms.parse.events.other_events import events_of_client, said_of_other, whole_of
from transforms.parse.events.refine import refine
from transforms.parse.lines.prefixes import LEFT_OUT, NO_PREFIX, Prefix, prefix_of, whole_thread
from transforms.parse.records.placing import ProcessRef, numbered, placed
from transforms.records import LogRecord
from transforms.when_used import when_used

# What a line of no family says is kept in details, as far as a sentence may quote it.
TROUBLE_LEVELS = frozenset({"WARN", "ERROR", "FATAL"})
# Kinds that do not say what it was: their lines are quoted; of these that is all that a sentence may have.
QUOTED_ONLY = frozenset({"streams_error", "config_warning"})
QUOTED = QUOTED_ONLY | {"other_kafka"}
LONGEST_SAID = 300
MOST_WRAPPED = 6  # lines that one message was broken into
_PAGES = '`"|\\'  # signs that a page, a table or a program put behind a line
UNCAUGHT = '\nException in thread "'  # Source: java.lang.ThreadGroup.uncaughtException
LEAST_OF_A_DUMP = 6  # fewer `key = value` lines are no dump of a Kafka client (they print 60 and more)
# 2.4 to 2.8 have no line of its own for the poll timeout: the leave line gives its long text as the reason.
POLL_EXPIRED_TOO = "consumer poll timeout has expired. This means"
# Of these kinds the client's own line has no trace of an expiry: one below it was printed by somebody else.
PRINT_NO_EXPIRY = frozenset({
    "produce_retry", "connect_failed", "disconnect", "request_timeout", "request_cancelled", "config_dump", "lifecycle"
})  # fmt: skip
# What is no echo where a line of Kafka's that is in no family prints it (Connect's WorkerSourceTask), and of it what
# nobody quotes with its numbers.
BEYOND_DOUBT = ("batch_expired", "task_timeout_expired", "request_timeout")
NO_QUOTATION = BEYOND_DOUBT[:2]
# Source: spring-kafka, LoggingProducerListener.onError.
_SENT = when_used(r"(?m)' to topic (?P<topic>[\w.\-]+)(?: and partition (?P<partition>\d+))?:?$")
# As the class and its text are printed by `System.err.println("Failed: " + name + ..)`, not as a trace has them.
_REFUSED_BELOW = when_used(
    r"\n(?:[^\n]*[^\w.\n])?CommitFailedException: (?P<message>(?:Offset c|C)ommit cannot be completed [^\n]*)"
)
_CALLED = when_used(  # also on the line below its call, in a link of Javadoc's, as JSON that is a literal's member
    r'\w\([^\n]{0,200}"[^"\n]{0,200}(?:Exception|Error)\b[^"\n]{0,400}" *[,;)+]|(?:Exception|Error)\("[^"\n]{0,400}"[,;)+]'
    r'|\w\(\n[^\S\n]*"|\{@\w+ [\w.#]*(?:Exception|Error)\b|(?:\A|\n)[ \t]*\w+:[ \t]+"\{\\"[^\n]*",\s*?(?:\n|\Z)'
    r"|(?<!\w)(?:catch ?\(|(?:rescue|except|throws(?! an? )|import|instanceof) )[\w.$, |]{0,300}(?:Exception|Error)(?!\w|: )"
    r'|\brescue (?:[\w:]+, )*\w+::\w+(?: =>|$)|(?:\A|\n)[ \t]*"[^"\n]*"\)+(?:;[ \t]*\n|[,;]?\s*\Z)|\(e\.g\. ["\'`]'
    r'|\w(?:Exception|Error)["\']? ?[:=] ?["\']?(?i:off|fatal|error|warn|info|debug|trace)["\',]*\s*?(?:\n|\Z)'  # a level
)
_BROKEN = when_used(r"(?<=[\w,])[ \t]*\n[ \t]*(?=(?!at )[a-z]{2,20},? )")  # a page did so, within a sentence
_NO_SENTENCE = when_used(r"[-*] |at [^\n]*\)$")  # an item of a list, a frame of a stack trace
_THROWN_FIRST = when_used(r"[\"'`]?(?:[a-z_]\w{0,60}\.){1,12}[\w$]{0,120}(?:Exception|Error): ")
# What a consumer could not fetch, by the class of what a producer could not send. Source: Fetcher, to 2.8.
FETCHED_TOO_LARGE = "There are some messages at [Partition=Offset]"
# What Spring's LoggingProducerListener says of a send, whatever it failed with.
SENT_BY_SPRING = "Exception thrown when sending a message with key="
_BY_EXCEPTION = {name: kind for kind, names in CLASSES["exceptions"].items() for name in names}


def events_of(record: LogRecord, origin: ProcessRef) -> list[ClientEvent]:
    """The events that a record tells; none where it is neither Kafka's nor carries a Kafka exception."""
    message = record.message
    prefix = prefix_of(message)
    logger = record.logger
    simple, is_javas = of_logger(logger)
    if is_javas and prefix is NO_PREFIX and (left_out := LEFT_OUT.match(message)) is not None:
        prefix = Prefix(left_out.end())
    is_kafka = prefix is not NO_PREFIX or is_javas
    # A class name alone may be a word of another client's line.
    may_be_other = not is_kafka or (prefix is NO_PREFIX and logger is not None and "." not in logger)
    if may_be_other and (head := client_of_other_language(whole_of(record), logger)) is not None:
        return events_of_client(record, origin, head)
    if is_kafka or logger is None:
        found = form_of(message, prefix, simple)
        # A short text tells whose it is where its line speaks of Kafka besides.
        if found is not None and (is_kafka or found[0].is_telling or speaks_of_kafka(record.text)):
            form, match = found
            return family_events(record, origin, prefix, form, match)
    # A program gives a call what is thrown, or catches it: nobody said that.
    is_headless = record.level is None and record.logged_at is None
    is_code = (may_be_said := may_prove(message)) and is_headless and _CALLED.search(message) is not None
    is_said = may_be_said and not is_code
    event = _proven(record, origin, prefix, is_kafka=not may_be_other) if is_said else None
    if event is None and not is_kafka:
        event = _thrown(record, origin, prefix) if is_said and names_kafkas(message) else None
        event = event or (_headless_dump(record, origin) if " = " in message else None)
        event = event or (said_of_other(record, origin) if "org.apache.kafka." not in record.text else None)
        said = event.details.get("said", "") if event is not None and is_headless else ""
        if "Traceback (" not in message and _CALLED.search(said) is not None:
            return []
    elif event is None and simple is not None and simple.endswith("Config") and " = " in message:
        event = _headless_dump(record, origin, simple)
    elif event is None and may_be_other:
        event = said_of_other(record, origin)
    if event is None and (is_kafka or speaks_of_kafka(record.text)) and not is_code:
        event = _event(record, origin, prefix, "other_kafka", UNRECOGNIZED)
        explain(event, message)
        if record.level in TROUBLE_LEVELS or (record.level is None and event.error_class is not None):
            event.message_id = UNEXPLAINED
            event.details |= unexplained_details(message, prefix, logger if is_javas else None)
    return [] if event is None else [event]


@lru_cache(4096)
def of_logger(logger: str | None) -> tuple[str | None, bool]:
    """A logger's simple name, and whether it is one of Kafka's own."""
    if logger is None:
        return None, False
    return logger[logger.rfind(".") + 1 :], is_kafka_logger(logger) and library_of(logger) is None


def form_of(message: str, prefix: Prefix, logger: str | None) -> tuple[Form, re.Match[str]] | None:
    """The form of a message behind its prefix. logger: its simple name."""
    body = message[prefix.length :].removesuffix("```")  # a fence that a page glued to it
    found = finder().find(body, logger)
    if prefix.client_kind == "broker" and not (found and found[1].re.groups):  # in a group
        found = finder().find(message[prefix.outer :], logger) or found
    if found is None or ("\n" in body and _is_broken_off(body)):
        is_kafkas = prefix is not NO_PREFIX or logger is not None
        is_odd = "\n" in body or "  " in body or "\t" in body or body[-1:] in _PAGES
        wrapped = _wrapped(body, logger) if is_odd else None
        return wrapped or found or finder().find_begun(body, logger, is_kafkas=is_kafkas)
    return found


def _is_broken_off(body: str) -> bool:
    """Whether a message's first line leaves a list open that it ends within: `{orders-a` of `{orders-audit=..}`."""
    first, _, rest = body.partition("\n")
    return _is_open(first) and "{" in first and "}" in rest.partition("\n")[0]


def _is_open(text: str) -> bool:
    return text.count("{") != text.count("}")


@lru_cache(64)  # what is thrown at every try is the same each time
def _wrapped(body: str, logger: str | None) -> tuple[Form, re.Match[str]] | None:
    """The form of a message whose lines a paste broke, or whose blanks it doubled: only the joined text is one."""
    broken = body.split("\n", MOST_WRAPPED)[:MOST_WRAPPED]
    lines = [" ".join(line.split()).rstrip(_PAGES) for line in broken]
    is_broken_off = _is_broken_off(body)
    end = next((at for at, line in enumerate(lines) if at and _NO_SENTENCE.match(line)), len(lines))
    for count in range(2 if body == lines[0] else 1, end + 1):
        if is_broken_off and _is_open("".join(lines[:count])):
            continue
        # What a list names is broken within its names, too.
        for between in ("", " ") if is_broken_off and not lines[0].endswith(",") else (" ", ""):
            found = finder().find(between.join(lines[:count]), logger)
            if found is not None:
                return found
    return None


def family_events(
    record: LogRecord, origin: ProcessRef, prefix: Prefix, form: Form, match: re.Match[str]
) -> list[ClientEvent]:
    """The events of a record whose text is of a family, as a match of one of its forms shows."""
    family = form.family
    event = _event(record, origin, prefix, family.kind, family.id)
    event.benign = family.benign
    event.api = family.api
    event.client_kind = event.client_kind or family.client
    fill(event, match.groupdict())
    if record.level in TROUBLE_LEVELS and family.kind in QUOTED:
        event.details["text"] = quoted(record.message, prefix)
    beneath: list[ClientEvent] = []
    if "\n" in record.message:
        if family.kind in PRINT_NO_EXPIRY and may_prove(record.message):
            beneath = _beneath(record, origin)
        if not beneath and (uncaught := _uncaught(record, origin)) is not None:
            beneath = [uncaught]
        if not beneath and family.kind != "commit_failed":
            beneath = _refused_beneath(record, origin)
    if not beneath:
        explain(event, record.message)
    refine(event, record, family)
    if event.message_id == "leave-group" and POLL_EXPIRED_TOO in " ".join(record.message.split()):
        poll = _event(record, origin, prefix, "poll_interval_expired", "poll-timeout-expired")
        poll.member_id = event.member_id
        return numbered([poll, event])
    return numbered([event, *beneath]) if beneath else [event]


def _beneath(record: LogRecord, origin: ProcessRef) -> list[ClientEvent]:
    """What a tool on the console printed, without a head, below a client's line: how a send or a call ended."""
    found = []
    for line in record.message.split("\n")[1:]:
        if line[:1].isspace() or not may_prove(line):
            continue
        proof, chain = proof_in(line), chain_of(line)
        is_outermost = chain and not line.startswith("Caused by: ")
        kind = proof.kind if proof is not None else _BY_EXCEPTION.get(chain[0].name) if is_outermost else None
        if kind not in ("batch_expired", "produce_failed") and (chain or kind != "request_timeout"):
            continue
        event = _event(record, origin, NO_PREFIX, kind, proof.family.id if proof else APPLICATION_EXCEPTION)
        (put_chain_of_proof if proof else put_chain)(event, chain)
        fill(event, proof.fields if proof else {})
        if proof is not None and not chain:
            event.details["error_message"] = tidied(proof.text)[:LONGEST_SAID]
        found.append(event)
    return found


def _refused_beneath(record: LogRecord, origin: ProcessRef) -> list[ClientEvent]:
    """A commit's refusal that an application printed in words of its own, without a head, below a client's line; Java's
    traces have the package's name before the class."""
    refused = _REFUSED_BELOW.search(record.message) if "CommitFailedException: " in record.message else None
    if refused is None:
        return []
    event = _event(record, origin, NO_PREFIX, "commit_failed", APPLICATION_EXCEPTION)
    event.level, event.error_class = None, "CommitFailedException"
    event.details["error_message"] = refused["message"]
    return [event]


def unexplained_details(message: str, prefix: Prefix, logger: str | None) -> dict[str, str]:
    """Details of a line of trouble of no family. logger: of Java's clients, which tells whose part of Kafka it is."""
    said = {"text": quoted(message, prefix)}
    return said if logger is None else said | {"logger": logger}


def quoted(message: str, prefix: Prefix) -> str:
    """What a line of trouble says in its own words; a prefix that names a Connect task is of them."""
    said = message[prefix.length if prefix.client_id else 0 :][: LONGEST_SAID * MOST_WRAPPED].lstrip()
    return _BROKEN.sub(" ", said).partition("\n")[0][:LONGEST_SAID]


def _event(record: LogRecord, origin: ProcessRef, prefix: Prefix, kind: str, message_id: str) -> ClientEvent:
    thread = prefix.thread or whole_thread(record.thread)
    said = (
        record.level, prefix.client_kind, prefix.client_id, prefix.group_id, prefix.group_instance_id,
        prefix.transactional_id, None, None, prefix.task_id, thread,
    )  # fmt: skip
    event = placed(record, origin, kind, message_id, said)
    if prefix.worker is not None or record.extra:
        put_worker(event, prefix.worker, record.extra.get("context"))
    return event


def _is_listed(message: str, proof: Proof) -> bool:
    """Whether an exception's text without its class is one of a program's list of literals, alone on its line."""
    said = proof.text.strip()
    return proof.named is None and said.endswith('",') and f'"{said}' in map(str.strip, message.split("\n"))


def _proven(record: LogRecord, origin: ProcessRef, prefix: Prefix, *, is_kafka: bool) -> ClientEvent | None:
    """An exception printed by the application is the event it evidences, at its record's time."""
    message = record.message
    if (proof := proof_in(message)) is None and "\n" in message:
        message = whole_texts(message)
        proof = proof_in(message)
    if proof is None or "kafka.errors." in message or ANSWERED in message:  # others' lines, in Java's words
        return None
    if record.level is None and record.logged_at is None and _is_listed(message, proof):
        return None
    chain = chain_of(message)
    # Clients put a context before all they say: without it the line lost its beginning.
    is_cut = prefix is NO_PREFIX and (record.logger or "").startswith("org.apache.kafka.clients.")
    is_certain = proof.kind in NO_QUOTATION or (is_cut and proof.is_first)
    is_certain = is_certain or (proof.named is not None and message.startswith(proof.named, prefix.length))
    if is_kafka and not (is_certain or (chain and proof.kind in BEYOND_DOUBT)):
        return None
    if proof.family.repeats_class and any(thrown.is_kafka for thrown in chain):
        return None
    is_named = proof.named and (proof.begins_line or not proof.family.repeats_class)
    if not (is_certain or chain or is_named or _is_told(record, proof)):
        return None
    event = _event(record, origin, prefix, proof.kind, proof.family.id)
    event.client_kind = event.client_kind or proof.family.client
    put_chain_of_proof(event, chain)
    put_frame(event, message)
    fill(event, proof.fields)
    event.error_class = event.error_class or proof.named
    if event.topic is None and (to := _SENT.search(record.message)) is not None:
        fill(event, to.groupdict())
    if not any(proof.text in (thrown.message or "") for thrown in chain):
        event.details["error_message"] = tidied(proof.text)[:LONGEST_SAID]
    return event


def _is_told(record: LogRecord, proof: Proof) -> bool:
    """Whether an exception's text without its class is no quotation: all of its line, told at WARN or above, or a reason
    that a record or another's exception gives."""
    if proof.is_alone or (proof.is_first and record.level in TROUBLE_LEVELS):
        return True
    return proof.is_reason and (record.level is not None or _THROWN_FIRST.match(record.message) is not None)


def _thrown(
    record: LogRecord, origin: ProcessRef, prefix: Prefix, *, is_any: bool = False
) -> ClientEvent | None:
    """Any other exception of Kafka's in an application's record. is_any: or one that its code threw."""
    chain = chain_of(record.message)
    kafka = [thrown for thrown in chain if is_any or thrown.is_kafka]
    if not kafka:
        return None
    told = (thrown for thrown in kafka if thrown.name in _BY_EXCEPTION)
    # An exception of Streams tells the least of what it wraps.
    telling = min(told, key=lambda one: one.name == "StreamsException", default=kafka[0])
    sent = "produce_failed" if SENT_BY_SPRING in record.message else None
    kind = None if FETCHED_TOO_LARGE in (telling.message or "") else _BY_EXCEPTION.get(telling.name, sent)
    family = None
    # Or what its text begins to say, where the end is not there.
    texts = [one.message for one in kafka if one.message] if kind is None else []
    cut = next(filter(None, (begun(text, exception_forms()) for text in texts)), None)
    if cut is not None:
        kind, family = cut[0].family.kind, cut[0].family.id
    event = _event(record, origin, prefix, kind or "other_kafka", family or APPLICATION_EXCEPTION)
    put_chain(event, chain)
    put_frame(event, record.message)
    event.error_class = telling.name
    if cut is not None:
        fill(event, cut[1].groupdict())
    if (to := _SENT.search(record.message)) is not None:
        fill(event, to.groupdict())
    return event


def _uncaught(record: LogRecord, origin: ProcessRef) -> ClientEvent | None:
    """What the JVM printed of a thread's death below another record: it has no head, so the reader joined it to that."""
    message = "".join(record.message.partition(UNCAUGHT)[1:])[1:]
    if not names_kafkas(message):
        return None
    printed = replace(record, message=message, level=None)
    proven = _proven(printed, origin, NO_PREFIX, is_kafka=False)
    return proven or _thrown(printed, origin, NO_PREFIX, is_any=True)


def _headless_dump(record: LogRecord, origin: ProcessRef, logger: str | None = None) -> ClientEvent | None:
    """A config dump whose first line was lost, told by the class that logs it (simple), or by its keys."""
    values = values_of(record.message)
    if logger in CLIENT_KINDS:
        config_class = logger if len(values) > 1 else None
    else:
        config_class = class_by_keys(values) if len(values) >= LEAST_OF_A_DUMP else None
    if config_class is None:
        return None
    event = _event(record, origin, NO_PREFIX, "config_dump", "config-dump")
    event.details.update(config_class=config_class, headless="true")
    dumped(event, record)
    return event
