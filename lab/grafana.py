"""The Grafana dashboard over kipwatch's gauges, made by Grafana's own builders: `python -m lab.grafana`."""

from pathlib import Path

from grafana_foundation_sdk.builders import dashboard, prometheus, stat, table, timeseries
from grafana_foundation_sdk.cog.encoder import JSONEncoder
from grafana_foundation_sdk.models import dashboard as models

FILE = Path(__file__).parents[1] / "conf" / "prometheus" / "grafana.json"
SOURCE = models.DataSourceRef(type_val="prometheus", uid="${datasource}")
HALF, ROW = 12, 8


def query(
    expression: str, legend: str = "", *, is_instant: bool = False, name: str = "A"
) -> prometheus.Dataquery:
    one = prometheus.Dataquery().expr(expression).legend_format(legend).ref_id(name)
    return one.instant() if is_instant else one


def built() -> str:
    """The dashboard as JSON, as Grafana imports it."""
    severe = 'kipwatch_incidents_open{verdict="broken"} or kipwatch_incidents_open{impact=~"lost|duplicated"}'
    panels = (
        stat.Panel()
        .title("Broken, lost or duplicated")
        .description(
            "Incidents that go on in which a promise was broken, or records were lost or processed twice."
        )
        .with_target(query(f"sum({severe}) or vector(0)", is_instant=True)),
        stat.Panel()
        .title("Least time left of an open timer")
        .unit("s")
        .with_target(query("min by (kind) (kipwatch_timer_remaining_seconds)", "{{kind}}", is_instant=True)),
        timeseries.Panel()
        .title("Incidents that go on")
        .with_target(query("sum by (service, kind) (kipwatch_incidents_open)", "{{service}} {{kind}}")),
        table.Panel()
        .title("Broken rules")
        .with_target(
            query("sort_desc(sum by (rule_id, category) (kipwatch_violations))", is_instant=True).format(
                "table"
            )
        ),
        timeseries.Panel()
        .title("How far kipwatch is behind")
        .unit("s")
        .with_target(query("kipwatch_lag_seconds", "newest record"))
        .with_target(query("time() - kipwatch_last_trigger_timestamp_seconds", "last trigger", name="B")),
        timeseries.Panel()
        .title("Triggers that failed, pieces that no reader understood")
        .with_target(query("increase(kipwatch_failures_total[5m])", "failed"))
        .with_target(query("increase(kipwatch_quarantined_total[5m])", "not understood", name="B")),
    )
    whole = (
        dashboard.Dashboard("kipwatch")
        .uid("kipwatch")
        .tags(["kafka", "kipwatch"])
        .refresh("30s")
        .time("now-6h", "now")
        .timezone("browser")
        .with_variable(dashboard.DatasourceVariable("datasource").label("Prometheus").type("prometheus"))
    )
    for panel in panels:
        whole = whole.with_panel(panel.datasource(SOURCE).span(HALF).height(ROW))
    return JSONEncoder(sort_keys=True, indent=2).encode(whole.build()) + "\n"


if __name__ == "__main__":
    FILE.write_text(built(), encoding="utf-8")
