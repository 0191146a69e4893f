"""messages.json is messages.yaml, compiled."""

import json

import pytest

from transforms.parse.catalogue import forms
from transforms.parse.catalogue.compiled import FILES, FOLDER, compiled, forms_of_file


@pytest.mark.parametrize("name", FILES)
def test_the_compiled_catalogue_is_the_written_one(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(forms, "_compiled_files", lambda: json.loads(compiled()))
    assert forms._forms_in(name) == forms_of_file((FOLDER / name).read_text(encoding="utf-8"))


def test_a_file_that_was_changed_since_is_read_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    stale = json.loads(compiled())
    stale["messages.yaml"].update(digest="", forms=[])
    monkeypatch.setattr(forms, "_compiled_files", lambda: stale)
    assert forms._forms_in("messages.yaml") == forms._all_forms()
