"""What kept states (transforms.unit_states) are valid for, and their files."""

import json
from collections.abc import Mapping
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import transforms
from jobs.inputs.places import open_input


def content_of(path: str) -> bytes:
    """What a file of a state holds."""
    with open_input(path) as file:
        return file.read()


# What is only shown, or says what is read: another text of it changes no verdict.
JUDGES_NOTHING = ("rules/examples.", "explain/", "plans/", "episodes/", "diagnose/fleets/notices.", "errors.")


@cache
def code_of_transforms() -> str:
    """A digest of all that decides: another text of it, and no state that it left is to be trusted."""
    root = Path(transforms.__file__).parent
    digest = sha256()
    for path in sorted([*root.rglob("*.py"), *root.rglob("*.yaml")]):
        name = path.relative_to(root).as_posix()
        if not name.startswith(JUDGES_NOTHING):
            digest.update(name.encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()


def code_of(defaults: Mapping[str, Any], lake_id: str, most_clients: int) -> str:
    """What a state is valid for: code, defaults of clients, how many of a process are followed at once, and the lake whose
    plans are counted."""
    settings = (json.dumps(defaults, sort_keys=True, default=str), str(most_clients))
    known = (code_of_transforms(), *settings, lake_id)
    return sha256("\x1f".join(known).encode()).hexdigest()
