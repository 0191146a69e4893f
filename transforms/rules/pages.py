"""docs/rules.md from the registry and its examples: `python -m transforms.rules.pages` writes it."""

from pathlib import Path

from transforms.rules.docstrings import parts_of
from transforms.rules.examples import Example, examples
from transforms.rules.promises import promises
from transforms.rules.registry import RULES
from transforms.rules.rule import Rule

PAGE = Path(__file__).parents[2] / "docs" / "rules.md"

_HEAD = """# Rules

Generated from `transforms/rules/` by `make docs`; change it there.

Each rule watches one promise, and accuses only on proof: what it can't know it leaves to `gold.unjudged`. Which of its
categories a finding has depends on the client's version and settings; [reading-findings.md](reading-findings.md) says what
they mean. `{...}` stands for what was measured.

Each example is a finding. Where a recorded client broke the promise, it stands with the log lines that prove it, trimmed.
Where none did, it is made of a history of the rule's test, in the notation of `tests/timelines_*.py`: when (ms), what, of
which.
"""

_TITLES = {
    "KIP-572": "Kafka Streams tasks",
    "KIP-580": "exponential backoff of all clients",
    "KIP-91": "producer batches",
    "KIP-62": "liveness of consumers",
    "KIP-98": "transactions",
    "KIP-144": "reconnect backoff",
    "KIP-601": "set-up of connections",
    "KIP-848": "liveness of consumers in the new protocol",
    "KIP-266": "client timeouts",
}


def page() -> str:
    """The whole page: the KIPs in turn, a heading per rule id, then the promises without a rule."""
    lines = [_HEAD]
    for kip, title in _TITLES.items():
        lines.append(f"- [{kip}, {title}](#{_anchor(f'{kip}, {title}')})")
    for kip, title in _TITLES.items():
        lines.append(f"\n## {kip}, {title}")
        lines += [section(rule, examples().get(rule.rule_id)) for rule in RULES.values() if rule.kip == kip]
    lines.append("\n## Promises that no rule watches yet\n")
    lines += [f"- `{rule_id}`: {promise}" for rule_id, promise in promises().items() if rule_id not in RULES]
    return "\n".join(lines) + "\n"


def section(rule: Rule, example: Example | None) -> str:
    """One rule's part of the page."""
    parts = parts_of(rule.judge)
    return "\n".join(
        [
            f"\n### {rule.rule_id}\n",
            f"**{promises()[rule.rule_id]}**\n",
            f"- Severity: {rule.severity}. Categories: {', '.join(rule.gives)}.",
            f"- Source: {_escaped(parts['Source'])}.",
            f"- Silent when: {_escaped(parts['Silent when'])}.",
            f"- Says: *{_escaped(rule.says)}*\n",
            *(f"{number}. {_escaped(step)}" for number, step in enumerate(rule.runbook, 1)),
            f"\nAdvice: {_escaped(rule.advice)}",
            *(_shown(example) if example is not None else []),
        ]
    )


def _shown(example: Example) -> list[str]:
    if example.recording is not None:
        where = f"in the recording [{example.recording}](../tests/recordings/{example.recording})"
    else:
        where = f"made up, as no recording shows one (`{example.test}`)"
    lines = [line.replace("```", "` ` `") for line in example.shown]
    return [f"\nExample, {where}: *{_escaped(example.says)}*\n", "```text", *lines, "```"]


def _anchor(heading: str) -> str:
    """As GitHub makes it: lower case, no punctuation, spaces as hyphens."""
    return "".join(c for c in heading.lower() if c.isalnum() or c in " -").replace(" ", "-")


def _escaped(text: str) -> str:
    return text.replace("*", "\\*").replace("<", "&lt;").replace(">", "&gt;")


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
