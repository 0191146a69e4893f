"""Lines of one origin, in any order, twice, and cut anywhere: the same records as if they had come at once."""

import json
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from transforms.parse.layouts.layout import mixed_layout
from transforms.parse.records import origins
from transforms.parse.records.contiguous_ranges import Island, assemble
from transforms.parse.records.origins import OriginReader, OriginState
from transforms.parse.records.shipped import MESSAGE_BITS, SHIPPER, TOPIC, Line, ShippedSource
from transforms.records import LogRecord

LAYOUT = replace(mixed_layout(), is_splittable=False)
KAFKA = "(org.apache.kafka.clients.consumer.internals.ConsumerCoordinator)"
LOG = f"""\
\tat the.end.of.AnotherTrace(A.java:1)
[2026-01-01 00:00:00,000] ERROR [Consumer clientId=c, groupId=g] Offset commit failed {KAFKA}
org.apache.kafka.clients.consumer.CommitFailedException: the group has rebalanced
\tat org.apache.kafka.clients.consumer.KafkaConsumer.commitSync(KafkaConsumer.java:1)

\tat the.Application.run(Application.java:2)
Caused by: org.apache.kafka.common.errors.TimeoutException: x
\t... 2 more

[2026-01-01 00:00:01,000] INFO nothing of Kafka (com.example.Shop)
\tat com.example.Shop.run(Shop.java:2)
[2026-01-01 00:00:02,000] INFO ConsumerConfig values:
\tsasl.jaas.config = org.apache.kafka.x.LoginModule required password="hunter2";
\tmax.poll.records = 500
 (org.apache.kafka.clients.consumer.ConsumerConfig)
{{"@timestamp":"2026-01-01T00:00:03Z","level":"WARN","logger_name":"org.apache.kafka.clients.NetworkClient","message":"x"}}
below it
[2026-01-01 00:00:04,000] INFO [Consumer clientId=c, groupId=g] Successfully joined group {KAFKA}
""".splitlines()


def shipped(texts=LOG, begin=0):
    lines = []
    for text in texts:
        end = begin + len(text.encode()) + 1
        lines.append(Line(begin, end, text, end - begin))
        begin = end
    return lines


def of_topic(texts=LOG):
    size = 1 << MESSAGE_BITS
    return [Line(n * size * 3, n * size * 3 + size, text, len(text) + 1, n) for n, text in enumerate(texts)]


class Rows:
    """What a table holds after each read: rows from `begin` on are replaced, late ones keep what stood and isn't gone."""

    def __init__(self, identity=SHIPPER):
        self.reader = OriginReader(LAYOUT, "s", ShippedSource("s", identity, "p", None, None, None))
        self.state = OriginState()
        self.rows, self.tail, self.settled = {}, None, None
        self.read_bytes = self.in_all = 0

    def take(self, lines, *, waits=False):
        state = OriginState.load(json.loads(json.dumps(self.state.dump())))
        read = self.reader.read(state, [Line(**vars_of(line)) for line in lines], waits=waits)
        if read.begin is not None:
            gone = [
                at for at in self.rows if at >= read.begin and (not read.is_late or _is_in(at, read.gone))
            ]
            for at in gone:
                del self.rows[at]
            for piece in read.pieces:
                assert piece.offset not in self.rows
                self.rows[piece.offset] = piece
        assert read.books.is_balanced
        self.read_bytes += read.books.settled.bytes_read
        self.in_all = self.read_bytes + read.books.tail.bytes_read
        self.state = read.state
        return read


def vars_of(line):
    return {name: getattr(line, name) for name in Line.__slots__}


def _is_in(at, ranges):
    return any(begin <= at < end for begin, end in ranges)


def at_once(lines, identity=SHIPPER):
    rows = Rows(identity)
    rows.take(lines)
    return rows


def test_what_comes_at_once_is_what_a_file_would_give():
    rows = at_once(shipped())
    records = [piece for _, piece in sorted(rows.rows.items()) if isinstance(piece, LogRecord)]
    assert [record.line_count for record in records] == [7, 4, 1, 1]
    assert "Caused by" in records[0].text
    assert "hunter2" not in records[1].text
    assert rows.in_all == sum(line.size for line in shipped())


@pytest.mark.parametrize("make", [pytest.param(shipped, id=SHIPPER), pytest.param(of_topic, id=TOPIC)])
@pytest.mark.parametrize("cut", range(1, len(LOG)))
def test_a_stack_trace_cut_at_every_line(make, cut):
    identity = SHIPPER if make is shipped else TOPIC
    rows = Rows(identity)
    for part in (make()[:cut], make()[cut:]):
        assert not rows.take(part).is_late
    assert rows.rows == at_once(make(), identity).rows
    assert rows.in_all == sum(line.size for line in make())


@given(st.data())
@settings(max_examples=300)
def test_any_order_and_any_cut_and_copies(data):
    lines = shipped()
    twice = data.draw(st.lists(st.sampled_from(lines), max_size=8))
    order = data.draw(st.permutations([*lines, *twice]))
    cuts = sorted(data.draw(st.lists(st.integers(0, len(order)), max_size=6)))
    rows = Rows()
    for begin, end in zip([0, *cuts], [*cuts, len(order)], strict=True):
        rows.take(order[begin:end])
    whole = at_once(lines)
    assert rows.rows == whole.rows
    assert rows.in_all == whole.in_all + sum(line.size for line in twice)
    assert len(rows.state.islands) == 1


@pytest.mark.parametrize("make", [pytest.param(shipped, id=SHIPPER), pytest.param(of_topic, id=TOPIC)])
@pytest.mark.parametrize("cut", range(1, len(LOG)))
def test_what_may_grow_is_waited_for(make, cut):
    """Never given in parts; all that stands before it is. When it is given, it stays, and is replaced as it grows."""
    identity = SHIPPER if make is shipped else TOPIC
    rows, whole = Rows(identity), at_once(make(), identity)
    read = rows.take(make()[:cut], waits=True)
    assert read.is_waiting
    assert rows.rows.items() <= whole.rows.items()
    begun = [line.position for line in make()[:cut] if line.text.startswith(("[", "{"))]
    assert set(whole.rows) & set(begun[:-1]) <= set(rows.rows)
    waiting = rows.in_all
    assert not rows.take((), waits=False).is_waiting
    assert rows.in_all == sum(line.size for line in make()[:cut]) > waiting
    given = set(rows.rows)
    rows.take(make()[cut:], waits=True)
    assert given <= set(rows.rows) | {make()[0].position}
    assert rows.rows.items() <= whole.rows.items()
    rows.take(())
    assert rows.rows == whole.rows
    assert rows.in_all == whole.in_all


@given(st.data())
@settings(max_examples=300)
def test_waiting_in_any_order_gives_no_record_in_parts(data):
    lines = shipped()
    order = data.draw(st.permutations([*lines, *data.draw(st.lists(st.sampled_from(lines), max_size=8))]))
    cuts = sorted(data.draw(st.lists(st.integers(0, len(order)), max_size=6)))
    flushed = data.draw(st.sets(st.integers(0, 6)))
    rows, whole = Rows(), at_once(lines)
    for number, (begin, end) in enumerate(zip([0, *cuts], [*cuts, len(order)], strict=True)):
        rows.take(order[begin:end], waits=True)
        if not flushed:
            assert rows.rows.items() <= whole.rows.items()
        if number in flushed:
            rows.take(())
    rows.take(())
    assert rows.rows == whole.rows
    assert rows.in_all == sum(line.size for line in order)


def test_copies_change_nothing():
    rows = at_once(shipped())
    read = rows.take(shipped())
    assert read.begin is None
    assert read.books.settled.lines_dropped == {"duplicate": len(LOG)}


def test_a_line_that_a_shipper_left_out_does_not_hold_up_the_others():
    lines = shipped()
    del lines[10]
    rows = at_once(lines)
    assert len([piece for piece in rows.rows.values() if isinstance(piece, LogRecord)]) == 4
    assert len(rows.state.islands) == 2


def test_lines_that_ended_in_two_bytes_touch():
    lines = [Line(line.position + n, line.end + n, line.text, line.size) for n, line in enumerate(shipped())]
    assert len(at_once(lines).state.islands) == 1


def test_gaps_are_bounded_and_the_oldest_are_given_up():
    begins = lambda text: text.startswith("[")  # noqa: E731
    lines = [Line(n * 100, n * 100 + 10, "[x", 10) for n in range(50)]
    assembled = assemble([], lines, begins, most=10)
    assert len(assembled.islands) == 10
    assert len(assembled.closed) == 40
    assert len(assembled.given_up) == 10


@pytest.mark.parametrize(
    ("at", "name"),
    [
        pytest.param(3950, "missed", id="late, in a gap that was given up"),
        pytest.param(3900, "duplicates", id="a copy of the line before it"),
        pytest.param(4000, "duplicates", id="a copy of the line behind it"),
        pytest.param(4550, None, id="in a gap that is waited for"),
        pytest.param(150, "missed", id="late, where gaps count as one"),
        pytest.param(200, "missed", id="between gaps that count as one"),
    ],
)
def test_a_line_that_comes_after_its_gap_was_given_up_is_no_copy(at, name):
    begins = lambda text: text.startswith("[")  # noqa: E731
    lines = [Line(n * 100, n * 100 + 10, "[x", 10) for n in range(50)]
    state = OriginState(given_up=[])
    for part in (lines[:25], lines[25:], []):
        made = assemble(state.islands, part, begins, most=10, given_up=state.given_up)
        state = OriginState.load(
            json.loads(json.dumps(OriginState(made.islands, [0, 0], made.given_up).dump()))
        )
    again = assemble(
        state.islands, [Line(at, at + 10, "[late", 10)], begins, most=10, given_up=state.given_up
    )
    found = {kind: [line.position for line in getattr(again, kind)] for kind in ("missed", "duplicates")}
    assert found == {"missed": [], "duplicates": []} | ({name: [at]} if name else {})


def test_lines_of_gaps_that_were_given_up_are_counted_by_that_name(monkeypatch):
    monkeypatch.setattr(origins, "MOST_ISLANDS", 3)
    lines = shipped([f"{LOG[1]} {n}" for n in range(20)])
    rows = at_once(lines[::2])
    kept = dict(rows.rows)
    again = [lines[12], lines[13], lines[13]]
    read = rows.take(again)
    assert read.books.settled.lines_dropped == {"gap_given_up": 2, "duplicate": 1}
    assert rows.rows == kept
    assert rows.in_all == sum(line.size for line in [*lines[::2], *again])


def test_what_is_held_of_a_record_is_bounded():
    lines = shipped([LOG[1], *["\tat a.B.c(B.java:1)" * 10] * 1000])
    size = sum(line.size for line in lines)
    assembled = assemble([], lines, lambda text: text.startswith("["), longest=5000)
    (island,) = assembled.islands
    assert isinstance(island, Island)
    assert sum(len(line.text) for line in island.tail.lines) < 6000
    assert sum(line.lines for line in island.tail.lines) == 1001
    assert sum(line.size for line in island.tail.lines) == size
    assert island.end == lines[-1].end
