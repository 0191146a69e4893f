"""Lines of one fault, at one time, as one incident: what it was, why, what it costs, who acts, what to do."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from transforms.diagnose.incident import IMPACTS, Incident, limit_of, of_episodes
from transforms.diagnose.troubles.inner_causes import inner_cause
from transforms.diagnose.troubles.trouble import Trouble
from transforms.diagnose.troubles.trouble_fields import error_of, known_of, named, places_named
from transforms.diagnose.wording.catalogue import OTHER
from transforms.diagnose.wording.consequences import ended_by
from transforms.diagnose.wording.own_settings import evidence_for, in_words_of
from transforms.diagnose.wording.sentences import sentence
from transforms.timers.episodes import Episode
from transforms.when_used import when_used
from transforms.whole import whole_number

MOST_BESIDE = 3  # things said of the same trouble
ENOUGH = 80  # characters of a quote, to know it again
UNNAMED = "/bootstrap: Receive failed: Disconnected"
_NOBODY = when_used(r"\b(Consumer|Producer) (an?) ((?:[\w-]+ )?)client")
PRODUCE_FAILED, PRODUCE_RETRY = "produce_failed", "produce_retry"
DELIVERY = "delivery"  # told beside another fault, it came of that


def incident_of(stretch: Sequence[Trouble], fault: str, scope_id: str) -> Incident:
    """One incident. stretch: lines of one client and fault, near each other in time."""
    told = _told(stretch, fault)
    first, is_normal, library = told.first, told.is_normal, told.first.lines.library
    inner = inner_cause(first, told.alike, told.known)
    others = [one for one in stretch if one is not first]
    episodes: list[Episode] = [first.lines, *(one.lines for one in others)]
    needs_nothing = is_normal and first.of.heals
    limit_ms, limit_origin = _limit(first)
    return of_episodes(
        first.of.kind,
        scope_id,
        episodes,
        started_at=min(told.starts, default=None),
        ended_at=max((at for one in stretch if (at := one.lines.last_at) is not None), default=None),
        title=told.title,
        cause=in_words_of(library, told.cause_with(inner.said)),
        cause_confidence=first.of.certain,
        impact="none" if is_normal else _impact(stretch),
        advice="Nothing to do." if needs_nothing else in_words_of(library, inner.advice),
        subject_ids=[first.lines.trouble_id, *(one.lines.trouble_id for one in others)],
        verdict="benign" if is_normal else "as_designed",
        observed_ms=told.observed_ms,
        limit_ms=limit_ms,
        limit_origin=limit_origin,
        actor="nobody" if needs_nothing else inner.actor,
        error=first.lines.error_class,
        topic=told.known.get("topic"),
        tells_more=() if is_normal else [evidence_for(library, more) for more in first.of.more],
        places=[place for one in stretch for place in places_named(one)],
    )


@dataclass(frozen=True, slots=True)
class _Told:
    """What an incident is told from. first: the lines whose class gives the words; alike: those of its class; others: what
    came with it. known: what sentences may name. heading: what happened, in Java's words. ended: which of the client's waits
    ended by it. starts: when it began, of each.
    """

    first: Trouble
    alike: Sequence[Trouble]
    others: Sequence[Trouble]
    known: Mapping[str, str]
    heading: str
    ended: str
    starts: Sequence[int]
    is_normal: bool

    @property
    def title(self) -> str:
        """What happened, in a sentence."""
        title = in_words_of(self.first.lines.library, self.heading)
        return title if _begins_named(title, self.known) else title[:1].upper() + title[1:]

    def cause_with(self, inner: str) -> str:
        """Why, with what came with it, its own words and its error. inner: what lies behind it."""
        first, known = self.first, self.known
        was_starting = self.is_normal and first.lines.is_server and first.lines.kind == "connect_failed"
        healed = first.of.healed if "recovered" in known or was_starting else None
        cause = sentence(healed or first.of.whole_cause, known)
        if (own := first.of.of_library.get(first.lines.library)) and not healed:
            cause = f"{cause} {sentence(own, known)}".rstrip()
        if self.others:
            cause += f" With it came: {'; '.join(_beside(self.others, known['who']))}."
        quote = known.get("quote") if first.of.kind != OTHER else None
        if quote and not _is_quoted(quote, cause + self.heading):
            cause += f" In its words: {quote}."
        if (error := error_of(first)) is not None and error not in cause + self.heading:
            cause += f" The error is {error}."
        return f"{cause}{inner} {self.ended}" if self.ended else cause + inner

    @property
    def observed_ms(self) -> int | None:
        """How long it waited by its own words; else the longest that its lines tell."""
        waited = self.known.get("waited_ms", "")
        if waited.isdecimal():
            return whole_number(waited)
        worst = (
            one.lines.worst_ms or 0
            for one in self.alike
            if one.lines.kind in one.of.events or not one.of.events
        )
        return max(worst, default=0) or None


def _told(stretch: Sequence[Trouble], fault: str) -> _Told:
    first = _first(stretch, fault)
    alike = [one for one in stretch if one.of is first.of and one.is_echo <= first.is_echo]
    is_normal = all(one.is_normal for one in _telling(stretch)) and not _was_never_answered(stretch)
    heard = [one for one in stretch if one.is_normal <= is_normal]
    others = [one for one in heard if one.of is not first.of]
    known = known_of(first, alike, stretch)
    said = "\n".join(text for one in [first, *alike, *others] for text in (one.words, one.lines.message_id))
    if ended := ended_by(first.of.kind, said, known):
        known["ended"] = ended[:1].lower() + ended[1:].partition(",")[0].rstrip(".")
    starts = [at for one in heard if (at := one.lines.first_at) is not None]
    heading = plainly(sentence(first.of.title, known))
    return _Told(first, alike, others, known, heading, ended, starts, is_normal)


def _limit(first: Trouble) -> tuple[int | None, str | None]:
    """The limit that its class names, and where its value is from."""
    name = first.of.limit or ""
    if not name.endswith(".ms"):
        return None, None
    limit_ms, origin = limit_of(first.lines, name)
    named_ms = first.lines.first.get("limit_ms", "")
    return (int(named_ms), "named") if limit_ms is None and named_ms.isdecimal() else (limit_ms, origin)


def _first(stretch: Sequence[Trouble], fault: str) -> Trouble:
    """The lines whose class gives the words: the plainest, but what says why goes before a consequence that does not, a
    failure before the tries that it ended, what a delivery met before it, and a broker that was down before what it answers
    as it comes up again, and before its name, which whoever stops a container takes from it."""
    if len(stretch) == 1:
        return stretch[0]
    failed = any(is_lost(one) for one in stretch)
    down = [one for one in stretch if one.lines.kind == "connect_failed" and not one.is_normal]
    down_at = min((one.lines.first_at or 0 for one in down), default=None)

    def turn(one: Trouble) -> tuple[bool, bool, bool, bool, bool, int, tuple[int, int, str]]:
        at = one.lines.first_at
        return (
            one.is_echo,
            one.is_normal,
            (one.lines.kind == PRODUCE_RETRY and failed) or one.of.fault == DELIVERY != fault,
            one.of.fault == "coordinator" and down_at is not None and at is not None and down_at < at,
            one.of.kind == "dns_failed" and any(_was_resolved(one, other) for other in stretch),
            one.of.rank,
            one.lines.place,
        )

    first = min(stretch, key=turn)
    if first.of.certain != "unknown" or first.of.fault == fault:
        return first
    causes = [
        one for one in stretch if one.of.fault == fault and one.of.certain != "unknown" and not one.is_normal
    ]
    return min(causes, key=turn, default=first)


def is_lost(one: Trouble) -> bool:
    """Whether it says that a send came to nothing: as the client tells it, or as its application does."""
    is_told = one.of.impact == "lost" and one.lines.kind != PRODUCE_RETRY
    return is_told or (one.lines.kind == PRODUCE_FAILED and not one.of.unsent)


def _was_resolved(unresolved: Trouble, other: Trouble) -> bool:
    """Whether a name that is not found had been before: nobody took a connection at its address then."""
    name, at, before = unresolved.found.get("unresolved"), unresolved.lines.first_at, other.lines.first_at
    is_refused = other.of.kind == "connect_failed" and name is not None and name in other.words
    return is_refused and at is not None and before is not None and before < at


def _impact(stretch: Sequence[Trouble]) -> str:
    """The worst of them."""
    return min(map(_impact_of, stretch), key=IMPACTS.index)


def _impact_of(one: Trouble) -> str:
    """What a class costs; what waits for its next try is not lost yet, and what its client gave back is."""
    is_failed_send = one.lines.kind == PRODUCE_FAILED and not one.of.unsent
    impact = "lost" if one.of.impact == "delayed" and is_failed_send else one.of.impact
    return "delayed" if impact == "lost" and "wait" in one.lines.first else impact


def _beside(others: Sequence[Trouble], who: str) -> Iterator[str]:
    """What else was said of the same trouble: each thing once, the plainest first."""
    of_class: dict[str, list[Trouble]] = defaultdict(list)
    for one in sorted(others, key=lambda one: one.of.rank):
        of_class[one.lines.first.get("text", one.of.kind)].append(one)
    said = list(dict.fromkeys(named(some, who) for some in of_class.values()))
    yield from said[:MOST_BESIDE]
    if len(said) > MOST_BESIDE:
        yield f"{len(said) - MOST_BESIDE} more"


def _telling(stretch: Sequence[Trouble]) -> Sequence[Trouble]:
    """Those that say more than that something else was said; all, where nothing else was."""
    return [one for one in stretch if not one.is_echo] or stretch


def _was_never_answered(stretch: Sequence[Trouble]) -> bool:
    """Whether the only broker that librdkafka knows is down, and still has its bootstrap name: none told of the cluster."""
    is_only = any(one.lines.first.get("known") == "1" for one in stretch)
    return is_only and any(UNNAMED in one.lines.first.get("said", "") for one in stretch)


def _begins_named(title: str, known: Mapping[str, str]) -> bool:
    """Whether a title begins with a name, which is written as it is."""
    names = [known["who"], *(known[name] for name in ("node", "topic") if name in known)]
    return any(
        title.startswith(name) for name in names if not name.startswith(("a ", "an ", "broker ", "node "))
    )


def _is_quoted(quote: str, text: str) -> bool:
    """Whether a text holds the quote: either may have been cut."""
    return quote.strip('"')[:ENOUGH] in text


def plainly(title: str) -> str:
    """Where no client is named, `Consumer a client` is a consumer; a sentence within it ends without its stop."""
    title = title.replace(".: ", ": ")
    if " a" not in title:
        return title
    title = _NOBODY.sub(lambda found: f"{found[2].capitalize()} {found[3]}{found[1].lower()}", title)
    return title.replace("Streams a client", "a Streams client")
