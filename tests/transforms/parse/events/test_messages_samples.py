"""Every family against its own lines, and against the lines of all others."""

import pytest

from tests.transforms.parse.samples import Sample, samples
from tests.transforms.parse.typed import events
from transforms.parse.catalogue.forms import catalogue, exception_forms, families
from transforms.parse.lines.prefixes import prefix_of

SAMPLES = samples()


def line_id(sample: Sample) -> str:
    return f"{sample.message_id}: {sample.message[:60]!r}"


def test_a_line_is_of_its_family():
    wrong = []
    for sample in SAMPLES:
        found = events(sample.message, sample.logger, level=sample.level)
        of_last = [event.message_id for event in found][-1:]
        kinds = tuple(event.kind for event in found)
        if not {*of_last} & {sample.message_id, "leave-group"} or kinds != sample.kinds:
            wrong.append(f"{line_id(sample)} is {of_last}, {kinds}")
    assert not wrong, "\n".join(wrong)


def test_a_line_is_known_by_its_text_alone():
    """Loggers move between versions, and some layouts print none."""
    wrong = []
    for sample in SAMPLES:
        found = events(sample.message, "o.a.k.moved.Elsewhere", level=sample.level)
        kinds = {event.kind for event in found}
        if kinds != set(sample.kinds):
            wrong.append(f"{line_id(sample)} is {kinds}")
    assert not wrong, "\n".join(wrong)


def test_no_text_fits_a_line_of_another_kind():
    found = {
        (form.family.id, sample.message_id)
        for sample in SAMPLES
        for text in [sample.message[prefix_of(sample.message).length :]]
        for form in catalogue()
        if form.family.kind != families()[sample.message_id].kind
        and form.literal in text
        and form.regex.match(text)
    }
    assert found == set()


def _lengths(message: str) -> set[int]:
    """What its prefix may take of a message: some of a coordinator's and a server's messages begin with theirs."""
    prefix = prefix_of(message)
    return {prefix.length, prefix.outer}


def test_every_text_of_the_catalogue_has_a_line():
    lines = [sample.message[length:] for sample in SAMPLES for length in _lengths(sample.message)]
    unseen = {
        (form.family.id, form.text)
        for form in catalogue()
        if not any(form.literal in line and form.regex.match(line) for line in lines)
    }
    assert unseen == set()


def test_the_literal_is_in_every_line_that_fits():
    """The literal only excludes: were it no part of a fitting line, it would hide it."""
    texts = [sample.message[prefix_of(sample.message).length :] for sample in SAMPLES]
    hidden = [
        f"{form.family.id} ({form.literal!r}): {text!r}"
        for form in catalogue()
        for text in texts
        if form.literal not in text and form.regex.match(text)
    ]
    assert not hidden, "\n".join(hidden)


@pytest.mark.parametrize("form", exception_forms(), ids=lambda form: form.text[:60])
def test_an_exception_text_goes_by_something_literal(form):
    assert len(form.literal) >= 10
    assert form.first_words == ()
