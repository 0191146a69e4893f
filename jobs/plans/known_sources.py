"""Reads what is known of each source: a row of bronze.accounting each."""

from collections.abc import Mapping
from typing import Any

import pyarrow.compute as pc

from jobs.storage.control_files import unknown_version
from jobs.storage.lake import LakeWriter
from jobs.storage.lake_reads import batches_where
from transforms.errors import BadInput
from transforms.plans.accounting import ACCOUNTING
from transforms.plans.source_state import COLUMNS, VERSION, LaterVersionError, SourceState

# A state is kilobytes of text.
STATES_AT_ONCE = 1024


def known_sources(lake: LakeWriter, version: int | None = None) -> dict[str, SourceState]:
    """All sources that were read before, by source_id.

    version: of the accounting. Who carries out a plan gives the plan's: one that is carried out again may have written its
    own accounting before, and what it reads would be known. None for as it is now.

    Raises: BadInput for a state that a later release wrote, or that is none.
    """
    batches = batches_where(
        lake.path(ACCOUNTING), [*COLUMNS, "state"], pc.scalar(True), version, batch_rows=STATES_AT_ONCE
    )
    return {row["source_id"]: _loaded(row) for batch in batches for row in batch.to_pylist()}


def _loaded(row: Mapping[str, Any]) -> SourceState:
    try:
        return SourceState.load(row)
    except LaterVersionError as error:
        where = f"the state of {row['source']} in {ACCOUNTING}"
        raise unknown_version(error.version, VERSION, where) from None
    except ValueError:
        raise BadInput(
            f"the state of {row['source']} is none that kipwatch writes",
            where=ACCOUNTING,
            todo="restore an older version of the table, or delete the row: the source is read again",
        ) from None
