"""Input as it comes when something went wrong: damaged, endless, empty, or no log at all. Sparse where it is large."""

import gzip
import random
from pathlib import Path

RECORDINGS = Path(__file__).parent.parent / "recordings"
MIB = 1 << 20
LINE = b"[2026-11-21 02:19:38,772] %s (org.apache.kafka.clients.NetworkClient)\n"


def recording(scenario: str, name: str) -> bytes:
    """The text of one recorded log."""
    return gzip.decompress((RECORDINGS / scenario / f"{name}.gz").read_bytes())


def truncated(data: bytes) -> bytes:
    """The first half of a file."""
    return data[: len(data) // 2]


def with_bad_encoding(text: bytes) -> bytes:
    """A log with a record that is no UTF-8 in its middle."""
    middle = text.index(b"\n", len(text) // 2) + 1
    bad = LINE % b"INFO [Producer clientId=caf\xe9] Node -1 \xff\xfe\x80 disconnected."
    return text[:middle] + bad + text[middle:]


def write_long_lines(path: Path, text: bytes, count: int, line_bytes: int = 64 * MIB) -> None:
    """A log that goes on with lines of so many bytes each, all but their beginnings holes; then a line as all are."""
    with path.open("wb") as file:
        file.write(text)
        for number in range(count):
            begin = file.tell()
            file.write(b"[2026-11-21 02:19:39,%03d] ERROR [Producer clientId=long] endless " % number)
            file.seek(begin + line_bytes - 1)
            file.write(b"\n")
        file.write(LINE % b"INFO [Producer clientId=long] Node 1 disconnected.")


def write_without_newline(path: Path, size: int, begin: bytes = b"") -> None:
    """A file of so many bytes and no newline: text first, then a hole, and a last word."""
    with path.open("wb") as file:
        file.write((begin + b"no newline anywhere ").ljust(MIB, b"x"))
        file.truncate(size - 3)
        file.seek(size - 3)
        file.write(b"end")


def binary(size: int = 300_000) -> bytes:
    """Random bytes, the same each time."""
    return random.Random(7).randbytes(size)
