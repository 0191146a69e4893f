"""`kipwatch config-check`: client .properties files against the KIPs' own rules."""

import json
from collections.abc import Sequence
from pathlib import Path

import typer
from rich.console import Console

from conf.settings import load_conf
from transforms.config_check import check_properties
from transforms.errors import BadInput

LARGEST = 1 << 20


def check_files(files: Sequence[Path], console: Console, as_json: bool) -> list[str]:
    """Print what each file's settings contradict; gives the severities found.

    Raises: BadInput for a file that is missing, too large, or no text.
    """
    defaults = load_conf().defaults
    checked = [(path, check_properties(_text(path), defaults=defaults)) for path in files]
    if as_json:
        rows = [{"file": str(path)} | finding.as_dict() for path, found in checked for finding in found]
        typer.echo(json.dumps(rows))
    else:
        for path, found in checked:
            console.print(
                f"{path}: {len(found) or 'nothing'} to say" if len(found) != 1 else f"{path}: 1 thing to say"
            )
            for finding in found:
                console.print(
                    f"  {finding.severity}: {finding.rule_id}\n    {finding.explanation}\n    {finding.advice}"
                )
    return [finding.severity for _, found in checked for finding in found]


def _text(path: Path) -> str:
    try:
        if path.stat().st_size > LARGEST:
            raise BadInput("is larger than 1 MiB", where=str(path), todo="give a client's .properties file")
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise BadInput("no such file", where=str(path), todo="check the path") from None
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(
            f"can't be read as text ({error})", where=str(path), todo="give a .properties file"
        ) from None
