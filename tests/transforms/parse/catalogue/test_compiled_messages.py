"""messages.json is messages.yaml, compiled."""

import json
from dataclasses import fields

import pytest

from transforms.events import ClientEvent
from transforms.parse.catalogue import forms
from transforms.parse.catalogue.compiled import FILES, FOLDER, compiled, forms_of_file


@pytest.mark.parametrize("name", FILES)
def test_the_compiled_catalogue_is_the_written_one(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(forms, "_compiled_files", lambda: json.loads(compiled()))
    assert forms._forms_in.__wrapped__(name) == forms_of_file((FOLDER / name).read_text(encoding="utf-8"))


def test_a_file_that_was_changed_since_is_read_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    stale = json.loads(compiled())
    stale["messages.yaml"].update(digest="", forms=[])
    monkeypatch.setattr(forms, "_compiled_files", lambda: stale)
    assert forms._forms_in.__wrapped__("messages.yaml") == forms._forms_in("messages.yaml")


def test_the_cases_of_families_put_columns_that_an_event_has() -> None:
    columns = {one.name for one in fields(ClientEvent)}
    put = {
        (family.id, name)
        for family in forms.families().values()
        for case in family.cases
        for name, _ in case.told
    }
    assert put
    assert [one for one in put if one[1] not in columns] == []


@pytest.mark.parametrize("kind", ["session_expired", "nonsense"])
def test_a_case_is_of_a_kind_that_there_is(kind: str) -> None:
    entry = {
        "id": "coordinator-gone",
        "kind": "coordinator_lost",
        "texts": ["The coordinator is gone: {why}"],
    }
    source = json.dumps([{**entry, "cases": [{"if": {"why": "silence"}, "kind": kind}]}])
    if kind == "nonsense":
        with pytest.raises(ValueError, match="coordinator-gone: kind 'nonsense' is none"):
            forms_of_file(source)
    else:
        assert forms_of_file(source)[0].family.cases == (((("why", "silence"),), (("kind", kind),)),)
