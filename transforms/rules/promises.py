"""The promise each rule watches, in one sentence (promises.yaml)."""

from functools import cache
from importlib.resources import files

from transforms import yaml_text


@cache
def promises() -> dict[str, str]:
    """Rule id -> sentence."""
    text = files("transforms.rules").joinpath("promises.yaml").read_text(encoding="utf-8")
    return {str(rule_id): str(sentence) for rule_id, sentence in yaml_text.parse(text).items()}
