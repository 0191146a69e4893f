"""Kafka's JmxTool -> metric samples, in each of its report formats.

Source: org.apache.kafka.tools.JmxTool (kafka.tools.JmxTool to 3.4), maybePrintCsvHeader and maybePrintDataRows: `original`
is a header of quoted `objectname:attribute` and rows of bare values, from which null values are left out; `csv`, `tsv` and
`properties` are a line `key,"value"`, `key<TAB>value` or `key=value` for each attribute, `time` first.
"""

import re
from collections.abc import Iterator

from transforms.parse.lines.timestamps import Clock, Instant
from transforms.parse.metrics.samples import MBean, MetricBooks, MetricSample, mbean_of, written_value
from transforms.when_used import when_used

# Between two columns: a domain comes next. Inside a name, at the end of a client.id with a comma, an attribute or key does.
_BETWEEN_COLUMNS = when_used(r'","(?=time(?:"|$)|[\w.$ -]+:)')
# key, separator, value: the key is `domain:property=..:attribute`, and an attribute has none of the separators.
LONG_LINE = when_used(
    r"(?P<key>time|[\w.$ -]+:[^:=,*?\t]+=.+:[^:=,\t]+?)(?:,\"(?P<csv>.*)\"|\t(?P<tsv>.*)|=(?P<properties>.*))$"
)


class JmxToolReader:
    """Lines of JmxTool's output, in order; both forms. Give each to `read`.

    Reasons: `no_header` (rows without one, as JmxTool prints where an MBean came or went meanwhile), `shifted_columns` (a
    null was left out, or a text holds a comma: which value is whose can't be told, so none is taken), `no_timestamp`,
    `bad_mbean`, `not_jmxtool`.
    zone_origin: where the zone of the times comes from. headers: how many were read. at: of the pairs read last, ms.
    """

    def __init__(self, clock: Clock | None = None) -> None:
        self._clock = clock or Clock()
        self.zone_origin = "none"
        self._columns: list[tuple[MBean, str] | None] | None = None
        self._time_column = 0
        self.headers = 0
        self.at: int | None = None

    def read(self, line: str, books: MetricBooks) -> Iterator[MetricSample]:
        """One line."""
        line = line.rstrip("\r\n")
        if not line.strip():
            return
        books.responses += 1
        if is_wide_header(line):
            books.structure += 1
            self._take_header(line)
        elif found := LONG_LINE.match(line):
            yield from self._pair(found, books)
        elif self._columns is None:
            books.skipped["no_header" if _is_row(line) else "not_jmxtool"] += 1
        else:
            yield from self._row(line, books)

    def _take_header(self, line: str) -> None:
        self.headers += 1
        keys = _BETWEEN_COLUMNS.split(line.strip()[1:-1])
        self._time_column = keys.index("time")
        self._columns = [None if key == "time" else _place(key) for key in keys]

    def _row(self, line: str, books: MetricBooks) -> Iterator[MetricSample]:
        columns = self._columns or []
        values = line.split(",")
        if len(values) != len(columns):
            books.skipped["shifted_columns" if _is_row(line) else "not_jmxtool"] += max(1, len(values) - 1)
            return
        at = self._time(values[self._time_column])
        for item, (place, written) in enumerate(zip(columns, values, strict=True)):
            if item == self._time_column:
                continue
            yield from self._sample(at, item, place, written, books)

    def _pair(self, found: re.Match[str], books: MetricBooks) -> Iterator[MetricSample]:
        written = next(value for value in found.group("csv", "tsv", "properties") if value is not None)
        if found["key"] == "time":
            books.structure += 1
            self.at = self._time(written)
            return
        yield from self._sample(self.at, 0, _place(found["key"]), written, books)

    def _sample(
        self, at: int | None, item: int, place: tuple[MBean, str] | None, written: str, books: MetricBooks
    ) -> Iterator[MetricSample]:
        if place is None or at is None:
            books.skipped["bad_mbean" if place is None else "no_timestamp"] += 1
            return
        yield books.sample(at, item, *place, written_value(written))

    def _time(self, text: str) -> int | None:
        instant: Instant = self._clock.read(text)
        if instant.at is not None:
            self.zone_origin = instant.zone_origin
        return instant.at


def is_wide_header(line: str) -> bool:
    """Whether a line names the columns of the wide form; a client.id may hold quotes and commas of its own."""
    line = line.strip()
    return line.startswith('"') and line.endswith('"') and "time" in _BETWEEN_COLUMNS.split(line[1:-1])


def _is_row(line: str) -> bool:
    """Whether it begins as a row does: with a time."""
    return bool(re.match(r"\d{10,19}(?:,|$)|\d{4}[-/]\d\d[-/]\d\d", line))


def _place(key: str) -> tuple[MBean, str] | None:
    name, colon, attribute = key.rpartition(":")
    if not colon or not attribute:
        return None
    try:
        return mbean_of(name), attribute
    except ValueError:
        return None
