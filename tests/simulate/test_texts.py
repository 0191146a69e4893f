"""The model writes only what real clients wrote: each template matches a recorded line, or says why none is recorded."""

import gzip
import re
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path

import pytest

from tests.corpus import ROOT
from tests.simulate.line import Text

FIELD = re.compile(r"\\\{\w+\\\}")


def _modules() -> Iterator[object]:
    for path in sorted(Path(__file__).parent.glob("*.py")):
        if not path.stem.startswith(("test_", "__")):
            yield import_module(f"tests.simulate.{path.stem}")


TEXTS = {
    (module.__name__.rsplit(".", 1)[1], name): text  # type: ignore[attr-defined]
    for module in _modules()
    for name, text in getattr(module, "TEXTS", {}).items()
}


@cache
def _log(recording: str) -> str:
    paths = [*sorted((ROOT / recording).glob("*app.log.gz")), ROOT / recording / "broker.log.gz"]
    return "".join(gzip.decompress(path.read_bytes()).decode(errors="replace") for path in paths)


def _pattern(text: Text) -> re.Pattern[str]:
    """A whole record's message in Kafka's default layout: after the level, up to the logger in brackets."""
    body = FIELD.sub(lambda _: r"[\s\S]{0,4000}?", re.escape(text.template))
    return re.compile(rf"^\[[^\]]+\] \w+ {body} \((?:[\w.$]+)\)$", re.MULTILINE)


@pytest.mark.parametrize("text", TEXTS.values(), ids=["-".join(key) for key in TEXTS])
def test_a_text_was_recorded_or_says_why_not(text):
    if text.recorded is None:
        assert text.because
        return
    assert text.recorded.startswith("p"), "a folder of tests/recordings"
    assert _pattern(text).search(_log(text.recorded)), f"{text.recorded} has no line {text.template!r}"
