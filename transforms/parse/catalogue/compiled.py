"""messages.yaml as messages.json has it: its texts as patterns, with their literals and first words, which take a fifth of a
second to make.

python -m transforms.parse.catalogue.compiled
"""

import json
import re
from collections.abc import Sequence
from dataclasses import astuple, replace
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from transforms import yaml_text
from transforms.events import KINDS
from transforms.parse.catalogue.form import LEAST_TOLD_IN_ALL, OF_OTHERS, WHOLE_NUMBERS, Case, Family, Form
from transforms.parse.catalogue.patterns import first_words, words_in
from transforms.when_used import when_used

FOLDER = Path(__file__).parents[1]  # of messages.yaml and the others
FILES = ("messages.yaml", *(f"messages_{name}.yaml" for name in OF_OTHERS))
NODE = r"\S+(?: \(id: (?P<node_id>-?\d++)?[^)]*\))?"  # pastes shorten it, and mask it; 4.x says more
MASK = r"[xX*#?]{1,8}|[Nn]|[<{\[][\w .\-]{1,30}[>}\]]|\.{2,3}|" + "\u2026"  # a poster's, for a number
NUMBER = rf"-?(?:\d+|{MASK})"
_NAMED = when_used(r"(\(\?P<(?:address|topic)>)\[\\w\.\\-\]\+")
MASKED = r"\1(?:[\\w.\\-]|<[\\w .\\-]{1,30}>)+"  # the same for a name of other clients, or a part of it
UNNAMED = r"(?:[\w.\-*]|[<{\[][\w .\-]{1,30}[>}\]]){1,250}|\.{3}|" + "\u2026"  # and a partition's of Java's
GENERATION = (
    rf"Generation\{{generationId=(?P<generation>{NUMBER})(?:, memberId='?(?P<member_id>[^',}}]*)'?)?"
    r"(?:, protocol='?(?P<protocol>[^'}]*)'?)?\}"
)
UUID = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
NOT_PYTHONS = r"(?!\S{0,12}TopicPartition\(topic=)"  # whose clients repeat sentences of Java's
SHAPES = {
    "node": f"(?P<node>{NODE})",
    "gen": GENERATION,
    "tp": rf"(?:(?P<tp>[\w.\-]+-\d+)|{UNNAMED})",
    "task_id": r"(?P<task_id>(?:[\w.\-]+?__)?\d+_\d+)",
    "member_id": rf"(?P<member_id>(?:(?!\S*-{UUID})\S+ ){{1,7}}\S*-{UUID}|\S*)",  # a client id may have blanks
    "host": r"(?P<host>\S+)",
    "topic": rf"(?:(?P<topic>\.*[\w\-](?:[\w.\-]*[\w\-])?)|{UNNAMED})",
    "client_version": r"(?P<client_version>[\w.\-]*\w)",
}
_AS_IT_STANDS = ("client", "api", "benign", "library", "trouble", "works", "repeats_class")
_OF_NUMBER = when_used(r"(\(\?P<\w+>(?:-\?)?\\d\+)\)")
_FIELD = when_used(r"\{(\w*)(?::([^}]*))?\}")


def forms_of_file(source: str) -> tuple[Form, ...]:
    """All texts of one file, in its order.

    Raises: ValueError where an entry has an unknown kind or a text without anything literal.
    """
    return tuple(form for entry in yaml_text.parse(source) for form in _forms_of(entry))


def compiled() -> str:
    """What messages.json has to hold."""
    parts = []
    for name in FILES:
        source = (FOLDER / name).read_bytes()
        forms = forms_of_file(source.decode())
        known = list(dict.fromkeys(form.family for form in forms))
        number = {family: at for at, family in enumerate(known)}
        families = [astuple(one) for one in known]
        rows = [[number[form.family], *astuple(form)[1:]] for form in forms]
        digest = json.dumps(sha256(source).hexdigest())
        parts.append(
            f'"{name}": {{"digest": {digest}, "families": {_lines(families)}, "forms": {_lines(rows)}}}'
        )
    return "{" + ",\n".join(parts) + "}\n"


def _lines(rows: list[Any]) -> str:
    return "[\n" + ",\n".join(json.dumps(row, default=sorted) for row in rows) + "\n]"


def _forms_of(entry: dict[str, Any]) -> list[Form]:
    cases = entry.get("cases", ())
    for kind in (one["kind"] for one in (entry, *cases) if "kind" in one):
        if kind not in KINDS:
            raise ValueError(
                f"messages.yaml: {entry['id']}: kind {kind!r} is none of transforms.events.KINDS"
            )
    family = Family(
        id=entry["id"],
        kind=entry["kind"],
        loggers=frozenset(entry.get("loggers", ())),
        levels=tuple(entry.get("levels", ())),
        ends_by=tuple(entry.get("ends_by", ())),
        cases=tuple(Case(tuple(one.pop("if").items()), tuple(one.items())) for one in map(dict, cases)),
        **{name: entry[name] for name in _AS_IT_STANDS if name in entry},
    )
    forms = [_form(family, text, *_of_text(text)) for text in entry.get("texts", ())]
    for item in entry.get("patterns", ()):
        form = _form(family, item["regex"], *_of_pattern(item))
        forms.append(replace(form, telling=True) if item.get("telling", False) else form)
    for item in entry.get("exceptions", ()):
        form = _form(family, item["regex"], _NAMED.sub(MASKED, item["regex"]), item["literal"], ())
        forms.append(replace(form, is_exception=True))
    return forms


def _form(family: Family, text: str, pattern: str, literal: str, words: tuple[str, ...]) -> Form:
    if len(literal) < 4:
        raise ValueError(f"messages.yaml: {family.id}: {text!r} has no literal part to go by")
    return Form(family, text, literal, words, pattern, telling=sum(words_in(pattern)) >= LEAST_TOLD_IN_ALL)


class Part(NamedTuple):
    """A field of a text with the words behind it, or the words that it begins with.

    is_free: the field takes whatever stands there. is_exact: it fits in one way, or in few.
    """

    pattern: str
    is_free: bool = False
    is_exact: bool = False


def _of_text(text: str) -> tuple[str, str, tuple[str, ...]]:
    begin, *rest = _FIELD.split(text)
    literals = [begin, *rest[2::3]]
    parts = [Part(re.escape(begin))]
    for name, choices, literal in zip(rest[::3], rest[1::3], rest[2::3], strict=True):
        is_last = not literal and len(parts) == len(literals) - 1
        is_exact = choices is None and (name in ("tp", "task_id") or _is_whole(name))
        is_free = choices is None and name not in SHAPES and not is_exact
        parts.append(Part(_shape(name, choices, is_last=is_last) + re.escape(literal), is_free, is_exact))
    pattern, longest = _once_found(parts), max(literals, key=len)
    # A text may be a single word (`Initialized`): then all of the line must be it, but for what a page put behind.
    if " " not in text:
        return pattern + r"\W*(?![^\n])", longest, () if rest else (text,)
    return pattern, longest, first_words("".join(part.pattern for part in parts))


def _once_found(parts: Sequence[Part]) -> str:
    """One pattern of them, in which what is found stays from one free field to the next.

    Looked for again from each later place, a line made of a family's own words would take time by a power of its length. The
    nearest place leaves the most to what follows, so nothing is missed.
    """
    runs: list[list[Part]] = [[]]
    for part in parts:
        if part.is_free:
            runs.append([])
        runs[-1].append(part)
    *before, last = ("".join(part.pattern for part in run) for run in runs)
    held = [
        f"(?>{pattern})" if run and run[0].is_free and all(part.is_exact for part in run[1:]) else pattern
        for run, pattern in zip(runs, before, strict=False)
    ]
    return "".join([*held, last])


def _is_whole(name: str) -> bool:
    return name.endswith("_ms") or name in WHOLE_NUMBERS


def _shape(name: str, choices: str | None, *, is_last: bool) -> str:
    if choices is not None:
        return f"(?P<{name}>{choices})"
    if not name:
        return r".*?"
    if name in SHAPES:
        return SHAPES[name]
    if _is_whole(name):
        return f"(?P<{name}>{NUMBER})"
    ahead = NOT_PYTHONS if name == "partitions" else ""
    return f"(?P<{name}>{ahead}.+)" if is_last else f"(?P<{name}>{ahead}.+?)"


def _of_pattern(entry: dict[str, str]) -> tuple[str, str, tuple[str, ...]]:
    pattern = _NAMED.sub(MASKED, entry["regex"].replace(r"(?P<gen>Generation\{.*?\})", GENERATION))
    pattern = pattern.replace(r"(?P<member_id>\S+)", SHAPES["member_id"])
    pattern = _OF_NUMBER.sub(lambda found: f"{found[1]}|-?(?:{MASK}))", pattern)
    return pattern, entry["literal"], first_words(entry["regex"])


if __name__ == "__main__":
    (FOLDER / "messages.json").write_text(compiled(), encoding="utf-8")
