"""Which layout a source has, found from its first 64 KiB, with the evidence that says so."""

import re
from dataclasses import dataclass, field
from itertools import pairwise

from transforms.parse.jsonlines import is_log, load, records_of
from transforms.parse.layouts import ANSI, BY_NAME, STARTS, TEXT_LAYOUTS, match_head, start_pattern
from transforms.parse.timestamps import Clock
from transforms.parse.wrappers import WRAPPERS, unwrap

SNIFF_BYTES = 64 * 1024
MAX_LINES = 300  # two or three config dumps long; more only costs time
ENOUGH = 0.8  # share of the lines that must carry an envelope: shippers and shells add lines of their own
MAX_WRAPPERS = 3
MIN_STEPS_BACK = 5  # fewer steps back in time may be clock steps

_CONTROL = bytes(code for code in range(32) if code not in b"\t\n\r\f\x1b")
_KINDS = {kind: re.compile(pattern.decode("latin-1")) for kind, pattern in STARTS.items()}


@dataclass(frozen=True, slots=True)
class SourceHints:
    """What the user says of a source; None where evidence decides.

    layout: `kafka`, `json`, ..., behind its envelopes where it has any: `docker_json/kafka`.
    time_zone: IANA name, for times without a zone.
    """

    layout: str | None = None
    time_zone: str | None = None
    service: str | None = None
    instance: str | None = None


@dataclass(frozen=True, slots=True)
class SourceLayout:
    """How a source is read. Plain data, so that a plan can carry it.

    layout: name of a text layout, `json`, `plain` or `binary`. start: kind of a record's beginning.
    has_full_loggers: lines name their logger with its package, so that raw bytes tell what is Kafka's.
    is_splittable: chunks may be read apart from each other. evidence: counts of what was seen.
    """

    layout: str
    start: str
    wrappers: tuple[str, ...] = ()
    time_zone: str | None = None
    time_zone_origin: str = "assumed"
    is_newest_first: bool = False
    has_full_loggers: bool = True
    is_splittable: bool = True
    evidence: dict[str, int] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """`docker_json/kafka`: envelopes outermost first, then the layout; may be given back as a hint."""
        return "/".join((*self.wrappers, self.layout))


def detect_layout(head: bytes, hints: SourceHints | None = None) -> SourceLayout:
    """Find a source's layout from its first 64 KiB (decompressed, UTF-8).

    Raises: ValueError where a hint names a layout or time zone that there isn't.
    """
    hints = hints or SourceHints()
    head = head[:SNIFF_BYTES]
    clock = Clock(hints.time_zone)
    if is_binary(head) and hints.layout is None:
        return SourceLayout("binary", "plain", is_splittable=False, evidence={"nul_bytes": head.count(b"\0")})
    lines = _lines(head)
    evidence: dict[str, int] = {"lines": len(lines)}
    if hints.layout is not None:
        *outer, layout = hints.layout.split("/")
        _check_hint(hints.layout, outer, layout)
        wrappers = tuple(outer)
    else:
        wrappers, layout = _wrappers(lines, evidence), ""
    lines = _payloads(lines, wrappers)
    scores = _scores(lines, evidence)
    if not layout:
        layout = _winner(scores)
    start = BY_NAME[layout].start if layout in BY_NAME else layout
    if start == "dated":
        start = _dated_kind(lines)
    origin, is_newest_first = _times(lines, layout, start, clock, evidence)
    return SourceLayout(
        layout=layout,
        start=start,
        wrappers=wrappers,
        time_zone=hints.time_zone,
        time_zone_origin=origin,
        is_newest_first=is_newest_first,
        is_splittable=not wrappers,
        has_full_loggers=layout != "plain" and _mostly_full_loggers(lines, layout),
        evidence=evidence,
    )


def is_binary(head: bytes) -> bool:
    """Control codes that no text holds in one byte of twenty (random bytes have twice that), or a
    quarter no UTF-8."""
    if not head:
        return False
    control = len(head) - len(head.translate(None, _CONTROL))
    return control * 20 > len(head) or head.decode("utf-8", "replace").count("\ufffd") * 4 > len(head)


def _check_hint(hint: str, outer: list[str], layout: str) -> None:
    known = {*BY_NAME, "json", "plain"}
    if layout not in known or not set(outer) <= set(WRAPPERS):
        raise ValueError(
            f"layout {hint!r} is not known: give one of {', '.join(sorted(known))}, "
            f"behind its envelopes if it has any ({', '.join(WRAPPERS)}), such as docker_json/kafka"
        )


def _lines(head: bytes) -> list[str]:
    parts = head.split(b"\n")
    if len(head) >= SNIFF_BYTES and len(parts) > 1:
        parts.pop()  # cut by us, not by its writer
    text = (part.decode("utf-8", "replace").rstrip("\r").removeprefix("\ufeff") for part in parts)
    return [line for line in text if line.strip()][:MAX_LINES]


def _wrappers(lines: list[str], evidence: dict[str, int]) -> tuple[str, ...]:
    found: list[str] = []
    for _ in range(MAX_WRAPPERS):
        name = _outermost(lines, evidence)
        if name is None:
            break
        found.append(name)
        lines = _payloads(lines, (name,))
    return tuple(found)


def _outermost(lines: list[str], evidence: dict[str, int]) -> str | None:
    for name, take_off in WRAPPERS.items():
        payloads = [found.payload for line in lines if (found := take_off(line)) is not None]
        if not payloads or len(payloads) < ENOUGH * len(lines):
            continue
        if name == "export" and not _is_export(lines, payloads):
            continue
        evidence[name] = len(payloads)
        return name
    return None


def _is_export(lines: list[str], payloads: list[str]) -> bool:
    """A time before each line is an envelope if continuation lines carry it too, or the lines have times
    of their own; else it is the layout's own timestamp."""
    own = sum(1 for payload in payloads if _KINDS["dated"].match(payload) or _KINDS["time"].match(payload))
    own += sum(1 for payload in payloads if payload.startswith("{") and load(payload) is not None)
    nested = sum(1 for payload in payloads if CONTINUATION.match(payload))
    if own * 2 > len(payloads) - nested:
        return True
    direct = max(_scores(lines, {}).values(), default=0.0)
    return nested > 0 and own + nested > 0 and direct < ENOUGH * len(lines)


CONTINUATION = re.compile(r"\s|at [\w.$]+\(|Caused by: |\.\.\. \d+ (?:more|common)")


def _payloads(lines: list[str], wrappers: tuple[str, ...]) -> list[str]:
    if not wrappers:
        return lines
    found = (unwrap(line, wrappers) for line in lines)
    return [part for item in found if item is not None for part in item.payload.split("\n") if part.strip()]


def _scores(lines: list[str], evidence: dict[str, int]) -> dict[str, float]:
    """Lines each layout explains; one whose logger is found counts in full, without a quarter."""
    scores: dict[str, float] = {}
    for line in lines:
        if line.startswith("{"):
            value = load(line)
            if value is not None and is_log(value):
                scores["json"] = scores.get("json", 0) + 1
                for record in records_of(value):
                    evidence[record.dialect] = evidence.get(record.dialect, 0) + 1
                    break
                continue
        if line[0] in " \t":
            continue  # of a stack trace or a dump; no head begins so
        plain = ANSI.sub("", line) if "\x1b" in line else line
        for layout in TEXT_LAYOUTS:
            head = match_head(plain, layout)
            if head is not None:
                scores[layout.name] = scores.get(layout.name, 0) + (1 if head.logger else 0.25)
    for name, score in scores.items():
        evidence[name] = max(evidence.get(name, 0), round(score))
    return scores


def _winner(scores: dict[str, float]) -> str:
    """The layout that explains most; on a tie the more specific, which stands first."""
    best, most = "plain", 0.0
    for name in ("json", *BY_NAME):
        if scores.get(name, 0.0) > most:
            best, most = name, scores[name]
    return best


def _dated_kind(lines: list[str]) -> str:
    """Whether the heads begin with a date, with the time only, or with ms since the epoch."""
    counts = {
        kind: sum(1 for line in lines if _KINDS[kind].match(line)) for kind in ("dated", "time", "epoch")
    }
    return max(counts, key=lambda kind: counts[kind])


def _mostly_full_loggers(lines: list[str], layout: str) -> bool:
    """Loggers with two dots in nine heads of ten: else a record's bytes can't tell that it isn't Kafka's."""
    if layout == "json":
        return True
    loggers = [
        (head.logger or "").count(".") >= 2
        for line in lines
        if (head := match_head(ANSI.sub("", line), BY_NAME[layout])) is not None
        and (head.logger or not BY_NAME[layout].tail_logger)
    ]
    return bool(loggers) and sum(loggers) >= 0.9 * len(loggers)


def _times(
    lines: list[str], layout: str, start: str, clock: Clock, evidence: dict[str, int]
) -> tuple[str, bool]:
    """Zone and direction, from the timestamps of the records' first lines."""
    instants, zones = [], {"logged": 0, "declared": 0, "assumed": 0}
    begins = re.compile(start_pattern(start).decode("latin-1"))
    for line in lines:
        at = _written_time(line, layout) if begins.match(line) else None
        instant = clock.read(at) if at else None
        if instant is None:
            continue
        zones[instant.zone_origin] = zones.get(instant.zone_origin, 0) + 1
        if instant.at is not None:
            instants.append(instant.at)
    back = sum(1 for earlier, later in pairwise(instants) if later < earlier)
    forth = sum(1 for earlier, later in pairwise(instants) if later > earlier)
    evidence["times"] = len(instants)
    evidence["times_with_zone"] = zones["logged"]
    origin = "declared" if clock.time_zone else "assumed"
    if zones["logged"] > 0 and zones["logged"] * 2 > sum(zones.values()):
        origin = "logged"
    if not instants and not clock.time_zone:
        origin = "none"
    return origin, back >= MIN_STEPS_BACK and back > 9 * forth


def _written_time(line: str, layout: str) -> str | None:
    if layout == "json":
        value = load(line)
        return next((record.at for record in records_of(value)), None) if value is not None else None
    head = match_head(ANSI.sub("", line), BY_NAME[layout]) if layout in BY_NAME else None
    return head.at if head is not None else None
