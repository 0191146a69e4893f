"""About how much there is to read, as far as it can be told beforehand."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict

from transforms.plans.chunks import Chunk, Listed
from transforms.plans.packs import Item
from transforms.plans.plan import Plan
from transforms.plans.source_state import SourceState

# How much more is in a compressed file of logs, about.
COMPRESSED = 10
# Of an event that is to be folded again, as text.
EVENT_BYTES = 300
PACKED = (".gz", ".zst", ".bz2", ".xz")


def bytes_of(plan: Plan) -> int:
    """How many bytes a plan reads, about."""
    metrics = sum(bytes_in(listed.path, listed.size) for listed in plan.metrics)
    return (
        metrics
        + sum(topic.size for topic in plan.topics)
        + sum(size for _, size in items_of(plan, plan.chunks))
    )


def bytes_in(path: str, size: int) -> int:
    """How many bytes are in a file, about; told by its name."""
    return size * (COMPRESSED if path.endswith(PACKED) else 1)


def items_of(plan: Plan, chunks: Sequence[Chunk]) -> list[Item]:
    """Chunks as JSON, with how many bytes there are about to read."""
    sized = []
    for chunk in chunks:
        end = chunk.end or plan.sources[chunk.source_id].file_size
        size = (end - chunk.start) * (COMPRESSED if chunk.is_encoded else 1)
        sized.append((json.dumps(asdict(chunk)), max(1, size)))
    return sized


def new_bytes(files: Sequence[Listed], known: Mapping[str, SourceState]) -> int:
    """How many bytes are new in files, about."""
    read = {source.source: source.bytes_read for source in known.values()}
    return sum(bytes_in(one.path, one.size - min(one.size, read.get(one.path, 0))) for one in files)
