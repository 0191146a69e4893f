"""troubles.yaml, read: which class of trouble lines are, and its sentences with what the lines name."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from fnmatch import fnmatchcase
from functools import cache, lru_cache
from itertools import chain
from operator import itemgetter
from typing import Any

from transforms import yaml_text
from transforms.diagnose.wording.loudness import fails_in_words
from transforms.diagnose.wording.needed_words import Pattern, PatternIndex
from transforms.diagnose.wording.other_languages import in_english
from transforms.parse.catalogue.errors import codes_in
from transforms.when_used import when_used

OTHER = "other"
SAID_TO_FAIL = (
    "said_to_fail"  # what says plainly, at ERROR, that something failed, and no more is known of it
)
SAID_AT_ERROR = "said_at_error"  # what says so by its level alone
PROGRAM_ENDED = "program_ended"  # by what nothing caught
WILDCARDS = frozenset("*?[")  # of fnmatch
LONGEST_SEARCHED = 2_000  # characters: what a line names is long only where it is hostile
# Wrappers: the exceptions that they carry say more.
WRAPPERS = frozenset({
    "KafkaException", "ExecutionException", "CompletionException", "RuntimeException", "StreamsException",
    "ListenerExecutionFailedException", "IllegalStateException", "ConnectException", "TimeoutException", "ApiException",
    "RetriableException", "UncheckedExecutionException", "InvocationTargetException", "ConfigException",
})  # fmt: skip


@dataclass(frozen=True, slots=True)
class TroubleClass:
    """One entry of troubles.yaml; its fields are explained there. rank: its place, from 0."""

    kind: str
    title: str
    cause: str
    advice: str
    certain: str = "unknown"
    actor: str = "unknown"
    impact: str = "unknown"
    limit: str | None = None
    left_open: str = ""
    healed: str | None = None
    fault: str = ""
    verdict: str = "as_designed"
    heals: bool = False
    beside: frozenset[str] = frozenset()
    more: tuple[str, ...] = ()
    says: tuple[Pattern, ...] = ()
    finds: tuple[re.Pattern[str], ...] = ()
    errors: tuple[str, ...] = ()
    families: frozenset[str] = frozenset()
    events: frozenset[str] = frozenset()
    only: frozenset[str] = frozenset()
    of_library: Mapping[str, str] = field(default_factory=dict)
    loggers: tuple[str, ...] = ()
    at_first: bool = False
    never_carried: str | None = None
    server: bool = False
    at_most: str | None = None
    often: int = 1
    unsent: bool = False
    waits: bool = False
    ends: bool = False
    spins: str | None = None
    rank: int = 0

    @property
    def whole_cause(self) -> str:
        """The cause, and what its lines leave open."""
        return f"{self.cause} {self.left_open}".strip()


FIELDS = frozenset(one.name for one in fields(TroubleClass)) - {"rank"}  # what an entry may have


@dataclass(frozen=True, slots=True)
class Said:
    """What decides the class of lines: what they name in words, their error classes (innermost first), family and kind.

    is_error: whether they are at ERROR or above. logger: who says it, where they are of no family. is_server: whether a
    broker or controller says it of itself. is_carried: whether another exception carries the innermost one, or code besides
    Kafka's threw it. is_uncaught: whether nothing caught it, so that it ended its thread: that is never normal.
    """

    words: str
    errors: tuple[str, ...]
    family: str
    kind: str
    worked: bool = False
    is_error: bool = False
    logger: str = ""
    is_server: bool = False
    is_carried: bool = False
    is_uncaught: bool = False


@cache
def classes() -> tuple[TroubleClass, ...]:
    """All of them, in the file's order.

    Raises: ValueError where an entry has a field that there is not, or lacks one.
    """
    entries = yaml_text.of_package("transforms.diagnose", "troubles.yaml")
    return tuple(_class(entry, rank) for rank, entry in enumerate(entries))


def says_why(one: TroubleClass, other: TroubleClass) -> bool:
    """Whether one says why what the other tells of came: of the same fault, where the other does not, or less plainly."""
    is_plainer = one.rank < other.rank or other.certain == "unknown"
    return one.fault == other.fault and one.certain != "unknown" and is_plainer


def class_of(said: Said) -> TroubleClass:
    """The class of lines: by their words, then their errors, their family, their kind; of errors the part of Kafka
    that says it; else what they say by themselves.
    """
    found = next(_fitting(said), None) or (_of_part(said.logger) if said.is_error else None)
    if found is not None:
        return found
    return class_of_kind(SAID_TO_FAIL if said.is_error and fails_in_words(said.words) else OTHER)


@cache
def class_of_kind(kind: str) -> TroubleClass:
    """The first class of a kind.

    Raises: LookupError where there is none.
    """
    found = known_class(kind)
    if found is None:
        raise LookupError(kind)
    return found


@cache
def known_class(kind: str) -> TroubleClass | None:
    """The first class of a kind; None of what is told from timers, and by no class."""
    return next((one for one in classes() if one.kind == kind), None)


def _fitting(said: Said) -> Iterator[TroubleClass]:
    words = in_english(said.words[:LONGEST_SEARCHED])
    low = words.lower()
    sayings, index = _sayings()
    for number in sorted(index.owners(low)):
        one, form = sayings[number]
        if _may_be(one, said) and not _is_too_loud(one, said) and form.is_in(words, low):
            yield one
    plain = [error for error in said.errors if error not in WRAPPERS]
    plain += codes_in(words)
    wrapped = [error for error in said.errors if error in WRAPPERS]
    named = (one for error in plain for one in _by_error(error))
    of_wrappers = (one for error in wrapped for one in _by_error(error))
    of_family = [one for one in _by_families().get(said.family, ()) if not _is_too_loud(one, said)]
    of_kind = _by_kinds().get(said.kind, ())
    yield from (one for one in chain(named, of_family, of_wrappers, of_kind) if _may_be(one, said))


def _is_too_loud(one: TroubleClass, said: Said) -> bool:
    return one.at_most is not None and said.is_error


def _may_be(one: TroubleClass, said: Said) -> bool:
    return (
        (not one.only or said.kind in one.only or said.family in one.only)
        and not (one.at_first and said.worked)
        and not (said.is_carried and not said.is_server and one.never_carried in said.errors)
        and (said.is_server or not one.server)
        and not (said.is_uncaught and one.verdict == "benign")
    )


@cache
def _sayings() -> tuple[list[tuple[TroubleClass, Pattern]], PatternIndex]:
    """What lines say, with the class that they are of, in the order of the classes; and an index of their places."""
    sayings = [(one, form) for one in classes() for form in one.says]
    return sayings, PatternIndex((place, form) for place, (_, form) in enumerate(sayings))


@cache
def _by_families() -> dict[str, list[TroubleClass]]:
    """The classes that name a family, in their order, by family."""
    return _grouped((family, one) for one in classes() for family in one.families)


@cache
def _by_kinds() -> dict[str, list[TroubleClass]]:
    """The classes that name a kind of events, in their order, by kind."""
    return _grouped((kind, one) for one in classes() for kind in one.events)


def _grouped(named: Iterable[tuple[str, TroubleClass]]) -> dict[str, list[TroubleClass]]:
    found: dict[str, list[TroubleClass]] = defaultdict(list)
    for name, one in named:
        found[name].append(one)
    return found


@lru_cache(4096)
def _of_part(logger: str) -> TroubleClass | None:
    """The class of the part, of Kafka or of what stands around it, that a logger is of: the one that names most of its
    packages; of a logger whose packages are shortened (`o.s.k.listener.X`) the only one that they can be.
    """
    parts = [(part, one) for one in classes() for part in one.loggers]
    named = [(len(part), one) for part, one in parts if logger.startswith(part)]
    if named:
        return max(named, key=itemgetter(0))[1]
    shortened = {one.kind: one for part, one in parts if _is_shortened(logger.split("."), part)}
    return next(iter(shortened.values())) if len(shortened) == 1 else None


def _is_shortened(packages: Sequence[str], part: str) -> bool:
    """Whether packages are those of a part, each cut at its end; a package of one letter is no name that is whole."""
    wanted = part.removesuffix(".").split(".")
    return len(packages) >= len(wanted) > 1 and all(map(str.startswith, wanted, packages))


@lru_cache(4096)
def _by_error(error: str) -> tuple[TroubleClass, ...]:
    """The classes that name an error, in their order."""
    plain, (by_name, patterns) = canonical(error), _error_names()
    found = [*by_name.get(plain, ()), *(one for form, one in patterns if fnmatchcase(plain, form))]
    by_rank = {one.rank: one for one in found}
    return tuple(by_rank[rank] for rank in sorted(by_rank))


@cache
def _error_names() -> tuple[dict[str, list[TroubleClass]], list[tuple[str, TroubleClass]]]:
    """The classes by whole names of errors; and what stands for several names, with the class of each."""
    named = [(canonical(name), one) for one in classes() for name in one.errors]
    whole = [(name, one) for name, one in named if WILDCARDS.isdisjoint(name)]
    return _grouped(whole), [(name, one) for name, one in named if not WILDCARDS.isdisjoint(name)]


@cache
def canonical(error: str) -> str:
    """An error's name without what clients make of it: UNKNOWN_MEMBER_ID, UnknownMemberIdException, UnknownMemberIdError."""
    bare = error.removeprefix("Local_").removesuffix("Exception").removesuffix("Error")
    return bare.replace("_", "").casefold().removesuffix("exception") or error.casefold()


def found_in(one: TroubleClass, words: str) -> dict[str, str]:
    """What the class finds in the words, by name."""
    named: dict[str, str] = {}
    searched = words[:LONGEST_SEARCHED]
    for form in one.finds:
        match = form.search(searched)
        for name, value in (match.groupdict() if match else {}).items():
            if value:
                named.setdefault(name, value)
    return named


def _class(entry: Mapping[str, Any], rank: int) -> TroubleClass:
    unknown = sorted(set(entry) - FIELDS)
    lacking = sorted({"kind", "title", "cause", "advice"} - set(entry))
    if unknown or lacking:
        raise ValueError(f"troubles.yaml: {entry.get('kind')}: unknown {unknown}, lacking {lacking}")
    made: dict[str, Any] = dict(entry)
    made["says"] = tuple(map(Pattern, entry.get("says", ())))
    made["finds"] = tuple(map(when_used, entry.get("finds", ())))
    for name in ("families", "events", "only", "beside"):
        made[name] = frozenset(entry.get(name, ()))
    for name in ("errors", "more", "loggers"):
        made[name] = tuple(entry.get(name, ()))
    made["fault"] = entry.get("fault") or entry["kind"]
    return TroubleClass(**made, rank=rank)
