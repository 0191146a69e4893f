"""kipwatch's own settings: YAML in, frozen dataclasses out, each value checked. A Kafka client's settings are data."""

import json
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass, replace
from fnmatch import fnmatch
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, get_args, get_type_hints
from zoneinfo import available_timezones

import yaml
from annotated_types import Ge, Predicate

from transforms import yaml_text
from transforms.errors import BadInput

if TYPE_CHECKING:
    from pydantic import TypeAdapter

DATABRICKS_MARK = "DATABRICKS_RUNTIME_VERSION"
UNKNOWN = "unexpected_keyword_argument"  # pydantic's word for a name that is no field
LONGEST_SHOWN = 60


def _is_time(text: str) -> bool:
    found = re.fullmatch(r"(\d+)[smh]", text)
    return found is not None and int(found[1]) > 0


def _is_zone(name: str | None) -> bool:
    return name is None or name in available_timezones()


# What is allowed, and how an error says it.
Some = Annotated[int, Ge(1), "a whole number, 1 or more"]
SomeOrNone = Annotated[int, Ge(0), "a whole number, 0 or more"]
Bytes = Annotated[int, Ge(1024), "a whole number of bytes, 1024 or more"]
ManyBytes = Annotated[int, Ge(65536), "a whole number of bytes, 65536 or more"]
BytesOrNull = Annotated[int | None, Ge(0), "a whole number of bytes, 0 or more, or null"]
Every = Annotated[str, Predicate(_is_time), "a whole number of s, m or h, such as 10s"]
Zone = Annotated[str | None, Predicate(_is_zone), "a zone of the IANA database, such as Europe/Berlin"]
Text = Annotated[str | None, "a text or null"]
Names = Annotated[tuple[str, ...], "a list of texts"]
Options = Annotated[Mapping[str, str], "a mapping of names to texts or numbers, {} for none"]
Settings = Annotated[tuple[Mapping[str, str], ...], "a list of mappings, each with name and value"]


class Strict:
    """For pydantic: unknown names and other types are refused, no value is made to fit."""

    __slots__ = ()
    __pydantic_config__: ClassVar = {"strict": True, "extra": "forbid"}


@dataclass(frozen=True, slots=True)
class ReaderConf(Strict):
    """How input is read; sizes in bytes. keep: `kafka` or `all`."""

    keep: Literal["kafka", "all"]
    chunk_bytes: ManyBytes
    max_record_bytes: Bytes
    head_bytes: Bytes


@dataclass(frozen=True, slots=True)
class StreamConf(Strict):
    """How often a stream looks for input, how much it takes at once, and how late input may come.

    max_bytes: of files, max_messages: of each topic of lines, max_scrapes: of each topic of metrics, in one trigger.
    attempts: failures in a row that end it. flush_after: how many seconds the last record of a source is waited for to
    grow; 0 for not at all. open_hours: what began longer ago is not told as open now.
    """

    every: Every
    allowed_lateness_hours: SomeOrNone
    max_bytes: ManyBytes
    max_messages: Some
    max_scrapes: Some
    attempts: Some
    flush_after: SomeOrNone
    open_hours: Some


@dataclass(frozen=True, slots=True)
class KafkaConf(Strict):
    """How brokers are spoken to. options: of Kafka's consumer, such as security.protocol; never written anywhere.

    asking: laid over options where they are asked what a topic has, which is not done by a JVM.
    """

    options: Options = field(default_factory=dict, repr=False)
    asking: Options = field(default_factory=dict, repr=False)


@dataclass(frozen=True, slots=True)
class LakeConf(Strict):
    """How the lake is written, and how much of what is old stays in it. location: of one that --lake names in a catalog.

    most_clients: of one process that are followed at once; so do `explain` and its like, which have no lake.
    """

    lease_seconds: Some
    checkpoint_interval: Some
    most_rows: SomeOrNone
    samples_days: Some
    most_state_bytes: SomeOrNone
    most_clients: Some
    most_states: Some
    upkeep_plans: Some
    keep_minutes: Some
    most_runs: Some
    most_checks: Some
    location: Text


@dataclass(frozen=True, slots=True)
class AlertsConf(Strict):
    """Who is told of incidents. targets: addresses by name, with `${NAME}` of the environment; never written anywhere.

    max_age_hours: what ended, or while it goes on began, longer ago is not sent. dashboard_url: what links begin with.
    """

    targets: Options
    max_age_hours: Some
    dashboard_url: Text


@dataclass(frozen=True, slots=True)
class HealthConf(Strict):
    """How a client is told to be broken now, and silent, and a stream thread to stand still."""

    recent_minutes: Some
    silent_minutes: Some
    still_minutes: Some


@dataclass(frozen=True, slots=True)
class QueryConf(Strict):
    """How far a statement of `kipwatch query` may go: seconds of the clock, bytes of memory, rows."""

    seconds: Some
    memory_bytes: ManyBytes
    most_rows: Some


@dataclass(frozen=True, slots=True)
class DashboardConf(Strict):
    """Who may look. auth: none (only this machine), basic (users_file) or proxy (proxy_header, believed from proxies).

    warehouse: of Databricks, what is looked at in place of a folder; None where there is none. max_seconds, max_memory_mb,
    max_rows: what one question of a page may take.
    """

    auth: Literal["none", "basic", "proxy"]
    users_file: Text
    proxy_header: str
    proxies: Names
    warehouse: Annotated[Mapping[str, Any] | None, "a mapping, or null"]
    max_seconds: Some
    max_memory_mb: Some
    max_rows: Some


@dataclass(frozen=True, slots=True)
class SparkConf(Strict):
    """What the session is built with. master: None leaves it to spark-submit or Databricks. from_bytes: plans that read so
    much or more are Spark's; None: none is. Topics always are."""

    master: Text
    from_bytes: BytesOrNull
    shuffle_partitions: Some
    options: Options = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class SourceHint(Strict):
    """What conf/sources.yaml says of the sources whose path fits `match`."""

    match: str
    layout: Text = None
    time_zone: Zone = None
    service: Text = None
    instance: Text = None
    settings: Settings = ()


Sources = Annotated[tuple[SourceHint, ...], "a list of entries, [] for none"]


@dataclass(frozen=True, slots=True)
class Conf(Strict):
    """All settings of a run."""

    reader: ReaderConf
    stream: StreamConf
    kafka: KafkaConf
    lake: LakeConf
    health: HealthConf
    alerts: AlertsConf
    query: QueryConf
    dashboard: DashboardConf
    spark: SparkConf
    sources: Sources
    defaults: Mapping[str, Any] = field(default_factory=dict)

    def hint_for(self, path: str) -> SourceHint:
        """The first entry of `sources` that fits the path, or an empty one."""
        for hint in self.sources:
            if fnmatch(path, hint.match):
                return hint
        return SourceHint(match="*")


def conf_folder() -> Path:
    """The folder of the files that kipwatch brings along: this one."""
    return Path(__file__).resolve().parent


def load_conf(extra: Path | None = None, *, checks: bool = True) -> Conf:
    """Read base, then local or databricks, then the user's own file; later files win key by key.

    checks: whether all values are looked at, which takes 0.1 s; left out where only files of kipwatch's own are read.
    Raises: BadInput for a file that is missing or no YAML, an unknown key, or a value that is not allowed.
    """
    folder = conf_folder()
    place = "databricks.yaml" if DATABRICKS_MARK in os.environ else "local.yaml"
    paths = [folder / "base.yaml", folder / place, folder / "sources.yaml", *([extra] if extra else ())]
    files = {str(path): _read(path) for path in paths}
    merged: dict[str, Any] = {}
    for found in files.values():
        merged = _merge(merged, found)
    merged = _with_texts(merged)
    conf: Conf = _checked(merged, files) if checks else _built(Conf, merged)
    names = ("options", "asking")
    kafka = KafkaConf(*(with_environment(getattr(conf.kafka, one), f"kafka.{one}") for one in names))
    return replace(conf, kafka=kafka, defaults=_defaults(folder / "kafka_defaults"))


def _read(path: Path) -> dict[str, Any]:
    try:
        found = yaml_text.parse(path.read_text(encoding="utf-8"))
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


@cache
def _adapter() -> "TypeAdapter[Conf]":
    """Made once in a process: it takes ten times as long as a check."""
    from pydantic import TypeAdapter

    return TypeAdapter(Conf)


def _checked(merged: Mapping[str, Any], files: Mapping[str, Mapping[str, Any]]) -> Conf:
    from pydantic import ValidationError

    if "defaults" in merged:
        raise _refused(("defaults",), UNKNOWN, None, files)
    try:  # as JSON, in which a list may be a tuple; what else YAML has, such as dates, is text then
        return _adapter().validate_json(json.dumps(merged, default=str))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        raise _refused(first["loc"], first["type"], first["input"], files) from None


def _refused(
    place: Sequence[str | int], what: str, value: Any, files: Mapping[str, Mapping[str, Any]]
) -> BadInput:
    """The sentence on a value: its file, its key, and what is allowed. Options of Kafka may be secrets."""
    keys: list[str | int] = []
    above: Any = None
    kind: Any = Conf
    for part in place:
        if kind is Sources:
            above, kind = kind, SourceHint
        elif is_dataclass(kind):
            above, kind = kind, get_type_hints(kind, include_extras=True).get(str(part))
        else:
            break
        keys.append(part)
    where = next((name for name in reversed([*files]) if _is_in(files[name], keys)), [*files][-1])
    key = ".".join(map(str, keys))
    if what == UNKNOWN:
        names = [one.name for one in fields(above) if one.name != "defaults"]
        return BadInput(f"{key} is no setting", where=where, todo=f"use one of {', '.join(names)}")
    if what in ("missing", "missing_argument"):
        return BadInput(f"{key} is missing", where=where, todo=f"give {_allowed(kind)}")
    is_secret = keys[0] == "kafka" and value is not None
    shown = f"no such {type(value).__name__}" if is_secret else repr(value)[:LONGEST_SHOWN]
    return BadInput(f"{key} is {shown}", where=where, todo=f"give {_allowed(kind)}")


def _allowed(kind: Any) -> str:
    said = [one for one in get_args(kind) if isinstance(one, str)]
    return " or ".join(said) or ("a mapping of settings" if is_dataclass(kind) else "a text")


def _is_in(found: Any, keys: Sequence[str | int]) -> bool:
    for key in keys:
        if isinstance(found, list) and isinstance(key, int) and key < len(found):
            found = found[key]
        elif isinstance(found, Mapping) and key in found:
            found = found[str(key)]
        else:
            return False
    return True


def _built(kind: Any, values: Mapping[str, Any]) -> Any:
    """A dataclass of values that are known to be right."""
    hints, made = get_type_hints(kind), {}
    for name, value in values.items():
        if is_dataclass(hints[name]):
            made[name] = _built(hints[name], value)
        elif name == "sources":
            made[name] = tuple(_built(SourceHint, entry) for entry in value)
        else:
            made[name] = tuple(value) if isinstance(value, list) else value
    return kind(**made)


def _with_texts(merged: dict[str, Any]) -> dict[str, Any]:
    """Numbers and switches as the texts that Kafka and Spark take them for."""

    def texts(found: Any) -> Any:
        if isinstance(found, Mapping):
            return {str(name): texts(value) for name, value in found.items()}
        if isinstance(found, bool):
            return str(found).lower()
        return str(found) if isinstance(found, int | float) else found

    for section, name in (("kafka", "options"), ("kafka", "asking"), ("spark", "options")):
        if isinstance(merged.get(section), Mapping) and name in merged[section]:
            merged[section] = {**merged[section], name: texts(merged[section][name])}
    if isinstance(merged.get("sources"), list):
        merged["sources"] = [
            {**entry, "settings": [texts(one) for one in entry["settings"]]}
            if isinstance(entry, Mapping) and isinstance(entry.get("settings"), list)
            else entry
            for entry in merged["sources"]
        ]
    return merged


def with_environment(options: Mapping[str, str], where: str) -> dict[str, str]:
    """Options with `${NAME}` of the environment in its place, so that no file need hold a secret, or where it is used.

    Raises: BadInput for one that is not set.
    """
    found = {}
    for name, text in options.items():
        for variable in re.findall(r"\$\{(\w+)\}", text):
            if variable not in os.environ:
                raise BadInput(f"{where}.{name} names ${{{variable}}}", todo="set it in the environment")
            text = text.replace(f"${{{variable}}}", os.environ[variable])
        found[name] = text
    return found


def _defaults(folder: Path) -> dict[str, Any]:
    return {
        path.stem: yaml_text.parse(path.read_text(encoding="utf-8")) for path in sorted(folder.glob("*.yaml"))
    }


UNITS = {"s": 1, "m": 60, "h": 3600}


def seconds_of(text: str) -> int:
    """`10s`, `1m`, `2h` in seconds.

    Raises: BadInput for anything else, or nothing.
    """
    found = re.fullmatch(r"(\d+)([smh])", text)
    if found is None or int(found[1]) == 0:
        raise BadInput(
            f"{text!r} is no time", where="--every", todo="give a whole number of s, m or h, such as 10s"
        )
    return int(found[1]) * UNITS[found[2]]
