"""What any process can be asked to do with a file (jobs.explain.helpers)."""

from dataclasses import dataclass

from jobs.inputs.places import open_input
from transforms.diagnose.raw_lines import RawScan
from transforms.events import ClientEvent
from transforms.explain.log_read import LogRead, Piece, scanned


@dataclass(frozen=True, slots=True)
class ReadFile:
    """Read a piece of it."""

    piece: Piece

    def __call__(self) -> tuple[list[ClientEvent], LogRead]:
        """See Piece.read."""
        with open_input(self.piece.origin.source) as file:
            return self.piece.read(file)


@dataclass(frozen=True, slots=True)
class ScanFile:
    """Look at its lines as they stand."""

    path: str

    def __call__(self) -> RawScan:
        """See scanned()."""
        with open_input(self.path) as file:
            return scanned(self.path, file)
