"""Lines of trouble that no rebuilt timer tells of: what they mean, by troubles.yaml, one incident a fault."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from operator import itemgetter

from transforms.diagnose.causes.batches import NOT_SAID
from transforms.diagnose.causes.brokers import ABSENCES
from transforms.diagnose.causes.memberships import POLL_ALONE
from transforms.diagnose.incident import IMPACTS, Incident, is_of_broker
from transforms.diagnose.troubles.one_fault import incident_of, is_lost
from transforms.diagnose.troubles.told import Told, began_after
from transforms.diagnose.troubles.trouble import HEALS_WITHIN_MS, Trouble, class_of_lines, stretches, words_of
from transforms.diagnose.troubles.trouble_fields import error_of, known_of, places_named
from transforms.diagnose.troubles.trouble_places import topic_of
from transforms.diagnose.wording.catalogue import Said
from transforms.diagnose.wording.sentences import sentence
from transforms.parse.catalogue.errors import code_in
from transforms.parse.lines.prefixes import streams_client_of
from transforms.timers.clients.troubles import TroubleLines
from transforms.when_used import when_used
from transforms.whole import whole_or_none

# Kinds of incidents that are told from timers -> the fault that they are of.
FAULT_OF = {
    "requests_unanswered": "connection",
    **dict.fromkeys(ABSENCES, "connection"),
    "commit_refused": "membership",
    "batches_expired": "delivery",
    "batches_failed": "delivery",
    "batches_retried": "delivery",
    "task_stalled": "died",
    "streams_thread_died": "died",
    "streams_corrupted": "died",
    "streams_dropped": "died",
    "global_thread_stalled": "died",
    "leader_loop_expired": "died",
}
# What keeps a call from being answered: told with the timer that ran out meanwhile, as its cause.
CAUSES = frozenset({
    "connection", "coordinator", "metadata", "not_authorized", "not_enough_replicas", "storage_failed", "unsupported",
    "topic_refused", "out_of_memory",
})  # fmt: skip
# Incidents that are such timers.
FAULTS_OF_EFFECTS = frozenset({"died", "delivery"})
EFFECTS = frozenset(kind for kind, fault in FAULT_OF.items() if fault in FAULTS_OF_EFFECTS)
# Classes that say no more of a cause than the timer itself.
PLAIN = frozenset(
    {"other", "call_timed_out", "streams_error", "streams_died", "request_timed_out", "task_waits"}
)
# An exception that a line prints within its words, without a trace.
PRINTED = when_used(r"\borg\.apache\.kafka\.[\w.]*?\.(\w+(?:Exception|Error))\b")
SESSION_OF_LIBRDKAFKA = "rdkafka-session-timeout"
NO_ERROR = frozenset({"", "Success", "No error"})
TRANSPORT_FAILURE = "Local: Broker transport failure"
STOOD_TOO = (
    "Before that its session had timed out: the process stood still, or its coordinator did not answer, and a commit that "
    "waits for that keeps poll() away as well as slow processing does."
)


def trouble_incidents(
    episodes: Iterable[TroubleLines], told: Sequence[Incident], scope_id: str
) -> Iterator[Incident]:
    """One incident per client, fault and time, of lines that no incident in `told` tells of.

    Lines of a fault that one of `told` is of, at the same time, are folded into that one.
    """
    troubles, known = [_trouble(lines) for lines in episodes], Told(told, _fault_of)
    _count_alike(troubles)
    left = [one for one in troubles if not _explains(one, known.of_lines(one.lines.event_ids))]
    left = [one for one in left if not _is_told_with(one, known.beside(one.lines, _taken_in_by(one)))]
    faults: dict[tuple[int, str | None, str], list[Trouble]] = defaultdict(list)
    others = _Others(left)
    for one in left:
        faults[one.lines.incarnation, others.whose(one), others.fault(one)].append(one)
    for (_, _, fault), of_fault in faults.items():
        for of_reason in _by_reason(of_fault):
            for stretch in stretches(of_reason):
                yield incident_of(stretch, fault, scope_id)


def _by_reason(of_fault: list[Trouble]) -> Iterable[list[Trouble]]:
    """Tasks and connectors that ended for different reasons, each reason apart. What names neither is of the one with the
    same error; without an error, of what came before it."""
    if len({one.found.get("task") for one in of_fault} - {None}) < 2:
        return [of_fault]
    in_order = sorted(of_fault, key=lambda one: one.lines.place)
    reasons: dict[str, str] = {}  # of each that is named
    for one in in_order:
        if (task := one.found.get("task")) and (error := error_of(one)):
            reasons.setdefault(task, error)
    apart: dict[str, list[Trouble]] = defaultdict(list)
    reason = ""
    for one in in_order:
        task, error = one.found.get("task"), error_of(one) or ""
        if task or error:
            reason = reasons.get(task, "") if task else error if error in reasons.values() else ""
        apart[reason].append(one)
    return apart.values()


def _count_alike(troubles: Iterable[Trouble]) -> None:
    """Where a class is trouble only when it is said often: how often the client said it at that time, of whatever node; of
    one topic, where the class finds which: many topics, each made as it is first asked for, are no trouble."""
    of_class: dict[tuple[int, str | None, str, str | None], list[Trouble]] = defaultdict(list)
    for one in troubles:
        if one.of.often > 1 and not one.of.waits:
            whose = (one.lines.incarnation, one.lines.client_id)
            of_class[*whose, one.of.kind, one.found.get("topic")].append(one)
    for same in of_class.values():
        for one in same:
            one.alike = sum(other.lines.count for other in same if _are_near(one.lines, other.lines))


def _explains(one: Trouble, told: Sequence[Incident]) -> bool:
    """Whether incidents are told from these lines; where they know less of the cause, they take the class's words.

    told: from these lines.
    """
    for incident in told:
        if incident.actor == incident.cause_confidence == "unknown":
            incident.actor = one.of.actor
        if incident.kind in EFFECTS and not one.of.events and one.of.kind not in PLAIN:
            _explain(incident, one)
        elif incident.cause == NOT_SAID and (quote := known_of(one, [one], [one]).get("quote")):
            incident.cause = f"In its words: {quote}."
        if incident.kind == "commit_refused":
            _name_commit(incident, one)
        if one.lines.message_id == SESSION_OF_LIBRDKAFKA:
            _name_coordinator(incident, one)
    return bool(told)


def _name_coordinator(incident: Incident, one: Trouble) -> None:
    """What librdkafka says of its coordinator as a session of its own count ends: which one, and its last error."""
    broker = one.lines.first.get("coordinator", "")
    error = one.lines.first.get("last_error", "").strip("* ")
    is_known = whole_or_none(broker) is not None and broker != "-1"
    whose = f"its coordinator (broker {broker})" if is_known else "its coordinator"
    said = ""
    if error in NO_ERROR and one.lines.first.get("join_state") == "steady":
        said = f" The last heartbeat that was answered, by {whose}, had no error: then no answer came."
    elif error not in NO_ERROR:
        said = f' Its last heartbeat to {whose} had ended with "{error}".'
    if error == TRANSPORT_FAILURE:
        said += " So that connection was lost or could not be made: look at the broker and the network first."
    if broker == "-1":
        said += " When the session ended it knew no coordinator (broker -1)."
    if said not in incident.cause:
        incident.cause += said


def _name_commit(incident: Incident, one: Trouble) -> None:
    """What was committed, and the coordinator's answer, as far as its lines name them."""
    partition, offset = topic_of(one.lines.first), one.lines.first.get("commit_offset")
    of = f" of {partition}{f' at offset {offset}' if offset else ''}" if partition else ""
    error = code_in(one.words)
    if error and f"was {error}." not in incident.cause:
        incident.cause += f" The answer to the commit{of} was {error}."


def _explain(incident: Incident, one: Trouble) -> None:
    known = known_of(one, [one], [one])
    is_same_loss = FAULT_OF.get(incident.kind) == "delivery" and one.of.impact == incident.impact
    if is_same_loss and one.of.limit == "request.timeout.ms":
        # Before 2.1 that was what let batches expire; a try that timed out by it is not their end.
        for name in ("title", "cause", "advice"):
            setattr(incident, name, getattr(incident, name).replace("delivery.timeout.ms", one.of.limit))
    cause, advice = sentence(one.of.cause, known), sentence(one.of.advice, known)
    # Of a class once: its other lines name more or less of the same.
    if cause not in incident.cause and (one.of.left_open or advice not in incident.advice):
        incident.cause = f"{incident.cause.removeprefix(NOT_SAID)} {cause}".strip()
        if not one.of.left_open:
            incident.advice = _advised(incident, one, advice)
        incident.tells_more += [more for more in one.of.more if more not in incident.tells_more]
        if incident.actor == "unknown" and one.of.certain != "unknown":
            incident.actor = one.of.actor
    _name_brokers(incident, one)


def _advised(incident: Incident, one: Trouble, advice: str) -> str:
    """What says why comes first; but what passes by itself is no comfort to who lost records by it."""
    is_worse = IMPACTS.index(incident.impact) < IMPACTS.index(one.of.impact)
    passes, _, stays = advice.partition(". ")
    if is_worse and passes.startswith("Nothing where"):
        return f"{incident.advice} {stays}".strip()
    return f"{advice} {incident.advice}".strip()


class _Others:
    """The troubles of a process by fault and client, as each of them asks for others: of 100,000 clients, too."""

    def __init__(self, troubles: Sequence[Trouble]) -> None:
        self._clients: dict[str, set[str]] = defaultdict(set)
        # By fault and client, and by fault (None): with its number, as the first one counts.
        self._causes: dict[str, dict[str | None, list[tuple[int, Trouble]]]] = defaultdict(
            lambda: defaultdict(list)
        )
        self._all: dict[str, list[tuple[int, Trouble]]] = defaultdict(list)
        for number, one in enumerate(troubles):
            if one.lines.client_id is not None:
                self._clients[one.of.fault].add(one.lines.client_id)
            if not one.is_normal:
                self._causes[one.of.fault][one.lines.client_id].append((number, one))
                self._all[one.of.fault].append((number, one))

    def whose(self, one: Trouble) -> str | None:
        """The client; Streams' own, where that has the same fault as its consumer. Lines that name none are of the only
        client that has it, but what a server says.
        """
        of_fault = self._clients[one.of.fault]
        if one.lines.client_id is not None or one.lines.is_server:
            base = streams_client_of(one.lines.client_id)
            return base if base in of_fault else one.lines.client_id
        return next(iter(of_fault)) if len(of_fault) == 1 else None

    def fault(self, one: Trouble) -> str:
        """The fault it is told with: another's of the same client and time, where it is a consequence of that."""
        first: tuple[int, str] | None = None
        for fault in one.of.beside:
            for number, other in self._beside(fault, one.lines.client_id):
                if first is not None and number > first[0]:
                    break
                if _are_near(one.lines, other.lines):
                    first = (number, fault)
                    break
        return one.of.fault if first is None else first[1]

    def _beside(self, fault: str, client_id: str | None) -> Iterable[tuple[int, Trouble]]:
        if client_id is None:
            return self._all[fault]
        by_client = self._causes[fault]
        own, nobodys = by_client.get(client_id, []), by_client.get(None, [])
        return sorted([*own, *nobodys], key=itemgetter(0)) if own and nobodys else own or nobodys


def _are_near(one: TroubleLines, other: TroubleLines) -> bool:
    if one.first_at is None or other.first_at is None:
        return True
    return (
        one.first_at <= (other.last_at or other.first_at) + HEALS_WITHIN_MS
        and other.first_at <= (one.last_at or one.first_at) + HEALS_WITHIN_MS
    )


def _trouble(lines: TroubleLines) -> Trouble:
    named = lines.first | {
        f"last_{name}": value for name, value in lines.last.items() if lines.first.get(name) != value
    }
    words = words_of(named, lines.kind)
    chain = lines.first.get("exceptions", "").split("|")
    errors = [
        *reversed([name for name in chain if name]),
        *([lines.error_class] if lines.error_class else []),
        *PRINTED.findall(lines.first.get("text", "")),
    ]
    is_error = lines.level in ("ERROR", "FATAL")
    said = Said(
        words, tuple(dict.fromkeys(errors)), lines.message_id, lines.kind, lines.worked,
        is_error=is_error, logger=lines.first.get("logger", ""), is_server=lines.is_server,
        is_carried=len([name for name in chain if name]) > 1 or "thrown_at" in lines.first,
        is_uncaught="uncaught" in lines.first,
    )  # fmt: skip
    return Trouble(lines, class_of_lines(said, lines), words, said.errors)


def _is_told_with(one: Trouble, beside: Sequence[Incident]) -> bool:
    """Whether incidents beside it are told with these lines, and take them in."""
    return _folded(one, beside) or _causes(one, beside)


def _taken_in_by(one: Trouble) -> set[str]:
    """The faults whose incidents may be told with these lines."""
    return {one.of.fault, *one.of.beside, *(FAULTS_OF_EFFECTS if _may_cause(one) else ())}


def _fault_of(incident: Incident) -> str | None:
    """The fault that an incident told from timers is of."""
    return "membership" if incident.kind.startswith("membership_") else FAULT_OF.get(incident.kind)


def _folded(one: Trouble, beside: Sequence[Incident]) -> bool:
    """Whether an incident beside it is of the same fault, or of its cause; it takes the lines in."""
    for incident in beside:
        fault = _fault_of(incident)
        is_same = fault == one.of.fault or fault in one.of.beside
        if is_same and not _says_more(one, incident):
            if one.of.kind == "session_timed_out":
                _doubt_processing(incident, one)
            _take_in(incident, one)
            return True
    return False


def _doubt_processing(incident: Incident, one: Trouble) -> None:
    """Where a session timed out before the poll limit, more than the processing may have kept poll() away."""
    came_first = (one.lines.first_at or 0) <= (incident.started_at or 0)
    if incident.kind == "membership_poll_expired" and came_first and POLL_ALONE in incident.cause:
        incident.cause = incident.cause.replace(POLL_ALONE, f". {STOOD_TOO}")
        incident.advice = f"See first what became of its coordinator, and whether the process stood still. {incident.advice}"
        incident.actor = "unknown"


def _says_more(one: Trouble, incident: Incident) -> bool:
    """Whether the lines know a cause, and the incident does not; or one that stays until somebody changes a setting, where
    the incident passes; or that records were lost, where others only came late.
    """
    knows_why = one.of.certain != "unknown" and incident.cause_confidence == "unknown"
    stays = one.of.certain == "proven" and one.of.actor == "settings" and incident.actor != "settings"
    return knows_why or stays or _lost_more(one, incident)


def _lost_more(one: Trouble, incident: Incident) -> bool:
    """Whether by these lines records were lost, where an incident beside them tells that others only came late."""
    return (one.of.impact == "lost" or is_lost(one)) and incident.impact in ("delayed", "none")


def _causes(one: Trouble, beside: Sequence[Incident]) -> bool:
    """Whether timers ran out while this trouble lasted: each is told with it."""
    may_be = [incident for incident in beside if incident.kind in EFFECTS] if _may_cause(one) else []
    effects = [
        effect
        for effect in may_be
        if not (began_after(one.lines, effect) or _was_over(one, effect) or _lost_more(one, effect))
    ]
    title = sentence(one.of.title, known_of(one, [one], [one])) if effects else ""
    for incident in effects:
        if title not in incident.cause:
            incident.cause = f"{incident.cause} Meanwhile: {title}."
        if incident.actor == "unknown":
            incident.actor = one.of.actor
        incident.tells_more += [more for more in one.of.more if more not in incident.tells_more]
        _take_in(incident, one)
    return bool(effects)


def _was_over(one: Trouble, incident: Incident) -> bool:
    """Whether the client had got on again before the first batch of those that were lost or late was made."""
    healed_at, began_at = one.lines.healed_at, incident.started_at
    is_of_batches = FAULT_OF.get(incident.kind) == "delivery"
    return is_of_batches and healed_at is not None and began_at is not None and healed_at < began_at


def _may_cause(one: Trouble) -> bool:
    return one.of.fault in CAUSES and not one.is_normal


def _take_in(incident: Incident, one: Trouble) -> None:
    known = set(incident.event_ids)  # it may take in thousands
    incident.event_ids += [event_id for event_id in one.lines.event_ids if event_id not in known]
    _name_brokers(incident, one)


def _name_brokers(incident: Incident, one: Trouble) -> None:
    """Which brokers it is about, as these lines tell."""
    incident.places = sorted({*incident.places, *filter(is_of_broker, places_named(one))})
