"""docs/released-bugs.md, made of released_bugs.yaml: `python -m transforms.diagnose.bug_pages` writes it."""

from pathlib import Path

from transforms.diagnose.causes.released_bugs import ReleasedBug, Version, released_bugs

PAGE = Path(__file__).parents[2] / "docs" / "released-bugs.md"

_HEAD = """# Bugs of released clients

Generated from `transforms/diagnose/released_bugs.yaml` by `make docs`; change it there.

An [incident](incidents.md) names the bug where the release that wrote its lines has it, and asks for the release where the
log does not tell it. Releases are Apache Kafka's; 4.4 was not out when this was written.

| bug | releases | lines that it shows in | what such a release does | what to do |
|---|---|---|---|---|
"""


def page() -> str:
    """The whole page."""
    return _HEAD + "".join(_row(bug) for bug in released_bugs())


def _row(bug: ReleasedBug) -> str:
    until = "no release has it mended yet" if bug.mended_in is None else f"mended in {_named(bug.mended_in)}"
    shown = ", ".join(f"`{family}`" for family in sorted(bug.families))
    words = (
        ""
        if bug.says is None
        else " that say " + " or ".join(f"`{one}`" for one in bug.says.pattern.split("|"))
    )
    what = bug.what[:1].upper() + bug.what[1:]
    return f"| {bug.id} | {_named(bug.since)} on; {until} | {shown}{words} | {what} | {bug.do} |\n"


def _named(version: Version) -> str:
    return ".".join(str(part) for part in version)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
