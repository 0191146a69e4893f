"""What simulated processes print at their start, beside what real ones of the same version printed."""

import gzip
import re
from random import Random

import pytest

from lab.corpus import ROOT
from lab.simulate import consumer848, tasks
from lab.simulate.judging import found, story_of
from lab.simulate.line import LAYOUTS, Line, render, shown
from lab.simulate.mutate import lines_of
from lab.simulate.process import Client, Process, start_lines
from lab.simulate.streams_eos import exactly_once_faulty

UNIT = ("shop", "app.log")
UUID = "b8a74ef7-76a0-4f8e-b373-2e980ca68a09"
STREAMS = Client("streams", f"orders-{UUID}", "orders")
# Version, recording with dumps of it, and the client that it runs.
RECORDED = (
    ("2.1.1", "p580-static-21/app.log.gz", Client("producer", "orders-producer")),
    ("2.4.1", "p62-slow-poll-24/consumer-a.app.log.gz", Client("consumer", "consumer-a", "g")),
    ("2.8.2", "p572-broker-stop-28/app.log.gz", STREAMS),
    ("3.5.2", "p572-task-recover-35/app.log.gz", STREAMS),
    ("3.7.2", "p572-process-timeout-37/app.log.gz", STREAMS),
    ("3.8.1", "p572-process-timeout-38/app.log.gz", STREAMS),
    ("4.1.1", "p572-process-timeout-41/app.log.gz", STREAMS),
    ("4.2.1", "p572-commit-multi-42/app.log.gz", STREAMS),
)
# What the scenarios set, or what differs from one machine to another.
SET = re.compile(
    r"^(bootstrap\.servers|.*serializer|.*deserializer|acks|state\.dir|.*\.id|metric\.reporters|client\.id"
    r"|delivery\.timeout\.ms|enable\.idempotence|linger\.ms|max\.block\.ms|request\.timeout\.ms|retry\.backoff\.ms"
    r"|retries|heartbeat\.interval\.ms|session\.timeout\.ms|max\.poll\.interval\.ms|default\.api\.timeout\.ms"
    r"|commit\.interval\.ms|task\.timeout\.ms|auto\.offset\.reset|enable\.auto\.commit|partition\.assignment\.strategy"
    r"|receive\.buffer\.bytes)$"
)


def _dumps(lines: list[Line]) -> dict[str, tuple[str, dict[str, str]]]:
    """By class of settings and last word of the client id: the logger and the values."""
    found = {}
    for line in lines:
        kind, is_dump, body = line.text.partition("Config values: \n")
        if is_dump:
            pairs = (row.strip("\t").partition(" = ") for row in body.splitlines() if row.startswith("\t"))
            values = {name: value for name, _, value in pairs}
            found[f"{kind} {values['client.id'].rpartition('-')[2]}"] = (line.logger, values)
    return found


@pytest.mark.parametrize(("version", "log", "client"), RECORDED, ids=[row[0] for row in RECORDED])
def test_dumps_hold_settings_that_this_version_has_at_its_defaults(version, log, client):
    real = _dumps(lines_of(gzip.decompress((ROOT / log).read_bytes()).decode(errors="replace")))
    simulated = _dumps(start_lines(Process(*UNIT, version), [client], 0))
    common = {name for name in simulated if name in real and name.split()[0] != "Streams"}
    common |= {name for name in simulated if name.startswith("Streams ")}
    assert common
    for name in common:
        logger, values = simulated[name]
        real_logger, real_values = real[name]
        assert logger == real_logger
        assert values.keys() <= real_values.keys()
        told = {key: str(value) for key, value in values.items() if not SET.match(key)}
        assert told == {key: real_values[key] for key in told}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("version", ["1.0.2", "2.1.1", "2.8.2", "3.5.2", "3.7.2", "4.0.1", "4.2.1"])
def test_a_start_tells_its_version_and_accuses_nobody(version, layout):
    clients = [Client("producer", "p"), Client("consumer", "c", "g"), Client("admin", "a"), STREAMS]
    lines = start_lines(Process(*UNIT, version), clients, 1_795_262_400_000)
    story = story_of({UNIT: render(lines, layout)})
    assert {event.client_version for event in story.events if event.client_version} == {version}
    assert {rule_id.split(".")[0] for rule_id in found(story)} <= {"timeouts", "kip91"}  # old defaults
    rows = [row for unit in story.settings.values() for row in unit.rows()]
    settings = {(row["client_id"], row["name"]): row["value"] for row in rows}
    assert settings["p", "retry.backoff.ms"] == "100"
    assert settings["c", "session.timeout.ms"] == ("10000" if version < "3" else "45000")


@pytest.mark.parametrize("play", [tasks.faulty, exactly_once_faulty, consumer848.faulty])
def test_a_log_at_info_is_that_at_debug_without_what_its_level_leaves_out(play):
    """Such lines are not even made, and nothing else may be another for that."""
    at_info, at_debug = (
        play(Random(3), Process(*UNIT, "4.2.1", level=level))[0] for level in ("INFO", "DEBUG")
    )
    assert 0 < len(at_info) < len(at_debug)
    assert at_info == shown(at_debug, "INFO")
