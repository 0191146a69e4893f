"""Errors of Kafka's protocol as clients spell them in words: sarama, kafkajs, librdkafka; Kafka's own messages of them."""

import re

from transforms.parse.catalogue.error_codes import ERRORS, NAMES

TEXTS: dict[str, list[str]] = {error["name"]: error["says"] for error in ERRORS if "says" in error}
_PHRASES = [(phrase, name) for name, phrases in TEXTS.items() for phrase in phrases]
# Names in lower case, without what joins their words.
_BY_WORDS = {name.replace("_", "").casefold(): name for name in NAMES.values()}
# librdkafka, `Broker: ` and a name's own words; of codes that are younger than it a number.
BY_LIBRDKAFKA, BY_NUMBER, BY_RUST = "Broker: ", "Err-", "KafkaError ("
# rust-rdkafka's errors have a name of their own, and librdkafka's words where whoever prints them left them.
_SPELLED = re.compile(
    rf"\b(?:{BY_LIBRDKAFKA}|Kafka\w* \((?:[A-Z]?[a-z]+ ){{1,3}}error: )(?P<words>[A-Z][A-Za-z -]{{5,60}})"
)
_UNNAMED = re.compile(rf"\b{BY_NUMBER}(?P<code>\d{{1,3}})\?")
LONGEST_SEARCHED = 4_000  # characters


def code_in(text: str) -> str | None:
    """The error of the protocol that a text spells first; None where it spells none."""
    return next(iter(codes_in(text)), None)


def codes_in(text: str) -> list[str]:
    """The errors of the protocol that a text spells, in its order: by their names' own words, by phrases, by numbers."""
    searched = " ".join(text[:LONGEST_SEARCHED].split())  # YAML and pages break lines within it
    plain = searched.casefold()
    found = [(at, name) for phrase, name in _PHRASES if (at := plain.find(phrase)) >= 0]
    if BY_LIBRDKAFKA in searched or BY_RUST in searched:
        found += [
            (said.start(), name) for said in _SPELLED.finditer(searched) if (name := _spelled(said["words"]))
        ]
    if BY_NUMBER in searched:
        found += [
            (said.start(), name)
            for said in _UNNAMED.finditer(searched)
            if (name := NAMES.get(int(said["code"])))
        ]
    return list(dict.fromkeys(name for _, name in sorted(found)))


def _spelled(words: str) -> str | None:
    """The error whose name words begin with: `Not coordinator for group` is NOT_COORDINATOR."""
    spelled = words.replace("-", " ").split()
    names = ("".join(spelled[:end]).casefold() for end in range(len(spelled), 0, -1))
    return next(filter(None, map(_BY_WORDS.get, names)), None)
