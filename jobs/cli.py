"""The command `kipwatch`. Exit 0: it did its work; 2: bad input, one sentence says what, where, and what to do; 70: a fault
of its own, one sentence too."""

import atexit
import gc
import json
import os
import sys
from collections.abc import Callable
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from typer import Argument, Option

from jobs.garbage import GARBAGE_AFTER
from transforms.errors import BadInput, KipwatchError

OUR_FAULT = 70  # EX_SOFTWARE of sysexits.h: no number that scripts take for a finding
TRACEBACK = "KIPWATCH_TRACEBACK"

if TYPE_CHECKING:
    from conf.settings import Conf
    from expectations.place import CatalogName, LakePlace
    from jobs.engine.choice import Engines
    from jobs.progress import Progress
    from transforms.plans.run_result import RunResult

app = typer.Typer(
    name="kipwatch",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)


def _say_release(is_asked: bool) -> None:
    if is_asked:
        from importlib.metadata import version

        typer.echo(version("kipwatch"))
        raise typer.Exit


AsVersion = Option("--version", callback=_say_release, is_eager=True, help="Say which release this is.")


@app.callback()
def kipwatch(_: Annotated[bool, AsVersion] = False) -> None:
    """Rebuilds the timers of Kafka clients from their logs, and proves which promise was broken."""


def _lake(given: str) -> "LakePlace | CatalogName":
    """Where a lake lies: a folder, or a prefix of an object store; or what a catalog calls it."""
    if "://" in given:
        from transforms.plans.urls import check_prefix

        check_prefix(given, "--lake")
        from expectations.place import place_of

        return place_of(given)
    if "." in given and "/" not in given:
        from expectations.place import named_in_catalog

        return named_in_catalog(given) or Path(given)
    return Path(given)


PLACES = "s3://bucket/prefix (gs://, abfss://), or kafka://host:port/topic; may be given again."
Logs = Annotated[list[str], Option("--logs", help=f"A file, folder or glob of logs, {PLACES}")]
Metrics = Annotated[
    list[str] | None, Option("--metrics", help=f"A file, folder or glob of JMX metrics, {PLACES}")
]


def _lake_option(says: str) -> Any:
    """Of a LakePlace; typer takes no unions."""
    return Option("--lake", help=says, parser=_lake, metavar="PATH")


WHERE = "The folder of the Delta tables, s3://bucket/prefix (gs://, abfss://), or CATALOG.SCHEMA_PREFIX."
Lake = Annotated[Any, _lake_option(WHERE)]
ConfFile = Annotated[Path | None, Option("--conf", help="A YAML file laid over conf/base.yaml.")]
AsJson = Annotated[bool, Option("--json", help="Print JSON, for scripts.")]
Redacting = Annotated[
    bool,
    Option("--redact", help="Instead, take out secrets that an older release kept, with all older versions."),
]
FailOn = Annotated[
    str | None, Option("--fail-on", help="Exit 1 where a violation is of this severity or worse (for CI).")
]


@app.command(epilog="Example: kipwatch run --logs /var/log/orders --lake ./lake")
def run(
    logs: Logs,
    lake: Lake,
    metrics: Metrics = None,
    conf: ConfFile = None,
    as_json: AsJson = False,
    fail_on: FailOn = None,
) -> None:
    """Read logs into the lake, rebuild their timers, judge them. Run again: only what is new is done."""
    from jobs.pipeline import run as run_pipeline

    _run_once(run_pipeline, lake, logs, metrics or [], conf, as_json, fail_on)


@app.command(epilog="Example: kipwatch stream --logs /var/log/orders --lake ./lake --every 10s")
def stream(
    logs: Logs,
    lake: Lake,
    metrics: Metrics = None,
    conf: ConfFile = None,
    available_now: Annotated[bool, Option("--available-now", help="Take what is there, then stop.")] = False,
    every: Annotated[str | None, Option("--every", help="How often to look, such as 10s or 1m.")] = None,
    metrics_port: Annotated[
        int | None,
        Option(min=1, max=65535, help="Serve its own metrics to Prometheus on this port of loopback."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Do what run does, always on: each trigger takes what has come since the last one, until SIGTERM or Ctrl-C."""
    from jobs.streaming.stream import run_available, run_stream

    if available_now:
        _run_once(run_available, lake, logs, metrics or [], conf, as_json, None)
        return
    place = _written(lake, logs, metrics or [], partial(_settings, conf))
    run_stream(place, logs, metrics or [], conf, every, metrics_port)


@app.command(epilog="Example: kipwatch demo")
def demo(
    lake: Annotated[Any, _lake_option("Keep the demo's tables in this folder.")] = None,
    as_json: AsJson = False,
) -> None:
    """Run on recordings of real Kafka clients under faults, and print what was found with its proof."""
    from jobs.commands.demo import run_demo

    run_demo(_written(lake, [], [], _settings) if lake else None, as_json)


@app.command(epilog="Example: kipwatch explain app.log")
def explain(
    what: Annotated[
        list[str],
        Argument(
            metavar="FILE...|-|ID", help="Log files, folders, - for standard input; or with --lake an id."
        ),
    ],
    lake: Annotated[Any, _lake_option("The lake that has the id.")] = None,
    conf: ConfFile = None,
    fmt: Annotated[str, Option("--format", help="text, json or markdown.")] = "text",
    as_json: AsJson = False,
    unjudged: Annotated[
        bool, Option("--unjudged", help="List all that was not judged, and what would settle it.")
    ] = False,
    exit_code: Annotated[
        bool,
        Option(
            "--exit-code", help="Exit 1 for trouble, 3 for lines not read or not judged, 0 for nothing wrong."
        ),
    ] = False,
) -> None:
    """What went wrong in some logs, at once and without a lake; or one finding of a lake with its timeline and lines."""
    form = "json" if as_json else fmt
    if form not in ("text", "json", "markdown"):
        raise BadInput(f"{form!r} is no format", where="--format", todo="give text, json or markdown")
    if lake is not None:
        from jobs.explain.by_id import explain_id  # its readers of tables are slow to load

        if len(what) > 1:
            raise BadInput("takes one id", where="explain --lake", todo="give one at a time")
        explain_id(_read(lake, conf), what[0], _console(), form)
        return
    from conf.settings import load_conf
    from jobs.explain.files import explain_logs
    from transforms.diagnose.unexplained.ending import EXIT_CODES

    told = explain_logs(
        what, _console(), form, load_conf(conf, checks=conf is not None), lists_unjudged=unjudged
    )
    if exit_code:
        raise typer.Exit(EXIT_CODES[told.ending.kind])


@app.command(
    epilog="Example: kipwatch query 'SELECT rule_id, count(*) FROM gold.violations GROUP BY 1' --lake ./lake",
    context_settings={
        "ignore_unknown_options": True
    },  # a statement may begin with a comment: -- what it asks
)
def query(
    sql: Annotated[str, Argument(help="One SELECT or WITH over schema.table.")],
    lake: Lake,
    fmt: Annotated[str, Option("--format", help="table, csv, json or jsonl.")] = "table",
    as_json: AsJson = False,
    conf: ConfFile = None,
) -> None:
    """SQL on the tables; it can only read."""
    from jobs.sql.query import run_query

    run_query(_read(lake, conf), sql, "json" if as_json else fmt, conf_file=conf)


@app.command(epilog="Example: kipwatch mcp --lake ./lake")
def mcp(lake: Lake, conf: ConfFile = None) -> None:
    """Answer an assistant by the Model Context Protocol, on standard input and output; it can only read."""
    from jobs.commands.mcp_server import serve

    serve(_existing(_read(lake, conf)), conf)


@app.command(name="config-check", epilog="Example: kipwatch config-check producer.properties")
def config_check(
    files: Annotated[list[Path], Argument(metavar="FILE...", help="Client .properties files.")],
    as_json: AsJson = False,
    fail_on: FailOn = None,
) -> None:
    """Check client settings against the KIPs' own rules; no log needed."""
    from jobs.commands.config_check import check_files

    _fail_on(fail_on, check_files(files, _console(), as_json))


@app.command(epilog="Example: kipwatch dashboard --lake ./lake --port 8050")
def dashboard(
    lake: Annotated[
        Any, _lake_option("The folder of the Delta tables; or set dashboard.warehouse in conf.")
    ] = None,
    host: Annotated[
        str, Option(help="Where to listen; others than loopback need dashboard.auth in conf.")
    ] = "127.0.0.1",
    port: Annotated[int, Option(min=1, max=65535)] = 8050,
    conf: ConfFile = None,
) -> None:
    """The app for on-call, on a lake."""
    from jobs.commands.dashboard import serve_dashboard

    serve_dashboard(_existing(_read(lake, conf)) if lake else None, host, port, conf)


@app.command(epilog="Example: kipwatch selftest --conf production.yaml")
def selftest(conf: ConfFile = None, as_json: AsJson = False) -> None:
    """Send one labelled test alert through every target of the settings (alerts.targets), and say what each answered."""
    from conf.settings import load_conf
    from jobs.alerts.sender import send_tests

    answers = send_tests(load_conf(conf).alerts)
    typer.echo(
        json.dumps(answers) if as_json else "\n".join(f"{name}: {text}" for name, text in answers.items())
    )


@app.command(name="what-if", epilog="Example: kipwatch what-if max.poll.interval.ms=600000 --lake ./lake")
def what_if(
    lake: Lake,
    given: Annotated[
        list[str] | None,
        Argument(metavar="[SETTING=MS]...", help="Other limits; without any, the least that keep all."),
    ] = None,
    service: Annotated[str | None, Option("--service", help="Only this service's clients.")] = None,
    group: Annotated[str | None, Option("--group", help="Only this group's memberships.")] = None,
    as_json: AsJson = False,
) -> None:
    """What another limit would have kept of a lake's memberships, batches and task timers, and what it would have cost."""
    from jobs.commands.what_if import ask

    ask(_existing(_read(lake)), given or [], service, group, as_json)


@app.command(epilog="Example: kipwatch maintain --lake ./lake")
def maintain(
    lake: Lake, conf: ConfFile = None, is_redacting: Redacting = False, as_json: AsJson = False
) -> None:
    """Compact the tables' files, and delete files that no version needs any more."""
    from jobs.upkeep.maintain import maintain_lake, redact_maintained

    place = _existing(_read(lake, conf))
    if not is_redacting:
        _written(lake, [], [], partial(_settings, conf), asks=True)
    lines = (redact_maintained if is_redacting else maintain_lake)(place, conf)
    typer.echo(json.dumps(lines) if as_json else "\n".join(f"{name}: {text}" for name, text in lines.items()))


def _run_once(
    take: "Callable[[Engines, LakePlace, list[str], list[str], Conf, Progress], RunResult]",
    lake: "LakePlace | CatalogName",
    logs: list[str],
    metrics: list[str],
    conf_file: Path | None,
    as_json: bool,
    fail_on: str | None,
) -> None:
    from jobs.progress import Progress
    from jobs.summary import print_summary, severities_in

    progress = Progress(is_shown=False if as_json else None)
    conf, engines = _settings(conf_file, progress)
    place = _written(lake, logs, metrics, lambda: (conf, engines))
    result = take(engines, place, logs, metrics, conf, progress)
    result.seconds = progress.seconds
    if as_json:
        typer.echo(json.dumps(asdict(result)))
    else:
        print_summary(place, result, _console())
    _fail_on(fail_on, severities_in(place) if fail_on else [])


def _fail_on(severity: str | None, found: list[str]) -> None:
    from transforms.rules.rule import SEVERITIES

    if severity is None:
        return
    if severity not in SEVERITIES:
        raise BadInput(
            f"{severity!r} is no severity", where="--fail-on", todo=f"give one of {', '.join(SEVERITIES)}"
        )
    worst = SEVERITIES[: SEVERITIES.index(severity) + 1]
    if any(one in worst for one in found):
        raise typer.Exit(1)


def _read(lake: "LakePlace | CatalogName", conf_file: Path | None = None) -> "LakePlace":
    """The place of a lake that is read."""
    from expectations.place import CatalogName

    if not isinstance(lake, CatalogName):
        return lake
    from jobs.catalogued import place_to_read

    return place_to_read(lake, *_settings(conf_file))


def _written(
    lake: "LakePlace | CatalogName",
    logs: list[str],
    metrics: list[str],
    settings: "Callable[[], tuple[Conf, Engines]]",
    *,
    asks: bool = False,
) -> "LakePlace":
    """The place of a lake that is written to; one of a catalog has its tables there. settings: for one of a catalog."""
    from expectations.place import CatalogName

    if not isinstance(lake, CatalogName):
        return lake
    from jobs.catalogued import place_to_write
    from jobs.pipeline import Input

    return place_to_write(lake, *settings(), lambda: Input.given(logs, metrics), asks=asks)


def _settings(conf_file: Path | None = None, progress: "Progress | None" = None) -> "tuple[Conf, Engines]":
    from conf.settings import load_conf
    from jobs.engine.choice import Engines
    from jobs.progress import Progress

    conf = load_conf(conf_file)
    return conf, Engines(conf.spark, progress or Progress())


def _existing(lake: "LakePlace") -> "LakePlace":
    from jobs.storage.store_files import asking

    with asking(lake):
        if not lake.is_dir():
            raise BadInput(
                "no such lake", where=str(lake), todo="make one with kipwatch run --logs PATH --lake DIR"
            )
    return lake


def _console() -> Console:
    return Console(highlight=False, markup=False, emoji=False, width=None if sys.stdout.isatty() else 80)


def main() -> None:
    """Entry point: errors for people are one sentence on standard error."""
    gc.set_threshold(GARBAGE_AFTER)
    atexit.register(gc.freeze)  # or it is looked for in all that was imported, once more, at the end
    _guarded(lambda: app(standalone_mode=True))


def _guarded(command: Callable[[], Any]) -> None:
    try:
        command()
    except KipwatchError as error:
        print(f"kipwatch: {error.sentence}", file=sys.stderr)
        sys.exit(error.exit_code)
    except KeyboardInterrupt:
        sys.exit(130)
    except BrokenPipeError:
        sys.exit(0)
    except OSError as error:  # what a command met that no part of it foresaw, such as output on a full disk
        print(
            f"kipwatch: {_place_of(error)}{error.strerror or error}; mend that, and start it again",
            file=sys.stderr,
        )
        sys.exit(2)
    except Exception as error:
        if os.environ.get(TRACEBACK):
            raise
        print(f"kipwatch: {_fault(error)}", file=sys.stderr)
        sys.exit(OUR_FAULT)


def _place_of(error: OSError) -> str:
    return f"{os.fsencode(error.filename).decode(errors='backslashreplace')}: " if error.filename else ""


def _fault(error: Exception) -> str:
    """What nobody foresaw, in a sentence: a trace of calls helps who mends it, and may quote secrets."""
    from transforms.explain.errors import line_of
    from transforms.faults import raised_at

    told, place = line_of(error, 300, with_kind=True), raised_at(error)
    return (
        f"a fault of its own ended it ({told}, {place}); report it, with what it prints where {TRACEBACK}=1 is set. "
        "Nothing that was read is lost: start it again"
    )


if __name__ == "__main__":
    main()
