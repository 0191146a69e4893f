"""The promise each rule watches, in one sentence (promises.yaml)."""

from functools import cache

from transforms import yaml_text


@cache
def promises() -> dict[str, str]:
    """Rule id -> sentence."""
    entries = yaml_text.of_package("transforms.rules", "promises.yaml")
    return {str(rule_id): str(sentence) for rule_id, sentence in entries.items()}
