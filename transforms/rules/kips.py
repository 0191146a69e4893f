"""docs/kips.md: each KIP with a timer, what shows it, which rules watch it: `python -m transforms.rules.kips` writes it."""

from pathlib import Path
from typing import Any

from transforms import yaml_text
from transforms.rules.registry import RULES

PAGE = Path(__file__).parents[2] / "docs" / "kips.md"

_HEAD = """# KIPs

Generated from `transforms/rules/kips.yaml` and the registry of rules by `make docs`; change it there.

What each KIP promises by a timer, which lines show it (families of `transforms/parse/messages*.yaml`), the
[rules](rules.md) that judge it or the [incidents](incidents.md) that tell it, and since which release. Releases are
Kafka's; librdkafka's stand where it claims the KIP. 4.4 was not released when this was written: what is said of it is
of trunk.

| KIP | timer promised | what shows it | rules and incidents | since |
|---|---|---|---|---|
"""


def kips() -> list[dict[str, Any]]:
    """The entries of kips.yaml, in its order."""
    return [dict(entry) for entry in yaml_text.of_package("transforms.rules", "kips.yaml")]


def rules_of(entry: dict[str, Any]) -> list[str]:
    """Ids of the rules that watch a KIP's timer."""
    return [rule_id for rule_id in RULES if rule_id.startswith(tuple(entry.get("rules", ())) or ("-",))]


def page() -> str:
    """The whole page."""
    return _HEAD + "".join(_row(entry) for entry in kips())


def _row(entry: dict[str, Any]) -> str:
    seen = ", ".join(f"`{family}`" for family in entry["seen"].get("families", ()))
    words = entry["seen"].get("words")
    told = [f"`{rule_id}`" for rule_id in rules_of(entry)]
    told += [f"incident `{kind}`" for kind in entry.get("told", ())]
    since = f"Kafka {entry['since']}"
    if "librdkafka" in entry:
        since += f"; librdkafka {entry['librdkafka']}"
    shown = "; ".join(part for part in (seen, words) if part)
    cells = (
        f"{entry['kip']}, {entry['name']}", entry["timer"], shown, ", ".join(told) or "none: told, not judged", since,
    )  # fmt: skip
    return "| " + " | ".join(cells) + " |\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
