"""Numbers that nothing holds, and halves of characters: a line that has them is read as any other."""

import json

import pytest

from transforms.parse.layouts.wrappers import unescaped
from transforms.parse.lines.jsonlines import load
from transforms.well_formed import well_formed
from transforms.whole import LARGEST, is_whole, whole_number


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("5", 5),
        ("-5", -5),
        ("0005", 5),
        ("9223372036854775807", LARGEST),
        ("9223372036854775808", LARGEST),
        ("-9223372036854775809", -LARGEST),
        ("9" * 5_000, LARGEST),
        ("-" + "9" * 5_000, -LARGEST),
        ("0" * 5_000 + "7", 7),
    ],
)
def test_a_number_is_what_a_long_holds(text, number):
    assert is_whole(text)
    assert whole_number(text) == number


@pytest.mark.parametrize("text", ["", "-", "--5", "²", "٣", "1e5", "0x10", " 5", "5\n"])
def test_what_is_no_number(text):
    assert not is_whole(text)


HALVES = [
    pytest.param(r"a\ud800b", "a�b", id="the first half"),
    pytest.param(r"a\uDC00b", "a�b", id="the second"),
    pytest.param(r"\ude00\ud83d", "��", id="the wrong way round"),
    pytest.param(r"\ud83d\ude00", "\U0001f600", id="both"),
    pytest.param(r"\\ud800", r"\ud800", id="none, but a backslash"),
]


@pytest.mark.parametrize(("written", "text"), HALVES)
def test_halves_of_characters_are_replaced_where_literals_are_read(written, text):
    assert load(f'{{"{written}": "{written}", "n": [1, {{"m": "{written}"}}]}}') == {
        text: text,
        "n": [1, {"m": text}],
    }
    assert unescaped(written) == text
    assert well_formed(json.loads(f'"{written}"')) == text
