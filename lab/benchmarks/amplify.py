"""Recordings made large: copies on other days, of other clients and groups, so that no line repeats more than real ones do.

In each copy every date is moved back by days; every client, group and application that the recording's logs name, every UUID
and every correlation id, offset and epoch stamp gets another value, the same one wherever it stands in the copy. The mix and
the texts stay those of real clients and brokers.
"""

import gzip
import random
import re
from datetime import date, timedelta
from pathlib import Path

from lab.corpus import recordings

DAY = re.compile(rb"20\d\d-[01]\d-[0-3]\d")
NAMED = re.compile(
    rb"(?:clientId=|groupId=|client\.id = |group\.id = |application\.id = )([A-Za-z][\w.\-]{2,}?)(?=[,\]\s}])"
)
UUID = re.compile(rb"\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b")
NUMBER = re.compile(
    rb"(correlation ?[iI]d[= ]|[oO]ffset[= ]|sessionId=|startTimeMs: |created(?:TimeMs|Ms)=|receivedTimeMs="
    rb"|nextAllowedTryMs=|deadlineMs=)(\d+)"
)
STEP = 97_003  # between the numbers of two copies


def amplify(folder: Path, megabytes: int, seed: int = 7) -> int:
    """Write copies of the logs of Java's clients and their brokers until there are so many MB; gives the number of bytes.

    The script beside kipwatch knows no other client, and what it does not read cannot be compared.
    """
    texts = [
        (path, gzip.decompress(path.read_bytes()))
        for recording in recordings()
        if all(client.library == "java" for client in recording.clients)
        for path in recording.logs
    ]
    names = _names(texts)
    made = copy = 0
    while made < megabytes * 1_000_000:
        for path, text in texts:
            if made >= megabytes * 1_000_000:
                break
            written = _copied(text, copy, names[path.parent.name], seed)
            out = folder / f"copy{copy:03d}-{path.parent.name}" / path.name.removesuffix(".gz")
            out.parent.mkdir(parents=True, exist_ok=True)
            out.with_suffix(".log").write_bytes(written)
            made += len(written)
        copy += 1
    return made


def _names(texts: list[tuple[Path, bytes]]) -> dict[str, re.Pattern[bytes]]:
    found: dict[str, set[bytes]] = {}
    for path, text in texts:
        found.setdefault(path.parent.name, set()).update(set(NAMED.findall(text)) - {b"null"})
    return {
        name: re.compile(
            rb"\b(" + b"|".join(map(re.escape, sorted(ids, key=len, reverse=True))) + rb")\b"
            if ids
            else rb"(?!)"
        )
        for name, ids in found.items()
    }


def _copied(text: bytes, copy: int, names: re.Pattern[bytes], seed: int) -> bytes:
    """One log of a copy."""
    back, suffix = timedelta(days=copy + 1), b"-c%d" % copy
    uuids: dict[bytes, bytes] = {}

    def day(found: re.Match[bytes]) -> bytes:
        return (date.fromisoformat(found[0].decode()) - back).isoformat().encode()

    def uuid(found: re.Match[bytes]) -> bytes:
        if found[0] not in uuids:
            draw = random.Random(f"{seed}/{copy}/{found[0].decode()}").getrandbits(128)
            digits = f"{draw:032x}"
            parts = (digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:])
            uuids[found[0]] = "-".join(parts).encode()
        return uuids[found[0]]

    def number(found: re.Match[bytes]) -> bytes:
        return found[1] + b"%d" % (int(found[2]) + (copy + 1) * STEP)

    text = UUID.sub(uuid, DAY.sub(day, text))
    return NUMBER.sub(number, names.sub(lambda found: found[1] + suffix, text))
