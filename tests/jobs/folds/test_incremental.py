"""A few lines more for a process that stands in the lake: it goes on from its state, and tells what a run over all tells."""

import gzip
import random

import pytest
from deltalake import DeltaTable

from lab import odd_values
from lab.corpus import ROOT as RECORDINGS
from lab.soak.kills import run_over
from lab.soak.rows import differences, rows_of
from transforms.plans.commit import NONE

LOGGER = "org.apache.kafka.clients.Metadata"
ODD = "[2026-11-21 02:50:{second:02d},000] INFO nothing that a client of Kafka says ({logger})\n"


def follows(lake):
    """The plans that states go on from, in the order of their own plans."""
    rows = DeltaTable(lake / "silver" / "unit_states").to_pyarrow_table().to_pylist()
    own = [row for row in rows if row["scope_id"] == row["unit_id"]]
    return [row["follows"] for row in sorted(own, key=lambda row: row["plan"])]


@pytest.fixture
def log(tmp_path):
    """A piece of a log without a line that says what its process is: no dump, no version, no start."""
    lines = gzip.decompress((RECORDINGS / "p62-slow-poll-42" / "consumer-a.app.log.gz").read_bytes())
    path = tmp_path / "logs" / "svc" / "app.log"
    path.parent.mkdir(parents=True)
    path.write_bytes(b"".join(lines.splitlines(keepends=True)[150:680]))
    return path


def add(log, logger, first):
    with log.open("a") as file:
        file.writelines(ODD.format(logger=logger, second=second) for second in range(first, first + 10))


@pytest.mark.parametrize(
    ("logger", "resumed"),
    [(LOGGER, [False, True, True]), ("com.example.Orders", [False])],
)
def test_lines_that_no_machine_reads_take_nothing_away(log, tmp_path, logger, resumed):
    lake = tmp_path / "lake"
    run_over(lake, log.parent)
    assert rows_of(lake, "gold.unjudged")
    for first in (0, 10):
        add(log, logger, first)
        run_over(lake, log.parent)
    run_over(tmp_path / "at-once", log.parent)
    assert differences(tmp_path / "at-once", lake) == {}
    assert [plan != NONE for plan in follows(lake)] == resumed


def test_lines_without_a_time_stand_before_all_others(tmp_path):
    """Where a fold goes on from among them, no predicate of a time finds their rows."""
    log = tmp_path / "logs" / "svc" / "app.log"
    log.parent.mkdir(parents=True)
    line = (
        "DEBUG [Consumer clientId=a, groupId=g] Sending FIND_COORDINATOR request with header RequestHeader("
        "apiKey=FIND_COORDINATOR, apiVersion=6, clientId=a, correlationId={number}) and timeout {number} to "
        "node 1: FindCoordinatorRequestData(key='', keyType=0) (org.apache.kafka.clients.NetworkClient)\n"
    )
    timed = f"[2026-11-21 02:50:01,000] {line}"
    pieces = (line * 6, line + timed.format(number=7)[:-99], timed.format(number=7)[-99:] + timed)
    for number, piece in enumerate(pieces):
        with log.open("a") as file:
            file.write(piece.format(number=number + 1))
        run_over(tmp_path / "lake", log.parent)
    run_over(tmp_path / "at-once", log.parent)
    assert differences(tmp_path / "at-once", tmp_path / "lake") == {}
    assert follows(tmp_path / "lake") == [NONE, 1, 1]


def test_a_beginning_that_comes_in_parts_is_read_as_a_whole_one(tmp_path):
    """What stands before the first line with a head says nothing of where records begin."""
    log = tmp_path / "logs" / "svc" / "app.log"
    log.parent.mkdir(parents=True)
    for piece in ("a banner of words\n" * 9, ODD.format(second=1, logger=LOGGER) + "of two lines\n"):
        with log.open("a") as file:
            file.write(piece * 20)
        run_over(tmp_path / "lake", log.parent)
    run_over(tmp_path / "at-once", log.parent)
    assert differences(tmp_path / "at-once", tmp_path / "lake") == {}


@pytest.mark.parametrize("seed", range(4))
def test_odd_lines_come_in_parts(tmp_path, seed):
    draw = random.Random(seed)
    text = odd_values.log(draw) + odd_values.log(draw)
    log = tmp_path / "logs" / "svc" / "app.log"
    log.parent.mkdir(parents=True)
    for end in (*sorted(draw.randrange(len(text)) for _ in range(3)), len(text)):
        log.write_text(text[:end])
        run_over(tmp_path / "lake", log.parent)
    run_over(tmp_path / "at-once", log.parent)
    assert differences(tmp_path / "at-once", tmp_path / "lake") == {}
    checks = DeltaTable(tmp_path / "at-once" / "gold" / "table_checks").to_pyarrow_table().to_pylist()
    assert checks
    assert [check for check in checks if not check["success"]] == []


def test_a_second_version_that_comes_later_is_known_as_to_a_run_over_all(tmp_path):
    """Two processes that write one file; a client's own version is that behind its dump."""
    log = tmp_path / "logs" / "svc" / "app.log"
    log.parent.mkdir(parents=True)
    pieces = []
    for scenario, name in (("p572-broker-stop-28", "app.log.gz"), ("p580-exp-42", "app.log.gz")):
        lines = gzip.decompress((RECORDINGS / scenario / name).read_bytes()).splitlines(keepends=True)
        pieces += [b"".join(lines[begin : begin + 150]) for begin in (0, 150)]
    for piece in pieces:
        with log.open("ab") as file:
            file.write(piece)
        run_over(tmp_path / "lake", log.parent)
    run_over(tmp_path / "at-once", log.parent)
    assert differences(tmp_path / "at-once", tmp_path / "lake") == {}
