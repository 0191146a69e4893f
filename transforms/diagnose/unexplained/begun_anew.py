"""Processes that began anew in their own log, and of which no line tells that they had ended: what a kill leaves behind."""

from collections import defaultdict
from collections.abc import Iterable, Mapping

from transforms.diagnose.causes.brokers import BEGAN_ANEW
from transforms.diagnose.incident import Incident
from transforms.diagnose.unexplained.source_read import ReadRecord
from transforms.diagnose.wording.words import counted
from transforms.events import ClientEvent
from transforms.timers.clients.incarnations import BROKER_STARTS


def begun_anew(
    events: Iterable[ClientEvent], incidents: Iterable[Incident], records: Mapping[str, ReadRecord]
) -> list[str]:
    """What is said of them: a sentence for each process, with the place of its first such start.

    Clients alone tell of a start by being made while they are open; of a broker's starts those are told of which no line
    says how it had ended.
    """
    of_brokers = {one.event_ids[0] for one in incidents if one.kind == BEGAN_ANEW}
    seen: dict[str, int] = defaultdict(int)
    found: dict[str, list[ClientEvent]] = defaultdict(list)
    # No others tell of a start; most logs have none of these.
    for event in sorted((event for event in events if event.incarnation), key=lambda event: event.order):
        is_start, seen[event.unit_id] = event.incarnation > seen[event.unit_id], event.incarnation
        is_told = event.event_id in of_brokers if event.message_id == BROKER_STARTS else is_start
        if is_told and event.record_id in records:
            found[event.unit_id].append(event)
    return [_said(starts, records[starts[0].record_id]) for starts in found.values()]


def _said(starts: list[ClientEvent], first: ReadRecord) -> str:
    is_broker = starts[0].message_id == BROKER_STARTS
    broker_id = starts[0].details.get("broker_id", "")
    who = f"broker {broker_id}" if broker_id else "the broker" if is_broker else "the process"
    times = f" ({counted(len(starts), 'time')})" if len(starts) > 1 else ""
    ended = "no line tells of a shutdown" if is_broker else "no line tells that its clients were closed"
    why = (
        "it was killed, another one was started beside it, or lines are missing"
        if is_broker
        else "it was killed, or several write this log"
    )
    return f"At {first.source}:{first.line} {who} began anew{times}, and {ended} before: {why}."
