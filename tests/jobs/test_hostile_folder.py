"""Hostile files of many kinds in one folder, read by one run: none ends it, and all are in its books."""

import bz2
import gzip
import io
import json
import lzma
import zipfile
from pathlib import Path

import pytest
from rich.console import Console

from conf.settings import load_conf
from jobs.explain.files import explain_logs
from jobs.progress import Progress
from jobs.reading import tasks
from lab.soak import kills
from lab.soak.kills import run_over
from lab.soak.rows import balanced_accounting, rows_of
from transforms import folding
from transforms.parse.records.record_columns import RecordColumns
from transforms.whole import LARGEST

LINE = (
    "[2026-11-21 02:19:38,{:03d}] WARN [Producer clientId={}] Connection to node 1 (b/10.0.0.1:9092) could not be "
    "established. Node may not be available. (org.apache.kafka.clients.NetworkClient)\n"
)
COUNT = 20
OF_CONSUMER = (
    "[2026-11-21 02:19:38,00{}] {} (org.apache.kafka.clients.consumer.internals.ConsumerCoordinator)\n"
)


def text(name: str) -> str:
    return "".join(LINE.format(number, name) for number in range(COUNT))


def packed(name: str) -> bytes:
    return gzip.compress(text(name).encode())


def archive(name: str) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as file:
        file.writestr("../../evil.log", text(name))
    return made.getvalue()


def as_json(name: str, written: str) -> bytes:
    line = {
        "timestamp": "2026-11-21T02:19:38.001Z",
        "level": "WARN",
        "logger": "org.apache.kafka.clients.NetworkClient",
    }
    message = LINE.format(0, name)[len("[2026-11-21 02:19:38,000] WARN ") :].rsplit(" (", 1)[0]
    whole = json.dumps(line | {"message": message})[:-1]
    return f"{whole}{written}}}\n".encode() * COUNT


def with_numbers(number: str) -> str:
    """What machines and settings take numbers from."""
    lines = (
        "Got error produce response with correlation id {0} on topic-partition t-{0}, retrying ({0} attempts left). "
        "Error: NOT_LEADER_OR_FOLLOWER",
        "Expiring {0} record(s) for t-{0}:{0} ms has passed since batch creation",
        "Disconnecting from node {0} due to request timeout.",
        "Cancelled in-flight PRODUCE request with correlation id {0} due to node {0} being disconnected (elapsed time "
        "since creation: {0}ms, elapsed time since send: {0}ms, throttle time: {0}ms, request timeout: {0}ms)",
        "Kafka version: {0}.{0}.{0}",
        "Kafka startTimeMs: {0}",
        "ConsumerConfig values: \n\tmax.poll.interval.ms = {0}\n\tsession.timeout.ms = {0}\n\tretry.backoff.ms = {0}\n"
        "\tclient.id = c\n\tgroup.id = g\n",
        "[Consumer clientId=c, groupId=g] Successfully joined group with generation Generation{{generationId={0}, "
        "memberId='c-1', protocol='range'}}",
        "[Consumer clientId=c, groupId=g] consumer poll timeout has expired. This means the time between subsequent calls "
        "to poll() was longer than the configured max.poll.interval.ms, which typically implies that the poll loop is "
        "spending too much time processing messages.",
    )
    return "".join(OF_CONSUMER.format(at, f"WARN {line.format(number)}") for at, line in enumerate(lines))


NUMBERS = (
    "9" * 400,
    "9" * 5_000,
    str(LARGEST),
    "18446744073709551616",
    "-1",
    "--5",
    "1e999",
    "NaN",
    "²",
    "٣",
    "0x10",
    "",
)
FILES = {
    "utf16le.log": b"\xff\xfe" + text("utf16le").encode("utf-16-le"),
    "utf16be.log": b"\xfe\xff" + text("utf16be").encode("utf-16-be"),
    "utf16 without a mark.log": text("bare").encode("utf-16-le"),
    "utf16 and half a character.log": b"\xff\xfe" + text("halves").encode("utf-16-le") + b"\x00\xd8" * 50,
    "utf32.log": text("utf32").encode("utf-32"),
    "two encodings.log": text("two").encode() + text("two").encode("utf-16-le"),
    "returns.log": text("returns").replace("\n", "\r").encode(),
    "separators.log": text("separators").replace("\n", "\u2028").encode(),
    "nuls.log": text("nuls").encode() + bytes(5_000) + text("nuls").encode(),
    "overlong.log": text("overlong").encode().replace(b"/", b"\xc0\xaf"),
    "halves in utf8.log": text("cesu").encode().replace(b"node", b"\xed\xa0\x80"),
    "directions.log": text("bidi").replace("node", "\u202enode\u2066").encode(),
    "cut.log.gz": packed("cut")[:100],
    "head alone.log.gz": packed("head")[:10],
    "two in one.log.gz": packed("joined") * 2,
    "more behind.log.gz": packed("behind") + b"no gzip",
    "wrong sum.log.gz": packed("sum")[:-8] + bytes(8),
    "gzip of gzip.log.gz": gzip.compress(packed("nested")),
    "no gzip.log.gz": text("named").encode(),
    "unnamed gzip.log": packed("unnamed"),
    "zip.log": archive("zip"),
    "bzip.log": bz2.compress(text("bz2").encode()),
    "xz.log": lzma.compress(text("xz").encode()),
    "no zstd.log.zst": b"\x28\xb5\x2f\xfd" + bytes(range(200)),
    "bomb.log.gz": gzip.compress(text("bomb").encode() + b"\n" * (16 << 20)),
    "deep.log": b"[" * 100_000 + b"\n" + text("deep").encode(),
    "deep object.log": b'{"message":' * 100_000 + b"\n" + text("object").encode(),
    "half a character.log": as_json("half", r',"thread":"\ud800","mdc":{"\udc00":"\ud83d"}'),
    "twice.log": as_json("twice", ',"level":null,"thread":[1],"thread":{"a":NaN},"n":1e400'),
    "digits.log": as_json("digits", f',"n":{"9" * 5_000}'),
    "numbers.log": "".join(map(with_numbers, NUMBERS)).encode(),
    "years.log": "".join(
        text("years").replace("2026-11-21", day)
        for day in ("0001-01-01", "9999-12-31", "0000-00-00", "2026-02-30", "99999-01-01", "1969-12-31")
    ).encode(),
    "signs.log": b"".join(
        LINE.format(1, one * 2_000).encode()
        for one in ("[", "] ", "=", ", ", "(", "\\", "'", '"', "%s", "a ", "{", "\t")
    ),
    "causes.log": text("causes").encode()
    + b"Caused by: org.apache.kafka.common.errors.TimeoutException: y\n" * 2_000,
    "settings.log": b"[2026-11-21 02:19:38,003] INFO ProducerConfig values: \n" + b"\tacks = -1\n" * 20_000,
    "escapes.log": text("escapes").replace("WARN", "\x1b[33mWARN\x1b[0m\x1b]0;x\x07").encode(),
    "templates.log": text("{{7*7}}${jndi:ldap://x}<script>").encode(),
}
NAMES = (
    "%2e%2e.log", "# x.log", "-rf.log", "a\nb.log", "q\"'`.log", "<script>.log", "$(id).log", "a%00b.log", "C:\\x.log",
    "part*?[x].log", "\ufeff.log", "\u202egol.log", "user@host.log", "s3:x.log", " .log", "e\u0301.log", "x" * 251 + ".log",
)  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    logs = tmp_path_factory.mktemp("hostile")
    (logs / "plain.log").write_text(text("plain"))
    for name, content in FILES.items():
        (logs / name).write_bytes(content)
    for number, name in enumerate(NAMES):
        (logs / name).write_text(text(f"named-{number}"))
    return logs


@pytest.fixture(scope="module")
def lake(folder, tmp_path_factory):
    made = tmp_path_factory.mktemp("lake")
    run_over(made, folder)
    return made


def records(lake, name):
    return sum(f"clientId={name}]" in row for row in rows_of(lake, "bronze.log_records"))


def test_every_file_is_in_the_books_and_they_balance(folder, lake):
    accounts = balanced_accounting(lake)
    assert {row["source"] for row in accounts} == set(map(str, folder.iterdir()))
    assert "fault" not in {row["status"] for row in accounts}


def test_what_can_be_read_is(lake):
    whole = (
        "plain",
        "utf16le",
        "utf16be",
        "joined",
        "unnamed",
        "named",
        "bomb",
        "deep",
        "half",
        "twice",
        "cesu",
        "overlong",
    )
    named = [f"named-{number}" for number in range(len(NAMES))]
    found = {name: records(lake, name) for name in (*whole, *named)}
    assert found == dict.fromkeys((*whole, *named), COUNT) | {"joined": 2 * COUNT}


def test_nothing_is_read_twice(folder, lake):
    assert run_over(lake, folder).read == 0


def test_no_file_ends_an_explanation(folder):
    for name in sorted(FILES.keys() - {"bomb.log.gz"}):  # which takes its time
        path = folder / name
        told = explain_logs(
            [str(path)], Console(file=io.StringIO()), "text", load_conf(checks=False), lists_unjudged=False
        )
        assert told.ending.kind, path.name


def test_what_ends_its_reader_is_quarantined_and_ends_no_run(tmp_path, monkeypatch):
    for name in ("good", "bad"):
        (tmp_path / "logs" / name).mkdir(parents=True)
        (tmp_path / "logs" / name / "app.log").write_text(text(name))
    read = tasks.ReadRows.add

    def broken(self, piece):
        for text in piece.columns["text"] if isinstance(piece, RecordColumns) else [piece.text]:
            if "clientId=bad]" in text and "038" not in text and "019]" in text:
                raise KeyError("secret")
        read(self, piece)

    said = io.StringIO()
    monkeypatch.setattr(tasks.ReadRows, "add", broken)
    monkeypatch.setattr(kills, "QUIET", Progress(said, is_shown=False))
    run_over(tmp_path / "lake", tmp_path / "logs")
    status = {
        Path(row["source"]).parent.name: row["status"] for row in balanced_accounting(tmp_path / "lake")
    }
    assert status == {"good": "complete", "bad": "fault"}
    assert (records(tmp_path / "lake", "good"), records(tmp_path / "lake", "bad")) == (COUNT, 0)
    assert "bad/app.log ended by a fault of kipwatch (KeyError in " in said.getvalue()
    assert "secret" not in said.getvalue()


def test_a_process_that_ends_its_fold_keeps_what_stood_and_ends_no_run(tmp_path, monkeypatch):
    for name in ("good", "bad"):
        (tmp_path / "logs" / name).mkdir(parents=True)
        (tmp_path / "logs" / name / "app.log").write_text(text(name))
    lake, said = tmp_path / "lake", io.StringIO()
    run_over(lake, tmp_path / "logs")
    stood = rows_of(lake, "gold.unjudged")
    rebuilt = folding._rebuilt

    def broken(unit_id, *given):
        if unit_id.startswith("bad/"):
            raise ZeroDivisionError
        return rebuilt(unit_id, *given)

    monkeypatch.setattr(folding, "_rebuilt", broken)
    monkeypatch.setattr(kills, "QUIET", Progress(said, is_shown=False))
    with (tmp_path / "logs" / "bad" / "app.log").open("a") as file:
        file.write(LINE.format(999, "bad") * 2)
    assert run_over(lake, tmp_path / "logs").status == "done"
    assert "bad/app.log ended by a fault of kipwatch (ZeroDivisionError in " in said.getvalue()
    assert rows_of(lake, "gold.unjudged") == stood
    assert records(lake, "bad") > COUNT
