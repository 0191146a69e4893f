"""States that somebody else wrote into the lake: nothing of them is called, and the tables are those of one run."""

import gzip
import pickle
import shutil
import zlib
from base64 import b64encode

import pyarrow as pa
import pytest
from deltalake import DeltaTable, write_deltalake

from lab.corpus import ROOT as RECORDINGS
from lab.soak.kills import run_over
from lab.soak.rows import differences
from transforms.unit_states import as_text
from transforms.unit_story import UnitStory

RECORDING = RECORDINGS / "p62-slow-poll-42"


class Touches:
    """What a pickle can do: call anything."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return open, (str(self.path), "w")


def no_base64(_):
    return "no base64!"


def no_story(_):
    return as_text(["a list"])


def wrong_types(_):
    story = UnitStory.of("unit")
    story.fold.machines[0] = 5
    story.parts, story.place = 7, (0, "", 0, "")
    return as_text(story)


def pickled(path):
    return b64encode(zlib.compress(pickle.dumps(Touches(path)))).decode()


def cut(_):
    return as_text(UnitStory.of("unit"))[:-30]


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Both members of a group: a lake of their logs before one of them has new lines, and one of all at once."""
    folder = tmp_path_factory.mktemp("made")
    logs, rest = folder / "logs", {}
    for path in sorted(RECORDING.glob("consumer-*.app.log.gz")):
        service = logs / path.name.split(".")[0]
        service.mkdir(parents=True)
        lines = gzip.decompress(path.read_bytes()).splitlines(keepends=True)[:680]
        (service / "app.log").write_bytes(b"".join(lines[:600]))
        rest[service / "app.log"] = b"".join(lines[600:])
    run_over(folder / "lake", logs)
    first = min(rest)
    with first.open("ab") as file:
        file.write(rest[first])
    run_over(folder / "at-once", logs)
    return folder


@pytest.mark.parametrize("column", ["state", "control"])
@pytest.mark.parametrize("evil", [no_base64, pickled, no_story, wrong_types, cut])
def test_a_state_of_others_is_not_gone_on_from(made, tmp_path, evil, column):
    lake, called = tmp_path / "lake", tmp_path / "called"
    shutil.copytree(made / "lake", lake)
    states = DeltaTable(lake / "silver" / "unit_states").to_pyarrow_table()
    assert states.num_rows >= 4
    place, evils = states.schema.get_field_index(column), pa.array([evil(called)] * states.num_rows)
    write_deltalake(
        lake / "silver" / "unit_states", states.set_column(place, column, evils), mode="overwrite"
    )
    assert run_over(lake, made / "logs").read == 1
    assert not called.exists()
    assert differences(made / "at-once", lake) == {}
