"""Each injected fault of the recordings, and what incident names it: `python -m lab.score.named_faults [--write PAGE]`.

A fault is named where an incident that is not benign, of a kind that such a fault causes, is told in its time or in the
two minutes after it. Impact: batches whose callbacks failed by the clients' own records, against incidents that say lost.
"""

import argparse
import gzip
import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lab.corpus import Recording, ms, recordings
from lab.score.pure import story_of
from transforms.diagnose.incident import Incident

AFTER_MS = 120_000
BEFORE_MS = 2_000
_CONNECTION = ("requests_unanswered", "request_timed_out", "disconnected", "connect_", "no_metadata_yet")
_TASK = (
    "task_",
    "streams_",
    "commit_",
    "global_",
    "metadata_timed_out",
    "topic_missing",
    "init_transactions",
)
# Beginnings of the kinds that tell of a fault, by how its name begins. Without an entry it is no fault: a member that joins.
KINDS: dict[str, tuple[str, ...]] = {
    "sink_topic_missing": _TASK,
    "topic_missing": ("metadata_timed_out", "topic_missing", "call_timed_out"),
    "isr_": ("not_enough_replicas", "batches_", "batch_", "produce_"),
    "heartbeat": ("membership_", "session_timed_out", "member_", "coordinator_", *_CONNECTION),
    "produce_": ("batches_", "batch_", "produce_", "ended_with", *_CONNECTION),
    "blackhole_": ("batches_", "batch_", "produce_", *_CONNECTION),
    "network_": ("batches_", "batch_", "produce_", *_CONNECTION),
    "offset_commit": ("commit_", *_TASK, *_CONNECTION),
    "client_sig": ("membership_", "session_timed_out", "member_"),
    "client_kill9": ("membership_", "session_timed_out", "member_"),
    "freeze_": ("membership_", "session_timed_out", "member_"),
    "broker_sig": (*_CONNECTION, "batches_", "coordinator_", *_TASK),
    "broker_kill9": (*_CONNECTION, "batches_", "coordinator_", *_TASK),
    "initproducerid": (*_TASK, *_CONNECTION),
    "global_listoffsets": (*_TASK, *_CONNECTION, "position_"),
    "createtopics": ("leader_loop", *_TASK, "admin_", *_CONNECTION),
    "connections_reset": _CONNECTION,
    "coordinator_unavailable": ("coordinator_", "admin_", "commit_"),
    "duplicate_instance_id": ("membership_fenced", "member_fenced", "fenced"),
}
# Faults that no incident should name, and why.
NOTHING_WENT_WRONG = {
    (
        "p62-pause-gc-28",
        "client_sigstop",
    ): "no limit was reached: it stood still for 4 s, inside every timeout",
}
ENDS = ("_end", "_sigcont", "_created", "_thaw", "_started", "_restarted", "_joins")


@dataclass(frozen=True)
class Named:
    """A fault of a recording, and the incident that names it, if any. at: ms UTC."""

    recording: str
    fault: str
    at: int
    incident: Incident | None


@dataclass(frozen=True)
class Impact:
    """Sends of a recording whose callbacks failed or never came, and whether an incident says that records were lost."""

    recording: str
    failed: int
    is_told: bool

    @property
    def agrees(self) -> bool:
        """Whether both say the same."""
        return (self.failed > 0) == self.is_told


def named_in(recording: Recording, incidents: Sequence[Incident]) -> Iterator[Named]:
    """Each injected fault with the incident that names it: of several the one that began first after it."""
    faults = recording.truth["injected_faults"]
    for number, entry in enumerate(faults):
        kinds = _kinds(entry["fault"])
        if not kinds or entry["fault"].endswith(ENDS):
            continue
        at = ms(entry["t"])
        until = max([at, *(ms(later["t"]) for later in faults[number + 1 :])]) + AFTER_MS
        found = [one for one in incidents if one.kind.startswith(kinds) and _meets(one, at, until)]
        yield Named(recording.name, entry["fault"], at, min(found, key=_began, default=None))


def impact_of(recording: Recording, incidents: Iterable[Incident]) -> Impact | None:
    """What the clients' own records say of their sends; None where none sent anything."""
    told = list(_events(recording))
    callbacks = [event for event in told if event.get("event") in ("callback", "send_done")]
    if not callbacks:
        return None
    failed = sum(bool(event.get("exc")) for event in callbacks)
    if any(event.get("event") == "end" for event in told):  # what had no callback by then never gets one
        failed += max(0, sum(event.get("event") == "send_call" for event in told) - len(callbacks))
    return Impact(recording.name, failed, any(one.impact == "lost" for one in incidents))


def _kinds(fault: str) -> tuple[str, ...]:
    return next((kinds for begins, kinds in KINDS.items() if fault.startswith(begins)), ())


def _meets(incident: Incident, since: int, until: int) -> bool:
    if incident.started_at is None:
        return True
    ended = incident.ended_at if incident.ended_at is not None else incident.started_at
    return incident.started_at <= until and ended >= since - BEFORE_MS


def _began(incident: Incident) -> tuple[int, str]:
    return (incident.started_at or 0, incident.incident_id)


def _events(recording: Recording) -> Iterator[dict[str, Any]]:
    for path in sorted(recording.folder.glob("*.events.jsonl.gz")):
        for line in gzip.decompress(path.read_bytes()).decode().splitlines():
            yield json.loads(line)


def page(named: Sequence[Named], impacts: Sequence[Impact]) -> str:
    """Both tables as Markdown."""
    known = sum(one.incident is not None for one in named)
    agree = sum(one.agrees for one in impacts)
    lines = [
        "# Injected faults of the recordings, and the incidents that name them",
        "",
        "<!-- Made by `python -m lab.score.named_faults --write docs/named-faults.md`; don't edit. -->",
        "",
        f"{known} of {len(named)} faults are named by an incident that is not benign, of a kind that such a fault causes.",
        "",
        "| recording | fault | incident | what it says |",
        "|---|---|---|---|",
    ]
    for one in named:
        kind, title = (
            (one.incident.kind, one.incident.title)
            if one.incident
            else ("none", NOTHING_WENT_WRONG.get((one.recording, one.fault), "NOT NAMED"))
        )
        lines.append(f"| {one.recording} | {one.fault} | {kind} | {title.replace('|', '/')} |")
    lines += [
        "",
        f"Impact: in {agree} of {len(impacts)} recordings with sends, an incident says that records were lost exactly where "
        "callbacks of the client failed.",
        "",
        "| recording | failed callbacks | told as lost | agrees |",
        "|---|---|---|---|",
    ]
    lines += [
        f"| {one.recording} | {one.failed} | {'yes' if one.is_told else 'no'} | {'yes' if one.agrees else 'NO'} |"
        for one in impacts
    ]
    return "\n".join(lines) + "\n"


def main() -> int:
    """Print what is not named and where impact disagrees; write the page."""
    parser = argparse.ArgumentParser(prog="python -m lab.score.named_faults", description=__doc__)
    parser.add_argument("--write", type=Path, metavar="PAGE")
    parser.add_argument("names", nargs="*", metavar="NAME")
    options = parser.parse_args()
    named: list[Named] = []
    impacts: list[Impact] = []
    for recording in recordings(*options.names):
        trouble = [one for one in story_of(recording).incidents if one.verdict != "benign"]
        named += named_in(recording, trouble)
        if (impact := impact_of(recording, trouble)) is not None:
            impacts.append(impact)
    made = page(named, impacts)
    if options.write is not None:
        options.write.write_text(made, encoding="utf-8")
    print(
        "\n".join(
            line for line in made.splitlines() if "| none |" in line or "| NO |" in line or " of " in line[:8]
        )
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
