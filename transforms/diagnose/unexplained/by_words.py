"""Lines that speak of trouble and that no family knows, told by their own words, whoever wrote them."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import chain

from transforms.diagnose.fleets.parts import turn
from transforms.diagnose.incident import IMPACTS, Incident, fingerprint_of, incident_id
from transforms.diagnose.troubles.one_fault import plainly
from transforms.diagnose.troubles.trouble import HEALS_WITHIN_MS, PASSES_MS
from transforms.diagnose.troubles.trouble_places import LOCAL, topic_of
from transforms.diagnose.troubles.troubles import FAULT_OF
from transforms.diagnose.unexplained.guides import is_bare, is_list
from transforms.diagnose.unexplained.line_words import (
    codes_in,
    fields_of,
    is_servers,
    logger_in,
    names_thrown,
    said_in,
)
from transforms.diagnose.unexplained.programs import is_literal
from transforms.diagnose.unexplained.raw_lines import RawLine
from transforms.diagnose.unexplained.reached_later import said_after_ms
from transforms.diagnose.unexplained.traces import is_exception, is_thrown_elsewhere, was_raised
from transforms.diagnose.wording.catalogue import (
    OTHER,
    PROGRAM_ENDED,
    SAID_AT_ERROR,
    SAID_TO_FAIL,
    Said,
    TroubleClass,
    class_of,
    class_of_kind,
    classes,
    found_in,
    says_why,
)
from transforms.diagnose.wording.consequences import ended_by
from transforms.diagnose.wording.kafkas_words import OWN_PACKAGES, SPEAKER
from transforms.diagnose.wording.line_names import NAMED, named
from transforms.diagnose.wording.loudness import (
    AN_ERROR,
    ANSWERED,
    DROPPED,
    ITS_ERROR,
    MAY_BE_LOST,
    WERE_LOST,
)
from transforms.diagnose.wording.named_clients import a_client
from transforms.diagnose.wording.other_languages import FAILING as IN_OTHER_LANGUAGES
from transforms.diagnose.wording.own_settings import evidence_for, in_words_of
from transforms.diagnose.wording.sentences import named_in, sentence, within
from transforms.diagnose.wording.states import not_reached
from transforms.parse.catalogue.exceptions import chain_of
from transforms.parse.events.fields import UNCAUGHT
from transforms.parse.lines.timestamps import STAMP
from transforms.when_used import when_used

_CODE = when_used(r"\b[A-Z][A-Z]+(?:_[A-Z]+)+\b")
# What has no level, or a quiet one, and calls itself an error, or says that a program or a part of it ends by its failure.
_ENDS = when_used(
    r"\b[Ff]ailed to (?:start|initiali[sz]e)\b|, exiting\b|\b[Ee]xiting (?:due|because|after|with) |\bcrashed\b"
    rf"|{AN_ERROR.text}|\bpanicked at\b|{ANSWERED}"
    r"|\b[Uu]n(?:caught|handled) (?:\w+ ){0,2}(?:[Ee]xception|[Ee]rror|[Rr]ejection)\b"
)
# That something that is done with Kafka failed, at whatever level it is said.
_DOING = (
    r"(?:re)?connect\w*|establish\w*|dial\w*|reach|resolv\w+|auth\w*|log ?in|handshake|sen[dt]\w*|publish\w*|produc\w+"
    r"|deliver\w*|writ\w+|flush\w*|commit\w*|fetch\w*|consum\w+|read\w*|receiv\w+|poll\w*|subscri\w+|join\w*|rebalanc\w+|assign\w*"
    r"|start\w*|initiali[sz]\w+|creat\w+|open\w*|load\w*|list\w*|describ\w+|delet\w+|register\w*|request\w*|quer\w+"
    r"|retriev\w+|call\w*|repl(?:y|ies)|get\w*|set|find|update|refresh\w*|validat\w+|pars\w+|process\w*|push\w*|drain\w*"
    r"|acquir\w+|(?:en|de)cod\w+|(?:de)?seriali[sz]\w+"
)
_UNDONE_SAYS = (
    r"(?i)\b(?:failed|failure|fails|unable|could ?n.?t|could not|can.?t|cannot|errors?|exceptions?)"
    rf"(?: (?:to|while|when|in|during|on|from|trying|the|an?|has|was|occurr?ed|encountered|thrown))*"
    rf"[ :]{{0,3}}(?:\b(?:{_DOING})\b)"
    rf"|\b(?:{_DOING}) (?:[^\n]{{0,60}} )?"
    r"(?:failed|refused|timed out|denied|rejected|aborted|unreachable|reset by peer|expired)\b"
    rf"|{DROPPED}"
    # whatever it was, of a part of a program that is Kafka's by its name: `omkafka[orders]: could not persist ..`
    r"|kafka(?:\[[^\]\n]{1,80}\])?: (?:(?:failed|unable) to|could(?: not|n.?t)|error (?=\w+ing )|\w+\(\) (?=failed)) ?\w{3}"
    rf"|{WERE_LOST}|\btransport error\b|\bnot allowed in\b"
    # systemd of a unit
    r"|\bentered failed state\b|\.service(?:: main process exited|:? failed)\b"
    r"|\*\*\* (?:ABORTED|FAILED) \*\*\*"  # ScalaTest of a suite, of a test
    rf"|{ITS_ERROR}|{IN_OTHER_LANGUAGES}"
)
_UNDONE = when_used(_UNDONE_SAYS)
# And that anything did, where a client says so at WARN; a line of others may have Kafka's name in that of an application.
_UNDONE_BY_CLIENT = when_used(
    rf"{_UNDONE_SAYS}|\b(?:(?:failed|unable|not able) to|could(?: not|n't)(?: be)?) [a-z]{{3,}}"
    rf"|\b(?:{_DOING}|auth\w+) (?:failure|error)\b|\berrors? (?:\w+ing|in [a-z]\w+)\b"
    rf"|\bcorruption detected|\bdegraded state\b|{MAY_BE_LOST}"
    r"|\b(?:error|exception|failure) (?:(?:has |was )?(?:occurr?ed|encountered|thrown|caught) )?(?:while|when|during) \w"
    r"|\b(?:caught|got|received|encounter(?:ed)?|threw|unexpected) (?:an? )?(?:\w+ )?(?:error|exception)\b"
)
# And what a line says of the exception that stands below it, but for what its program closes, or goes on without.
_OF_THROWN = when_used(r"(?i)\b(?:errors?|exceptions?|fail(?:ed|ure|s|ing)?|unable|cannot|can.t)\b")
_GOES_ON = when_used(
    r"(?i)\b(?:clos(?:e|ing)|shut(?:ting)? ?down|stop(?:ping)?|ignor\w+|without|default\w*|instead|fall(?:s|ing)? ?back"
    r"|re-?tr(?:y|ies|ied|ying)|re-?attempt\w*)\b"
)
# And of what it could not find out, and takes its default for.
_BY_DEFAULT = when_used(
    r"(?i)\b(?:us(?:e|es|ing)|set(?:ting)?(?: it)? to|defaults?(?:ing)? to) (?:the |a |its )?default\b"
)
# As Node prints an error that a program was given; as a program of Rust's prints the one by which it ends.
_INSPECTED = when_used(r"\{ \[\w*Error: |\bpanicked at |\AError: ")
# Who tells of a log in the first person wrote no line of it; `I/O` is nobody. Nor did a guide that says what would follow.
_PERSON = when_used(
    r"\b(?:I(?!/)|[Ww]e|[Mm]y|[Oo]ur)\b(?![-.:=_])|\b(?:will|would|may|might|can) (?:\w+ )?(?:fail|cause)\b"
)
# What a line says that there may be, with what to do then: nobody has said so.
_MAY_BE = when_used(r"\b[Ii]f there (?:is|are) [^.\n]{0,300}")
APART_MS = 3_600_000  # longer after it no line tells of the same fault in other words
MOST_OTHERS = 3  # of whom the same is told, in one sentence
_OF_OTHERS = (SAID_TO_FAIL, "zookeeper_unreached", "script")  # faults that logs without Kafka have, too


@dataclass(frozen=True, slots=True)
class Worded:
    """An incident with the lines that tell of it."""

    incident: Incident
    lines: list[RawLine]


def told_by_words(
    lines: Iterable[RawLine], told: Sequence[Incident], guides: Set[str] = frozenset()
) -> tuple[list[Worded], list[RawLine]]:
    """What lines are trouble by what they say, one incident per source, client and fault, what cost the most first; and
    the lines that are left.

    told: incidents that are known. guides: sources that are texts on what may fail. What is always normal is dropped, and so
    is what says again what was told. What passes by itself is left, but for an answer that was the last of its kind; so is
    what is of a fault that was told already, but for a plainer word on it; and, beside any trouble, what says no more than
    that something failed. What others than Kafka say, too, counts only where it says more than that; what the one who posted
    a log wrote, where nothing else does; what a guide says of a fault, and a list of messages or a program's string, never.
    """
    of_fault: dict[tuple[str, str, str], list[tuple[RawLine, TroubleClass]]] = defaultdict(list)
    left, asked = [], []
    for line in lines:
        is_of_guide = line.source in guides and (_is_prose(line) or _is_quoted(line))
        if is_of_guide or is_list(line.text) or is_literal(line.text):
            left.append(line)
        else:
            asked.append((line, _class(line)))
    known = _Known(told)
    is_told = bool(told) or any(of is not None and not _is_by_person(line) for line, of in asked)
    for line, of in asked:
        if (of is not None and of.verdict == "benign") or (is_told and _is_by_person(line)):
            continue
        if line.is_doubtful and (of is None or of.fault in _OF_OTHERS):
            continue
        if of is None or (known.has(of) and not known.is_root(line, of)):
            left += [] if of is not None and known.says(line, of) else [line]
        else:
            whose = named("client", line.text) or named("client", line.above) or line.client or ""
            of_fault[line.source, whose, of.fault].append((line, of))
    _of_the_only_one(of_fault)
    if told or any(fault != SAID_TO_FAIL for _, _, fault in of_fault):
        vague = [key for key in of_fault if key[2] == SAID_TO_FAIL]
        left += [line for key in vague for line, _ in of_fault.pop(key)]
    found = [_worded(sorted(one, key=_plainest)) for some in of_fault.values() for one in _by_run(some)]
    return sorted(found, key=_badness), left


def _by_run(some: list[tuple[RawLine, TroubleClass]]) -> Iterator[list[tuple[RawLine, TroubleClass]]]:
    """Lines of one fault; what ended a process is told apart from another class of it that its next run says, and a state
    that was not reached from the next time that it was not: who has no connection tries again within seconds. So is another
    class that is long after it."""
    run: list[tuple[RawLine, TroubleClass]] = []
    last: dict[int, tuple[RawLine, TroubleClass]] = {}  # of each class in the run, by its rank
    for line, of in sorted(some, key=lambda one: one[0].line):
        ended = (one for one, known in last.values() if known is not of and (known.ends or of.ends))
        other = max(ended, key=lambda one: one.line, default=None)
        is_next_run = other is not None and (said_after_ms(other.text, line.text) or 0) > PASSES_MS
        is_state = bool(run) and not_reached(line.text) is not None
        is_other = bool(run) and run[-1][1] is not of
        apart_ms = (said_after_ms(run[-1][0].text, line.text) or 0) if is_state or is_other else 0
        if is_next_run or (is_state and apart_ms > HEALS_WITHIN_MS) or (is_other and apart_ms > APART_MS):
            yield run
            run, last = [], {}
        run.append((line, of))
        last[of.rank] = line, of
    yield run


def _badness(one: Worded) -> tuple[int, int]:
    """What cost the most first; of as much what the others follow from."""
    return IMPACTS.index(one.incident.impact), turn(one.incident.kind)


class _Known:
    """What incidents told of which lines may speak again."""

    def __init__(self, told: Sequence[Incident]) -> None:
        self._kinds = kinds = {one.kind for one in told}
        # By fault, of what was told the plainest class; None of a timer, which is plainer than all.
        self._told: dict[str, TroubleClass | None] = {}
        for of in classes():
            if of.kind in kinds:
                self._told.setdefault(of.fault, of)
        for kind in kinds:
            if kind.startswith(("membership_", *FAULT_OF)):
                self._told[FAULT_OF.get(kind, "membership")] = None
        self._said = "\n".join(text for one in told for text in (one.title, one.cause, *one.places))

    def has(self, of: TroubleClass) -> bool:
        """Whether its fault was told; what ended a process is told whatever else was."""
        return of.fault in self._told and (not of.ends or of.kind in self._kinds)

    def is_root(self, line: RawLine, of: TroubleClass) -> bool:
        """Whether a line says more plainly than what was told of its fault why that came."""
        told = self._told[of.fault]
        is_final = bool(line.errors) and not of.heals  # the last answer of its kind
        return told is not None and says_why(of, told) and (line.loudness != "words" or is_final)

    def says(self, line: RawLine, of: TroubleClass) -> bool:
        """Whether what was told has all that a line names, and how long something took by it."""
        names = [named(name, line.text) for name in NAMED]
        took = [value for name, value in found_in(of, line.text).items() if name.endswith("_ms")]
        return all(value is None or value in self._said for value in (*names, *took))


def without_normal(lines: Iterable[RawLine]) -> list[RawLine]:
    """The lines but those that are always normal by what they say."""
    return [line for line in lines if (of := _class(line)) is None or of.verdict != "benign"]


def _of_the_only_one(of_fault: dict[tuple[str, str, str], list[tuple[RawLine, TroubleClass]]]) -> None:
    """Lines that name no client are of the only client of their log that has the same fault."""
    for source, whose, fault in [key for key in of_fault if not key[1]]:
        others = [key for key in of_fault if key[0] == source and key[1] and key[2] == fault]
        if len(others) == 1:
            of_fault[others[0]] += of_fault.pop((source, whose, fault))


def _undated(stamp: re.Match[str]) -> str:
    return re.sub(r"\d", "0", stamp[0])


def _class(line: RawLine) -> TroubleClass | None:
    """What a line is by what it says, wherever and whenever it does."""
    said = (_MAY_BE.sub("", one) for one in (line.text, line.record))
    text, record = (STAMP.sub(_undated, one, count=1) for one in said)
    return _class_of(replace(line, source="", line=0, text=text, record=record))


@lru_cache(maxsize=4096)  # each line is asked for what is normal, and again for what it tells
def _class_of(line: RawLine) -> TroubleClass | None:
    said = said_in(line)
    names = names_thrown(said)
    errors = (*line.errors, *reversed(names), *_CODE.findall(line.text), *codes_in(line.text))
    words = "\n".join([said, *line.errors])
    is_error = line.loudness in ("fatal", "error") or (
        line.loudness == "words" and _ENDS.search(line.text) is not None
    )
    logger = logger_in(line.text)
    of = class_of(
        Said(
            words,
            tuple(dict.fromkeys(errors)),
            "",
            "",
            is_error=is_error,
            logger=logger,
            is_server=is_servers(line.text, logger),
            is_carried=len(set(names)) > 1 or "Caused by: " in line.text or is_thrown_elsewhere(line.record),
            is_uncaught=UNCAUGHT.match(line.whole) is not None,
        )
    )
    if line.ended and of.kind in (OTHER, SAID_TO_FAIL):
        of = class_of_kind(PROGRAM_ENDED)
    elif of.kind == OTHER:
        of = _by_itself(line, of, has_name=bool(names), is_error=is_error)
    is_tried_again = not is_error or (of.fault == "metadata" and _may_be_clients(line))
    was_thrown = _was_thrown(line) or _INSPECTED.search(line.text) is not None or is_exception(line.text)
    is_over = of.heals and is_tried_again and not line.errors and not was_thrown
    return None if of.kind == OTHER or (is_over and of.verdict != "benign") else of


def _was_thrown(line: RawLine) -> bool:
    """Whether an exception stands below it."""
    return bool(chain_of(line.record)) or was_raised(line.record)


def _is_by_person(line: RawLine) -> bool:
    """Whether somebody wrote it around a log: in the first person, of what comes or may come."""
    return _is_prose(line) and (line.introduces or _PERSON.search(line.text) is not None)


def _is_prose(line: RawLine) -> bool:
    """Whether nothing shows that a program wrote it: it has no level, no time, and is no exception."""
    return (
        line.loudness in ("words", "exception")
        and STAMP.search(line.text) is None
        and not is_exception(line.text)
    )


def _is_quoted(line: RawLine) -> bool:
    """Whether a guide quotes it: a message without anything that its log would print around it."""
    return line.loudness in ("words", "exception") and is_bare(line.whole)


def _may_be_clients(line: RawLine) -> bool:
    """Clients say at ERROR, too, that a leader is elected; an application that says what it could not do has failed."""
    return line.client is not None or "org.apache.kafka" in line.text or _UNDONE.search(line.text) is None


def _by_itself(line: RawLine, of: TroubleClass, *, has_name: bool, is_error: bool) -> TroubleClass:
    """The class of a line that nothing is known of: what failed by its own words, or by an exception, or its level alone."""
    if line.loudness == "exception" and has_name:
        return class_of_kind(SAID_TO_FAIL)
    if line.is_doubtful:
        return of
    if _is_undone(line):
        return class_of_kind(SAID_TO_FAIL)
    return class_of_kind(SAID_AT_ERROR) if is_error else of


def _is_undone(line: RawLine) -> bool:
    """Whether a line says that something failed: that something which is done with Kafka did, whoever says it; anything, of
    a client's warning, of one by Kafka's own code, or by what is made for it alone."""
    text = line.text
    if line.loudness == "warn" and line.client is None and _BY_DEFAULT.search(text) is not None:
        return False
    if _UNDONE.search(text) is not None:
        return True
    speaks = (
        line.client is not None or SPEAKER.search(text) is not None or OWN_PACKAGES.search(text) is not None
    )
    if line.loudness != "warn" or not speaks:
        return False
    if _UNDONE_BY_CLIENT.search(text) is not None and (line.client or _GOES_ON.search(text) is None):
        return True
    return _was_thrown(line) and _OF_THROWN.search(text) is not None and _GOES_ON.search(text) is None


def _plainest(one: tuple[RawLine, TroubleClass]) -> tuple[int, bool, bool, int]:
    """Of lines of one fault first the plainest class; of those that only say that something failed, one with an address, and
    one whose trace says why."""
    line, of = one
    is_vague = of.fault == SAID_TO_FAIL
    return of.rank, is_vague and named("node", line.text) is None, is_vague and not line.record, line.line


def _worded(some: Sequence[tuple[RawLine, TroubleClass]]) -> Worded:
    of = some[0][1]
    lines = [line for line, _ in some]
    # What lines name, by whom.
    of_whom: dict[tuple[tuple[str, str], ...], list[dict[str, str]]] = defaultdict(list)
    known: dict[str, str] = {}
    alike: dict[str, dict[str, str]] = {}  # what was found in lines, by all but their times
    for line, one in some:
        undated = STAMP.sub(_undated, said := said_in(line), count=1)
        is_new = undated not in alike
        found = alike.setdefault(undated, found_in(of, said) if is_new else {})
        if one is of:
            of_whom[_named_by(of, found)].append(found)
        if is_new and not _is_of_another(found, known):
            for name, value in chain(found.items(), fields_of(line, said)):
                known.setdefault(name, value)
    client = known.get("client")
    whose = a_client(lines[0].client)
    if all(is_servers(line.text, logger_in(line.text)) for line in lines):
        whose = "a broker or controller"
    elif of.fault == SAID_TO_FAIL and lines[0].client is None:
        whose = "a line about Kafka"  # an installer's, an operator's, a database's: who wrote it need be no client
    known["who"] = client or whose
    if LOCAL.search(known.get("node", "")):
        known["localhost"] = ""
    others = [some for one, some in of_whom.items() if any(known.get(name) != value for name, value in one)]
    if "topic" in known and known.get("partition", "").isdecimal():
        known["topic"] = str(topic_of(known))
    title = _title(of, known, sum(map(len, of_whom.values())) - sum(map(len, others)))
    cause = sentence(of.whole_cause, known)
    if others:
        told = [_title(of, {"who": known["who"], **some[0]}, len(some)) for some in others[:MOST_OTHERS]]
        left = f"; and {len(others) - len(told)} more" if len(others) > len(told) else ""
        cause += f" So, too: {'; '.join(told)}{left}."
    if beside := _beside(some, known["who"], f"{title} {cause}"):
        cause += f" With it came: {'; '.join(beside)}."
    if ended := ended_by(of.kind, "\n".join(line.whole for line in lines), known):
        cause += f" {ended}"
    if own := of.of_library.get(lines[0].client or ""):
        cause += f" {sentence(own, known)}"
    if (quote := known["quote"]).strip('"') not in f"{cause} {title}":
        cause += f" In its words: {quote}."
    title, cause = (in_words_of(lines[0].client, said) for said in (title, cause))
    return Worded(_incident(of, known, title, cause, lines), lines)


def _beside(some: Sequence[tuple[RawLine, TroubleClass]], who: str, told: str) -> list[str]:
    """What other classes than the first say of the same fault, each once, but for what names nothing that was not told."""
    of_class: dict[int, list[RawLine]] = defaultdict(list)
    for line, one in some:
        if one is not some[0][1] and one.kind not in (SAID_TO_FAIL, SAID_AT_ERROR):
            of_class[one.rank].append(line)
    titles = []
    for rank in sorted(of_class)[:MOST_OTHERS]:
        one = classes()[rank]
        found = found_in(one, said_in(of_class[rank][0]))
        if not found or any(value not in told for value in found.values()):
            title = _title(one, {"who": who, **found}, len(of_class[rank]))
            titles.append(within(title))
    return titles


def _named_by(of: TroubleClass, found: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    """Of what a line names that which says whom the title is about: no numbers."""
    return tuple(
        (name, found[name])
        for name in sorted(found.keys() & named_in(of.title))
        if not found[name].isdecimal()
    )


def _title(of: TroubleClass, known: Mapping[str, str], times: int) -> str:
    counted = {"times": f"({times} times)"} if times > 1 else {}
    return plainly(sentence(of.title, {**known, **counted}))


def _is_of_another(found: Mapping[str, str], known: Mapping[str, str]) -> bool:
    """Whether a line has other numbers than are known, such as another offset: it is of another record or request."""
    both = [(value, known[name]) for name, value in found.items() if name in known]
    return any(one != other and one.isdecimal() and other.isdecimal() for one, other in both)


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
        title=title if title.startswith(_names(known)) else title[:1].upper() + title[1:],
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
        tells_more=[evidence_for(first.client, more) for more in of.more],
    )


def _names(known: Mapping[str, str]) -> tuple[str, ...]:
    """Names that a title may begin with: each is written as it is."""
    return tuple(known[name] for name in ("client", "node", "topic") if name in known)
