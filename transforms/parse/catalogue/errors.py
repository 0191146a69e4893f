"""Errors of Kafka's protocol (errors.yaml): by code, as dumps of responses print them, and in the words of clients."""

import re

from transforms import yaml_text
from transforms.when_used import when_used
from transforms.whole import is_whole
from transforms.word_index import WordIndex

ERRORS = yaml_text.of_package("transforms.parse", "errors.yaml")
NAMES: dict[int, str] = {error["code"]: error["name"] for error in ERRORS}
EARLIER_NAMES = frozenset(error["earlier"] for error in ERRORS if "earlier" in error)
ROUTINE = frozenset(("NONE", *(error["name"] for error in ERRORS if "is_routine" in error)))
TEXTS: dict[str, list[str]] = {error["name"]: error["says"] for error in ERRORS if "says" in error}
# What names of errors hold that are of what only Kafka has.
ITS_OWN = when_used(
    r"TOPIC|PARTITION|CLUSTER|TRANSACTION|LEADER|REPLICA|COORDINATOR|GENERATION|REBALANCE|GROUP|MEMBER|SASL|OFFSET|PRODUCER|BROKER|FETCH"
)
# The answer's class, or its request's name.
_RESPONSE = when_used(r"\b(?P<api>[A-Z][A-Za-z]+)Response(?:Data|_v\d+)?\(|\bapiKey=(?P<key>[A-Z_]+)\b")
_CODE = when_used(r"\b(?:error_?[cC]ode|error)=(?:Optional\[)?(?P<code>-?\d+|[A-Z][A-Z_]{3,})\b")
_CLIENT = when_used(r"\bclientId=(?P<client>[^,\])]+)")
# RE2: what a line must hold to be looked at for an error, or, where there was one, for an answer without.
ERROR_IN_RESPONSE = r"(?:[eE]rror_?[cC]ode|\berror)=(?:Optional\[)?(?:-?[1-9]|[A-Z][A-Z_]{4})"
ANSWER = r"Response(?:Data|_v\d+)?\("
_PHRASES = [
    *((phrase, name) for name, phrases in TEXTS.items() for phrase in phrases),
    *((name.replace("_", " ").lower(), name) for name in NAMES.values() if ITS_OWN.search(name)),
]
_INDEX = WordIndex((phrase, number) for number, (phrase, _) in enumerate(_PHRASES))
# Names in lower case, without what joins their words.
BY_WORDS = {name.replace("_", "").casefold(): name for name in NAMES.values()}
# librdkafka, `Broker: ` and a name's own words; of codes that are younger than it a number.
BY_LIBRDKAFKA, BY_NUMBER, BY_RUST = "Broker: ", "Err-", "KafkaError ("
# rust-rdkafka's errors have a name of their own, and librdkafka's words where whoever prints them left them.
_SPELLED = when_used(
    rf"\b(?:{BY_LIBRDKAFKA}|Kafka\w* \((?:[A-Z]?[a-z]+ ){{1,3}}error: )(?P<words>[A-Z][A-Za-z -]{{5,60}})"
    rf"|\b{BY_NUMBER}(?P<code>\d{{1,3}})\?"
)
LONGEST_SEARCHED = 4_000  # characters


def answer_in(text: str) -> tuple[tuple[str, str], list[str]] | None:
    """Whose and of what request an answer in a line is, and the names of its errors, routine ones left out; None without."""
    response = _RESPONSE.search(text)
    if response is None or "esponse" not in text:
        return None
    client = _CLIENT.search(text)
    api = next((one["api"] for one in _RESPONSE.finditer(text) if one["api"]), None) or response["key"]
    names = dict.fromkeys(name for name in map(_name, _CODE.finditer(text)) if name not in ROUTINE)
    return (client["client"] if client else "", api), list(names)


def _name(code: re.Match[str]) -> str:
    said = code["code"]
    return NAMES.get(int(said), f"error {said}" if int(said) else "NONE") if is_whole(said) else said


def code_in(text: str) -> str | None:
    """The error of the protocol that a text spells first; None where it spells none."""
    return next(iter(codes_in(text)), None)


def codes_in(text: str) -> list[str]:
    """The errors of the protocol that a text spells, in its order: by their names' own words, by phrases, by numbers."""
    searched = " ".join(text[:LONGEST_SEARCHED].split())  # YAML and pages break lines within it
    plain = searched.casefold()
    said = map(_PHRASES.__getitem__, _INDEX.owners(plain))
    found = [(plain.find(phrase), name) for phrase, name in said]
    if any(sign in searched for sign in (BY_LIBRDKAFKA, BY_NUMBER, BY_RUST)):
        told = ((said.start(), _spelled(said)) for said in _SPELLED.finditer(searched))
        found += [(at, name) for at, name in told if name]
    return list(dict.fromkeys(name for _, _, name in sorted((at, -len(name), name) for at, name in found)))


def _spelled(said: re.Match[str]) -> str | None:
    """The error of a number, or whose name words begin with: `Not coordinator for group` is NOT_COORDINATOR."""
    if said["code"]:
        return NAMES.get(int(said["code"]))
    spelled = said["words"].replace("-", " ").split()
    names = ("".join(spelled[:end]).casefold() for end in range(len(spelled), 0, -1))
    return next(filter(None, map(BY_WORDS.get, names)), None)
