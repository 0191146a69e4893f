"""A pattern of the catalogue in pieces."""

import pytest

from transforms.parse.catalogue.patterns import first_words


@pytest.mark.parametrize(
    ("pattern", "words"),
    [
        ("Rebalance failed", ("Rebalance",)),
        (r"\(Re-\)joining group(?: (?P<group_id>\w+))?", ("(Re-)joining",)),
        (r"(?P<mode>Asynchronous|Synchronous) auto-commit", ("Asynchronous", "Synchronous")),
        ("(?:Join|Sync)Group failed", ("JoinGroup", "SyncGroup")),
        ("(?:Operation )?commit failed", ("Operation", "commit")),
        ("[Ff]ailed to write", ("Failed", "failed")),
        (r"(?:A fine|B) day|Rain", ()),
        (r"\w+Config values:", ()),
        (r"Call\((?:.*?)\) failed", ()),
        ("Node(?!s) gone", ()),
        ("Suspended", ()),
    ],
)
def test_the_first_words_of_a_pattern(pattern, words):
    assert first_words(pattern) == words
