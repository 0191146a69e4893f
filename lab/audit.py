"""What kipwatch is made of, looked at: known faults of its packages, a bill of the wheel's materials, jars by checksum.

python -m lab.audit TOOLS [JARS...]    TOOLS: the bin folder of an environment with pip-audit and cyclonedx-bom
"""

import hashlib
import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
BILL = ROOT / "build" / "sbom.json"
CHECKSUMS = ROOT / "tools" / "jars.sha256"
PATIENCE = 300  # seconds


def told(report: Mapping[str, Any] | None) -> tuple[str, bool]:
    """A report of pip-audit in a sentence, and whether nothing is wrong. None: it gave none."""
    packages = (report or {}).get("dependencies", [])
    looked_at = [one for one in packages if "skip_reason" not in one]
    faulty = [
        f"{one['name']} {one['version']} ({fault['id']})" for one in looked_at for fault in one["vulns"]
    ]
    if not looked_at:
        return "packages: skipped, the database of faults could not be reached", True
    left = len(packages) - len(looked_at)
    rest = f", {left} were not found there" if left else ""
    if faulty:
        return f"packages: {', '.join(faulty)}{rest}", False
    return f"packages: {len(looked_at)} looked at, no fault known{rest}", True


def changed(jars: Sequence[Path], checksums: str) -> tuple[str, bool]:
    """Jars against the list of checksums, by name, in a sentence; and whether all that are here are the ones listed."""
    known = {name: digest for digest, name in (line.split() for line in checksums.splitlines() if line)}
    here = [jar for jar in jars if jar.name in known]
    other = [jar.name for jar in here if hashlib.sha256(jar.read_bytes()).hexdigest() != known[jar.name]]
    if other:
        return f"jars: {', '.join(other)} are not what they were", False
    return f"jars: {len(here)} of {len(known)} are here, as they were", True


def main() -> int:
    """Print what was found; 1 where something is wrong."""
    tools, *folders = map(Path, sys.argv[1:])
    said = [
        told(_audited(tools)),
        changed([jar for folder in folders for jar in sorted(folder.glob("*.jar"))], CHECKSUMS.read_text()),
        _bill(tools),
    ]
    for sentence, _ in said:
        print(sentence)
    return 0 if all(is_well for _, is_well in said) else 1


def _audited(tools: Path) -> Mapping[str, Any] | None:
    pinned = [str(tools / "pip-audit"), "-r", str(ROOT / "constraints.txt"), "--no-deps", "--disable-pip"]
    try:
        made = subprocess.run(
            [*pinned, "-f", "json", "--progress-spinner", "off"],
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
        found: Mapping[str, Any] = json.loads(made.stdout)
    except (OSError, ValueError, subprocess.TimeoutExpired):
        return None
    return found


def _bill(tools: Path) -> tuple[str, bool]:
    BILL.parent.mkdir(exist_ok=True)
    made = subprocess.run(
        [str(tools / "cyclonedx-py"), "environment", sys.executable, "-o", str(BILL)],
        capture_output=True,
        timeout=PATIENCE,
        check=False,
    )
    if made.returncode:
        return "bill of materials: could not be made", False
    count = len(json.loads(BILL.read_text(encoding="utf-8"))["components"])
    return f"bill of materials: build/sbom.json, {count} packages", True


if __name__ == "__main__":
    sys.exit(main())
