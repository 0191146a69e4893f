"""A path that isn't there: exit 2, and one sentence with what, where, and what to do; before Spark is started."""

import pytest

from jobs.cli import _guarded, app


@pytest.mark.parametrize(
    "given",
    [["--logs", "{}/nowhere"], ["--logs", "{}/*.nothing"], ["--logs", "{}", "--metrics", "{}/nowhere"]],
)
def test_a_path_that_is_not_there(given, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("jobs.engine.session.spark_session", lambda conf: pytest.fail("Spark was started"))
    (tmp_path / "app.log").write_text("x\n")
    arguments = [part.format(tmp_path) for part in given]
    with pytest.raises(SystemExit) as ended:
        _guarded(lambda: app(["run", *arguments, "--lake", str(tmp_path / "lake")], standalone_mode=True))
    assert ended.value.code == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.startswith("kipwatch: ")
    assert told.err.count("\n") == 1
    assert arguments[-1] in told.err
    assert "check the p" in told.err
    assert not (tmp_path / "lake").exists()
