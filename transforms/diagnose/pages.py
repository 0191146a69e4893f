"""docs/incidents.md, made from the data that the incidents are told from: `python -m transforms.diagnose.pages`."""

from collections.abc import Iterator
from pathlib import Path

from transforms.diagnose.wording.catalogue import TroubleClass, classes
from transforms.diagnose.wording.sentences import sentence as filled

PAGE = Path(__file__).parents[2] / "docs" / "incidents.md"
HEAD = """# Incidents

<!-- Made by `python -m transforms.diagnose.pages` from transforms/diagnose/troubles.yaml; don't edit. -->

An incident is one thing that went wrong, told once: to whom, what, why, who has to act, and the first thing to do
(`gold.incidents`, `kipwatch explain FILE`). Those of timers (memberships, batches, tasks, requests) are told from rebuilt
timelines; all other trouble that Kafka's lines tell of is told by the classes below. A line belongs to the first class whose
words it has; else to the one that names its error class (the innermost of a stack trace first); else its family
(`transforms/parse/messages.yaml`); else the kind of its event. What fits none ends in `other`, which names the line.

`verdict` is `broken` only where a rule found broken semantics. Lines of one fault, of one client and time, are one incident;
what passed by itself at once is `benign`.

| kind | what happened | who acts | impact |
|---|---|---|---|
"""


def page() -> str:
    """The page."""
    rows = "".join(_row(one) for one in classes())
    return HEAD + rows + "\n" + "\n".join(_section(one) for one in classes())


def _row(one: TroubleClass) -> str:
    return f"| [{one.kind}](#{one.kind}) | {_plain(one.title)} | {one.actor} | {one.impact} |\n"


def _section(one: TroubleClass) -> str:
    return "\n".join(_lines(one)) + "\n"


def _lines(one: TroubleClass) -> Iterator[str]:
    yield f"## {one.kind}"
    yield ""
    yield f"{_plain(one.title)}."
    yield ""
    yield f"- **Why**: {_plain(one.whole_cause)} ({one.certain})"
    if one.healed:
        yield f"- **Why, where it got on again**: {_plain(one.healed)}"
    yield f"- **Who acts**: {one.actor}; **impact**: {one.impact}"
    if one.limit:
        yield f"- **Setting**: `{one.limit}`"
    yield f"- **First thing to do**: {_plain(one.advice)}"
    yield from (f"- **Would tell more**: {more}" for more in one.more)
    known_by = [*(f"`{name}`" for name in sorted(one.families)), *(f"`{name}`" for name in one.errors)]
    known_by += [f"events of kind `{name}`" for name in sorted(one.events)]
    if known_by:
        yield f"- **Known by**: {', '.join(known_by)}{' and by its words' if one.says else ''}"
    if one.heals or one.verdict == "benign":
        yield f"- **Normal**: {'always' if one.verdict == 'benign' else 'where the client got on at once afterwards'}"


def _plain(template: str) -> str:
    """A sentence with the names of its fields instead of what lines say."""
    known = {name: f"_{name.partition(':')[0]}_" for name in _names(template)}
    return filled(template.replace(":ms}", "}"), known)


def _names(template: str) -> Iterator[str]:
    for part in template.replace(":ms}", "}").split("{")[1:]:
        yield part.partition("}")[0].partition("|")[0]


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
