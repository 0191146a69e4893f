"""Prometheus -> metric samples: the text format as jmx_exporter gives it, and the JSON of its query API.

Source: Prometheus, Exposition formats (text 0.0.4: milliseconds; OpenMetrics 1.0: seconds, `# EOF`, exemplars; quoted
names), HTTP API (query and query_range: `matrix` and `vector`); jmx_exporter, JmxCollector (default names, HELP).
"""

import re
from collections.abc import Iterator, Mapping
from email.utils import parsedate_to_datetime
from typing import Any

from transforms.parse.lines.timestamps import EPOCH, STAMP, Clock, is_kept
from transforms.parse.metrics.names import Named, from_help, mapped
from transforms.parse.metrics.samples import MBean, MetricBooks, MetricSample, instant_ms, written_value
from transforms.when_used import when_used

_SAMPLE = when_used(
    r'(?P<series>(?P<name>[A-Za-z_:][\w:]*)?\s*(?:\{(?P<labels>(?:[^"{}]|"(?:[^"\\]|\\.)*")*)\})?)'
    r"\s*(?<=[\s}])(?P<value>[^\s{}#]+)(?:\s+(?P<at>-?[\d.]+(?:[eE][+-]?\d+)?))?\s*(?:#\s*\{.*)?$"
)
_LABEL = when_used(r'\s*(?:(\w+)|"((?:[^"\\]|\\.)*)")\s*(?:=\s*"((?:[^"\\]|\\.)*)")?\s*(?:,|$)')
_ESCAPE = when_used(r"\\(.)")
_META = when_used(r"#\s*(HELP|TYPE|UNIT)\s+(\S+)\s*(.*)$")
_HTTP = when_used(r"HTTP/[\d.]+ \d|[A-Za-z][A-Za-z-]*: ")
# A line that is a time alone, or a comment with perhaps a word for it (`# scraped_at 2026-05-01T12:00:00Z`).
_TIME_LINE = (
    when_used(r"[=\s-]*(?P<time>\d[\dTtZz:.,/+ -]{8,34}?)[=\s-]*$"),
    when_used(r"#[#=\s-]*(?:[A-Za-z][\w -]{0,30}?\s*[:= ]\s*)?(?P<time>\d[\dTtZz:.,/+ -]{8,34}?)[#=\s-]*$"),
)
_NAME_TIME = (
    when_used(
        r"(?<!\d)(20\d\d)-?(\d\d)-?(\d\d)[T_. -]?(\d\d)[-:_.]?(\d\d)[-:_.]?(\d\d)(?:[.,]?(\d{3}))?(Z|z|[+-]\d{4})?(?!\d)"
    ),
    when_used(r"(?<!\d)(1\d{9}|1\d{12})(?!\d)"),
)
# A file of one client has some hundred series; beyond this many the memory of them starts anew.
_MOST_SERIES = 50_000

Mapped = tuple[MBean, str, Mapping[str, str]]


def time_in_name(name: str, clock: Clock) -> tuple[int, str] | None:
    """The time that a file's name says, ms since the epoch, and where its zone comes from; None where it says none.

    `scrape-20260501T120000Z.prom`, `metrics_2026-05-01_12-00-00.txt`, `1777636800.prom`.
    """
    if found := _NAME_TIME[0].search(name):
        year, month, day, hour, minute, second, fraction, zone = found.groups(default="")
        written = (
            f"{year}-{month}-{day} {hour}:{minute}:{second}{'.' + fraction if fraction else ''}{zone.upper()}"
        )
        instant = clock.read(written)
        if instant.at is not None:
            return instant.at, instant.zone_origin
    if found := _NAME_TIME[1].search(name):
        at = instant_ms(int(found[1]))
        return (at, "logged") if at is not None else None
    return None


def without_time(name: str) -> str:
    """A file's name without the time in it: the scrapes of one process are one."""
    for pattern in _NAME_TIME:
        name = pattern.sub("", name, count=1)
    return re.sub(r"[-_.]+(?=\.|$)", "", name).lstrip("-_.")


class TextReader:
    """Lines of the text format, in order. Give each to `read`.

    scrape_at: when the first scrape of the file was made, ms, by the file's name or time; None where nobody knows.
    A line that says a time holds for the scrape behind it. A series that comes again begins another scrape, and what
    has no time then has none: `no_timestamp`. zone_origin: where the zone of the times comes from.
    """

    def __init__(self, scrape_at: int | None, clock: Clock | None = None, zone_origin: str = "none") -> None:
        self._at = scrape_at
        self._clock = clock or Clock()
        self.zone_origin = zone_origin
        self._from_help: dict[str, Named] = {}
        self._series: dict[str, Mapped] = {}
        self._first: str | None = None
        self._is_timed = False  # a header gave the time of the scrape that is to come

    def read(self, line: str, books: MetricBooks) -> Iterator[MetricSample]:
        """One line. Reasons: `not_prometheus`, `no_timestamp`."""
        line = line.strip()
        if not line:
            return
        books.responses += 1
        if self._is_structure(line):
            books.structure += 1
            return
        found = _SAMPLE.match(line)
        mapped_to = self._mapped(found) if found else None
        if found is None or mapped_to is None:
            books.skipped["not_prometheus"] += 1
            return
        value, text_value = written_value(found["value"])
        at = self._time_of(found)
        if text_value is not None:
            books.skipped["not_prometheus"] += 1
        elif at is None:
            books.skipped["no_timestamp"] += 1
        else:
            mbean, attribute, labels = mapped_to
            yield books.sample(at, 0, mbean, attribute, (value, None), labels)

    def _is_structure(self, line: str) -> bool:
        is_comment = line.startswith("#")
        if is_comment and (meta := _META.match(line)):
            if meta[1] == "HELP" and (meant := from_help(meta[3])):
                self._from_help[meta[2]] = meant
        elif line == "# EOF":
            self._begin(None)
        elif (time := _TIME_LINE[is_comment].match(line)) is None or not self._take_time(
            time["time"].strip()
        ):
            if line.lower().startswith("date: "):
                self._take_date(line[6:])
            return is_comment or _HTTP.match(line) is not None
        return True

    def _take_time(self, text: str) -> bool:
        found = STAMP.fullmatch(text)
        if not ((found and found["dated"]) or EPOCH.fullmatch(text)):
            return False
        instant = self._clock.read(text)
        self._begin(instant.at)
        if instant.at is not None:
            self.zone_origin = instant.zone_origin
        return True

    def _take_date(self, text: str) -> None:
        try:
            at = round(parsedate_to_datetime(text).timestamp() * 1000)
            self._begin(at if is_kept(at) else None)
            self.zone_origin = "logged"
        except (ValueError, TypeError, OverflowError):
            self._begin(None)

    def _begin(self, at: int | None) -> None:
        """A scrape begins with the next sample."""
        self._at, self._is_timed, self._first = at, at is not None, None

    def _time_of(self, found: re.Match[str]) -> int | None:
        series = found["series"]
        if series == self._first and not self._is_timed:
            self._at = None  # the same again: the next scrape, of which nobody says when it was
        self._is_timed = False
        if self._first is None:
            self._first = series
        if found["at"] is None:
            return self._at
        at = instant_ms(found["at"])
        if at is not None:
            self.zone_origin = "logged"
        return at

    def _mapped(self, found: re.Match[str]) -> Mapped | None:
        series = found["series"]
        known = self._series.get(series)
        if known is None:
            read = _labels(found["labels"] or "")
            if read is None:
                return None
            quoted_name, labels = read
            name = found["name"] or quoted_name
            if not name:
                return None
            # OpenMetrics names the family without the `_total` of its samples.
            given = self._from_help.get(name) or self._from_help.get(name.removesuffix("_total"))
            known = mapped(name, labels, given=given)
            if len(self._series) >= _MOST_SERIES:
                self._series.clear()
            self._series[series] = known
        return known


def has_one_scrape(lines: Iterator[str]) -> bool:
    """Whether no series comes twice: only then is a file's own time that of its samples."""
    first: str | None = None
    for line in lines:
        found = None if line.startswith("#") else _SAMPLE.match(line.strip())
        if found is None:
            continue
        if first is None:
            first = found["series"]
        elif found["series"] == first:
            return False
    return True


def _labels(text: str) -> tuple[str | None, dict[str, str]] | None:
    """(a quoted name among them, labels); None where it is no list of labels. An empty label is none."""
    name, labels, at = None, {}, 0
    text = text.strip()
    while at < len(text):
        found = _LABEL.match(text, at)
        if found is None or found.end() == at:
            return None
        key = found[1] if found[1] is not None else _unescaped(found[2])
        if found[3] is not None:
            if value := _unescaped(found[3]):
                labels[key] = value
        elif found[2] is not None and name is None:
            name = key
        else:
            return None
        at = found.end()
    return name, labels


def _unescaped(text: str) -> str:
    return _ESCAPE.sub(lambda match: "\n" if match[1] == "n" else match[1], text) if "\\" in text else text


def read_query(document: Mapping[str, Any], books: MetricBooks) -> Iterator[MetricSample]:
    """An answer of the query API, or one series of it.

    Reasons: `query_failed`, `not_a_series` (scalars and texts), `no_name` (an expression dropped the name), `histogram`,
    `no_timestamp`, `bad_value`.
    """
    if "metric" in document:
        yield from _series(document, 0, books)
        return
    data = document.get("data")
    if document.get("status") != "success" or not isinstance(data, dict):
        books.skip("query_failed")
        return
    result = data.get("result")
    if data.get("resultType") not in ("matrix", "vector") or not isinstance(result, list):
        books.skip("not_a_series")
        return
    if not result:
        books.structure += 1
    for item, series in enumerate(result):
        yield from _series(series, item, books)


def _series(series: Any, item: int, books: MetricBooks) -> Iterator[MetricSample]:
    books.responses += 1
    labels = series.get("metric") if isinstance(series, dict) else None
    if not isinstance(labels, dict):
        books.skipped["not_a_series"] += 1
        return
    values = series.get("values", [series["value"]] if "value" in series else [])
    values = values if isinstance(values, list) else []
    if histograms := series.get("histograms", [series["histogram"]] if "histogram" in series else []):
        books.skipped["histogram"] += len(histograms)
    texts = {str(key): str(value) for key, value in labels.items() if value != ""}
    name = texts.pop("__name__", "")
    if not name:
        books.skipped["no_name"] += max(1, len(values))
        return
    if not values and not histograms:
        books.skipped["no_value"] += 1
    mbean, attribute, rest = mapped(name, texts)
    for pair in values:
        if not isinstance(pair, list) or len(pair) != 2 or not isinstance(pair[1], str):
            books.skipped["bad_value"] += 1
            continue
        at = instant_ms(pair[0])
        value, text_value = written_value(pair[1])
        if at is None or text_value is not None:
            books.skipped["no_timestamp" if at is None else "bad_value"] += 1
            continue
        yield books.sample(at, item, mbean, attribute, (value, None), rest)
