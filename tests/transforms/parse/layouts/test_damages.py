# ruff: noqa: E501  # a log's line is a line here
"""What mails, pages, viewers and terminals do to a log's text: the same events come out of all of it."""

import html
import io
import json
import textwrap
from collections.abc import Callable

import pytest

from lab.layouts.score import events_in
from tests.transforms.parse.layouts.test_formats import EXPECTED, FORMATS, said, written
from transforms.parse.layouts.detect import detect_layout
from transforms.parse.layouts.folded import Fold, fold_of
from transforms.parse.records.reader import ChunkReader
from transforms.parse.records.spans import ReadSettings
from transforms.records import LogRecord

Damage = Callable[[list[str]], str]


def by_line(form: str) -> Damage:
    return lambda lines: "\n".join(form.format(line) for line in lines)


def wrapped(width: int, indent: str = "") -> Damage:
    return lambda lines: "\n".join(
        textwrap.fill(line, width, subsequent_indent=indent, break_long_words=False) for line in lines
    )


def cut(width: int) -> Damage:
    return lambda lines: "\n".join(
        line[at : at + width] for line in lines for at in range(0, len(line), width)
    )


def hung(width: int, below: int, indent: str) -> Damage:
    """As a viewer shows long lines: all that a line's first part has no room for is indented."""
    return lambda lines: "\n".join(
        f"\n{indent}".join((line[:width], *(line[at : at + below] for at in range(width, len(line), below))))
        for line in lines
    )


DAMAGES: dict[str, Damage] = {
    "indented": by_line("    {}"),
    "in a fence, in prose": lambda lines: "\n".join(
        ("We see this from time to time:", "", "```java", *lines, "```", "Any idea?")
    ),
    "blank lines between": "\n\n".join,
    "Windows": "\r\n".join,
    "wrapped at 80": wrapped(80),
    "wrapped at 100, indented": wrapped(100, "    "),
    "cut at 120": cut(120),
    "cut at 32": cut(32),
    "cut at 20": cut(20),
    "hung within 100": hung(100, 96, "    "),
    "hung beyond 100": hung(100, 100, "  "),
    "fields of YAML": lambda lines: "\n".join(
        f"- log: {json.dumps(line)}\n  stream: stdout" for line in lines
    ),
    "logfmt": lambda lines: "\n".join(f"level=info app=x msg={json.dumps(line)}" for line in lines),
    "entities": lambda lines: html.escape("\n".join(lines)),
    "a page": lambda lines: f"<pre><code>{html.escape(chr(10).join(lines))}</code></pre>",
    "breaks": "<br>".join,
    "a string": lambda lines: json.dumps("\n".join(lines)),
    "strings": lambda lines: json.dumps(lines, indent=2),
    "a quote of a quote": by_line("> > {}"),
    "an answer by mail": lambda lines: (
        f"On Mon, Mar 2, 2026 at 9:14 AM Joe wrote:\n\n{by_line('> {}')(lines)}\n--\nJoe\n"
    ),
    "bullets": by_line("- {}"),
    "a comment": by_line(" * {}"),
    "numbers": lambda lines: "\n".join(f"{at:6d}\t{line}" for at, line in enumerate(lines, 1)),
    "numbers of grep": lambda lines: "\n".join(f"{at}:{line}" for at, line in enumerate(lines, 17)),
    "a prompt": lambda lines: "\n".join(("user@host:~$ tail -f app.log", *lines, "^C", "user@host:~$ ")),
    "left out": lambda lines: "\n...\n".join(lines[:3]) + "\n....\n" + "\n".join(lines[3:]),
    "a step of a build": by_line("2026-03-01T12:00:09.1234567Z {}"),
    "a table": by_line("| {} |"),
    "a difference": by_line("+{}"),
    "in YAML": lambda lines: "log: |\n" + by_line("  {}")(lines),
}


@pytest.mark.parametrize("form", ["Quarkus", "Connect", "Logback's own"])
@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damage_takes_no_event_and_adds_none(damage, form):
    lines = written(*FORMATS[form]).rstrip("\n").split("\n")
    assert said(DAMAGES[damage](lines)) == EXPECTED


def test_the_width_tells_that_lines_were_broken():
    lines = wrapped(80)(
        [
            " ".join(f"word{number}" for number in range(40)),
            "2026-03-01 12:00:05 INFO x.Y - " + "a few more " * 20,
        ]
    ).split("\n")
    assert fold_of(lines) == Fold(max(map(len, lines)), is_within=False)


@pytest.mark.parametrize(
    "lines",
    [
        ["%3|1434713791.196|FAIL|rdkafka#producer-1| 198.51.100.4:9092/2: 7 request(s) timed out: disconnect"] * 5,
        ['{"level":"info","ts":"2022-08-08T21:53:36.157+0800","msg":"joining group","group":"sensors"}'] * 5,
        ["org.apache.kafka.clients.producer.ProducerConfig - ProducerConfig values: and more of it than that"] + ["\tacks = all"] * 9,
        ["2026-03-01 12:00:05,123 INFO a.long.line.of.a.Logger - that is followed by one more", "which is short", "and by another"],
        [f"Group member (pay,coor=#PID<0.91{number}.0>,cb=#PID<0.90{number}.0>,generation=4711): re-joining group, reason::{reason}" for number, reason in enumerate(("unknown_member_id", "illegal_generation", "unknown_member_id"))],
        ["The leader went away, and then I saw:", *['KafkaError{code=_MSG_TIMED_OUT,val=-192,str="Local: Message timed out"}'] * 5],
    ],
)  # fmt: skip
def test_lines_that_end_where_their_writer_ended_them_stay(lines):
    assert fold_of(lines) is None


def test_a_terminal_s_width_is_told_where_blanks_at_the_ends_were_lost():
    whole = (
        "2026-03-01 12:00:05.123  WARN 7 --- [pool-3-thread-1] o.a.k.c.c.i.ConsumerCoordinator : [Consumer clientId="
        "consumer-0b4d7c1e-billing-4, groupId=0b4d7c1e-billing] Asynchronous auto-commit of offsets {bills-0="
        "OffsetAndMetadata{offset=7, metadata=''}} failed: Offset commit cannot be completed since the consumer is not part"
    )
    width = next(n for n in range(60, 100) if whole[n - 1] == " " and whole[2 * n - 1] != " ")
    lines = [whole[at : at + width].rstrip() for at in range(0, len(whole), width)]
    fold = fold_of(["What I saw:", "```", *lines, *lines])
    assert fold is not None
    assert fold.joined(lines) == [whole]


def test_what_an_exception_says_below_its_class_is_its_own():
    lines = (
        "aiokafka.errors.CommitFailedError: CommitFailedError: ",
        "Commit cannot be completed since the group",
    )
    fold = fold_of(lines)
    assert fold is not None
    assert fold.joined(lines) == ["".join(lines)]


KAFKAJS = '{"level": "ERROR", "time": "12:00:05", "app": "orders", "logger": "kafkajs", "message": "[Consumer] Response Heartbeat(key: 12, version: 4) of group orders"}'
RUBY = "E, [2026-03-01T12:00:05.123456 #7] ERROR -- : Failed to find coordinator for group `orders`; retrying once more"


@pytest.mark.parametrize(
    "damage",
    [cut(80), wrapped(100), wrapped(100, "    "), lambda lines: "A note\n\n" + by_line("    {}")(lines)],
)
@pytest.mark.parametrize(
    ("line", "kind"), [(KAFKAJS, "heartbeat_failed"), (RUBY, "coordinator_lost")], ids=["JSON", "Ruby"]
)
def test_lines_of_other_clients_are_whole_too(line, kind, damage):
    lines = [line.replace("orders", "o" * length) for length in (3, 9, 14, 22)]
    assert [one.kind for one in events_in(damage(lines) + "\n")] == [kind] * 4


def test_a_secret_goes_that_a_break_went_through():
    line = "2026-03-01 12:00:05,123 INFO [org.apache.kafka.clients.NetworkClient] (main) {} sasl.password=hunter2canary and"
    whole = "\n".join(line.format("x" * number) for number in range(12))
    data = cut(101)(whole.split("\n")).encode()
    layout = detect_layout(data)
    assert layout.fold == (101, True, 0, 0, "2026-")
    for keep in ("kafka", "all"):
        pieces = list(ChunkReader(layout, "s", settings=ReadSettings(keep=keep)).read(io.BytesIO(data)))
        assert all(isinstance(piece, LogRecord) for piece in pieces)
        assert not any("hunter" in piece.text or "canary" in piece.text for piece in pieces)
