"""Sample lines of every family: `recorded.tsv` of real clients, `rendered.tsv` of released texts."""

from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parent / "samples"


@dataclass(frozen=True)
class Sample:
    message_id: str
    kinds: tuple[str, ...]
    level: str
    logger: str
    message: str


def samples() -> list[Sample]:
    return [sample for name in ("recorded", "rendered") for sample in _read(FOLDER / f"{name}.tsv")]


def _read(path: Path) -> list[Sample]:
    lines = path.read_text(encoding="utf-8").splitlines()
    return [_sample(line) for line in lines if not line.startswith("#")]


def _sample(line: str) -> Sample:
    message_id, kinds, level, logger, message = line.split("\t")
    # As Python reads its own escapes; the files are ASCII.
    return Sample(
        message_id, tuple(kinds.split("+")), level, logger, message.encode().decode("unicode_escape")
    )
