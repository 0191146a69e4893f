"""Client `.properties` against the KIPs' own rules, no log needed: the same rules that judge configuration dumps.

What a file declares counts as proven. What it leaves out is the version's default; without a version, only
what holds with the defaults of every release from 2.1 on is said. Hints (`config.*`) are about the file,
not about a KIP.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from difflib import get_close_matches
from typing import Any

from transforms.config_file import Entry, clients_in, entries_of, known_keys
from transforms.rules.registry import RULES
from transforms.rules.rule import SEVERITIES, Rule
from transforms.timers.backoff.producer_retries import MAX_INT
from transforms.timers.clients.client_configs import BackoffFacts, StreamsFacts
from transforms.timers.clients.config_dumps import ClientConfig
from transforms.timers.clients.versions import DefaultTables, Version, defaults_at, named, version_of_text
from transforms.timers.episodes import Episode
from transforms.timers.profile import ClientProfile, Setting
from transforms.whole import is_whole, whole_number

# With no version told, a finding must hold under the first and the last of the releases whose rules these
# are: every default in between is one of the two.
ANY_VERSION: tuple[Version, ...] = ((2, 1, 0), (4, 2, 0))
FILE = "file"
# Below this likeness two names differ by more than a slip; applications put keys of their own into these files.
SLIP = 0.88


@dataclass(frozen=True, slots=True)
class ConfigFinding:
    """One thing to say about a file. client_kind: whose settings; line: 1-based, where one line is meant."""

    rule_id: str
    severity: str
    client_kind: str | None
    explanation: str
    advice: str
    line: int | None = None

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return asdict(self)


def check_properties(
    text: str,
    client_kind: str | None = None,
    version: str | None = None,
    defaults: DefaultTables | None = None,
) -> list[ConfigFinding]:
    """What is wrong with a client's properties, worst first.

    client_kind: producer, consumer, admin, streams or connect; None takes what the keys tell (a file may
    serve several). version: the client's, such as `3.9.1`. defaults: conf/kafka_defaults, by class; without
    them only what the file declares is known.
    """
    entries = entries_of(text)
    declared = {entry.key: entry.value for entry in entries}
    clients = clients_in(declared, client_kind)
    found = list(_hints(entries, clients))
    version_given = version_of_text(version)
    per_version = [
        _findings(clients, at, defaults or {}) for at in ([version_given] if version_given else ANY_VERSION)
    ]
    for key, finding in per_version[-1].items():
        if all(key in others for others in per_version):
            found.append(finding)
    return sorted(
        found, key=lambda f: (SEVERITIES.index(f.severity), f.rule_id, f.client_kind or "", f.line or 0)
    )


def _findings(
    clients: Mapping[str, Mapping[str, str]], version: Version, defaults: DefaultTables
) -> dict[tuple[str, str], ConfigFinding]:
    found: dict[tuple[str, str], ConfigFinding] = {}
    for kind, declared in clients.items():
        for episode in _episodes(kind, declared, clients, version, defaults):
            for rule in _config_rules(episode):
                verdict = rule.judge(episode)
                if verdict.outcome == "violated":
                    facts = {
                        "observed_ms": verdict.observed_ms,
                        "limit_ms": verdict.limit_ms,
                        **verdict.facts,
                    }
                    found[rule.rule_id, kind] = ConfigFinding(
                        rule.rule_id,
                        rule.severity,
                        kind,
                        rule.says.format(**facts),
                        rule.advice,
                    )
    return found


def _config_rules(episode: Episode) -> Iterator[Rule]:
    """The rules about configuration alone: the others need to see what a client did with it."""
    for rule in RULES.values():
        if rule.gives == ("misconfiguration",) and isinstance(episode, rule.judges):
            yield rule


def _episodes(
    kind: str,
    declared: Mapping[str, str],
    clients: Mapping[str, Mapping[str, str]],
    version: Version,
    defaults: DefaultTables,
) -> Iterator[Episode]:
    is_embedded = kind.startswith("embedded_")
    plain = kind.removeprefix("embedded_")
    settings = _settings(plain, declared, version, defaults, is_embedded=is_embedded)
    profile = ClientProfile(FILE, None, plain, version=version, is_embedded=is_embedded, settings=settings)
    if plain == "streams":
        calls = {
            f"{embedded}'s {name}": (whole_number(value), FILE)
            for embedded, name in (("consumer", "default.api.timeout.ms"), ("producer", "max.block.ms"))
            if (value := clients.get(f"embedded_{embedded}", {}).get(name, "")).isdecimal()
        }
        yield StreamsFacts(
            unit_id=FILE,
            config_id=FILE,
            event_ids=[FILE],
            profile=profile,
            retries=_whole(settings, "retries"),
            task_timeout_ms=_whole(settings, "task.timeout.ms"),
            call_limits=calls,
        )
        return
    yield BackoffFacts(
        unit_id=FILE,
        config_id=FILE,
        config_class=plain,
        event_ids=[FILE],
        profile=profile,
        base_ms=_whole(settings, "retry.backoff.ms"),
        cap_ms=_whole(settings, "retry.backoff.max.ms"),
    )
    yield ClientConfig(
        unit_id=FILE,
        config_id=FILE,
        event_ids=[FILE],
        profile=profile,
        client_kind=plain,
        group_id=declared.get("group.id"),
        settings=settings,
        is_embedded=is_embedded,
        is_whole=True,
        adjusted_to=_adjusted(settings) if plain == "producer" else None,
        unused={} if is_embedded else {key: FILE for key in declared if not _is_known(key, clients)},
    )


def _is_known(key: str, clients: Iterable[str]) -> bool:
    """To any client that the file configures: a file may serve several."""
    return any(key in known_keys(kind.removeprefix("embedded_")) for kind in clients)


def _settings(
    kind: str,
    declared: Mapping[str, str],
    version: Version,
    defaults: DefaultTables,
    *,
    is_embedded: bool,
) -> dict[str, Setting]:
    origin = f"default:{named(version)}"
    tables = (kind, f"embedded_{kind}") if is_embedded else (kind,)
    settings = {
        name: Setting(name, value, origin)
        for table in tables
        for name, value in defaults_at(defaults, table, version)
    }
    settings |= {name: Setting(name, value, "declared") for name, value in declared.items()}
    if _turns_idempotence_off(declared, settings):
        settings["enable.idempotence"] = Setting("enable.idempotence", "false", origin)
    return settings


def _turns_idempotence_off(declared: Mapping[str, str], settings: Mapping[str, Setting]) -> bool:
    """From 3.0, settings that conflict with the default switch it off in silence (ProducerConfig)."""
    if "enable.idempotence" in declared or "enable.idempotence" not in settings:
        return False
    in_flight = _whole(settings, "max.in.flight.requests.per.connection") or 0
    return declared.get("acks") in ("0", "1") or declared.get("retries") == "0" or in_flight > 5


def _adjusted(settings: Mapping[str, Setting]) -> Setting | None:
    """The delivery timeout that the client will set itself where none is declared (KafkaProducer)."""
    delivery = settings.get("delivery.timeout.ms")
    linger, request = _whole(settings, "linger.ms"), _whole(settings, "request.timeout.ms")
    if delivery is None or delivery.is_proven or linger is None or request is None:
        return None
    shortest = min(linger + request, MAX_INT)
    if delivery.ms >= shortest:
        return None
    return Setting("delivery.timeout.ms", str(shortest), "adjusted")


def _whole(settings: Mapping[str, Setting], name: str) -> int | None:
    found = settings.get(name)
    return found.ms if found is not None and is_whole(found.value) else None


def _hints(entries: Iterable[Entry], clients: Mapping[str, Mapping[str, str]]) -> Iterator[ConfigFinding]:
    """What is odd about the file itself: slips in names, values that are no numbers, keys set twice."""
    known = sorted({key for kind in clients for key in known_keys(kind.removeprefix("embedded_"))})
    seen: dict[str, int] = {}
    for entry in entries:
        name = entry.plain_key
        likely = [] if name in known else get_close_matches(name, known, 1, SLIP)
        if likely:
            yield ConfigFinding(
                "config.unknown_key",
                "warning",
                None,
                f"{name} is no setting; {likely[0]} is",
                f"Rename it to {likely[0]}: as it stands, the default holds.",
                entry.line,
            )
        if name in known and name.endswith(".ms") and not is_whole(entry.value):
            yield ConfigFinding(
                "config.not_a_number",
                "error",
                None,
                f"{name} is not a whole number of milliseconds: the client refuses to start",
                "Give a whole number of milliseconds, without a unit.",
                entry.line,
            )
        if entry.key in seen:
            yield ConfigFinding(
                "config.set_twice",
                "info",
                None,
                f"{entry.key} is set in line {seen[entry.key]} already; the later value holds",
                "Keep one of the two.",
                entry.line,
            )
        seen[entry.key] = entry.line
