"""What stands around a log line: container runtimes, compose, shippers, exports. One line in, its payload out.

Sources: Docker json-file driver (moby, jsonlog); Kubernetes CRI log format (design-proposals, kubelet-cri-logging); docker
compose logs; kubectl logs --prefix / --timestamps; CloudWatch Logs export to S3 (`timestamp message`); Filebeat, Fluent Bit
and Vector file outputs.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from transforms.parse.lines.jsonlines import FIELDS, SHIPPED, Json, is_log, load, lookup, text_of, time_in
from transforms.parse.lines.marks import MARKS, WHOLE, Mark
from transforms.parse.lines.pasted import unescaped
from transforms.parse.lines.timestamps import STAMP
from transforms.parse.lines.tokens import ANY_LEVEL, LEVEL
from transforms.when_used import when_used

_ISO = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)"
_COLOURS = r"(?:\x1b\[[0-9;]*m)*"
# `2016-10-06T00:17:09.669794202Z stdout F message`; P says that the next line goes on.
CRI = when_used(rf"(?P<at>{_ISO}) (?P<stream>stdout|stderr) (?:F|(?P<is_partial>P))(?::[\w:]*)?(?: |$)")
# A short number is a name where another stands behind it (pm2's `0|orders  | `), else a level (`7|2026-01-05 10:00:00|`) or
# a line's (`12 | message`); a long one is a time. Nor is librdkafka's facility one, where its own head was cut:
# `FAIL|rdkafka#producer-1| `.
_NO_NAME = (
    rf"(?!\d{{4}}-\d\d-\d\d *\||\d{{10}}[\d.]* *\||\d+(?: +\||\|(?!(?!(?:{LEVEL})\b)[\w.\-]+ *\|))"
    r"|[A-Z][A-Z0-9_]+\|[^\s|]+#(?:consumer|producer)-\d)"
)
# `orders-1  | message`, several containers interleaved; of a swarm's service `orders.1.id@host    | message`.
COMPOSE = when_used(
    rf"{_COLOURS}{_NO_NAME}(?P<container>[A-Za-z0-9][\w.\-]{{0,127}}(?:@[\w.\-]{{1,64}})?) *\| ?{_COLOURS}"
)
# `[pod/orders-7d9f/app] message`, as kubectl logs --prefix gives it.
KUBECTL = when_used(r"\[pod/(?P<container>(?P<instance>[\w.\-]+)/[\w.\-]+)\] ?")
DEEPEST = 5  # members of members that may hold a line
# `2024-05-01T10:00:00.123Z message`: CloudWatch exports, kubectl and compose --timestamps.
EXPORT = when_used(rf"(?P<at>{_ISO})(?: |$)")


@dataclass(frozen=True, slots=True)
class Wrapped:
    """A payload with what its envelope says. container: whose line it is; None where the envelope doesn't tell.

    at: the envelope's time as written. is_partial: the runtime cut the line, the next one of this stream goes on.
    """

    payload: str
    container: str | None = None
    stream: str | None = None
    at: str | None = None
    is_partial: bool = False
    service: str | None = None
    instance: str | None = None


def docker_json(line: str) -> Wrapped | None:
    """`{"log":"...\\n","stream":"stdout","time":"..."}`; a log without newline at its end is cut at 16 KiB."""
    if not line.startswith('{"log":'):
        return None
    value = load(line)
    whole = value or _cut_off(line)
    if whole is None or not isinstance(whole.get("log"), str) or "kubernetes" in whole:
        return None
    log: str = whole["log"]
    return Wrapped(
        log.removesuffix("\n").removesuffix("\r"),
        stream=text_of(whole.get("stream")),
        at=text_of(whole.get("time")),
        is_partial=value is not None and not log.endswith("\n"),
    )


def _cut_off(line: str) -> Json | None:
    """What is there of an object whose line a paste cut: within its first text, or within a field behind that."""
    before = line[: line.find('","', 1)] + '"}' if '","' in line else ""
    return load(before) or load(line.rstrip("\\") + '"}')


def envelope(line: str) -> Wrapped | None:
    """A shipper's JSON object around a line: Filebeat, Fluent Bit, Vector, journald."""
    if not line.startswith("{"):
        return None
    value = load(line)
    if value is None or is_log(value):
        return None
    texts = {name: text for name, text in value.items() if isinstance(text, str)}
    payload = next((texts[name] for name in SHIPPED["line"] if name in texts), None)
    payload = payload or max((text for text in _texts_in(value) if " " in text), key=len, default=None)
    if payload is None:
        return None
    return Wrapped(
        payload.rstrip("\r\n"),
        container=_container(value),
        stream=text_of(value.get("stream")),
        at=time_in(value, DEEPEST),
        service=text_of(lookup(value, FIELDS["service"])),
        instance=text_of(lookup(value, FIELDS["pod"])),
    )


def _texts_in(value: object, depth: int = 0) -> Iterator[str]:
    """All texts of an object, of its members' members too."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list) and depth < DEEPEST:
        for member in value.values() if isinstance(value, dict) else value:
            yield from _texts_in(member, depth + 1)


def _container(value: Json) -> str | None:
    pod, name = text_of(lookup(value, FIELDS["pod"])), text_of(lookup(value, SHIPPED["container"]))
    if pod or name:
        return "/".join(part for part in (pod, name) if part)
    return text_of(lookup(value, SHIPPED["origin"]))


def _behind(pattern: re.Pattern[str]) -> Callable[[str], Wrapped | None]:
    """Reads lines whose envelope stands before them. pattern: of it; its groups are fields of what it says."""

    def read(line: str) -> Wrapped | None:
        found = pattern.match(line)
        told: dict[str, Any] = found.groupdict() if found is not None else {}
        if found is None or ANY_LEVEL.match(told.get("container", "")):
            return None  # `ERROR | message` names no container
        return Wrapped(line[found.end() :], **told | {"is_partial": bool(told.get("is_partial"))})

    return read


_CELL = when_used(r'(?:"((?:[^"]|"")*)"|([^",]+))(?:,|$)')
_ROW = when_used(r'"(?!.*"[ \t]*[+\\]\s*$)')  # that goes on on no other line, as a program's string does
_STRING = when_used(r'"((?:[^"\\]|\\.)*)"')
_LABELLED = when_used(
    r'(?:[^"\n]{0,200}[\w.\-]=(?="[^"\n]{0,40}?\d\d[:\-/]\d\d[:\-/]\d\d)|[ \t>*+\-]*[\w.@\-]{1,40}: ?)'
    r'"(?P<text> *(?:[^" \\]+(?: |\\t)+){3}(?:[^"\\]|\\.)*)"\s*'
)
_MEMBER = when_used(r'[\w.\- ]{1,80}" ?: ')
_MARKED = when_used(r"[ \t]*`{1,3}(?P<code>[^`].*)`{1,3}[ \t]*|[ \t]*\|{1,2}(?P<row>[^|].*?)\|{0,2}[ \t]*")


def csv(line: str) -> Wrapped | None:
    """A row in quotes, or a line of a cell that goes over several: the record is the longest cell, or the one left open."""
    if not line.startswith('"'):
        ends_cell = (len(line) - len(line.rstrip('"'))) % 2 == 1  # quotes that are no pairs
        return Wrapped((line.removesuffix('"') if ends_cell else line).replace('""', '"'))
    at, cells = 0, []
    while (cell := _CELL.match(line, at)) is not None:
        cells.append(cell[1] if cell[2] is None else cell[2])
        at = cell.end()
    if at < len(line) and line[at] == '"':
        cells.append(line[at + 1 :])
        payload = cells[-1]
    else:
        payload = max(cells, key=len, default="")
    stamps = [cell for cell in cells if cell is not payload and STAMP.fullmatch(cell)]
    return Wrapped(payload.replace('""', '"'), at=stamps[0] if stamps else None)


def strings(line: str) -> Wrapped | None:
    """A string as a program has it, or an array of them: `"2026-.. INFO ..\\n\\tat ..",`."""
    text = line.strip()
    if text.startswith('["'):
        return Wrapped("\n".join(map(unescaped, _STRING.findall(text))))
    text = text.removesuffix(",").removesuffix("]")
    if text in ("", "["):
        return Wrapped("")
    inner = text[1:-1]
    # Of CSV, or of an object.
    if text != f'"{inner}"' or '""' in inner or '","' in inner or _MEMBER.match(inner):
        return None
    return Wrapped(unescaped(inner))


def labelled(line: str) -> Wrapped | None:
    """A field that is a whole line: of logfmt, `msg="2026-.. INFO ..\\n\\tat .."`, which has a time of its own; of YAML."""
    found = _LABELLED.fullmatch(line) if '"' in line and WHOLE.search(line) else None
    return Wrapped(unescaped(found["text"])) if found else None


def escaped(line: str) -> Wrapped | None:
    """Lines joined by `\\n`."""
    return Wrapped(unescaped(line)) if "\\n" in line else None


def marked(line: str) -> Wrapped | None:
    """A line within marks that set it apart in Markdown, or a row of a table: `so`, | so |."""
    found = _MARKED.fullmatch(line)
    return Wrapped(found["code"] or found["row"]) if found else None


def _without(mark: Mark) -> Callable[[str], Wrapped]:
    return lambda line: Wrapped(mark.without(line))


WRAPPERS: dict[str, Callable[[str], Wrapped | None]] = {
    "signs": _without(MARKS["signs"]),
    "blanks": _without(MARKS["blanks"]),
    "marked": marked,
    "emphasised": _without(MARKS["emphasised"]),
    "docker_json": docker_json,
    "envelope": envelope,
    "cri": _behind(CRI),
    "kubectl": _behind(KUBECTL),
    "compose": _behind(COMPOSE),
    "export": _behind(EXPORT),
    "labelled": labelled,
    "strings": strings,
    "csv": csv,
    "escaped": escaped,
    "html": _without(MARKS["html"]),
}
OF_RUNTIMES = (("docker_json",), ("cri",))
OF_OBJECTS = (("docker_json",), ("envelope",))
ANYWHERE = frozenset((*MARKS, "csv"))  # of which a line tells nothing by having it
UNMISTAKABLE = frozenset(("docker_json", "envelope", "strings", "marked", "labelled"))
ENOUGH = 0.8  # share of the lines that must carry an envelope: shippers and shells add lines of their own


def is_wrapped(name: str, lines: Sequence[str]) -> bool:
    """Whether a source's lines stand in this envelope."""
    if name in MARKS:
        if not any(map(MARKS[name].is_in, lines)):
            return False
        telling = list(filter(WHOLE.search, lines)) or lines
        return sum(map(MARKS[name].is_in, telling)) * 5 >= len(telling)
    if name == "escaped":
        joined = (line for line in lines if "\\n" in line and '="' not in line)
        return sum(load(line[max(line.find("{"), 0) :]) is None for line in joined) * 2 >= len(lines)
    if name == "csv":
        telling = list(filter(WHOLE.search, lines))
        return len(telling) > 0 and sum(1 for _ in filter(_ROW.match, telling)) >= ENOUGH * len(telling)
    if name == "strings" and any(line.startswith('"') and strings(line) is None for line in lines):
        return False
    if name in UNMISTAKABLE and any(map(WRAPPERS[name], lines)):
        # A line that tells nothing is prose, or a frame around them.
        lines = list(filter(WHOLE.search, lines)) or lines
    without = (line for line in lines if WRAPPERS[name](line) is None)
    most = int(len(lines) - ENOUGH * len(lines))
    return len(lines) > 0 and next(islice(without, most, None), None) is None


def unwrap(line: str, wrappers: tuple[str, ...], result: Wrapped | None = None) -> Wrapped | None:
    """Take all of a source's envelopes off a line, outermost first; None where the outermost isn't there.

    Of an inner envelope that a line lacks, the line itself is the payload: shippers add lines of their own. result: what
    envelopes around these said.
    """
    for name in wrappers:
        inner = WRAPPERS[name](line if result is None else result.payload)
        if inner is None:
            return result
        if result is not None:
            inner = Wrapped(
                inner.payload,
                container="/".join(part for part in (result.container, inner.container) if part) or None,
                stream=inner.stream or result.stream,
                at=inner.at or result.at,
                is_partial=inner.is_partial or result.is_partial,
                service=inner.service or result.service,
                instance=inner.instance or result.instance,
            )
        result = inner
    return result


def unwrapped(line: str, stacks: Sequence[tuple[str, ...]]) -> Wrapped | None:
    """What stands within the first of these stacks of envelopes that a line has; None where it has none."""
    found = (unwrap(line, wrappers) for wrappers in stacks)
    return next((one for one in found if one is not None), None)
