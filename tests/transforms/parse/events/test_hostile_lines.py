"""Lines made of a family's own words, over and over: no pattern takes time by a power of their length."""

import re
from collections.abc import Iterator
from functools import partial

import pytest

from tests.cpu import least_cpu_s
from transforms.parse.catalogue import forms
from transforms.parse.catalogue.compiled import FILES
from transforms.parse.catalogue.form import Form

LONG = 16_000  # characters
SUSPECT_S = 0.005  # the text itself takes a millisecond or two, the square of its length tens of them
SHORTER = 4  # times: then a square takes 16 times less
_SLOT = re.compile(r"\{(\w*)(?::([^}]*))?\}|\(\?P<\w+>([^()]*)\)|\\[SdwW][+*]?|\.[+*]\??")
ANSWERED = "(error_code=0, host='k1', port=9092) <connected> [a] b: 1>: "
_ESCAPED = re.compile(r"\\(.)")


def hostile(form: Form) -> Iterator[str]:
    """What a form's regex has begun to find, and then the same words again and again, until something else ends it."""
    words, at = [""], 0
    for slot in _SLOT.finditer(form.text):
        words[-1] += _ESCAPED.sub(r"\1", form.text[at : slot.start()])
        words.append("")
        at = slot.end()
    words[-1] += _ESCAPED.sub(r"\1", form.text[at:])
    for fill in ("1", "a-1", "a"):
        for known in range(1, len(words) + 1):
            begun = fill.join(words[:known])
            for unit in {
                words[known - 1],
                "".join(words[1:known]),
                *words[known : known + 1],
                fill,
                ", ",
                " ",
            }:
                if unit:
                    yield begun + (unit + fill) * (LONG // len(unit + fill)) + "\n~"


def is_slow(form: Form, text: str) -> bool:
    if least_cpu_s(partial(form.regex.match, text), tries=1) < SUSPECT_S:
        return False
    part = text[: LONG // SHORTER] + text[-2:]
    whole_s, part_s = (least_cpu_s(partial(form.regex.match, one), tries=5) for one in (text, part))
    return whole_s > SUSPECT_S and whole_s > 2 * SHORTER * part_s


@pytest.mark.parametrize("name", FILES)
def test_time_is_no_power_of_a_line_s_length(name):
    """A line may have a million characters: their square takes minutes."""
    slow = {
        (form.family.id, text[:200])
        for form in forms._forms_in(name)
        for text in hostile(form)
        if is_slow(form, text)
    }
    assert not slow


def is_slow_to_find(form: Form) -> bool:
    """Whether what is looked for anywhere in a line takes the square of one that holds its literal and ends otherwise."""
    begun = form.literal.partition(" (after ")[0] + " (after 3ms in state UP) "
    texts = [f"{ANSWERED * many}{form.literal}{begun}{ANSWERED * many}" for many in (140, 140 // SHORTER)]
    if least_cpu_s(partial(form.regex.search, texts[0]), tries=1) < SUSPECT_S:
        return False
    whole_s, part_s = (least_cpu_s(partial(form.regex.search, text), tries=3) for text in texts)
    return whole_s > SUSPECT_S and whole_s > 2 * SHORTER * part_s


def test_nor_where_it_is_looked_for_in_the_middle_of_a_line():
    """As clients that are not Java's print whole answers at DEBUG."""
    libraries = {family.library for family in forms.families().values()}
    wanted = {id(form): form for library in libraries for form in forms.said_by(library)}
    assert not [form.family.id for form in wanted.values() if is_slow_to_find(form)]
