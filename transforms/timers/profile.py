"""What is known of one client while something happened to it: version and effective settings."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from transforms.when_used import when_used
from transforms.whole import whole_number

# A log may print anything here: no more digits than 64 bits hold, and none but 0 to 9.
_WHOLE = when_used(r"-?[0-9]{1,18}")
# Each line of a consumer asks for the same few values.
_is_whole = lru_cache(maxsize=1024)(_WHOLE.fullmatch)
PROVEN_ORIGINS = frozenset({"logged", "declared", "adjusted", "named"})


@dataclass(frozen=True, slots=True)
class Setting:
    """The effective value of one setting of one client while it held.

    origin: `named` (by the very line that tells of the limit), `logged`, `declared`, `adjusted`, `default:<version>` or
        `assumed`.
    from_at, until_at: ms since the epoch, UTC; None is open. event_id: the line that says so.
    """

    name: str
    value: str
    origin: str
    from_at: int | None = None
    until_at: int | None = None
    event_id: str | None = None

    @property
    def is_proven(self) -> bool:
        """Only a value that was named, logged, declared or adjusted in the log may accuse anybody."""
        return self.origin in PROVEN_ORIGINS

    @property
    def ms(self) -> int:
        """The value as a whole number (ms for every `*.ms` setting)."""
        return whole_number(self.value)


@dataclass(frozen=True, slots=True)
class ClientProfile:
    """One client's identity, version and settings. `version` is None while unknown.

    client_kind: producer, consumer, admin, streams, connect, share or broker.
    is_embedded: the client belongs to a Kafka Streams instance (its overrides apply).
    overrides: names of the settings that hold for the tasks of one topology only.
    cluster_id: of the cluster that it is a client, or a broker, of; None while unknown.
    library: `java`, or another client's: then version is None, as it would be Java's, and library_version may be known.
    """

    unit_id: str
    client_id: str | None
    client_kind: str | None
    incarnation: int = 0
    version: tuple[int, int, int] | None = None
    is_embedded: bool = False
    settings: Mapping[str, Setting] = field(default_factory=dict)
    group_id: str | None = None
    group_instance_id: str | None = None
    overrides: tuple[str, ...] = ()
    library: str = "java"
    library_version: tuple[int, int, int] | None = None
    cluster_id: str | None = None

    def setting(self, name: str) -> Setting | None:
        """The effective setting, or None while it is unknown (or not a setting of this version)."""
        return self.settings.get(name)

    def whole(self, name: str) -> Setting | None:
        """The setting where its value is a whole number, else None."""
        found = self.settings.get(name)
        return found if found is not None and _is_whole(found.value) else None

    @property
    def group_protocol(self) -> str:
        """What its group speaks, by group.protocol (KIP-848): `classic` where that is unknown."""
        found = self.settings.get("group.protocol")
        return "classic" if found is None else found.value.lower()

    def at_least(self, *version: int) -> bool | None:
        """Whether the client is of that version or later; None while its version is unknown."""
        if self.version is None:
            return None
        return self.version[: len(version)] >= version
