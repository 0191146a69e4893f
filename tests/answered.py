"""What `kipwatch explain` answers to a log."""

from io import StringIO
from pathlib import Path

from rich.console import Console

from conf.settings import load_conf
from jobs.explain.files import explain_logs

CONF = load_conf(checks=False)


def answered(text: str, folder: Path) -> tuple[str, str]:
    """The first fault's kind, and all that is told; the ending where there is none."""
    log = folder / "app.log"
    log.write_text(text + "\n")
    out = StringIO()
    told = explain_logs([str(log)], Console(file=out, width=500), conf=CONF)
    kind = told.faults[0].report.row["kind"] if told.faults else told.ending.kind
    return kind, " ".join(out.getvalue().split())
