"""Error codes of Kafka's protocol, as dumps of responses print them. The errors stand in errors.yaml."""

import re

from transforms import yaml_text
from transforms.whole import is_whole

ERRORS = yaml_text.of_package("transforms.parse", "errors.yaml")
NAMES: dict[int, str] = {error["code"]: error["name"] for error in ERRORS}
EARLIER_NAMES = frozenset(error["earlier"] for error in ERRORS if "earlier" in error)
ROUTINE = frozenset(("NONE", *(error["name"] for error in ERRORS if "is_routine" in error)))
# The answer's class, or its request's name.
_RESPONSE = re.compile(r"\b(?P<api>[A-Z][A-Za-z]+)Response(?:Data|_v\d+)?\(|\bapiKey=(?P<key>[A-Z_]+)\b")
_CODE = re.compile(r"\b(?:error_?[cC]ode|error)=(?:Optional\[)?(?P<code>-?\d+|[A-Z][A-Z_]{3,})\b")
_CLIENT = re.compile(r"\bclientId=(?P<client>[^,\])]+)")
# RE2: what a line must hold to be looked at for an error, or, where there was one, for an answer without.
ERROR_IN_RESPONSE = r"(?:[eE]rror_?[cC]ode|\berror)=(?:Optional\[)?(?:-?[1-9]|[A-Z][A-Z_]{4})"
ANSWER = r"Response(?:Data|_v\d+)?\("


def answer_in(text: str) -> tuple[tuple[str, str], list[str]] | None:
    """Whose and of what request an answer in a line is, and the names of its errors, routine ones left out; None without."""
    response = _RESPONSE.search(text)
    if response is None or "esponse" not in text:
        return None
    client = _CLIENT.search(text)
    api = next((one["api"] for one in _RESPONSE.finditer(text) if one["api"]), None) or response["key"]
    whose = (client["client"] if client else "", api)
    return whose, list(
        dict.fromkeys(name for name in map(_name, _CODE.finditer(text)) if name not in ROUTINE)
    )


def _name(code: re.Match[str]) -> str:
    said = code["code"]
    if is_whole(said):
        return "NONE" if said == "0" else NAMES.get(int(said), f"error {said}")
    return said
