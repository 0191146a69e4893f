"""A sample belongs to the one process that can be meant, or to nobody."""

import pytest

from transforms.timers.samples.binding import Named, bind, name_of

STREAMS = "orders-f36bad21-0ab7-49d9-ba1e-2d73c0d926f3"


def named(text: str) -> list[Named]:
    """`unit:client unit:client` of the service `s`; a service of its own stands before a slash."""
    found = []
    for word in text.split():
        unit, _, client = word.partition("=")
        service, _, name = unit.rpartition("/")
        found.append(Named(service or "s", f"{service or 's'}/{name}", client))
    return found


@pytest.mark.parametrize(
    ("metrics", "logs", "expected"),
    [
        pytest.param("metrics.jsonl=c", "app.log=c", "app.log client", id="one log names it"),
        pytest.param("metrics.jsonl=c", "", "- no_log", id="no log"),
        pytest.param("metrics.jsonl=c", "app.log=d", "- no_log", id="a log of another client"),
        pytest.param("metrics.jsonl=c", "t/app.log=c", "- no_log", id="a log of another service"),
        pytest.param("metrics.jsonl=c", "a.log=c b.log=c", "- several_logs", id="two logs name it"),
        pytest.param("b.jsonl=c", "a.log=c b.log=c", "b.log name", id="two logs, one of its name"),
        pytest.param("b.jsonl=c", "b.log=c b.out=c", "- several_logs", id="two logs of its name"),
        pytest.param("m.jsonl=c jmx.csv=c", "app.log=c", "app.log client", id="two collectors"),
        pytest.param(
            "b.jsonl=c a.jsonl=c", "a.log=c", "- several_processes", id="the log's own metrics are others"
        ),
        pytest.param(
            "a.jsonl=c a.jmx.csv=c b.prom=c", "a.log=c", "a.log name", id="two collectors of its name"
        ),
        pytest.param("h1:9404=c", "app.log=c", "app.log client", id="a labelled one"),
        pytest.param("h1:9404=c h2:9404=c", "app.log=c", "- several_processes", id="two labelled ones"),
        pytest.param(
            "h1:9404=c h2:9404=c", "h1.log=c", "h1.log name", id="two labelled ones, a log of its name"
        ),
        pytest.param("app=c", "app=d", "app own", id="declared to be the log's process"),
        pytest.param("m=c app=c", "app=c", "app client", id="beside metrics that are declared its own"),
        pytest.param(
            f"m={STREAMS}",
            f"app.log={STREAMS}-StreamThread-1-consumer",
            "app.log client",
            id="a thread's client",
        ),
        pytest.param(
            f"m={STREAMS}-StreamThread-2-producer", f"app.log={STREAMS}", "app.log client", id="the other way"
        ),
        pytest.param(
            "m=app-StreamThread-1-consumer", "a.log=app b.log=app", "- several_logs", id="a shared client.id"
        ),
    ],
)
def test_the_first_metrics_are_bound(metrics: str, logs: str, expected: str) -> None:
    units, told = named(metrics), named(logs)
    own = {one.unit_id for one in units} & {one.unit_id for one in told}
    labelled = {one.unit_id for one in units if ":" in one.unit_id}
    first = next(one for one in bind(units, told, own, labelled) if one.unit_id == units[0].unit_id)
    process = "-" if first.process_unit_id is None else first.process_unit_id.removeprefix("s/")
    assert f"{process} {first.bound_by}" == expected


def test_the_order_of_arrival_is_nothing() -> None:
    metrics, logs = named("a.jsonl=c m=d a.csv=c"), named("a.log=c b.log=c b.log=d")
    assert bind(metrics, logs) == bind(metrics[::-1] * 2, logs[::-1])


@pytest.mark.parametrize(
    ("unit_id", "name"),
    [
        ("s/pod-1.app.log", "pod-1"),
        ("s/pod-1:9404", "pod-1"),
        ("s/10.0.0.1:9404", "10.0.0.1"),
        ("s/.log", ".log"),
        ("s/metrics", "metrics"),
    ],
)
def test_names_of_units(unit_id: str, name: str) -> None:
    assert name_of(unit_id) == name
