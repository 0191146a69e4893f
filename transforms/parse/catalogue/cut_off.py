"""Messages whose end is not there: a viewer's column, a field's limit or an excerpt cut it off, or a poster left it out.

What is left begins as a text of the catalogue does, and ends within it. It is read where all texts that begin so are of one
kind; a field that reaches the end may be cut itself, and is not read. A text of no kind of its own is not read so: it may
be told from one that is normal by its end alone (an election that failed, and one that was held).
"""

import re
from collections.abc import Iterable
from dataclasses import replace
from functools import cache, lru_cache

from transforms.parse.catalogue.form import Form, compiled
from transforms.parse.catalogue.patterns import alternatives, pieces, takes_anything, words_in
from transforms.when_used import when_used

LEAST_LEFT = 12  # characters of a text's own words: fewer begin too much else
LOOKED_AT = 1024  # characters: what begins so for that long is the text, and no line takes more time
_ELISION = r"\s*(?:\.{3,}|\u2026|[\[(<](?:\.{3}|\u2026)[\])>])"
_LEFT_OUT, _LAST_LEFT_OUT = when_used(_ELISION), when_used(rf"{_ELISION}$")
# What takes anything, at a pattern's end: there it is a value, a word or what a bracket opened, and no sentence.
_LAST = when_used(r"(?P<open>\\\((?:\(\?P<\w+>)?)?(?<!\\)\.(?:[*+]|\{\d+,\d*\})\??(?=\)*$)")
_VALUE = r"[^\s({\[]*(?:[({\[].*)?"
_END = r"(?![^\n])"
_NAME = when_used(r"\(\?P<\w+>")
Found = tuple[Form, re.Match[str]]


def begun(text: str, forms: Iterable[Form], least: int = LEAST_LEFT) -> Found | None:
    """The form that a line is the beginning of, and what it says up to its end; None where several kinds may begin so.

    least: characters of the form's own words that must be there.
    """
    whole = text.partition("\n")[0][:LOOKED_AT].rstrip()
    # The first that is left out may be within a value (`Member orders-.. in group .. has failed ...`): the last, then.
    lines = dict.fromkeys((_LAST_LEFT_OUT.sub("", whole), _LEFT_OUT.split(whole, maxsplit=1)[0].rstrip()))
    found = (_begun(line, forms, least, is_cut=len(line) < len(whole)) for line in lines)
    return next(filter(None, found), None)


def _begun(line: str, forms: Iterable[Form], least: int, *, is_cut: bool) -> Found | None:
    is_seen_cut = is_cut or _has_open_bracket(line)
    alike = [form for form in forms if line.startswith(form.lead) or form.lead.startswith(line)]
    kinded = [form for form in alike if form.family.kind != "other_kafka"]
    if not kinded or len(line) < LEAST_LEFT:
        return None  # whatever of them it may be: most lines that nobody knows end here
    tried: list[bool] = []
    found: list[tuple[Form, str]] = []
    # Whatever is left may be all that was said, in another text's words, unless the line shows that it was cut.
    for is_open in (False, True) if is_seen_cut else (False,):
        tried.append(is_open)
        patterns = ((form, _up_to_end("", form.pattern, line, is_open=is_open)) for form in kinded)
        found = [(form, pattern) for form, pattern in patterns if pattern is not None]
        if found:
            break
    told = [(form, pattern) for form, pattern in found if max(words_in(pattern)) >= least]
    if not told or len({form.family.kind for form, _ in found}) != 1:
        return None
    others = [form.pattern for form in alike if form.family.kind == "other_kafka"]
    if any(_up_to_end("", one, line, is_open=is_open) is not None for is_open in tried for one in others):
        return None  # asked last, as few lines come so far
    form, pattern = told[0]
    held = _beginning_of(form, _without_cut_fields(pattern, line), is_telling=least > LEAST_LEFT)
    match = held.regex.match(line)
    return (held, match) if match is not None else None


def _has_open_bracket(line: str) -> bool:
    return any(line.count(opens) > line.count(closes) for opens, closes in ("()", "[]", "{}"))


@lru_cache(1 << 12)
def _beginning_of(form: Form, pattern: str, *, is_telling: bool) -> Form:
    """A form that ends where a pattern does, with all fields of the whole one."""
    known = compiled(pattern).groupindex
    gone = [f"(?P<{name}>(?!))" for name in form.regex.groupindex if name not in known]
    ended = f"{pattern}{_END}" + (f"(?:{''.join(gone)})?" if gone else "")
    return replace(form, pattern=ended, telling=is_telling)


def may_begin(forms: Iterable[Form], least: int) -> re.Pattern[str]:
    """What a line begins with that begun() may find: most lines that are no text of the catalogue's do not."""
    shortest = (_NAME.sub("(?:", _shortest(form.pattern, least)) for form in forms)
    return re.compile("|".join(f"(?:{one})" for one in dict.fromkeys(shortest)))


def _up_to_end(before: str, pattern: str, line: str, *, is_open: bool) -> str | None:
    """The beginning of a pattern that fits a line to its end; None where there is none.

    before: what of the pattern around it fits already. is_open: also one that ends with a piece which takes whatever is
    left, though what follows it in the pattern is not there.
    """
    parts = pieces(pattern)
    fits = _fitting(before, pattern, line)
    if (ended := _ended(_joined(before, pattern, fits).pattern, line)) is not None:
        return ended
    # It may end within a group that had to come next, or that might have been left out.
    for at in range(min(fits, len(parts) - 1), -1, -1):
        is_within = parts[at].endswith(")?)") and _has_open_bracket(line)
        if at == fits or parts[at].endswith(")?") or is_within:
            inside = _joined(before, pattern, at).pattern
            within = (_up_to_end(inside, one, line, is_open=is_open) for one in alternatives(parts[at]))
            if (found := next(filter(None, within), None)) is not None:
                return found
    last = next((at for at in range(fits, 0, -1) if is_open and takes_anything(parts[at - 1])), 0)
    return _ended(_joined(before, pattern, last).pattern, line) if last else None


def _fitting(before: str, pattern: str, line: str) -> int:
    """How many pieces fit a line's beginning: a longer one fits only where the shorter does."""
    fits, most = 0, len(pieces(pattern))
    while fits < most:
        half = (fits + most + 1) // 2
        if _joined(before, pattern, half).match(line):
            fits = half
        else:
            most = half - 1
    return fits


@lru_cache(1 << 14)
def _joined(before: str, pattern: str, count: int) -> re.Pattern[str]:
    """So many pieces of a pattern, behind what stands before it."""
    return compiled(before + "".join(pieces(pattern)[:count]))


def _ended(pattern: str, line: str) -> str | None:
    ended, to_end = _with_end(pattern)
    return ended if to_end.match(line) is not None else None


@lru_cache(1 << 12)
def _with_end(pattern: str) -> tuple[str, re.Pattern[str]]:
    ended = _LAST.sub(lambda last: f"{last['open']}.+" if last["open"] else _VALUE, pattern)
    return ended, compiled(ended + _END)


def _without_cut_fields(pattern: str, line: str) -> str:
    """A pattern that fits a line to its end, without the names of the fields that reach it."""
    match = compiled(pattern + _END).match(line)
    for name, value in (match.groupdict() if match else {}).items():
        if value and match is not None and match.end(name) == len(line):
            pattern = pattern.replace(f"(?P<{name}>", "(?:")
    return pattern


@cache
def _shortest(pattern: str, least: int) -> str:
    """The shortest beginning of a pattern that holds so much plain text in one run."""
    run = 0
    for at, piece in enumerate(pieces(pattern), 1):
        run = 0 if takes_anything(piece) else run + sum(words_in(piece))
        if run >= least:
            return "".join(pieces(pattern)[:at])
    return pattern
