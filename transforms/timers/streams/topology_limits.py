"""Which task.timeout.ms holds for a task: a topology may override the application's (TopologyConfig, 3.2 and later).

"Topology NAME is overriding task.timeout.ms to MS" (INFO) names no client. Tasks of a named topology carry its
name (`NAME__0_1`), those of the unnamed one ("null") carry none.
"""

from collections import defaultdict
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from transforms.events import ClientEvent
from transforms.timers.profile import ClientProfile, Setting

OVERRIDE = "topology-override-task-timeout"
LIMIT = "task.timeout.ms"
UNNAMED = "null"
AMBIGUOUS = "ambiguous"
TOPOLOGIES_KEPT = 256
_PREFIX = "topology."

LIMIT_UNKNOWN = ("task.timeout.ms unknown", "the StreamsConfig dump of the application's start (INFO)")
TOPOLOGY_UNKNOWN = (
    "topology of the task unknown",
    "task ids with their topology's name, or one Streams application in each process",
)


@dataclass(slots=True)
class TopologyLimits:
    """Learns overrides as they are logged, before any task runs, and adds them to profiles of Streams."""

    overrides: dict[int, dict[str, Setting]] = field(default_factory=partial(defaultdict, dict))
    applications: dict[int, set[str]] = field(default_factory=partial(defaultdict, set))
    made: dict[int, tuple[ClientProfile, ClientProfile]] = field(default_factory=dict)

    def __getstate__(self) -> tuple[None, dict[str, Any]]:
        """Without what was made on the way: its keys are identities of this process's objects."""
        return None, {"overrides": self.overrides, "applications": self.applications, "made": {}}

    def step(self, event: ClientEvent) -> None:
        """Take a line about an override, or about a Streams application."""
        if event.kind == "config_dump" and event.client_kind == "streams":
            self.applications[event.incarnation].add(event.details.get("config.application.id", ""))
            self.made.clear()
        elif event.message_id == OVERRIDE and event.details.get("config_name") == LIMIT:
            known = self.overrides[event.incarnation]
            if len(known) < TOPOLOGIES_KEPT:
                name = f"{_PREFIX}{event.details.get('topology', UNNAMED)}.{LIMIT}"
                value = event.details.get("value", "")
                known[name] = Setting(name, value, "logged", event.happened_at, None, event.event_id)
            self.made.clear()

    def on(self, profile: ClientProfile) -> ClientProfile:
        """The profile with the overrides of its process."""
        if not self.overrides or profile.client_kind != "streams":
            return profile
        overrides = self.overrides.get(profile.incarnation)
        if not overrides:
            return profile
        kept = self.made.get(id(profile))
        if kept is None or kept[0] is not profile:
            if len(self.applications[profile.incarnation]) > 1:
                overrides = {name: replace(one, value=AMBIGUOUS) for name, one in overrides.items()}
            made = replace(profile, settings={**profile.settings, **overrides}, overrides=tuple(overrides))
            kept = self.made[id(profile)] = (profile, made)
        return kept[1]


def task_timeout_of(profile: ClientProfile | None, task_id: str | None) -> Setting | None:
    """task.timeout.ms as it holds for a task; None while it is unknown, or which topology the task is of."""
    if profile is None:
        return None
    if not profile.overrides:
        return profile.whole(LIMIT)
    topology, is_named, _ = (task_id or "").partition("__")
    own = f"{_PREFIX}{topology if is_named else UNNAMED}.{LIMIT}"
    if own in profile.overrides:
        return profile.whole(own)  # none where it is ambiguous whose it is
    is_other = is_named and profile.settings[profile.overrides[0]].value != AMBIGUOUS
    return profile.whole(LIMIT) if is_other else None


def why_unknown(profile: ClientProfile | None) -> tuple[str, str]:
    """Reason, and what would settle it, where task_timeout_of() gives none, or none that is proven."""
    return TOPOLOGY_UNKNOWN if profile is not None and profile.overrides else LIMIT_UNKNOWN
