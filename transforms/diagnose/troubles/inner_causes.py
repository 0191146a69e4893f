"""What ended a thread or a task, where that was another's fault: told behind its end, with who has to act on it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from transforms.diagnose.troubles.trouble import Trouble
from transforms.diagnose.wording.catalogue import Said, TroubleClass, class_of, found_in
from transforms.diagnose.wording.sentences import sentence

ELSEWHERE = frozenset({"broker", "settings", "network"})  # who acts where it is not the application


@dataclass(frozen=True, slots=True)
class InnerCause:
    """said: behind the cause, empty where there is no more to say. advice, actor: then of the inner one."""

    said: str
    advice: str
    actor: str


def inner_cause(one: Trouble, alike: Sequence[Trouble], known: Mapping[str, str]) -> InnerCause:
    """That of the first of its lines; and what the last of all that are alike names, where it was something else then."""
    said, advice, actor = "", sentence(one.of.advice, known), one.of.actor
    latest = max(alike, key=lambda other: other.lines.last_at or 0)
    first, last = _thrown(one.lines.first), _thrown(latest.lines.last) or _thrown(latest.lines.first)
    inner = _class_of(one, first)
    if inner is not None:
        known = {**known, **found_in(inner, first)}
        said = f" {sentence(inner.cause, known)}"
        advice, actor = sentence(inner.advice, known), inner.actor
    later = _class_of(latest, last) if last != first else None
    if later is not None and later is not inner:
        known = {**known, **found_in(later, last)}
        said += f" At the last of these lines: {sentence(later.title, known)}."
        advice += f" {sentence(later.advice, known)}"
    return InnerCause(said, advice, actor)


def _thrown(named: Mapping[str, str]) -> str:
    return named.get("cause_message") or named.get("error_message", "")


def _class_of(one: Trouble, message: str) -> TroubleClass | None:
    """The class of an exception that a thread or task died of, where somebody else has to act on it."""
    if one.of.fault != "died" or one.of.actor != "application":
        return None
    found = class_of(Said(message, one.errors, "", "", is_carried=True))
    return found if found.kind != one.of.kind and found.actor in ELSEWHERE else None
