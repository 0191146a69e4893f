"""What a story needs of the lake: a window of time of a service and its groups, with lines, settings and samples."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import chain

from dashboards.queries.base import Answer, LakeReader, Row
from dashboards.queries.episodes import REBALANCES, SESSIONS, TIMES, newest_of, with_open
from dashboards.queries.proof import EPISODE_IDS
from dashboards.queries.sql import Where, equal
from transforms.episodes import lanes
from transforms.episodes.lane_settings import SETTINGS

MOST_EVENTS = 2_000
MOST_SAMPLES = 20_000
MOST_SUBJECTS = 200
MOST_EPISODES = 2_000  # of a table
GROUPED = (SESSIONS, REBALANCES)


@dataclass(frozen=True, slots=True)
class Window(lanes.Window):
    """What part of time is asked for. service: None for all; groups: ids of groups whose members elsewhere belong to it."""

    service: str | None = None
    groups: tuple[str, ...] = ()


@dataclass(slots=True)
class Scene:
    """All rows of a window. clocks: unit_id -> largest happened_at; left_out: table -> rows beyond what is read.

    state, problem: of the first table that is not there or could not be read, as of Answer.
    """

    episodes: dict[str, list[Row]] = field(default_factory=dict)
    events: list[Row] = field(default_factory=list)
    clocks: dict[str, int] = field(default_factory=dict)
    left_out: dict[str, int] = field(default_factory=dict)
    state: str = "ok"
    problem: str | None = None


def scene(lake: LakeReader, window: Window, kinds: Sequence[str]) -> Scene:
    """The episodes that reach into the window, and its events of these kinds."""
    found = Scene()
    for table in TIMES:
        found.episodes[table] = _episodes(lake, table, window, found)
    where: list[Where] = [("happened_at", ">=", window.since), ("happened_at", "<=", window.until)]
    where += [("kind", "in", list(kinds)), *equal(service=window.service)]
    columns = ("event_id", "happened_at", "kind", "client_kind", "client_id", "task_id", "thread", "topic", "partition",
               "node_id", "api", "error_class", "elapsed_ms", "member_id", "benign", "unit_id", "service",
               "instance", "group_id")  # fmt: skip
    events = lake.read("silver.client_events", columns, where, [("ordered_at", "ascending")], MOST_EVENTS)
    _note(found, "silver.client_events", events)
    found.events = events.rows
    found.clocks = newest_of(lake, chain(*found.episodes.values()))
    found.episodes = {
        table: lanes.reaching(rows, found.clocks, window.since) for table, rows in found.episodes.items()
    }
    return found


def episodes_of(lake: LakeReader, subject_ids: Sequence[str]) -> list[tuple[str, Row]]:
    """The rows of these episodes with their tables, in the order of the ids; of a sequence of waits all."""
    found: dict[str, list[tuple[str, Row]]] = {}
    for table, column in EPISODE_IDS.items():
        for row in lake.among(table, column, subject_ids[:MOST_SUBJECTS]):
            found.setdefault(row[column], []).append((table, row))
    return [one for subject in subject_ids for one in found.get(subject, [])]


def libraries(lake: LakeReader, row: Row) -> list[str]:
    """The client libraries, with their versions, whose words the process of a finding or incident wrote, as far as known."""
    if row.get("unit_id") is None:
        return []
    of_unit: list[Where] = [("unit_bucket", "=", row["unit_bucket"]), ("unit_id", "=", row["unit_id"])]
    found = lake.count_by("silver.client_events", ["client_library", "client_version"], of_unit).rows
    known = {(one["client_library"] or "client", one["client_version"]) for one in found}
    versioned = {library for library, version in known if version}
    named = {library for library, version in known if not version and library not in (*versioned, "client")}
    return sorted(named | {f"{library} {version}" for library, version in known if version})


def services(lake: LakeReader) -> list[str]:
    """All services that a source was read of, by name."""
    rows = lake.count_by("bronze.accounting", ["service"]).rows
    return sorted(row["service"] for row in rows if row["service"])


def newest_line(lake: LakeReader, service: str | None) -> int | None:
    """When the newest line with a time was written, of a service or of all; None where there is none."""
    if service is None:
        return lake.largest("silver.client_events", "happened_at")
    where: list[Where] = [("service", "=", service), ("happened_at", "null", False)]
    order = [("happened_at", "descending")]
    rows = lake.read("silver.client_events", ["happened_at"], where, order, 1, is_counted=False).rows
    return rows[0]["happened_at"] if rows else None


def incidents_in(lake: LakeReader, window: Window, most: int = 20) -> list[Row]:
    """The incidents that began in the window, trouble before what is normal, the first of it first."""
    where: list[Where] = [("started_at", ">=", window.since), ("started_at", "<=", window.until)]
    where += [*equal(service=window.service), ("verdict", "!=", "benign")]
    return lake.read("gold.incidents", where=where, order=[("started_at", "ascending")], limit=most).rows


def settings(lake: LakeReader, unit_ids: Iterable[str], names: Sequence[str] = SETTINGS) -> list[Row]:
    """The effective values of these settings in these processes."""
    where: list[Where] = [("unit_id", "in", sorted(set(unit_ids))), ("name", "in", list(names))]
    order = [("client_id", "ascending"), ("name", "ascending"), ("from_at", "ascending")]
    return lake.read("silver.client_settings", where=where, order=order).rows


def samples(lake: LakeReader, window: Window, clients: Iterable[str], attributes: Sequence[str]) -> list[Row]:
    """The samples of these attributes of these clients; a metric's process is another than its log's, the client is not."""
    wanted = sorted(set(clients))
    if not wanted or not attributes:
        return []
    where: list[Where] = [
        ("client_id", "in", wanted),
        ("attribute", "in", list(attributes)),
        *equal(service=window.service),
    ]
    where += [("sampled_at", ">=", window.since), ("sampled_at", "<=", window.until)]
    columns = ("sampled_at", "client_id", "attribute", "mbean", "value", "unit_id")
    order = [("sampled_at", "ascending")]
    return lake.read("silver.metric_samples", columns, where, order, MOST_SAMPLES).rows


def lines_around(lake: LakeReader, source_id: str, position: int, how_many: int = 10) -> list[Row]:
    """The kept records of a source before and after a place in it, that one included, in the source's order."""
    columns = ("record_id", "logged_at", "line", "offset", "position", "source", "text", "level")
    here: Where = ("source_id", "=", source_id)
    before = lake.read("bronze.log_records", columns, [here, ("position", "<", position)],
                       [("position", "descending")], how_many)  # fmt: skip
    after = lake.read("bronze.log_records", columns, [here, ("position", ">=", position)],
                      [("position", "ascending")], how_many + 1)  # fmt: skip
    return [*reversed(before.rows), *after.rows]


def _episodes(lake: LakeReader, table: str, window: Window, found: Scene) -> list[Row]:
    """Those that reach into the window, of the service and of its groups elsewhere."""
    begin, end = TIMES[table]
    reach: Where = (begin, "meets", (end, window.since, window.until))
    scopes = [equal(service=window.service)]
    if table in GROUPED and window.service is not None and window.groups:
        scopes.append([("group_id", "in", list(window.groups))])
    rows: dict[tuple[str, int], Row] = {}
    for scope in scopes:
        answer = with_open(lake, table, [*scope, reach], [(begin, "ascending")], MOST_EPISODES)
        _note(found, table, answer)
        for row in answer.rows:
            rows[row[EPISODE_IDS[table]], row.get("failures") or 0] = row
    return list(rows.values())


def _note(found: Scene, table: str, answer: Answer) -> None:
    if found.state in ("ok", "missing") and answer.state != "ok":
        found.state, found.problem = answer.state, answer.problem
    if (more := answer.total - len(answer.rows)) > 0:
        found.left_out[table] = found.left_out.get(table, 0) + more
