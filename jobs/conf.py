"""kipwatch's own settings: YAML in, frozen dataclasses out. A Kafka client's settings are data, not these."""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import yaml

from jobs.errors import BadInput

DATABRICKS_MARK = "DATABRICKS_RUNTIME_VERSION"


@dataclass(frozen=True, slots=True)
class ReaderConf:
    """How input is read; sizes in bytes. keep: `kafka` or `all`."""

    keep: str
    chunk_bytes: int
    max_record_bytes: int
    head_bytes: int


@dataclass(frozen=True, slots=True)
class StreamConf:
    """How often a stream looks for input, how much it takes at once, and how late input may come.

    max_bytes: of files, max_messages: of each topic of lines, max_scrapes: of each topic of metrics, in one trigger.
    attempts: failures in a row that end it. flush_after: how many seconds the last record of a source is waited for to
    grow; 0 for not at all. open_hours: what began longer ago is not told as open now.
    """

    every: str
    allowed_lateness_hours: int
    max_bytes: int
    max_messages: int
    max_scrapes: int
    attempts: int
    flush_after: int
    open_hours: int


@dataclass(frozen=True, slots=True)
class KafkaConf:
    """How brokers are spoken to. options: of Kafka's consumer, such as security.protocol; never written anywhere."""

    options: Mapping[str, str] = field(default_factory=dict, repr=False)


@dataclass(frozen=True, slots=True)
class LakeConf:
    """How the lake is written, and how much of what is old stays in it."""

    lease_seconds: int
    checkpoint_interval: int
    most_rows: int
    samples_days: int
    most_state_bytes: int
    most_states: int
    upkeep_plans: int
    keep_minutes: int
    most_runs: int
    most_checks: int


@dataclass(frozen=True, slots=True)
class HealthConf:
    """How a client is told to be broken now, and silent, and a stream thread to stand still."""

    recent_minutes: int
    silent_minutes: int
    still_minutes: int


@dataclass(frozen=True, slots=True)
class DashboardConf:
    """Who may look. auth: none (only this machine), basic (users_file) or proxy (proxy_header, believed from proxies).

    warehouse: of Databricks, what is looked at in place of a folder; None where there is none.
    """

    auth: str
    users_file: str | None
    proxy_header: str
    proxies: tuple[str, ...]
    warehouse: Mapping[str, Any] | None


@dataclass(frozen=True, slots=True)
class SparkConf:
    """What the session is built with. master: None leaves it to spark-submit or Databricks."""

    master: str | None
    shuffle_partitions: int
    options: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class SourceHint:
    """What conf/sources.yaml says of the sources whose path fits `match`."""

    match: str
    layout: str | None = None
    time_zone: str | None = None
    service: str | None = None
    instance: str | None = None
    settings: tuple[Mapping[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Conf:
    """All settings of a run."""

    reader: ReaderConf
    stream: StreamConf
    kafka: KafkaConf
    lake: LakeConf
    health: HealthConf
    dashboard: DashboardConf
    spark: SparkConf
    sources: tuple[SourceHint, ...]
    defaults: Mapping[str, Any]

    def hint_for(self, path: str) -> SourceHint:
        """The first entry of `sources` that fits the path, or an empty one."""
        for hint in self.sources:
            if fnmatch(path, hint.match):
                return hint
        return SourceHint(match="*")


def conf_folder() -> Path:
    """The folder `conf`: beside the packages in a checkout, in the data folder of an installed wheel."""
    checkout = Path(__file__).resolve().parent.parent / "conf"
    if (checkout / "base.yaml").is_file():
        return checkout
    import sysconfig

    installed = Path(sysconfig.get_path("data")) / "share" / "kipwatch" / "conf"
    if (installed / "base.yaml").is_file():
        return installed
    raise BadInput(
        "conf/base.yaml is not found", where=str(checkout), todo="reinstall kipwatch or run it in a checkout"
    )


def load_conf(extra: Path | None = None) -> Conf:
    """Read base, then local or databricks, then the user's own file; later files win key by key.

    Raises: BadInput for a file that is missing or no YAML, an unknown key, or a value out of range.
    """
    folder = conf_folder()
    place = "databricks.yaml" if DATABRICKS_MARK in os.environ else "local.yaml"
    merged: dict[str, Any] = {}
    for path in (folder / "base.yaml", folder / place, folder / "sources.yaml"):
        merged = _merge(merged, _read(path))
    where = str(folder)
    if extra is not None:
        merged, where = _merge(merged, _read(extra)), str(extra)
    known = {"reader", "stream", "kafka", "lake", "health", "dashboard", "spark", "sources"}
    if unknown := sorted(set(merged) - known):
        raise BadInput(
            f"{unknown[0]} is no setting", where=where, todo=f"use one of {', '.join(sorted(known))}"
        )
    conf = Conf(
        reader=_section(ReaderConf, merged["reader"], where, "reader"),
        stream=_section(StreamConf, merged["stream"], where, "stream"),
        kafka=_kafka(merged["kafka"], where),
        lake=_section(LakeConf, merged["lake"], where, "lake"),
        health=_section(HealthConf, merged["health"], where, "health"),
        dashboard=_section(DashboardConf, merged["dashboard"], where, "dashboard"),
        spark=_section(SparkConf, merged["spark"], where, "spark"),
        sources=tuple(_hint(entry, where) for entry in merged.get("sources") or []),
        defaults=_defaults(folder / "kafka_defaults"),
    )
    _check(conf, where)
    return conf


def _read(path: Path) -> dict[str, Any]:
    try:
        found = yaml.safe_load(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise BadInput(
            "no such file", where=str(path), todo="give the path of a YAML file with --conf"
        ) from None
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise BadInput(f"can't be read as YAML ({error})", where=str(path), todo="mend the file") from None
    if found is None:
        return {}
    if not isinstance(found, dict):
        raise BadInput("is no mapping of settings", where=str(path), todo="see conf/base.yaml for its shape")
    return found


def _merge(under: dict[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    merged = dict(under)
    for key, value in over.items():
        both = isinstance(value, Mapping) and isinstance(merged.get(key), Mapping)
        merged[key] = _merge(merged[key], value) if both else value
    return merged


def _section(kind: Any, values: Any, where: str, name: str) -> Any:
    known = {entry.name: entry for entry in fields(kind)}
    if not isinstance(values, Mapping):
        raise BadInput(f"{name} is {values!r}", where=where, todo="give a mapping of settings")
    if unknown := sorted(set(values) - set(known)):
        raise BadInput(
            f"{name}.{unknown[0]} is no setting", where=where, todo=f"use one of {', '.join(known)}"
        )
    for key, value in values.items():
        if known[key].type is int and (not isinstance(value, int) or isinstance(value, bool)):
            raise BadInput(f"{name}.{key} is {value!r}", where=where, todo="give a whole number")
    return kind(**values)


def _kafka(values: Any, where: str) -> KafkaConf:
    """Options as texts; `${NAME}` in one is the environment's, so that no file need hold a secret."""
    section: KafkaConf = _section(KafkaConf, values, where, "kafka")
    options = {}
    for name, value in (section.options or {}).items():
        text = str(value).lower() if isinstance(value, bool) else str(value)
        for variable in re.findall(r"\$\{(\w+)\}", text):
            if variable not in os.environ:
                raise BadInput(
                    f"kafka.options.{name} names ${{{variable}}}",
                    where=where,
                    todo="set it in the environment",
                )
            text = text.replace(f"${{{variable}}}", os.environ[variable])
        options[str(name)] = text
    return KafkaConf(options)


def _hint(entry: Any, where: str) -> SourceHint:
    if not isinstance(entry, Mapping) or "match" not in entry:
        raise BadInput(
            f"sources has {entry!r}", where=where, todo="give each entry a `match` (a glob over the path)"
        )
    values = dict(entry)
    values["settings"] = tuple(values.get("settings") or ())
    hint: SourceHint = _section(SourceHint, values, where, "sources")
    return hint


def _defaults(folder: Path) -> dict[str, Any]:
    return {
        path.stem: yaml.safe_load(path.read_text(encoding="utf-8")) for path in sorted(folder.glob("*.yaml"))
    }


def _check(conf: Conf, where: str) -> None:
    if conf.reader.keep not in ("kafka", "all"):
        raise BadInput(f"reader.keep is {conf.reader.keep!r}", where=where, todo="give kafka or all")
    for name, least in (("chunk_bytes", 65536), ("max_record_bytes", 1024), ("head_bytes", 1024)):
        value = getattr(conf.reader, name)
        if value < least:
            raise BadInput(f"reader.{name} is {value}", where=where, todo=f"give {least} or more")
    for name, least in (
        ("max_bytes", 65536),
        ("max_messages", 1),
        ("max_scrapes", 1),
        ("attempts", 1),
        ("flush_after", 0),
        ("open_hours", 1),
        ("allowed_lateness_hours", 0),
    ):
        value = getattr(conf.stream, name)
        if value < least:
            raise BadInput(f"stream.{name} is {value}", where=where, todo=f"give {least} or more")
    for name in ("samples_days", "most_states", "upkeep_plans", "keep_minutes", "most_runs", "most_checks"):
        value = getattr(conf.lake, name)
        if value < 1:
            raise BadInput(f"lake.{name} is {value}", where=where, todo="give 1 or more")
