"""The catalogue of messages.yaml, compiled: which text is which family, and which field stands where."""

import json
import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import Any

from transforms.events import LIBRDKAFKA
from transforms.parse.catalogue.by_literal import FormsByLiteral
from transforms.parse.catalogue.cut_off import LEAST_LEFT, LOOKED_AT, Found, begun, may_begin
from transforms.parse.catalogue.form import LEAST_TOLD, OF_OTHERS, Case, Family, Form

ANSWERED = "kafka server: "  # sarama says so, in Java's words, what a broker answered
LONGEST_WORD = 80  # characters: no first word of a text is near that long
PYTHONS_CLIENTS = ("kafka-python", "aiokafka")  # one repeats what the other writes


@cache
def catalogue() -> tuple[Form, ...]:
    """All texts of lines in messages.yaml, in its order.

    Raises: ValueError where an entry has an unknown kind or a text without anything literal.
    """
    return tuple(form for form in _forms_in("messages.yaml") if not form.is_exception)


@cache
def exception_forms() -> tuple[Form, ...]:
    """All messages of exceptions in messages.yaml, in its order."""
    return tuple(form for form in _forms_in("messages.yaml") if form.is_exception)


@cache
def said_by_exceptions() -> tuple[Form, ...]:
    """Those of them that are Kafka's without the exception's class."""
    return tuple(form for form in exception_forms() if form.is_telling)


@cache
def _others() -> tuple[Form, ...]:
    return tuple(form for name in OF_OTHERS for form in _forms_in(f"messages_{name}.yaml"))


@cache
def _forms_in(name: str) -> tuple[Form, ...]:
    """The forms of one file, as compiled (transforms.parse.catalogue.compiled); by itself where it was changed since."""
    source = _packaged(name)
    kept = _compiled_files()[name]
    if kept["digest"] != sha256(source).hexdigest():
        from transforms.parse.catalogue.compiled import forms_of_file

        return forms_of_file(source.decode())
    known = [_family(*one) for one in kept["families"]]
    return tuple(
        Form(known[of], text, literal, tuple(words), pattern, is_exception, telling)
        for of, text, literal, words, pattern, is_exception, telling in kept["forms"]
    )


def _family(name: str, kind: str, *lists: Any) -> Family:
    """A family as JSON has it, with lists for what is none."""
    loggers, levels, ends_by, cases, *plain = lists
    told = tuple(Case(*(tuple(map(tuple, part)) for part in one)) for one in cases)
    return Family(name, kind, frozenset(loggers), tuple(levels), tuple(ends_by), told, *plain)


@cache
def _compiled_files() -> dict[str, dict[str, Any]]:
    return dict(json.loads(_packaged("messages.json")))


def _packaged(name: str) -> bytes:
    return files("transforms.parse").joinpath(name).read_bytes()


@cache
def families() -> dict[str, Family]:
    """The families by id, of Java's clients and of others."""
    return {form.family.id: form.family for form in (*_forms_in("messages.yaml"), *_others())}


@cache
def finder_of(library: str) -> "Finder":
    """The finder over the lines of a library that is not Java's; what one of Python's writes is looked for in both."""
    wanted = PYTHONS_CLIENTS if library in PYTHONS_CLIENTS else (library,)
    return Finder(tuple(one for one in _others() if one.family.library in wanted and not one.is_exception))


@cache
def said_by(library: str) -> tuple[Form, ...]:
    """All that a library is known to write, looked for anywhere in a line of it: errors first; of Go's with Go's net."""
    whose = (library, "go") if library in ("sarama", "kafka-go", "franz-go") else (library,)
    wanted = [one for one in _others() if one.family.library in whose]
    return tuple(sorted(wanted, key=lambda form: not form.is_exception))


@cache
def said_anywhere() -> tuple[Form, ...]:
    """What applications print of the errors of clients that are not Java's."""
    return tuple(form for form in _others() if form.is_exception)


@cache
def said_on_lines() -> tuple[Form, ...]:
    """What clients that are not Java's say on lines known without a head or a logger; librdkafka's have heads."""
    return tuple(
        form
        for form in _others()
        if not form.is_exception
        and form.family.library != LIBRDKAFKA
        and (form.is_telling or "group " in form.pattern)
    )


@cache
def others_finder() -> "Finder":
    """The finder over the lines of all clients that are not Java's."""
    return Finder(tuple(form for form in _others() if not form.is_exception))


@cache
def known_loggers() -> frozenset[str]:
    """Simple names of all Java classes that log a family."""
    return frozenset(logger for form in _forms_in("messages.yaml") for logger in form.family.loggers)


class Finder:
    """Finds the form of a text: by its first word, then literals, then the one regex that confirms."""

    def __init__(self, forms: tuple[Form, ...]) -> None:
        self._by_word: dict[str, list[Form]] = defaultdict(list)
        self._beginnings: dict[tuple[str, int], re.Pattern[str]] = {}
        self._wordless = FormsByLiteral([form for form in forms if not form.first_words])
        for form in forms:
            for word in form.first_words:
                self._by_word[word].append(form)

    def find(self, text: str, logger: str | None) -> Found | None:
        """The form that fits, one of the logger's own families first; None where none does.

        text: the message without its prefix. logger: simple class name.
        """
        found: Found | None = None
        for form in self._may_be(text):
            if form.literal in text and (match := form.regex.match(text)) is not None:
                if logger in form.family.loggers:
                    return form, match
                found = found or (form, match)
        return found

    def _may_be(self, text: str) -> Iterator[Form]:
        """The forms that begin with a text's first word; then those that begin with a field, which no word leads to."""
        end = text.find(" ", 0, LONGEST_WORD)
        yield from self._by_word.get(text[:end] if end >= 0 else word_of(text), ())
        yield from self._wordless.may_be_in(text)

    def find_begun(self, text: str, logger: str | None, *, is_kafkas: bool) -> Found | None:
        """The form whose beginning a text is; None where it is none's, or of several kinds, or what another class says.

        is_kafkas: whether its line is Kafka's for certain; else it must say enough to be known.
        """
        word, least = word_of(text[:LONGEST_WORD]), LEAST_LEFT if is_kafkas else LEAST_TOLD
        if not self._may_begin(word, least, text, 0):
            return None
        forms = sorted(self._by_word[word], key=lambda form: logger not in form.family.loggers)
        found = begun(text, forms, least)
        whose = found[0].family.loggers if found and logger in known_loggers() else ()
        return None if whose and logger not in whose else found

    def _may_begin(self, word: str, least: int, text: str, at: int) -> bool:
        if word in self._by_word and (word, least) not in self._beginnings:
            self._beginnings[word, least] = may_begin(self._by_word[word], least)
        known = self._beginnings.get((word, least))
        return known is not None and known.match(text, at) is not None

    def beginning_with(self, word: str) -> list[Form]:
        """The forms of the texts that begin with a word. Of them one of the logger's own that fits is the one found."""
        return self._by_word.get(word, [])

    def find_start(self, text: str, at: int, logger: str | None) -> bool:
        """Whether a message begins at this place of a text; without a logger of Kafka's it must say enough to be known."""
        end = text.find(" ", at, at + LONGEST_WORD)
        word = text[at:end] if end >= 0 else word_of(text[at : at + LONGEST_WORD])
        if word.endswith("Config") and word.isidentifier():
            return text.startswith(" values:", end)
        forms = [] if text.endswith(ANSWERED, 0, at) else self._by_word.get(word, [])
        known = (form for form in forms if logger is not None or form.is_telling)
        if any(text.find(form.literal, at) >= 0 and form.regex.match(text, at) for form in known):
            return True
        is_begun = self._may_begin(word, LEAST_TOLD, text, at)
        return is_begun and begun(text[at : at + LOOKED_AT], forms, LEAST_TOLD) is not None


@cache
def finder() -> Finder:
    """The one finder over the packaged catalogue."""
    return Finder(catalogue())


def word_of(text: str) -> str:
    """Up to the first white space: what the finder goes by."""
    return re.split(r"\s", text, maxsplit=1)[0]
