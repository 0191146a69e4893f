"""Which words of a log line decide: Kafka's own text as messages.yaml has it, and the settings the story names."""

import re
from collections.abc import Iterable
from functools import cache
from itertools import islice

from transforms.parse.catalogue.exceptions import ERROR_NAME
from transforms.parse.catalogue.form import Form
from transforms.parse.catalogue.forms import catalogue, exception_forms, families
from transforms.when_used import when_used

MOST_SEARCHED = 4_000  # characters of one line: no text of Kafka's is longer
MOST_PLACES = 20
# The kinds that say what happened, the plainest first; other lines lead there.
DECIDING = (
    "poll_interval_expired",
    "batch_expired",
    "task_timeout_expired",
    "session_expired",
    "broker_member_failed",
    "fenced",
    "commit_failed",
    "produce_failed",
    "streams_error",
    "request_timeout",
)
_ERROR = when_used(rf"\b{ERROR_NAME}\b")


def rank_of(message_id: str) -> int:
    """How plainly a line of this family says what happened: 0 the most."""
    family = families().get(message_id)
    kind = family.kind if family else ""
    return DECIDING.index(kind) if kind in DECIDING else len(DECIDING)


def decisive_parts(line: str, message_id: str, names: Iterable[str] = ()) -> list[tuple[str, bool]]:
    """One line cut into what decides and what does not; joined, the parts are the line.

    message_id: the family that the line's event is of; of an application's own line its exceptions decide.
    names: settings that the story speaks of; where a line of a dump gives one, all of the line decides.
    """
    head = line[:MOST_SEARCHED]
    spans = [match.span() for form in _forms(message_id) for match in _found(form, head)]
    if not spans:
        spans = [match.span() for match in _ERROR.finditer(head)]
    if head.split("=")[0].strip() in set(names):
        spans.append((len(head) - len(head.lstrip()), len(head.rstrip())))
    parts, at = [], 0
    for start, end in _merged(spans):
        parts += [(line[at:start], False), (line[start:end], True)]
        at = end
    return [(text, is_decisive) for text, is_decisive in [*parts, (line[at:], False)] if text]


def _found(form: Form, line: str) -> list[re.Match[str]]:
    """Where the form stands in the line: at its first word, tried at few places as the line is hostile."""
    if form.literal not in line:
        return []
    if not form.first_words:
        tried = [form.regex.search(line)]
    else:
        words = "|".join(map(re.escape, form.first_words))
        starts = islice(re.finditer(words, line), MOST_PLACES)
        tried = [form.regex.match(line, start.start()) for start in starts]
    return [match for match in tried if match and match.end() > match.start()]


def _merged(spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    made: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if made and start <= made[-1][1]:
            made[-1] = (made[-1][0], max(end, made[-1][1]))
        else:
            made.append((start, end))
    return made


@cache
def _forms(message_id: str) -> tuple[Form, ...]:
    """The texts of a family; of an event told by an exception, the messages of exceptions."""
    return tuple(form for form in catalogue() if form.family.id == message_id) or exception_forms()
