"""What gold.unjudged says would settle a question names a log, a level, a metric or a setting: nothing vaguer."""

import ast
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

from transforms.rules import registry

RULES = Path(registry.__file__).parent
# What somebody can turn on, ask for or look up: a level of a logger, a dump, a line, a log, JMX, a layout.
NAMES_EVIDENCE = re.compile(
    r"DEBUG of|INFO|JMX|dump|log\b|logs\b|line|stack trace|callback|exception|layout|task ids|answer to"
)


def _said(node: ast.Call, module: object) -> Iterator[str]:
    """The text of `missing` in a call of unjudged(), names of the module resolved."""
    argument = node.args[-1]
    source = ast.unparse(argument.value if isinstance(argument, ast.Starred) else argument)
    if isinstance(argument, ast.Starred) and isinstance(argument.value, ast.Call):
        return  # its function's own texts are tested with it
    value = eval(source, dict(vars(module)))  # the repository's own constants
    yield value[1] if isinstance(value, tuple) else value


def _texts() -> Iterator[tuple[str, str]]:
    for path in sorted(RULES.rglob("*.py")):
        name = ".".join(path.relative_to(RULES.parents[1]).with_suffix("").parts)
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            is_call = isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
            if is_call and node.func.id == "unjudged" and node.args:
                for text in _said(node, import_module(name)):
                    yield f"{path.name}:{node.lineno}", text


@pytest.mark.parametrize(("place", "text"), list(_texts()))
def test_what_is_missing_names_the_evidence(place: str, text: str) -> None:
    assert NAMES_EVIDENCE.search(text), f"{place}: {text!r} names nothing that one could turn on or look up"
