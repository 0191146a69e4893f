"""What is known of clients that are not Java's: their release, what is declared of them, and their library's defaults."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase

from transforms.events import ClientEvent
from transforms.timers.clients.versions import DefaultTables, Version, defaults_at, named
from transforms.timers.profile import ClientProfile, Setting

# What Java calls it, under which machines and rules ask -> librdkafka's name.
JAVA_NAMES = {"delivery.timeout.ms": "message.timeout.ms", "request.timeout.ms": "socket.timeout.ms"}
# Lines that name the limit that they tell of -> its setting.
NAMES_LIMIT = {"rdkafka-max-poll": "max.poll.interval.ms"}
# Lines that come when a limit has passed: a default above what they tell does not hold.
REFUTES = {
    "rdkafka-session-timeout": ("session.timeout.ms",),
    "rdkafka-request-timeout": ("socket.timeout.ms", "request.timeout.ms"),
    "rdkafka-request-held-back": ("socket.timeout.ms", "request.timeout.ms"),
}
# Whose client a line is of: incarnation, client id.
OtherVersions = Mapping[tuple[int, str | None], Version]


class OtherClients:
    """Profiles of such clients. versions: as their first lines say. defaults: conf/kafka_defaults, by class."""

    def __init__(self, versions: OtherVersions, defaults: DefaultTables) -> None:
        self._versions = versions
        self._defaults = defaults
        self._known: dict[tuple[int, str, str | None, str | None, str | None], ClientProfile] = {}
        self._undeclared: dict[tuple[str, Version | None], dict[str, Setting]] = {}

    def forget(self) -> None:
        """Let go of what was made on the way."""
        self._known.clear()
        self._undeclared.clear()

    def profile_of(
        self, event: ClientEvent, incarnation: int, declared: Sequence[Mapping[str, str]]
    ) -> ClientProfile:
        """What is known of the client that an event speaks of. A limit that the line itself names holds."""
        key = (incarnation, event.client_library, event.client_kind, event.client_id, event.group_id)
        known = self._known.get(key)
        if known is None:
            version = self._versions.get((incarnation, event.client_id))
            settings = self._defaulted(event.client_library, version)
            if own := {one.name: one for one in _declared(declared, event.client_id)}:
                settings = _under_java_names(event.client_library, settings | own)
            known = self._known[key] = ClientProfile(
                event.unit_id,
                event.client_id,
                event.client_kind,
                incarnation,
                settings=settings,
                group_id=event.group_id,
                library=event.client_library,
                library_version=version,
            )
        name = NAMES_LIMIT.get(event.message_id)
        if name is not None and event.limit_ms is not None:
            limit = Setting(name, str(event.limit_ms), "named", event.happened_at, None, event.event_id)
            return replace(known, settings={**known.settings, name: limit})
        refuted = [name for name in REFUTES.get(event.message_id, ()) if _is_refuted(known, name, event)]
        if not refuted:
            return known
        return replace(known, settings={n: one for n, one in known.settings.items() if n not in refuted})

    def _defaulted(self, library: str, version: Version | None) -> dict[str, Setting]:
        """By name; one for all clients of a release."""
        known = self._undeclared.get((library, version))
        if known is None:
            origin = f"default:{named(version)}" if version else "assumed"
            found = {
                name: Setting(name, value, origin)
                for name, value in defaults_at(self._defaults, library, version)
            }
            known = self._undeclared[library, version] = _under_java_names(library, found)
        return known


def _under_java_names(library: str, settings: Mapping[str, Setting]) -> dict[str, Setting]:
    """The settings, and those that machines ask for by Java's names."""
    renamed = JAVA_NAMES.items() if library == "librdkafka" else ()
    java = {
        name: Setting(name, settings[own].value, settings[own].origin)
        for name, own in renamed
        if own in settings
    }
    return {**settings, **java}


def _declared(declared: Sequence[Mapping[str, str]], client_id: str | None) -> Iterator[Setting]:
    """By the handle, or by the client.id before its number: `pay#consumer-1` is `pay`."""
    own = (client_id or "").rpartition("#")[0]
    for entry in declared:
        pattern = str(entry.get("client_id") or "*")
        if fnmatchcase(client_id or "", pattern) or (own and fnmatchcase(own, pattern)):
            yield Setting(str(entry["name"]), str(entry["value"]), "declared")


def _is_refuted(known: ClientProfile, name: str, event: ClientEvent) -> bool:
    held = known.whole(name)
    return (
        held is not None
        and not held.is_proven
        and event.elapsed_ms is not None
        and held.ms > event.elapsed_ms
    )
