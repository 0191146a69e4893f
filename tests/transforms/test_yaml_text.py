"""What is kept as JSON beside our YAML says what the YAML says."""

from importlib.resources import files

import pytest

from transforms import yaml_text


@pytest.mark.parametrize(("package", "name"), yaml_text.COMPILED)
def test_the_json_beside_it_is_current(package, name):
    known = files(package).joinpath(name.replace(".yaml", ".json")).read_text(encoding="utf-8")
    assert known == yaml_text.compiled(package, name), "run `make docs`"


@pytest.mark.parametrize(("package", "name"), yaml_text.COMPILED)
def test_both_say_the_same(package, name):
    text = files(package).joinpath(name).read_text(encoding="utf-8")
    assert yaml_text.of_package(package, name) == yaml_text.parse(text)


def test_yaml_that_was_changed_is_read_itself(tmp_path, monkeypatch):
    (tmp_path / "some.yaml").write_text("- {kind: new}\n")
    (tmp_path / "some.json").write_text('{"digest": "of another text", "entries": [{"kind": "old"}]}')
    monkeypatch.setattr(yaml_text, "files", lambda package: tmp_path)
    monkeypatch.setattr(yaml_text, "COMPILED", (("p", "some.yaml"),))
    assert yaml_text.of_package("p", "some.yaml") == [{"kind": "new"}]
