"""Files, versions and states are bounded, however many triggers there are; who reads what was replaced reads on."""

import gzip
import threading
from dataclasses import replace
from itertools import pairwise

import pytest
from deltalake import DeltaTable

from conf.settings import load_conf
from expectations import TABLES
from jobs.pipeline import Input, open_lake, trigger
from jobs.progress import Progress
from jobs.storage.lake import LakeWriter
from jobs.streaming.stream import Stream
from jobs.upkeep.maintain import maintain_lake
from jobs.upkeep.tables import MANY, is_due
from lab.corpus import ROOT as RECORDINGS
from lab.soak.kills import NO_SESSION
from lab.soak.rows import differences
from transforms.errors import BadInput
from transforms.plans.commit import NONE
from transforms.unit_states import valid, worth_keeping

QUIET = Progress(is_shown=False)
CONF = load_conf()
EVERY, STATES_KEPT, TRIGGERS = 5, 4, 25
# Nothing is kept for readers, so that all that is left is what is needed.
EAGER = replace(CONF, lake=replace(CONF.lake, upkeep_plans=EVERY, keep_minutes=0, most_states=STATES_KEPT))


def head(plan, follows, at=0):
    return {"plan": plan, "follows": follows, "ordered_at": at}


def plans(states):
    return [row["plan"] for row in states]


@pytest.mark.parametrize(
    ("states", "left"),
    [
        pytest.param([(1, NONE), (2, 1), (3, 2)], [3, 2, 1], id="one after the other"),
        pytest.param([(1, NONE), (2, 1), (3, 1)], [3, 1], id="the last one went back by one"),
        pytest.param([(1, NONE), (2, 1), (3, NONE)], [3], id="anew"),
        pytest.param([(1, NONE), (2, 1), (3, 1), (4, 3)], [4, 3, 1], id="void for later ones, too"),
    ],
)
def test_a_later_fold_voids_states_between(states, left):
    assert plans(valid(head(*one) for one in states)) == left


def test_states_are_kept_at_growing_distances():
    """A trigger every ten seconds for an hour; after each the states are thinned."""
    kept = []
    for plan in range(360):
        kept = worth_keeping([*kept, head(plan, plan - 1, plan * 10_000)], 8)
    ages = [(359 - row["plan"]) * 10 for row in kept]
    assert ages[:2] == [0, 10]
    assert len(ages) <= 8
    assert max(ages) >= 1800
    assert all(later <= 16 * max(10, earlier) for earlier, later in pairwise(ages))


def test_at_most_so_many_states_are_kept_the_newest_first():
    states = [head(plan, plan - 1, plan * 3_600_000) for plan in range(50)]
    assert plans(worth_keeping(states, 2)) == [49, 47]
    assert plans(worth_keeping(states, 1)) == [49]


@pytest.fixture
def log(tmp_path):
    path = tmp_path / "logs" / "svc" / "app.log"
    path.parent.mkdir(parents=True)
    return path


@pytest.fixture(scope="module")
def lines():
    text = gzip.decompress((RECORDINGS / "p62-slow-poll-42" / "consumer-a.app.log.gz").read_bytes())
    return text.splitlines(keepends=True)


def take(lake, folder, conf=CONF):
    given = Input([str(folder)], checks_wait=True)
    return trigger(NO_SESSION, lake, given, conf, QUIET, job="stream")


def files(lake):
    return {
        name: len([path for path in lake.root.joinpath(*name.split(".")).rglob("*") if path.is_file()])
        for name in TABLES
    }


def test_many_triggers_leave_a_bounded_lake(tmp_path, log, lines):
    most = {}
    with open_lake(tmp_path / "lake", EAGER) as lake:
        for part in range(1, TRIGGERS + 1):
            log.write_bytes(b"".join(lines[: len(lines) * part // TRIGGERS]))
            assert take(lake, log.parent, EAGER).read == 1
            most = {name: max(most.get(name, 0), count) for name, count in files(lake).items()}
        states = DeltaTable(lake.path("silver.unit_states")).to_pyarrow_table(
            columns=["unit_id", "scope_id", "plan"]
        )
    rows = states.to_pylist()
    own = [row["plan"] for row in rows if row["unit_id"] == row["scope_id"]]
    # Data files before they are put together; since the last time at most a commit, its files and checksums a trigger.
    assert max(most.values()) <= MANY + 8 * EVERY
    assert len(own) <= STATES_KEPT
    assert {row["plan"] for row in rows} <= set(own)
    with open_lake(tmp_path / "at-once", CONF) as at_once:
        take(at_once, log.parent)
    assert differences(tmp_path / "at-once", tmp_path / "lake") == {}


def test_who_reads_a_version_reads_on_and_the_books_of_plans_stay(tmp_path, log, lines):
    conf = replace(CONF, lake=replace(CONF.lake, upkeep_plans=2))
    with open_lake(tmp_path / "lake", conf) as lake:
        log.write_bytes(b"".join(lines[:300]))
        take(lake, log.parent, conf)
        events = lake.path("silver.client_events")
        reader, app = DeltaTable(events), lake.next_commit("run").app_id("silver.client_events")
        before = reader.to_pyarrow_table().num_rows
        log.write_bytes(b"".join(lines[:400]))
        take(lake, log.parent, conf)
        assert not is_due(lake, 2)
        assert reader.to_pyarrow_table().num_rows == before
        assert DeltaTable(events, version=reader.version()).to_pyarrow_table().num_rows == before
        assert DeltaTable(events).transaction_version(app) == lake.plans()


@pytest.mark.parametrize("triggers", [3, 4])
def test_a_stream_checks_before_its_upkeep_and_when_it_is_stopped(tmp_path, log, lines, triggers):
    conf = replace(CONF, lake=replace(CONF.lake, upkeep_plans=2))
    checked = []
    with open_lake(tmp_path / "lake", conf) as lake:
        stream = Stream(NO_SESSION, lake, Input([str(log.parent)], checks_wait=True), conf, QUIET)
        for part in range(1, triggers + 1):
            log.write_bytes(b"".join(lines[: 100 * part]))
            stream.once()
            checked.append(lake.count("gold.table_checks"))
        stop = threading.Event()
        stop.set()
        stream.run(1, stop)
        checked.append(lake.count("gold.table_checks"))
    assert [after > before for before, after in pairwise([0, *checked])] == [False, True] * 2 + [False] * (
        triggers - 3
    )


def test_maintain_leaves_one_file_of_each_table_but_not_what_a_plan_needs(tmp_path, log, lines):
    with open_lake(tmp_path / "lake", CONF) as lake:
        for end in (100, 200, 300):
            log.write_bytes(b"".join(lines[:end]))
            take(lake, log.parent)
    told = maintain_lake(tmp_path / "lake", None)
    assert told["silver.client_events"] == "2 files into 1, 0 deleted"
    assert all(len(DeltaTable(lake.path(name)).file_uris()) <= 1 for name in TABLES)
    (lake.staging.with_name("plan.json")).write_text(
        '{"chunks": [], "commit": {"lake_id": "a", "number": 9, "run_id": "b"}, "metrics": [], "topics": []}'
    )
    with pytest.raises(BadInput, match="a run was interrupted here"):
        maintain_lake(tmp_path / "lake", None)


def test_a_plan_that_rests_on_versions_that_are_gone_is_planned_anew(tmp_path, log, lines, monkeypatch):
    """Their logs may be cleaned away while it is carried out for the second time."""
    write = LakeWriter._write

    def interrupted(self, rows, table, *given, **how):
        write(self, rows, table, *given, **how)
        if table == "silver.client_events":
            raise KeyboardInterrupt

    with open_lake(tmp_path / "lake", EAGER) as lake:
        log.write_bytes(b"".join(lines[:300]))
        take(lake, log.parent, EAGER)
        log.write_bytes(b"".join(lines[:400]))
        with monkeypatch.context() as patched:
            patched.setattr(LakeWriter, "_write", interrupted)
            with pytest.raises(KeyboardInterrupt):
                take(lake, log.parent, EAGER)
        table = DeltaTable(lake.path("silver.client_events"))
        table.create_checkpoint()
        table.cleanup_metadata()
        take(lake, log.parent, EAGER)
    with open_lake(tmp_path / "at-once", CONF) as at_once:
        take(at_once, log.parent)
    assert differences(tmp_path / "at-once", tmp_path / "lake") == {}
