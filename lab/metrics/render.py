"""Renders facts of a client's MBeans as each collector writes them: the other way of the readers in transforms/parse."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import groupby

from transforms.parse.metrics.samples import quoted


@dataclass(frozen=True)
class Fact:
    """One attribute of one MBean at one whole second. value None: NaN. tags: unquoted, without `type`."""

    at_s: int
    domain: str
    type: str
    attribute: str
    value: float | None
    tags: Mapping[str, str] = field(default_factory=dict)

    @property
    def object_name(self) -> str:
        """In registration order, as Kafka's JmxReporter names it."""
        return f"{self.domain}:" + ",".join(
            f"{k}={quoted(v)}" for k, v in {"type": self.type, **self.tags}.items()
        )

    @property
    def sorted_name(self) -> str:
        """With keys sorted, as Jolokia's canonicalNaming has it."""
        tags = {"type": self.type, **self.tags}
        return f"{self.domain}:" + ",".join(f"{key}={quoted(tags[key])}" for key in sorted(tags))

    @property
    def row(self):
        """What every reader must make of it."""
        keys = ["type", *sorted(self.tags)]
        tags = {"type": self.type, **self.tags}
        name = f"{self.domain}:" + ",".join(f"{key}={quoted(tags[key])}" for key in keys)
        return (self.at_s * 1000, name, self.attribute, self.value, None, tags, self.tags.get("client-id"))


def number(value: float | None) -> str:
    """As Java's Double prints NaN."""
    return "NaN" if value is None else repr(value)


def flat(text: str) -> str:
    return text.replace(".", "_").replace("-", "_")


def escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def _response(fact: Fact, mbean: str, value: object, **request: object) -> dict:
    return {
        "request": {"type": "read", "mbean": mbean, **request},
        "value": value,
        "status": 200,
        "timestamp": fact.at_s,
    }


def jolokia_single(facts: Iterable[Fact]) -> str:
    return "".join(
        json.dumps(_response(f, f.sorted_name, f.value, attribute=f.attribute)) + "\n" for f in facts
    )


def jolokia_pattern_bulk(facts: Iterable[Fact]) -> str:
    bulk = [_response(f, f"{f.domain}:*", {f.object_name: {f.attribute: f.value}}) for f in facts]
    return json.dumps(bulk, ensure_ascii=False) + "\n"


def jolokia_pretty(facts: Iterable[Fact]) -> str:
    return json.dumps(
        [_response(f, f.object_name, {f.attribute: f.value}) for f in facts], indent=2, ensure_ascii=False
    )


def _labels(tags: Mapping[str, str]) -> str:
    return ",".join(f'{name}="{escaped(value)}"' for name, value in tags.items())


def prometheus_default(facts: Iterable[Fact]) -> str:
    """jmx_exporter without rules; the time of a scrape is in a comment above it."""
    lines = []
    for at_s, scrape in groupby(sorted(facts, key=lambda f: f.at_s), key=lambda f: f.at_s):
        lines.append(f"# scraped_at {at_s}")
        for f in scrape:
            name = f"{flat(f.domain)}_{flat(f.type)}_{flat(f.attribute)}"
            lines.append(f"# HELP {name} {f.domain}:name=null,type={f.type},attribute={f.attribute}")
            lines.append(f"# TYPE {name} untyped")
            labels = _labels({flat(k): quoted(v) for k, v in f.tags.items()})
            lines.append(f"{name}{{{labels},}} {number(f.value)}")
    return "\n".join(lines) + "\n"


def prometheus_rules(facts: Iterable[Fact]) -> str:
    """jmx_exporter's rules for Connect: `kafka_$2_$5`, clientId without quotes, samples with a time."""
    lines = ["# HELP up of a collector", "# TYPE up gauge", "up 1 1700000000000"]
    for f in facts:
        name = f"kafka_{flat(f.type.removesuffix('-metrics'))}_{flat(f.attribute)}"
        labels = _labels({k.replace("-id", "Id"): v for k, v in f.tags.items()})
        lines.append(f"{name}{{{labels}}} {number(f.value)} {f.at_s * 1000}")
    return "\n".join(lines) + "\n"


def open_metrics(facts: Iterable[Fact]) -> str:
    """Times in seconds, `_total` counters under a family's name, an exemplar, quoted names."""
    lines = []
    for f in facts:
        name = f"kafka.{f.type.removesuffix('-metrics')}.{f.attribute}"
        labels = ",".join(f'"{k}"="{escaped(v)}"' for k, v in f.tags.items())
        lines.append(f'{{"{name}",{labels}}} {number(f.value)} {f.at_s}.0 # {{trace_id="a"}} 1.0')
    return "# TYPE x unknown\n" + "\n".join([*lines, "# EOF"]) + "\n"


def query_range(facts: Iterable[Fact]) -> str:
    result = []
    for f in facts:
        name = f"{flat(f.domain)}_{flat(f.type)}_{flat(f.attribute)}"
        metric = {"__name__": name, "job": "j", "instance": "h:1"} | {
            flat(k): quoted(v) for k, v in f.tags.items()
        }
        result.append({"metric": metric, "values": [[f.at_s, number(f.value)]]})
    return json.dumps({"status": "success", "data": {"resultType": "matrix", "result": result}})


def jmxtool_wide(facts: Iterable[Fact]) -> str:
    """A header for each time, as if the tool had been started again."""
    lines = []
    for at_s, scrape in groupby(sorted(facts, key=lambda f: f.at_s), key=lambda f: f.at_s):
        row = sorted(scrape, key=lambda f: f"{f.object_name}:{f.attribute}")
        lines.append(",".join(['"time"', *(f'"{f.object_name}:{f.attribute}"' for f in row)]))
        lines.append(",".join([str(at_s * 1000), *(number(f.value) for f in row)]))
    return "\n".join(lines) + "\n"


def jmxtool_csv(facts: Iterable[Fact]) -> str:
    return "".join(
        f'time,"{f.at_s * 1000}"\n{f.object_name}:{f.attribute},"{number(f.value)}"\n' for f in facts
    )


def jmxtool_tsv(facts: Iterable[Fact]) -> str:
    return "".join(
        f"time\t{f.at_s * 1000}\n{f.object_name}:{f.attribute}\t{number(f.value)}\n" for f in facts
    )


def jmxtool_properties(facts: Iterable[Fact]) -> str:
    return "".join(f"time={f.at_s * 1000}\n{f.object_name}:{f.attribute}={number(f.value)}\n" for f in facts)


def _attributes(tags: Mapping[str, str]) -> list[dict]:
    return [{"key": key, "value": {"stringValue": value}} for key, value in tags.items()]


def otlp(facts: Iterable[Fact]) -> str:
    """KIP-714's names, one request a line."""
    lines = []
    for f in facts:
        name = f"org.apache.kafka.{f.type.removesuffix('-metrics')}.{f.attribute}".replace("-", ".")
        point = {
            "attributes": _attributes({flat(k): v for k, v in f.tags.items()}),
            "timeUnixNano": str(f.at_s * 10**9),
            "asDouble": "NaN" if f.value is None else f.value,
        }
        scope = {"metrics": [{"name": name, "gauge": {"dataPoints": [point]}}]}
        resource = {"attributes": _attributes({"service.name": "s"})}
        lines.append(json.dumps({"resourceMetrics": [{"resource": resource, "scopeMetrics": [scope]}]}))
    return "\n".join(lines) + "\n"


def telegraf(facts: Iterable[Fact]) -> str:
    return "".join(
        json.dumps(
            {
                "fields": {f.attribute: f.value},
                "name": flat(f"{f.domain}_{f.type}"),
                "tags": {"host": "h", **f.tags},
                "timestamp": f.at_s,
            }
        )
        + "\n"
        for f in facts
    )


def metricbeat(facts: Iterable[Fact]) -> str:
    lines = []
    for f in facts:
        moment = f"{_iso(f.at_s)}.000Z"
        fields = {"mbean": f.object_name, "metrics": {flat(f.attribute): f.value}}
        lines.append(
            json.dumps(
                {"@timestamp": moment, "metricset": {"name": "jmx"}, "jolokia": {"kafka_clients": fields}}
            )
        )
    return "\n".join(lines) + "\n"


def _iso(at_s: int) -> str:
    from datetime import UTC, datetime

    return datetime.fromtimestamp(at_s, tz=UTC).strftime("%Y-%m-%dT%H:%M:%S")


# name of the rendering: (what writes it, the format that must be found).
RENDERINGS = {
    "jolokia, one attribute": (jolokia_single, "jolokia"),
    "jolokia, a bulk of patterns": (jolokia_pattern_bulk, "jolokia"),
    "jolokia, pretty": (jolokia_pretty, "jolokia"),
    "jmx_exporter, default": (prometheus_default, "prometheus_text"),
    "jmx_exporter, rules": (prometheus_rules, "prometheus_text"),
    "OpenMetrics": (open_metrics, "prometheus_text"),
    "query_range": (query_range, "prometheus_json"),
    "JmxTool, original": (jmxtool_wide, "jmxtool"),
    "JmxTool, csv": (jmxtool_csv, "jmxtool"),
    "JmxTool, tsv": (jmxtool_tsv, "jmxtool"),
    "JmxTool, properties": (jmxtool_properties, "jmxtool"),
    "OTLP": (otlp, "otlp"),
    "Telegraf": (telegraf, "telegraf"),
    "Metricbeat": (metricbeat, "metricbeat"),
}
