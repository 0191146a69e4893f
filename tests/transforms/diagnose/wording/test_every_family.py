"""Every warning and error that the catalogue knows has a class of troubles.yaml, or a word there that it is normal."""

from transforms.diagnose.wording.catalogue import OTHER, Said, class_of, classes
from transforms.events import APPLICATION_EXCEPTION
from transforms.parse.catalogue.form import Family
from transforms.parse.catalogue.forms import catalogue, exception_forms, families
from transforms.timers.clients.trouble_events import LOUD, TROUBLE

KNOWN: dict[str, Family] = families() | {
    form.family.id: form.family for form in (*catalogue(), *exception_forms())
}
TOLD = [
    family
    for family in KNOWN.values()
    if not family.benign and (LOUD & set(family.levels) or family.kind in TROUBLE or family.trouble == "INFO")
]


def test_there_are_many():
    assert len(TOLD) > 200
    assert {family.library for family in TOLD} >= {"java", "librdkafka", "kafka-python"}


def test_a_warning_or_error_has_a_class_without_any_word():
    other = [
        f"{family.id} ({family.kind}, {', '.join(family.levels)}) is in no class of troubles.yaml: "
        "add it to `families` of one, or say in messages.yaml why it is benign"
        for family in TOLD
        if class_of(Said("", (), family.id, family.kind)).kind == OTHER
    ]
    assert not other, "\n".join(other)


def test_every_family_of_a_class_is_in_the_catalogue():
    named = {(of.kind, family) for of in classes() for family in of.families - {APPLICATION_EXCEPTION}}
    assert {one for one in named if one[1] not in KNOWN} == set()
