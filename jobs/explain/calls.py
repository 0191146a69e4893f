"""What any process can be asked to do with a file (jobs.explain.helpers)."""

from jobs.inputs.places import open_input
from transforms.diagnose.unexplained.raw_scan import RawScan
from transforms.events import ClientEvent
from transforms.explain.log_read import LogRead, Piece, scanned


def read_piece(piece: Piece) -> tuple[list[ClientEvent], LogRead]:
    """Read a piece of it: see Piece.read."""
    with open_input(piece.origin.source) as file:
        return piece.read(file)


def scan_file(path: str) -> RawScan:
    """Look at its lines as they stand."""
    with open_input(path) as file:
        return scanned(path, file)
