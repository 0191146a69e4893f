"""The plan of a run, as it is kept among the lake's control files."""

import sys
from typing import Any

from jobs.inputs.places import open_input
from jobs.storage.control_files import ControlFiles, DamagedFile, Document
from transforms.parse.records.streams import open_source
from transforms.plans.plan import Plan
from transforms.plans.source_state import of_version_1


def load_plan(files: ControlFiles) -> Plan | None:
    """The plan that a crashed run left, if any.

    One that is damaged is dropped: what it read is not accounted for, and is read again.
    Raises: BadInput for one of a later release.
    """
    try:
        return PLAN.load(files)
    except DamagedFile:
        PLAN.delete(files)
        return None


def _of_version_1(raw: dict[str, Any]) -> dict[str, Any]:
    # A plan that doesn't say what it rests on can't be carried out again: it is as good as lost.
    raw["accounting"] = raw.pop("books", sys.maxsize)
    raw["sources"] = {
        source_id: of_version_1(source) | {"source_id": source_id}
        for source_id, source in raw.get("sources", {}).items()
    }
    raw["late"] = [f"late/{name}" for name in raw.get("late", ())]
    return raw


PLAN = Document("plan.json", Plan, "its input is read again", version=2, upgrades={1: _of_version_1})


def is_encoded(path: str) -> bool:
    """Whether a file is compressed or UTF-16: such a one can't be read from the middle."""
    try:
        with open_input(path) as file:
            return not open_source(file).is_splittable
    except OSError:
        return False
