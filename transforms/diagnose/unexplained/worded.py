"""Lines of one fault that are told by their own words, as an incident."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from transforms.diagnose.incident import Incident, fingerprint_of, incident_id
from transforms.diagnose.troubles.one_fault import plainly
from transforms.diagnose.troubles.trouble_places import LOCAL, topic_of
from transforms.diagnose.unexplained.line_class import undated
from transforms.diagnose.unexplained.line_words import fields_of, is_servers, logger_in, said_in
from transforms.diagnose.unexplained.raw_line import RawLine
from transforms.diagnose.wording.catalogue import SAID_AT_ERROR, SAID_TO_FAIL, TroubleClass, classes, found_in
from transforms.diagnose.wording.consequences import ended_by
from transforms.diagnose.wording.named_clients import a_client
from transforms.diagnose.wording.own_settings import evidence_for, in_words_of
from transforms.diagnose.wording.sentences import named_in, sentence, within
from transforms.parse.lines.timestamps import STAMP

# Names with their values.
Names = tuple[tuple[str, str], ...]
MOST_OTHERS = 3  # of whom the same is told, in one sentence


@dataclass(frozen=True, slots=True)
class Worded:
    """An incident with the lines that tell of it."""

    incident: Incident
    lines: list[RawLine]


def worded(some: Sequence[tuple[RawLine, TroubleClass]]) -> Worded:
    """The incident that lines of one fault tell of, each with its class, the plainest first."""
    of, lines = some[0][1], [line for line, _ in some]
    known, by_name = _named(some)
    known["who"] = known.get("client") or _whose(of, lines)
    if LOCAL.search(known.get("node", "")):
        known["localhost"] = ""
    if "topic" in known and known.get("partition", "").isdecimal():
        known["topic"] = str(topic_of(known))
    others = [
        found for names, found in by_name.items() if any(known.get(name) != value for name, value in names)
    ]
    times = sum(map(len, by_name.values())) - sum(map(len, others))
    title = _title(of, known, times)
    cause = _cause(some, known, title, others)
    title, cause = (in_words_of(lines[0].client, said) for said in (title, cause))
    return Worded(_incident(of, known, title, cause, lines), lines)


def _named(
    some: Sequence[tuple[RawLine, TroubleClass]],
) -> tuple[dict[str, str], Mapping[Names, list[dict[str, str]]]]:
    """What lines name, the first's first; and of those of the first class what each names, by what its title is about."""
    of = some[0][1]
    by_name: dict[Names, list[dict[str, str]]] = defaultdict(list)
    known: dict[str, str] = {}
    alike: dict[str, dict[str, str]] = {}  # what was found in lines, by all but their times
    for line, one in some:
        text = STAMP.sub(undated, said := said_in(line), count=1)
        is_new = text not in alike
        found = alike.setdefault(text, found_in(of, said) if is_new else {})
        if one is of:
            by_name[_named_by(of, found)].append(found)
        if is_new and not _is_of_another(found, known):
            for name, value in chain(found.items(), fields_of(line, said)):
                known.setdefault(name, value)
    return known, by_name


def _whose(of: TroubleClass, lines: Sequence[RawLine]) -> str:
    """Whom it is told of, where no line names a client."""
    if all(is_servers(line.text, logger_in(line.text)) for line in lines):
        return "a broker or controller"
    if of.fault == SAID_TO_FAIL and lines[0].client is None:
        return "a line about Kafka"  # an installer's, an operator's, a database's: who wrote it need be no client
    return a_client(lines[0].client)


def _cause(
    some: Sequence[tuple[RawLine, TroubleClass]],
    known: dict[str, str],
    title: str,
    others: Sequence[list[dict[str, str]]],
) -> str:
    """Why it came, with what came beside it and of it. others: what lines name that say the same of others."""
    of, lines = some[0][1], [line for line, _ in some]
    cause = sentence(of.whole_cause, known)
    if others:
        told = [_title(of, {"who": known["who"], **same[0]}, len(same)) for same in others[:MOST_OTHERS]]
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
    return cause


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


def _named_by(of: TroubleClass, found: Mapping[str, str]) -> Names:
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
