"""The model writes only what real clients wrote: each template matches a recorded line, or says why none is recorded."""

import gzip
import re
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from string import Formatter

import pytest

from lab import simulate
from lab.corpus import ROOT
from lab.simulate.line import Text

BEGINS = re.compile(r"^\[\d{4}-[^\]]+\] [A-Z]+ ", re.MULTILINE)


def _modules() -> Iterator[object]:
    for path in sorted(Path(simulate.__file__).parent.glob("*.py")):
        if not path.stem.startswith(("test_", "__")):
            yield import_module(f"lab.simulate.{path.stem}")


TEXTS = {
    (module.__name__.rsplit(".", 1)[1], name): text  # type: ignore[attr-defined]
    for module in _modules()
    for name, text in getattr(module, "TEXTS", {}).items()
}


@cache
def _messages(recording: str) -> list[str]:
    """The records of a recording's logs, without time and level."""
    paths = [*sorted((ROOT / recording).glob("*app.log.gz")), ROOT / recording / "broker.log.gz"]
    logs = (gzip.decompress(path.read_bytes()).decode(errors="replace") for path in paths)
    return [message for log in logs for message in BEGINS.split(log)]


def _is_of(text: Text, message: str) -> bool:
    """Whether a record is of this text: its message up to the logger in brackets, a stack trace may follow."""
    body = "".join(
        re.escape(words) + ("(?s:.*?)" if name is not None else "")
        for words, name, _, _ in Formatter().parse(text.template)
    )
    return re.match(rf"{body} \([\w.$]+\)$", message, re.MULTILINE) is not None


def _longest_words(text: Text) -> str:
    return max((words for words, _, _, _ in Formatter().parse(text.template)), key=len)


@pytest.mark.parametrize("text", TEXTS.values(), ids=["-".join(key) for key in TEXTS])
def test_a_text_was_recorded_or_says_why_not(text):
    if text.recorded is None:
        assert text.because
        return
    assert text.recorded.startswith("p"), "a folder of tests/recordings"
    words = _longest_words(text)
    alike = [message for message in _messages(text.recorded) if words in message]
    assert any(_is_of(text, message) for message in alike), f"no line {text.template!r}"
