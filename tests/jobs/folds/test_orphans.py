"""What a crash takes with it, and in what moment: the plan, or what a plan put into the accounting."""

import gzip
import json

import pytest

from conf.settings import load_conf
from jobs.folds.orphans import is_plan_lost
from jobs.pipeline import open_lake
from lab.corpus import ROOT as RECORDINGS
from lab.soak.kills import TOPIC, logs_of, lose, run_over
from lab.soak.rows import differences, rows_of
from lab.soak.topic_double import Paper, shipped

CONF = load_conf()
JOINED = (
    "[2026-11-21 02:50:0{second},000] INFO [Consumer clientId={client}, groupId={group}] Successfully joined group with "
    "generation Generation{{generationId=1, memberId='{client}-1', protocol='range'}} "
    "(org.apache.kafka.clients.consumer.internals.ConsumerCoordinator)\n"
)


class CutError(Exception):
    """A process that ends in the middle."""


def write(log, lines, group="right"):
    """A client that tells so many times that it joined. One time is less than a KiB."""
    log.parent.mkdir(exist_ok=True)
    log.write_text(
        "".join(JOINED.format(second=second, client=log.stem, group=group) for second in range(lines))
    )


def cut_off(monkeypatch, step, lake, *logs, **how):
    """A run that ends where this step begins."""

    def cut(*_, **__):
        raise CutError

    with monkeypatch.context() as patched:
        patched.setattr(f"jobs.pipeline.{step}", cut)
        with pytest.raises(CutError):
            run_over(lake, *logs, **how)


def is_as_at_once(lake, folder, at_once):
    """Whether nothing more is to come, and the lake says what one run says."""
    while run_over(lake, folder).read:
        pass
    run_over(at_once, folder)
    assert differences(at_once, lake) == {}
    assert rows_of(lake, "silver.client_events")


@pytest.fixture
def folder(tmp_path):
    """Two members of a group, each with its dump, and nothing that they tell after it."""
    folder = tmp_path / "logs"
    folder.mkdir()
    for name in ("consumer-a", "consumer-b"):
        lines = gzip.decompress((RECORDINGS / "p62-slow-poll-42" / f"{name}.app.log.gz").read_bytes())
        (folder / f"{name}.log").write_bytes(b"".join(lines.splitlines(keepends=True)[:400]))
    return folder


@pytest.mark.parametrize("step", ["rebuild", "write_health"])
def test_after_a_plan_that_was_lost_all_is_folded_from_the_beginning(folder, tmp_path, monkeypatch, step):
    """Its events are in the lake, so that reading them again shows nothing new."""
    lake, log = tmp_path / "lake", folder / "consumer-a.log"
    whole = log.read_bytes()
    log.write_bytes(whole[: len(whole) // 2])
    run_over(lake, folder)
    log.write_bytes(whole)
    cut_off(monkeypatch, step, lake, folder)
    lose(lake, "plan")
    with open_lake(lake, CONF) as opened:
        assert is_plan_lost(opened)
    is_as_at_once(lake, folder, tmp_path / "at-once")


@pytest.mark.parametrize(
    "is_finished", [True, False], ids=["of a finished plan", "of one that was lost then"]
)
@pytest.mark.parametrize("step", ["rebuild", "write_health"])
def test_books_lost_beside_a_plan_that_is_still_there(tmp_path, monkeypatch, step, is_finished):
    """Carried out, the plan would put an entry of the same number there, and nobody would know of the one before it."""
    lake, folder = tmp_path / "lake", tmp_path / "logs"
    write(folder / "b.log", 1, group="wrong")
    if is_finished:
        run_over(lake, folder)
    else:
        cut_off(monkeypatch, "check_tables", lake, folder)
        lose(lake, "plan")
    write(folder / "a.log", 9)
    cut_off(monkeypatch, step, lake, folder)
    lose(lake, "accounting")
    write(folder / "b.log", 9)  # another source by now
    is_as_at_once(lake, folder, tmp_path / "at-once")


@pytest.mark.parametrize("step", ["rebuild", "write_health"])
def test_rows_of_a_lost_plan_that_the_next_plan_does_not_come_to(tmp_path, monkeypatch, step):
    """The file is another source by now, and beyond the next plan's limit of bytes."""
    lake, folder = tmp_path / "lake", tmp_path / "logs"
    write(folder / "b.log", 1, group="wrong")
    cut_off(monkeypatch, step, lake, folder)
    lose(lake, "plan")
    write(folder / "a.log", 9)
    write(folder / "b.log", 9)
    run_over(lake, folder, most_bytes=(folder / "a.log").stat().st_size)
    assert {json.loads(row)["unit_id"] for row in rows_of(lake, "silver.unit_states")} == {"logs/a.log"}
    is_as_at_once(lake, folder, tmp_path / "at-once")


def test_a_file_that_is_gone_by_the_next_start(folder, tmp_path, monkeypatch):
    """Its rows stand, so what follows from them is told; nothing new is to be read for that."""
    lake, log = tmp_path / "lake", folder / "consumer-a.log"
    whole = log.read_bytes()
    log.write_bytes(whole[: len(whole) // 2])
    run_over(lake, folder)
    log.write_bytes(whole)
    run_over(tmp_path / "at-once", folder)
    cut_off(monkeypatch, "rebuild", lake, folder)
    lose(lake, "plan")
    log.unlink()
    assert run_over(lake, folder).failed_checks == 0
    assert differences(tmp_path / "at-once", lake) == {}


def test_a_process_without_an_event_has_no_state(tmp_path, monkeypatch):
    """What a lost plan wrote of it is not known any more: another file is in its place."""
    lake, log = tmp_path / "lake", tmp_path / "logs" / "a.log"
    write(log, 1, group="wrong")
    cut_off(monkeypatch, "write_health", lake, log.parent)
    lose(lake, "plan")
    assert rows_of(lake, "silver.unit_states")
    log.write_text("[2026-11-21 02:50:00,000] INFO nothing of Kafka (com.example.Orders)\n" * 9)
    run_over(lake, log.parent)
    assert rows_of(lake, "silver.unit_states") == []
    with log.open("a") as file:
        file.write(JOINED.format(second=1, client="a", group="right"))
    is_as_at_once(lake, log.parent, tmp_path / "at-once")


def test_messages_of_a_lost_plan_are_not_doubled(tmp_path, monkeypatch):
    """They stand before lines that had come earlier, which stay where they are."""
    lake = tmp_path / "lake"
    lines = logs_of(("p62-slow-poll-42",))["p62-slow-poll-42/consumer-a.app.log"].splitlines(keepends=True)
    messages = [json.dumps(line) for line in shipped(lines[:300], "/logs/a.log")]
    paper, in_order = Paper(), Paper()
    with paper.read():
        paper.write(*messages[200:])
        run_over(lake, topics=[TOPIC])
        paper.write(*messages[:200])
        cut_off(monkeypatch, "rebuild", lake, topics=[TOPIC])
        lose(lake, "plan")
        while run_over(lake, topics=[TOPIC]).events:
            pass
    in_order.write(*messages)
    with in_order.read():
        run_over(tmp_path / "at-once", topics=[TOPIC])
    assert differences(tmp_path / "at-once", lake) == {}


def test_a_plan_after_a_lost_one_that_is_cut_off_once_it_is_accounted_for(tmp_path, monkeypatch):
    """What the lost one had written stands, so it wrote nothing that says it is done; and what it read is known by then."""
    lake = tmp_path / "lake"
    lines = logs_of(("p62-slow-poll-42",))["p62-slow-poll-42/consumer-a.app.log"].splitlines(keepends=True)
    paper = Paper()
    paper.write(*(json.dumps(line) for line in shipped(lines[:300], "/logs/a.log")))
    with paper.read():
        cut_off(monkeypatch, "rebuild", lake, topics=[TOPIC])
        lose(lake, "plan")
        cut_off(monkeypatch, "check_tables", lake, topics=[TOPIC])
        while run_over(lake, topics=[TOPIC]).events:
            pass
        run_over(tmp_path / "at-once", topics=[TOPIC])
    assert differences(tmp_path / "at-once", lake) == {}
    assert rows_of(lake, "silver.client_events")


def test_a_group_that_no_line_speaks_of_any_more_is_empty(tmp_path, monkeypatch):
    """The file that a lost plan read is another one by now."""
    lake, log = tmp_path / "lake", tmp_path / "logs" / "a.log"
    write(log, 1, group="wrong")
    cut_off(monkeypatch, "write_health", lake, log.parent)
    lose(lake, "plan")
    assert rows_of(lake, "silver.liveness_sessions")
    write(log, 9)
    run_over(lake, log.parent)
    run_over(tmp_path / "at-once", log.parent)
    assert differences(tmp_path / "at-once", lake) == {}
