"""Lines that speak of trouble and that no family knows, told by their own words, whoever wrote them."""

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from transforms.diagnose.catalogue import (
    OTHER,
    SAID_TO_FAIL,
    Said,
    TroubleClass,
    canonical,
    class_of,
    class_of_kind,
    classes,
    found_in,
)
from transforms.diagnose.incident import Incident, fingerprint_of, incident_id
from transforms.diagnose.named_clients import a_client
from transforms.diagnose.own_settings import in_words_of
from transforms.diagnose.raw_lines import RawLine
from transforms.diagnose.sentences import sentence
from transforms.diagnose.troubles import FAULT_OF, WORST, plainly
from transforms.diagnose.words import cut
from transforms.parse.error_codes import NAMES
from transforms.parse.exceptions import ERROR_NAME, chain_of, reads_answer, thrown_at, tidied
from transforms.timers.clients.troubles import is_of_server

NAMED = {
    "client": re.compile(r"\b[cC]lient(?:\.?[iI]d|_id)\\?\"?\s*[=:]\s*\\?\"?(?P<value>[\w.\-]+)"),
    "group_id": re.compile(
        r"\b(?:group(?:\.?[iI]d|_id)|consumer_?[gG]roup)\\?\"?\s*[=:]\s*\\?\"?(?P<value>[\w.\-]+)"
        r"|\bfor (?:consumer )?group (?!coordinator|member|due|because|error|metadata)[\"']?(?P<name>[\w.\-]*\w)"
    ),
    "topic": re.compile(
        r"(?:\b[tT]opic\\?\"?\s*[=:]\s*\\?\"?|\b(?:for|of|from) (?:topic |partition )?|consuming )"
        r"(?P<value>[A-Za-z][\w.\-]*(?:-\d+\b|/\d+\b))|\b[tT]opic\\?\"?\s*[=:]\s*\\?\"?(?P<name>[\w.\-]+)"
    ),
    "node": re.compile(
        r"\b(?P<value>(?:\d{1,3}(?:\.\d{1,3}){3}|[a-zA-Z][\w\-]{0,62}(?:\.[\w\-]{1,63}){0,8}):\d{4,5})\b(?!.*->)"
        r"|->(?P<name>[\w.\-]{1,253}:\d{4,5})|\bConnection with (?P<other>[\w.\-]+(?:/[\d.]+)?) disconnected"
    ),
}
# A message may name the next one: `ExecutionException: TimeoutException: ..`.
_THROWN = re.compile(rf"\b(?P<name>{ERROR_NAME}|(?<=Kafka::)[A-Z]\w{{2,80}})\b(?:: (?=(?P<message>[^\n]+)))?")
_ERROR = re.compile(
    r"\b(?:err|error|cause|reason)\\?\"?\s*[=:]\s*(?:\\?\"(?P<quoted>(?:[^\"\\]|\\.)+)\"|(?P<plain>[^\n]{8,}))"
)
_MESSAGE = re.compile(
    r"(?:\"(?:error\.)?(?:message|msg|@mt?)\"\s*:\s*|(?<![\w.])(?:msg|message)=)\"(?P<message>(?:[^\"\\]|\\.)+)\""
)
# `o.s.k.l.KafkaMessageListenerContainer`; JBoss shortens packages alone: `[io.sma.rea.mes.kafka]`.
_LOGGER = re.compile(r"(?<![\w.$/:@-])(?:[a-z]\w*\.){2,10}(?:[A-Z][\w$]*|kafka(?=[\]) ]))")
_CODE = re.compile(r"\b[A-Z][A-Z]+(?:_[A-Z]+)+\b")
_CAMEL = re.compile(r"\b(?:Err)?(?P<name>[A-Z][a-z]+(?:[A-Z][a-z]+)+)\b")
_ATOM = re.compile(r"(?<![\w:]):(?P<name>[a-z]+(?:_[a-z]+)+)\b")  # of Elixir
# A line of a container as Docker keeps it: what it says is the first member.
_ENVELOPE = re.compile(r"\s*\{\"log\":(?P<log>\"(?:[^\"\\]|\\.)*\")")
# What has no level, and says that a program or a part of it ends by its failure.
_ENDS = re.compile(
    r"\b[Ff]ailed to (?:start|initiali[sz]e)\b|, exiting\b|\b[Ee]xiting (?:due|because|after|with) |\bcrashed\b"
)
# What stands before what a line says, up to its level: a time, a host, a thread.
_HEAD = re.compile(
    r"^.{0,60}?(?<![\w.-])(?:FATAL|ERROR|ERR|WARN|WARNING|INFO|SEVERE)(?![\w.=-])[\]\s:|\-]*(?=.{20})"
)
# Error codes, and what clients call them that have names of their own for some.
_KNOWN = frozenset(map(canonical, [*NAMES.values(), *(error for one in classes() for error in one.errors)]))


@dataclass(frozen=True, slots=True)
class Worded:
    """An incident with the lines that tell of it."""

    incident: Incident
    lines: list[RawLine]


def told_by_words(lines: Iterable[RawLine], told: Sequence[Incident]) -> tuple[list[Worded], list[RawLine]]:
    """What lines are trouble by what they say, one incident per source, client and fault, what cost the most first; and
    the lines that are left.

    told: incidents that are known. What is always normal is dropped. What passes by itself is left, but for an answer that
    was the last of its kind; so is what is of a fault that was told already, and, beside any trouble, what says no more
    than that something failed. What others than Kafka say, too, counts only where it says more than that.
    """
    of_fault: dict[tuple[str, str, str], list[tuple[RawLine, TroubleClass]]] = defaultdict(list)
    left = []
    faults = {of.fault for of in classes() if any(of.kind == one.kind for one in told)}
    faults |= {
        FAULT_OF.get(one.kind, "membership")
        for one in told
        if one.kind.startswith(("membership_", *FAULT_OF))
    }
    for line in lines:
        of = _class(line)
        if of is not None and of.verdict == "benign":
            continue
        if line.is_doubtful and (of is None or of.fault == SAID_TO_FAIL):
            continue
        if of is None or of.fault in faults:
            left.append(line)
        else:
            whose = _named("client", line.text) or _named("client", line.above) or line.client or ""
            of_fault[line.source, whose, of.fault].append((line, of))
    if told or any(fault != SAID_TO_FAIL for _, _, fault in of_fault):
        vague = [key for key in of_fault if key[2] == SAID_TO_FAIL]
        left += [line for key in vague for line, _ in of_fault.pop(key)]
    found = [_worded(sorted(some, key=lambda one: one[1].rank)) for some in of_fault.values()]
    return sorted(found, key=lambda one: WORST.index(one.incident.impact)), left


def _class(line: RawLine) -> TroubleClass | None:
    said = _said(line)
    names = [one["name"] for one in _THROWN.finditer(said)]
    errors = (*line.errors, *reversed(names), *_CODE.findall(line.text), *_codes(line.text))
    words = "\n".join([said, *line.errors])
    is_error = line.loudness in ("fatal", "error") or (
        line.loudness == "words" and _ENDS.search(line.text) is not None
    )
    logger = _logger(line.text)
    of = class_of(
        Said(
            words,
            tuple(dict.fromkeys(errors)),
            "",
            "",
            is_error=is_error,
            logger=logger,
            is_server=is_of_server(logger),
            is_carried=len(set(names)) > 1 or "Caused by: " in line.text,
        )
    )
    if of.kind == OTHER and line.loudness == "exception" and names:
        of = class_of_kind(SAID_TO_FAIL)
    is_tried_again = (
        not is_error or of.fault == "metadata"
    )  # clients say at ERROR, too, that a leader is elected
    is_over = (
        of.heals and is_tried_again and not line.errors and not chain_of(line.record)
    )  # nor what was thrown
    return None if of.kind == OTHER or (is_over and of.verdict != "benign") else of


def _logger(text: str) -> str:
    """The class that a line names as who says it: the first that is no exception's."""
    named = (one[0] for one in _LOGGER.finditer(text) if not one[0].endswith(("Exception", "Error")))
    return next(named, "")


def _codes(text: str) -> Iterator[str]:
    """Error codes of the protocol as clients without exceptions name them: InvalidReplicationFactor, :not_coordinator."""
    named = (one["name"] for form in (_CAMEL, _ATOM) for one in form.finditer(text))
    return (name.upper() if name.islower() else name for name in named if canonical(name) in _KNOWN)


def _said(line: RawLine) -> str:
    """What a line says, and the exceptions of its record; no frames of their traces."""
    chain = chain_of(line.record) if line.record else []
    frames = ["NetworkReceive.readFrom"] if reads_answer(line.record) else []
    return "\n".join(
        [
            _bare(line.text),
            *(f"{one.name}: {one.message}" if one.message else one.name for one in chain),
            *frames,
        ]
    )


def _bare(text: str) -> str:
    """A line without the envelope that a container's runtime put it into."""
    found = _ENVELOPE.match(text)
    try:
        return text if found is None else str(json.loads(found["log"])).rstrip("\n")
    except ValueError:
        return text


def _worded(some: Sequence[tuple[RawLine, TroubleClass]]) -> Worded:
    of = some[0][1]
    lines = [line for line, _ in some]
    alike = [line for line, one in some if one is of]
    known: dict[str, str] = {}
    for line in lines:
        for name, value in _fields(line, of):
            known.setdefault(name, value)
    client = known.get("client")
    whose = a_client(lines[0].client)
    if all(is_of_server(_logger(line.text)) for line in lines):
        whose = "a broker or controller"
    known["who"] = client or whose
    if len(alike) > 1:
        known["times"] = f"({len(alike)} times)"
    title = plainly(sentence(of.title, known))
    cause = sentence(of.whole_cause, known)
    if own := of.of_library.get(lines[0].client or ""):
        cause += f" {sentence(own, known)}"
    if (quote := known["quote"]).strip('"') not in f"{cause} {title}":
        cause += f" In its words: {quote}."
    title, cause = (in_words_of(lines[0].client, said) for said in (title, cause))
    return Worded(_incident(of, known, title, cause, lines), lines)


def _incident(
    of: TroubleClass, known: dict[str, str], title: str, cause: str, lines: Sequence[RawLine]
) -> Incident:
    client, first = known.get("client"), lines[0]
    place = f"{first.source}:{first.line}"
    return Incident(
        incident_id=incident_id(place, of.kind, known["who"]),
        kind=of.kind,
        started_at=None,
        ended_at=None,
        title=title if client and title.startswith(client) else title[:1].upper() + title[1:],
        cause=cause,
        cause_confidence="inferred" if of.certain == "proven" else of.certain,
        verdict="as_designed",
        impact=of.impact,
        observed_ms=None,
        limit_ms=None,
        limit_origin=None,
        advice=in_words_of(first.client, sentence(of.advice, known)),
        client_ids=[client] if client else [],
        event_ids=[],
        unit_id="",
        incarnation=0,
        scope_id="",
        service=None,
        instance=None,
        actor=of.actor,
        fingerprint=fingerprint_of(of.kind, error=known.get("error")),
        tells_more=list(of.more),
    )


def _fields(line: RawLine, of: TroubleClass) -> Iterator[tuple[str, str]]:
    """What a line names."""
    said = _said(line)
    yield from found_in(of, said).items()
    for name in NAMED:
        if value := _named(name, said) or _named(name, line.above):
            yield name, value
    if line.errors:
        yield "error", " and ".join(line.errors)
    elif (code := next(_codes(line.text), None)) is not None:
        yield "error", code
    if frame := thrown_at(line.record):
        yield "thrown_at", frame
    if thrown := list(_THROWN.finditer(said)):
        name, message = thrown[-1]["name"], thrown[-1]["message"]
        message = None if message == "null" else tidied(message or "")
        yield "error", name
        yield "innermost_name", name
        yield "innermost", cut(f"{name}: {message}" if message else name)
        if message:
            yield "innermost_message", cut(message)
    yield "quote", f'"{cut(_quoted(line, thrown))}"'


def _quoted(line: RawLine, thrown: Sequence[re.Match[str]]) -> str:
    """The part of a line that says it: its error, its exception, or all of it."""
    if line.errors:
        return f"error {' and '.join(line.errors)}"
    text = _bare(line.text)
    found = _ERROR.search(text)
    if found is not None and (said := found["quoted"] or found["plain"]):
        return said
    if thrown and thrown[-1]["message"]:
        return f"{thrown[-1]['name']}: {tidied(thrown[-1]['message'])}"
    if thrown and thrown[-1]["name"] not in text:
        return thrown[-1]["name"]
    if (field := _MESSAGE.search(text)) is not None:
        return field["message"]
    return _HEAD.sub("", text.strip(), count=1)


def _named(name: str, text: str) -> str | None:
    found = NAMED[name].search(text)
    return next(filter(None, found.groups()), None) if found else None
