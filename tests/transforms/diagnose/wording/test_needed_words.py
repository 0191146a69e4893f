"""Words that come before a pattern: they leave out texts without a match, and none with one."""

import re

import pytest
import re2

from tests.transforms.parse.samples import samples
from transforms.diagnose.wording.catalogue import classes
from transforms.diagnose.wording.loudness import MAY_FAIL, fails_in_words
from transforms.diagnose.wording.needed_words import Pattern, PatternIndex, needed_words


@pytest.mark.parametrize(
    ("pattern", "words"),
    [
        pytest.param("no such host", ("no such host",), id="as it stands"),
        pytest.param("[Cc]onnection (?:reset|refused)|no route", ("onnection ", "no route"), id="branches"),
        pytest.param(r"lou?d a{2}bcde", ("bcde",), id="not what may be missing or repeated"),
        pytest.param(r"size\(s\) of x\.y", ("size(s) of x.y",), id="escaped"),
        pytest.param(
            r"(?:one|[)|]two) three|(four)", (" three", "four"), id="a branch whose words are in a group"
        ),
        pytest.param(
            r"x (?P<w>reset|re(?:fused|jected)) \w+", ("reset", "fused", "jected"), id="a group's branches"
        ),
        pytest.param(
            r"(?:lost|timed out)? at (?:noon){0,1}", (" at ",), id="not of a group that may be missing"
        ),
        pytest.param(r"(?!refused)(?<!reset)at (?i:Noon)", ("noon",), id="not what must not stand there"),
        pytest.param(r"(?s)\A(?:EOF|refused)", (), id="a branch too short"),
        pytest.param("(?i)Timed OUT", ("timed out",), id="any case"),
        pytest.param("lost|EOF", (), id="short"),
    ],
)
def test_needed_words(pattern, words):
    assert needed_words(pattern) == words


def test_no_pattern_is_kept_from_a_text_that_it_fits():
    texts = [sample.message for sample in samples()]
    fits = 0
    for text_of_it in {form.text for one in classes() for form in one.says}:
        regex, pattern = re.compile(text_of_it), Pattern(text_of_it)
        found = [text for text in texts if regex.search(text)]
        assert [text for text in texts if pattern.is_in(text)] == found, text_of_it
        fits += bool(found)
    assert fits > 40


def test_an_index_leaves_out_no_owner_of_a_pattern_that_is_in_a_text():
    texts = [sample.message for sample in samples()]
    index = PatternIndex((one.rank, form) for one in classes() for form in one.says)
    asked = 0
    for text in texts:
        holding = {one.rank for one in classes() if any(form.is_in(text) for form in one.says)}
        assert holding <= index.owners(text.lower()), text
        asked += len(index.owners(text.lower()))
    assert asked < len(texts) * len(classes()) / 4  # most of what can't be there is not looked for
    assert index.owners("") == index.owners("-" * 9)


def test_what_fails_in_words_is_among_the_lines_that_may():
    may_fail = re2.compile(MAY_FAIL)
    failing = [one.message for one in samples() if fails_in_words(one.message)]
    assert len(failing) > 100
    assert [text for text in failing if may_fail.search(text) is None] == []
