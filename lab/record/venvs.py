"""Interpreters that have a release of confluent-kafka (a wheel with librdkafka in it); kept under build/."""

import subprocess
import sys
from functools import cache
from pathlib import Path

from lab.record.jars import BUILD


@cache
def interpreter(version: str) -> Path:
    """The Python that has confluent-kafka of that release."""
    folder = BUILD / f"confluent-kafka-{version}"
    python = folder / "bin" / "python"
    if not (folder / "done").exists():
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        subprocess.run([python, "-m", "pip", "-q", "install", f"confluent-kafka=={version}"], check=True)
        (folder / "done").touch()
    return python
