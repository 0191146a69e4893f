"""Whose samples these are: metrics and log of one process are often different files, and so different units.

Nothing in a sample names its log. What binds them is the client.id, within a service, where one log alone names it as its
own. Where more than one process may be meant nothing is bound: another process's metrics would accuse the innocent.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass

from transforms.parse.lines.prefixes import streams_client_of
from transforms.when_used import when_used

OWN, BY_NAME, BY_CLIENT = "own", "name", "client"
NO_LOG, SEVERAL_LOGS, SEVERAL_PROCESSES = "no_log", "several_logs", "several_processes"
BOUND = (OWN, BY_NAME, BY_CLIENT)
UNBOUND = (NO_LOG, SEVERAL_LOGS, SEVERAL_PROCESSES)

_PORT = when_used(r":\d+$")
_ENDINGS = when_used(r"(?:\.[A-Za-z][A-Za-z0-9]*)+$")


@dataclass(frozen=True, slots=True)
class Named:
    """A unit that names a client: a log as its own, or metrics."""

    service: str
    unit_id: str
    client_id: str


@dataclass(frozen=True, slots=True)
class MetricClient:
    """A client of a unit of metrics, and the unit of the log it is bound to. bound_by: one of BOUND or UNBOUND."""

    unit_id: str
    service: str
    client_id: str
    process_unit_id: str | None
    bound_by: str


def bind(
    metrics: Iterable[Named],
    logs: Iterable[Named],
    own: Set[str] = frozenset(),
    labelled: Set[str] = frozenset(),
) -> list[MetricClient]:
    """Each client of the metrics, with the log of its process if that can be told.

    logs: the clients that logs name as their own (no broker's). own: of the metrics' units, those that are a log's too.
    labelled: units of metrics that a collector's labels name: two of them are two processes, as a collector tells them
    apart, where two files may be two collectors of one.
    """
    naming, with_metrics = _units_by_client(logs), list(metrics)
    beside = _units_by_client(with_metrics)
    found = []
    for one in sorted(set(with_metrics), key=lambda named: (named.unit_id, named.client_id, named.service)):
        client = one.service, root_of(one.client_id)
        process, how = (
            (one.unit_id, OWN)
            if one.unit_id in own
            else _process_of(one.unit_id, naming[client], beside[client] - own, labelled)
        )
        found.append(MetricClient(one.unit_id, one.service, one.client_id, process, how))
    return found


def root_of(client_id: str) -> str:
    """What a process calls its client: of a Streams client's threads and their clients, the Streams client."""
    return streams_client_of(client_id) or client_id


def name_of(unit_id: str) -> str:
    """The name of a unit without its service, port and endings: `pod-1` of `pay/pod-1.jmx.csv` and of `pay/pod-1:9404`."""
    instance = _PORT.sub("", unit_id.rpartition("/")[2])
    return _ENDINGS.sub("", instance) or instance


def _process_of(
    unit_id: str, logs: Set[str], metrics: Set[str], labelled: Set[str]
) -> tuple[str | None, str]:
    """logs, metrics: units that name the client."""
    if not logs:
        return None, NO_LOG
    alike = [log for log in logs if name_of(log) == name_of(unit_id)]
    if len(alike) == 1:
        return alike[0], BY_NAME
    if len(logs) > 1:
        return None, SEVERAL_LOGS
    (log,) = logs
    if any(name_of(other) == name_of(log) for other in metrics) or len(metrics & labelled) > 1:
        return None, SEVERAL_PROCESSES
    return log, BY_CLIENT


def _units_by_client(named: Iterable[Named]) -> dict[tuple[str, str], Set[str]]:
    units: dict[tuple[str, str], set[str]] = defaultdict(set)
    for one in named:
        units[one.service, root_of(one.client_id)].add(one.unit_id)
    return defaultdict(frozenset, units)


def processes(bound: Iterable[MetricClient]) -> dict[tuple[str, str], str]:
    """The process of each unit and client of metrics."""
    return {(one.unit_id, one.client_id): one.process_unit_id for one in bound if one.process_unit_id}


@dataclass(frozen=True, slots=True)
class Bindings:
    """clients: of all metrics in the lake. stale: units of metrics whose rows in the lake are others.

    touched: processes whose evidence is not what they were judged by.
    """

    clients: Sequence[MetricClient] = ()
    stale: Sequence[str] = ()
    touched: frozenset[str] = frozenset()

    @classmethod
    def of_change(
        cls, before: Iterable[MetricClient], now: Sequence[MetricClient], fresh: Iterable[str]
    ) -> "Bindings":
        """fresh: units of metrics of which samples were read."""
        changed, read = set(now) ^ set(before), set(fresh)
        touched = {one.process_unit_id for one in changed | {one for one in now if one.unit_id in read}}
        return cls(now, sorted({one.unit_id for one in changed}), frozenset(filter(None, touched)))

    def of(self, processes: Iterable[str]) -> list[MetricClient]:
        """What is bound to these processes."""
        wanted = frozenset(processes)
        return [one for one in self.clients if one.process_unit_id in wanted]


NO_METRICS = Bindings()
