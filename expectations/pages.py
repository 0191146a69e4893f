"""docs/tables.md from the contracts: `python -m expectations.pages` writes it."""

from pathlib import Path

from expectations.contract import TABLES, TableContract

PAGE = Path(__file__).parents[1] / "docs" / "tables.md"

_HEAD = """# Tables

Generated from the contracts in `expectations/` by `python -m expectations.pages`; change it there.

A table `schema.table` lies under `<lake>/<schema>/<table>`, or in a catalog as `<catalog>.<prefix><schema>.<table>`.
Timestamps are UTC. `_ms` is a duration, `_at` an instant, `_id` an identity. A column marked *volatile* may
differ between two runs that agree; all others are equal, in whatever order and however cut the input arrived.
"""


def page() -> str:
    """The whole page."""
    contents = [f"- [{name}](#{name.replace('.', '')}): {found.grain}" for name, found in TABLES.items()]
    sections = [_section(contract) for contract in TABLES.values()]
    return "\n".join([_HEAD, *contents, *sections]) + "\n"


def _section(contract: TableContract) -> str:
    lines = [f"\n## {contract.name}\n", f"A row is {contract.grain}.\n"]
    lines.append(f"Key: {_names(contract.key)}.")
    if contract.replaced_by:
        lines.append(f"Rows are replaced together by `{contract.replaced_by}`.")
    if contract.clustered_by:
        lines.append(f"Clustered by {_names(contract.clustered_by)}.")
    lines += ["", "| column | type | |", "|---|---|---|"]
    for column in contract.fields:
        kind = column.type + (" NOT NULL" if column.is_required else "")
        volatile = " *(volatile)*" if column.name in contract.volatile else ""
        lines.append(f"| `{column.name}` | {_escaped(kind)} | {_escaped(column.comment)}{volatile} |")
    lines.append("\nChecked after each run: " + ", ".join(f"`{title}`" for title in _checks(contract)) + ".")
    return "\n".join(lines)


def _checks(contract: TableContract) -> list[str]:
    """The titles of its checks; NOT NULL is in the table above."""
    titles = [expected.title for expected in contract.expectations]
    return [title for title in titles if not title.startswith("column_values_to_not_be_null")] + ["NOT NULL"]


def _names(columns: tuple[str, ...]) -> str:
    return ", ".join(f"`{column}`" for column in columns)


def _escaped(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;").replace(">", "&gt;")


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
