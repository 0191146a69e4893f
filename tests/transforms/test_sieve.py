"""What RE2 says first of patterns: no match of theirs is lost by it."""

import pytest

from transforms.sieve import Sieved, without_lookaround


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        (r"(?<!not )connected\b(?! yet)", "is connected now"),
        (r"closed$", "Connection closed\n"),
        (r"a\$b", "class a$b"),
        (r"[\w.$]+Exception\Z", "com.acme.A$FooException"),
        (r"(?i)fail(?:ed|ure)", "FAILURE"),
        (r"größe\w", "die größer"),
        (r"\S+\s", "über\u3000x"),
    ],
)
def test_a_match_is_found(pattern, text):
    assert Sieved(pattern).search(text) is not None


@pytest.mark.parametrize(
    ("pattern", "text"),
    [(r"(?<!not )connected", "not connected"), (r"a\$b", "a b"), (r"closed$", "closed by peer")],
)
def test_what_the_sieve_lets_through_is_looked_at(pattern, text):
    assert Sieved(pattern).search(text) is None


def test_a_pattern_is_compiled_when_a_text_may_hold_it():
    sieved = Sieved(r"(?<!\w)refused\b")
    assert sieved.search("all is well") is None
    assert "regex" not in vars(sieved)
    assert sieved.search("it was refused") is not None


@pytest.mark.parametrize(
    ("pattern", "left"),
    [
        pytest.param(r"(?<!\d[sm] )\btimeout\b(?!\W{0,3}(?:\d|none))", r"\btimeout\b", id="around a word"),
        pytest.param(r"(?i)lost|(?P<w>at (?!noon)\w+)", r"(?i)lost|(?P<w>at \w+)", id="within a group"),
        pytest.param(r"[(?!)]x\(?!", r"[(?!)]x\(?!", id="signs that are none"),
    ],
)
def test_a_pattern_without_lookaround(pattern, left):
    assert without_lookaround(pattern) == left
