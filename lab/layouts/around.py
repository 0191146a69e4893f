"""What stands around a log's lines: collectors that wrap each of them, and what a paste adds."""

import html
import json
import random
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime

LATER = 4_000_000_000_000  # ms: a collector's clock, far from any application's
Wrap = Callable[[list[str]], list[str]]


@dataclass(frozen=True)
class Around:
    """wrap: lines (or, if is_by_record, whole records) -> lines. has_time: a collector's time stands in it."""

    name: str
    wrap: Wrap
    has_time: bool = False
    is_by_record: bool = False


def _later(number: int, pattern: str, fraction: int = 0) -> str:
    at = datetime.fromtimestamp(LATER / 1000 + number, UTC)
    return at.strftime(pattern) + (f".{number % 1000:03d}456789"[: fraction + 1] if fraction else "")


def _each(prefix: Callable[[int], str]) -> Wrap:
    return lambda lines: [prefix(number) + line for number, line in enumerate(lines)]


def _objects(value: Callable[[int, str], dict[str, object]]) -> Wrap:
    return lambda lines: [json.dumps(value(number, line)) for number, line in enumerate(lines)]


ISO = "%Y-%m-%dT%H:%M:%S"
RFC3164 = "%b %d %H:%M:%S"


def _datadog(records: list[str]) -> list[str]:
    rows = ["Date,Host,Service,Message"]
    for number, record in enumerate(records):
        text = record.replace('"', '""')
        rows.append(f'"{_later(number, ISO, 3)}Z","orders-1","orders","{text}"')
    return rows


def _docker(number: int, line: str) -> dict[str, object]:
    return {"log": line + "\n", "stream": "stdout", "time": _later(number, ISO, 9) + "Z"}


def _gcp(number: int, line: str) -> dict[str, object]:
    at = _later(number, ISO, 9) + "Z"
    return {"insertId": f"a{number}", "textPayload": line, "timestamp": at, "severity": "INFO"}


def _filebeat(number: int, line: str) -> dict[str, object]:
    return {"@timestamp": _later(number, ISO, 3) + "Z", "message": line, "host": {"name": "orders-1"}}


def _fluent_bit(number: int, line: str) -> dict[str, object]:
    return {"date": LATER / 1000 + number, "log": line, "kubernetes": {"pod_name": "orders-7d9f"}}


WRAPPERS = (
    Around("docker json", _objects(_docker), True),
    Around("CRI", _each(lambda n: f"{_later(n, ISO, 9)}Z stdout F "), True),
    Around("compose", _each(lambda n: "orders-1  | ")),
    Around("compose, old", _each(lambda n: "orders_1 | ")),
    Around("syslog 3164", _each(lambda n: f"{_later(n, RFC3164)} node-1 orders[4711]: "), True),
    Around("syslog 3164, priority", _each(lambda n: f"<14>{_later(n, RFC3164)} node-1 orders: "), True),
    Around("syslog 5424", _each(lambda n: f"<14>1 {_later(n, ISO, 6)}Z node-1 orders 4711 - - "), True),
    Around("journald", _each(lambda n: f"{_later(n, RFC3164)} node-1 java[4711]: "), True),
    Around("journald, ISO", _each(lambda n: f"{_later(n, ISO)}+0000 node-1 java[4711]: "), True),
    Around("Cloud Foundry", _each(lambda n: f"   {_later(n, ISO, 2)}+0000 [APP/PROC/WEB/0] OUT "), True),
    Around("stern", _each(lambda n: "orders-7d9f6bb9c-x2x4q orders ")),
    Around("kubectl --prefix", _each(lambda n: "[pod/orders-7d9f6bb9c-x2x4q/orders] ")),
    Around("kubectl --timestamps", _each(lambda n: f"{_later(n, ISO, 9)}Z "), True),
    Around("Loki", _each(lambda n: f'{_later(n, ISO)}Z {{app="orders", pod="orders-7d9f"}} '), True),
    Around("GCP", _objects(_gcp), True),
    Around("Filebeat", _objects(_filebeat), True),
    Around("Fluent Bit", _objects(_fluent_bit), True),
    Around("CloudWatch", _each(lambda n: f"{_later(n, ISO, 3)}Z "), True),
    Around("Datadog CSV", _datadog, True, is_by_record=True),
    Around("GitHub Actions", _each(lambda n: f"{_later(n, ISO, 7)}Z "), True),
    Around("GitHub Actions, job", _each(lambda n: f"build\tRun tests\t{_later(n, ISO, 7)}Z "), True),
    Around("Jenkins", _each(lambda n: f"[{_later(n, ISO, 3)}Z] "), True),
    Around("Jenkins, clock", _each(lambda n: f"{_later(n, '%H:%M:%S')}  ")),
    Around("Maven", _each(lambda n: "[INFO] [stdout] ")),
    Around("Travis", lambda lines: ["travis_fold:start:script", "\x1b[0K$ ./gradlew test", *lines]),
)  # fmt: skip


def _json_array(lines: list[str]) -> list[str]:
    return ["[", *(f"  {json.dumps(line)}," for line in lines[:-1]), f"  {json.dumps(lines[-1])}", "]"]


def _escape(record: str) -> str:
    return record.replace("\t", "\\t").replace("\n", "\\n")


def _escaped(records: list[str]) -> list[str]:
    return ["\\n".join(map(_escape, records))]


def _by_record(write: Callable[[str], str]) -> Wrap:
    return lambda records: [write(record) for record in records]


def _quoted(record: str) -> str:
    return '"' + record.replace('"', '""') + '"'


DAMAGES = (
    Around("quoted", _each(lambda n: "> ")),
    Around("quoted twice", _each(lambda n: ">> ")),
    Around("commented", _each(lambda n: "# ")),
    Around("commented, C", _each(lambda n: "// ")),
    Around("commented, Javadoc", lambda lines: ["/**", *(" * " + line for line in lines), " */"]),
    Around("commented, SQL", _each(lambda n: "-- ")),
    Around("listed", _each(lambda n: "- ")),
    Around("indented", _each(lambda n: "    ")),
    Around("indented, one", _each(lambda n: " ")),
    Around("indented, tab", _each(lambda n: "\t")),
    Around("fenced", lambda lines: ["What does this mean?", "", "```", *lines, "```"]),
    Around("numbered", _each(lambda n: f"{n + 1:>4}  ")),
    Around("numbered, colon", _each(lambda n: f"{n + 1}: ")),
    Around("numbered, bar", _each(lambda n: f"{n + 1:>4} | ")),
    Around("grep -n", _each(lambda n: f"{n + 101}:")),
    Around("grep", _each(lambda n: "app.log:")),
    Around("grep -rn", _each(lambda n: f"logs/app.log:{n + 101}:")),
    Around("prompt", lambda lines: ["$ tail -n 100 app.log", *lines]),
    Around("prompt, host", lambda lines: ["root@orders-1:/opt/orders# cat app.log", *lines]),
    Around("HTML breaks", lambda lines: [line + "<br>" for line in lines]),
    Around("HTML breaks, closed", lambda lines: [line + "<br />" for line in lines]),
    Around("HTML entities", lambda lines: [html.escape(line) for line in lines]),
    Around("HTML pre", lambda lines: ["<pre><code>", *(html.escape(line) for line in lines), "</code></pre>"]),
    Around("array, pretty", _json_array),
    Around("array", lambda lines: [json.dumps(lines)]),
    Around("escaped", _escaped, is_by_record=True),
    Around("escaped, quoted", _by_record(lambda record: f'"{_escape(record)}"'), is_by_record=True),
    Around("CSV", _by_record(_quoted), is_by_record=True),
    Around("trailing spaces", lambda lines: [line + "   " for line in lines]),
    Around("blank between", lambda lines: [part for line in lines for part in (line, "")]),
    Around("Windows", lambda lines: [line + "\r" for line in lines]),
)  # fmt: skip


def drawn_around(draw: random.Random) -> list[Around]:
    """What is around, inmost first: mostly nothing, seldom both."""
    around: list[Around] = []
    if draw.random() < 0.45:
        around.append(draw.choice(WRAPPERS))
    if draw.random() < (0.12 if around else 0.5):
        damage = draw.choice(DAMAGES)
        if not (around and (damage.is_by_record or around[0].is_by_record)):
            around.append(damage)
    return around


def wrapped(records: list[str], around: list[Around]) -> str:
    """Records, each with its lines, as the file has them."""
    is_by_record = any(one.is_by_record for one in around)
    lines = records if is_by_record else [line for record in records for line in record.split("\n")]
    for one in around:
        lines = one.wrap(lines)
    return "\n".join(lines) + "\n"
