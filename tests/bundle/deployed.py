"""databricks.yml with what it includes, as a deployment has it: a target laid over, its presets, references resolved."""

import re
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

from transforms import yaml_text

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "bundle"
FILES = {
    path.name: yaml_text.parse(path.read_text(encoding="utf-8"))
    for path in (ROOT / "databricks.yml", *sorted(FOLDER.glob("*.yml")))
}
REFERENCE = re.compile(r"\$\{([^}]*)\}")
# What whoever deploys says, in every target and in prod alone.
GIVEN = {
    "catalog": "main",
    "location": "s3://lakes/kipwatch",
    "instance_profile": "arn:aws:iam::123456789012:instance-profile/kipwatch",
    "warehouse_id": "abcdef0123456789",
    "readers": "engineers",
    "on_call": "on-call",
}
GIVEN_IN_PROD = {
    "on_call_email": "on-call@example.org",
    "writer": "of-the-jobs",
    "shippers": "of-the-shippers",
}
# What only the workspace knows.
KNOWN = {
    "workspace.current_user.userName": "anna@example.org",
    "workspace.current_user.short_name": "anna",
    "workspace.file_path": str(ROOT),
    "resources.apps.kipwatch_app.service_principal_client_id": "of-the-app",
}


def _over(below: dict[str, Any], above: dict[str, Any]) -> dict[str, Any]:
    for key, value in above.items():
        below[key] = _over(below[key], value) if isinstance(value, dict) and key in below else value
    return below


def _whole() -> dict[str, Any]:
    found: dict[str, Any] = {}
    for part in FILES.values():
        _over(found, deepcopy(part))
    return found


BUNDLE = _whole()


def deployed(target: str, **given: str) -> dict[str, Any]:
    """The bundle as one target has it. given: variables that somebody sets beside those that must be."""
    chosen = BUNDLE["targets"][target]
    found = _over(deepcopy(BUNDLE), {"resources": deepcopy(chosen.get("resources", {}))})
    pause = chosen.get("presets", {}).get("trigger_pause_status", "UNPAUSED")
    for job in found["resources"]["jobs"].values():
        job.get("schedule", job.get("continuous")).setdefault("pause_status", pause)
    for alert in found["resources"]["alerts"].values():
        alert["schedule"].setdefault("pause_status", pause)
    values = {name: said.get("default") for name, said in BUNDLE["variables"].items()}
    values |= GIVEN | (GIVEN_IN_PROD if target == "prod" else {}) | chosen.get("variables", {}) | given

    def value_of(name: str) -> Any:
        if name.startswith("var."):
            return resolved(values[name.removeprefix("var.")], value_of)
        if name in KNOWN or name == "bundle.target":
            return KNOWN.get(name, target)
        part: Any = found
        for key in name.split("."):
            part = part[key]
        return resolved(part, value_of)

    return resolved(found, value_of)


def resolved(part: Any, value_of: Callable[[str], Any]) -> Any:
    """What it is with values in the place of references. One that is all of a text may be anything."""
    if isinstance(part, dict):
        return {key: resolved(value, value_of) for key, value in part.items()}
    if isinstance(part, list):
        return [resolved(value, value_of) for value in part]
    if not isinstance(part, str):
        return part
    whole = REFERENCE.fullmatch(part)
    return value_of(whole[1]) if whole else REFERENCE.sub(lambda match: str(value_of(match[1])), part)
