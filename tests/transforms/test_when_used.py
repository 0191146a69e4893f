"""Patterns that wait until they are used: the same ones as compiled at once, and all of them patterns."""

import gc
import re

import pytest

from transforms.parse.secrets.redact import redact
from transforms.when_used import WhenUsed, when_used


def test_it_is_what_re_makes_of_it():
    lazy, made = (
        when_used(r"(?i)(?P<name>[a-z]+)="),
        re.compile(r"(?i)(?P<name>[a-z]+)="),
    )
    assert lazy.pattern == made.pattern
    assert (lazy.flags, lazy.groups, dict(lazy.groupindex)) == (
        made.flags,
        made.groups,
        dict(made.groupindex),
    )
    text = "A=1, b=2"
    assert lazy.findall(text) == made.findall(text)
    assert lazy.sub("x", text) == made.sub("x", text)
    assert [one.span() for one in lazy.finditer(text)] == [one.span() for one in made.finditer(text)]
    assert (lazy.match(text), lazy.fullmatch(text))[0]["name"] == "A"


def test_nothing_is_compiled_before():
    lazy = when_used("(")
    with pytest.raises(re.error):
        lazy.search("x")


def test_all_that_are_waiting_are_patterns():
    assert redact("x") == "x"
    gc.unfreeze()  # what was made while tests were collected is kept from the collector
    found = [one for one in gc.get_objects() if type(one) is WhenUsed and one.pattern != "("]
    assert len(found) > 200
    for one in found:
        assert one.search(one.pattern[:0]) is None or one.groups >= 0
