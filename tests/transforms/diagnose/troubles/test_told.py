"""Incidents that were told are found as if each had been looked at."""

from hypothesis import given, settings
from hypothesis import strategies as st

from transforms.diagnose.incident import Incident
from transforms.diagnose.troubles.told import Told, is_beside
from transforms.diagnose.troubles.trouble import HEALS_WITHIN_MS
from transforms.timers.clients.troubles import TroubleLines

CLIENTS = st.sampled_from([
    "a", "b", "a-b", "a-1-StreamThread-1", "a-1-StreamThread-1-consumer", "a-1-StreamThread-2-producer", "a-1-admin", "a-1",
    "a.1", "a-1-2-StreamThread-1", "", "-",
])  # fmt: skip
TIMES = st.none() | st.integers(-3, 12).map(lambda steps: 10**9 + steps * HEALS_WITHIN_MS // 2)
FAULTS = ["died", "delivery", "membership"]
EVENTS = st.lists(st.sampled_from("pqrstu"), max_size=3)
PROCESSES = st.sampled_from([("u", 0), ("u", 1), ("v", 0)])


def _incident(
    clients: list[str], events: list[str], process: tuple[str, int], *times: int | None, fault: str = "died"
) -> Incident:
    dated = sorted(at for at in times if at is not None)
    started_at, ended_at = (dated[0] if dated else None), (dated[1] if len(dated) > 1 else None)
    unit_id, incarnation = process
    return Incident(
        incident_id="id", kind=fault, started_at=started_at, ended_at=ended_at, title="title", cause="cause",
        cause_confidence="unknown", verdict="as_designed", impact="none", observed_ms=None, limit_ms=None, limit_origin=None,
        advice="advice", client_ids=clients, event_ids=events, unit_id=unit_id, incarnation=incarnation, scope_id=unit_id,
        service=None, instance=None,
    )  # fmt: skip


def _lines(
    client: str | None, events: list[str], process: tuple[str, int], *times: int | None
) -> TroubleLines:
    dated = sorted(at for at in times if at is not None)
    first_at, last_at = (dated[0] if dated else None), (dated[1] if len(dated) > 1 else None)
    return TroubleLines(
        unit_id=process[0], incarnation=process[1], client_id=client, event_ids=events, trouble_id="t",
        message_id="m", kind="disconnect", first_at=first_at, last_at=last_at,
    )  # fmt: skip


TOLD = st.builds(
    _incident,
    st.lists(CLIENTS, max_size=2),
    EVENTS,
    PROCESSES,
    TIMES,
    TIMES,
    fault=st.sampled_from(["none", *FAULTS]),
)
LINES = st.builds(_lines, st.none() | CLIENTS, EVENTS, PROCESSES, TIMES, TIMES)


@settings(max_examples=400)
@given(told=st.lists(TOLD, max_size=12), lines=LINES, faults=st.sets(st.sampled_from(FAULTS)))
def test_found_are_those_that_a_look_at_each_finds(
    told: list[Incident], lines: TroubleLines, faults: set[str]
) -> None:
    known = Told(told, _fault_of)
    beside = [incident for incident in told if incident.kind in faults and is_beside(incident, lines)]
    assert list(map(id, known.beside(lines, faults))) == list(map(id, beside))
    of_lines = [incident for incident in told if not set(lines.event_ids).isdisjoint(incident.event_ids)]
    assert list(map(id, known.of_lines(lines.event_ids))) == list(map(id, of_lines))


def _fault_of(incident: Incident) -> str | None:
    return None if incident.kind == "none" else incident.kind


def test_few_are_looked_at_of_thousands() -> None:
    """Those of one client and time, whoever else has trouble."""
    told = [_incident([f"p-{n}"], [], ("u", 0), 10**9 + 1000 * n) for n in range(2000)]
    looked_at: list[str] = []

    class Watched(list[str]):
        def __iter__(self):  # type: ignore[no-untyped-def]
            looked_at.extend(self[:])
            return super().__iter__()

    known = Told(told, _fault_of)
    for incident in told:
        incident.client_ids = Watched(incident.client_ids)
    found = known.beside(_lines("p-7", [], ("u", 0), 10**9 + 7000), {"died"})
    assert [one.client_ids[0] for one in found] == ["p-7"]
    assert looked_at == ["p-7"]
    assert known.beside(_lines(None, [], ("u", 0), 10**9 + 7000), {"delivery"}) == []
    assert looked_at == ["p-7"]
