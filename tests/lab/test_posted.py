"""The score of labelled logs: what is a hit, a miss, an extra, a wrong field."""

import yaml

from conf.settings import load_conf
from lab.posted.events import main, predicted_in, scored_kinds, tally_of

KAFKA = "org.apache.kafka.clients"
LOG = f"""\
2026-03-01 10:00:00,123 INFO  [main] {KAFKA}.NetworkClient: [Consumer clientId=c, groupId=g] Node 3 disconnected.
2026-03-01 10:00:01,123 INFO  [main] {KAFKA}.consumer.internals.ConsumerCoordinator: (Re-)joining group
"""


def label(line, kind, **fields):
    return {"line": line, "kind": kind} | fields


def tally(tmp_path, *labels, also=()):
    log = tmp_path / "a.log"
    log.write_text(LOG)
    entry = {"file": "a.log", "layout": "log4j2", "events": list(labels)}
    scored = scored_kinds([entry, {"events": [label(1, kind) for kind in also]}])
    return tally_of(entry["events"], predicted_in(log, load_conf())[1], scored)


def test_a_hit_with_its_fields(tmp_path):
    found = tally(
        tmp_path,
        label(1, "disconnect", timestamp="2026-03-01T10:00:00.123", client_id="c", group_id="g"),
        label(2, "join", timestamp="2026-03-01T11:00:01+01:00"),
    )
    assert (found.hits, found.missed, found.extra, found.right, found.fields) == (2, 0, 0, 4, 4)


def test_one_line_off_still_hits_and_two_do_not(tmp_path):
    assert tally(tmp_path, label(2, "disconnect")).hits == 1
    assert tally(tmp_path, label(3, "disconnect")).missed == 1


def test_a_wrong_field_is_said(tmp_path):
    found = tally(tmp_path, label(1, "disconnect", client_id="other", timestamp="2026-03-01T10:00:01"))
    assert (found.right, found.fields) == (0, 2)
    assert "client_id: other, got c" in found.said[1]


def test_an_extra_counts_where_its_kind_is_labelled_anywhere(tmp_path):
    assert tally(tmp_path, label(1, "disconnect")).extra == 0
    assert tally(tmp_path, label(1, "disconnect"), also=["join"]).extra == 1


def test_what_must_be_there_is_looked_for_before_what_may(tmp_path):
    found = tally(tmp_path, label(1, "join", optional=True), label(2, "join"))
    assert (found.hits, found.missed) == (1, 0)


def test_what_is_optional_is_no_miss(tmp_path):
    assert tally(tmp_path, label(1, "fenced", optional=True)).missed == 0


def test_the_folder_is_told_by_client(tmp_path, capsys):
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "a.log").write_text(LOG)
    entry = {"file": "logs/a.log", "layout": "log4j2", "events": [label(1, "disconnect"), label(2, "fenced")]}
    (tmp_path / "labels.yaml").write_text(yaml.safe_dump([entry]))
    main(tmp_path, is_verbose=True)
    said = capsys.readouterr().out
    assert "logs/a.log" in said
    assert "missed     2 fenced" in said
    assert "java                             recall 0.500" in said
