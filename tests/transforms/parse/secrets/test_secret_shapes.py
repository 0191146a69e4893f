# ruff: noqa: E501 (shapes are written whole)
"""The grammar of secrets: every notation with every name and value, shapes without names, and what must stay."""

import importlib
import inspect
import json
import pkgutil
import re
from functools import partial
from itertools import product
from pathlib import Path

import detect_secrets.plugins
import pytest
from detect_secrets.plugins.base import RegexBasedDetector
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.cpu import least_cpu_s, takes_less
from tests.transforms.parse.typed import is_hinted
from transforms import yaml_text
from transforms.parse.secrets import shapes
from transforms.parse.secrets.names import TABLE, WORDS, Strength, strength_of, words_in
from transforms.parse.secrets.patterns import KNOWN, hinted, whole
from transforms.parse.secrets.redact import REDACTED, redact

SHAPES = yaml_text.parse(Path(__file__).with_name("secret_shapes.yaml").read_text(encoding="utf-8"))
KEYS, VALUES, NOTATIONS = SHAPES["keys"], SHAPES["values"], SHAPES["notations"]
# What a notation's own end may not occur in.
SUITS = {
    "any": lambda value: True,
    "tagless": lambda value: not re.search("[<>&]", value),
    "word": lambda value: " " not in value,
    "plain": lambda value: not re.search(r"[\s&,;}{\])(#|'<\\=?\[]", value.rstrip("=")),
}
# From here on the shapes are tried as messages of JSON lines, too.
IN_JSON = SHAPES["goes"][134:]
LEFT = re.compile("(?i)hunter|canary")
CASES = [
    pytest.param(notation, kind, id=f"{kind}-{number}")
    for kind, notations in NOTATIONS.items()
    for number, notation in enumerate(notations)
]


def leaks(text):
    clean = redact(text)
    assert redact(clean) == clean, text
    return LEFT.search(clean) is not None or REDACTED not in clean


def in_notation(notation, key, value):
    quoted = "\\" if '"%v"' in notation else ""
    if "\\" in value and quoted:
        value = value.replace("\\", "\\\\")
    return notation.replace("%k", key).replace("%v", value)


def pairs(notation, kind):
    """Every name with two values, and every value that the notation can hold with some names."""
    values = [value for values in VALUES.values() for value in values if SUITS[kind](value)]
    keys = (*KEYS["strong"], *KEYS["tokens"])
    for key, value in (*product(keys, values[:2]), *product(keys[::9], values)):
        if not any(quote in value and f"{quote}%v" in notation for quote in "'`"):
            yield key, value


@pytest.mark.parametrize(("notation", "kind"), CASES)
def test_every_name_with_every_value_goes_in_every_notation(notation, kind):
    texts = [in_notation(notation, key, value) for key, value in pairs(notation, kind)]
    assert [text for text in texts if leaks(text)] == []


def goes(text):
    is_left = leaks(text) or leaks(f"[2026-11-21 02:19:38,772] WARN [Producer clientId=p] met {text}")
    return not is_left and is_hinted(f"x\n{text}\n")


def goes_in_json(text):
    line = {
        "@timestamp": "2026-11-21T02:19:38.772Z",
        "level": "WARN",
        "message": f"met {text}",
        "logger": "x.Y",
    }
    whole = json.dumps(line)
    return not leaks(whole) and json.loads(redact(whole)).keys() == line.keys()


def stays(text):
    within = (
        f"[2026-11-21 02:19:38,772] WARN [Producer clientId=p] {text.strip()} (org.apache.kafka.clients.A)"
    )
    return redact(text) == text and redact(within) == within


def test_shapes_without_names_go():
    assert [(text, redact(text)) for text in SHAPES["goes"] if not goes(text)] == []


def test_shapes_go_where_the_whole_line_is_json():
    assert [text for text in IN_JSON if not goes_in_json(text)] == []


def test_what_is_no_secret_stays_as_it_is():
    assert [(text, redact(text)) for text in SHAPES["stays"] if not stays(text)] == []


def test_there_are_enough_of_each():
    assert sum(len(list(pairs(*case.values))) for case in CASES) + len(SHAPES["goes"]) >= 300
    assert len(set(SHAPES["stays"])) >= 150


@pytest.mark.parametrize(
    ("name", "strength"),
    [
        ("sslKeyPassword", Strength.STRONG),
        ("SSL_KEY_PASSWORD", Strength.STRONG),
        ("password.encoder.iterations", Strength.NONE),
        ("sasl.oauthbearer.token.endpoint.url", Strength.NONE),
        ("tokenId", Strength.NONE),
        ("OPENAI_KEY", Strength.TOKEN),
        ("ACME_KEY", Strength.WEAK),
        ("record.key", Strength.IN_URL),
        ("sasl.jaas.config", Strength.JAAS),
        ("Proxy-Authorization", Strength.HEADER),
    ],
)
def test_a_name_decides(name, strength):
    assert strength_of(name) is strength


PIECES = st.sampled_from(
    [*"\"'`\\=:,;&{}[]() \n\t<>@/|-", "password", "token", "apiKey", "://", "Bearer ", "Authorization", '\\"', "value", "name", "[redacted]", "&quot;",
     "-----BEGIN PRIVATE KEY-----", "-----END PRIVATE KEY-----", "LoginModule required ", "x", "Hunter2canary", "user_a=", "null", "jaas"]
)  # fmt: skip


@settings(max_examples=600)
@given(st.lists(PIECES, max_size=14).map("".join))
def test_redacting_twice_is_redacting_once(text):
    clean = redact(text)
    assert redact(clean) == clean


@settings(max_examples=200)
@given(
    st.sampled_from(
        [case.values[0] for case in CASES if case.values[1] == "any" and '"%v"' in case.values[0]]
    ),
    st.sampled_from([*KEYS["strong"]]),
    st.text(
        st.characters(codec="ascii", exclude_characters='"\\`\n\r', exclude_categories=["Cc"]),
        min_size=1,
        max_size=20,
    ),
)
def test_a_quoted_value_of_any_text_goes(notation, key, value):
    marked = f"Hunter{value}canary"
    clean = redact(in_notation(notation, key, marked))
    assert LEFT.search(clean) is None, clean


def issuers():
    """The rules of detect-secrets, each of an issuer's tokens."""
    for module in pkgutil.iter_modules(detect_secrets.plugins.__path__):
        plugins = vars(importlib.import_module(f"detect_secrets.plugins.{module.name}")).values()
        for plugin in plugins:
            is_rule = (
                isinstance(plugin, type)
                and issubclass(plugin, RegexBasedDetector)
                and not inspect.isabstract(plugin)
            )
            if is_rule and plugin.__module__.endswith(f".{module.name}") and module.name not in NOT_TOKENS:
                yield pytest.param(plugin.denylist, id=module.name)


# Addresses and account numbers are none; keys and passwords of any form are the notations' to find, for which names decide.
NOT_TOKENS = {
    "ip_public",
    "private_key",
    "basic_auth",
    "cloudant",
    "ibm_cloud_iam",
    "ibm_cos_hmac",
    "softlayer",
    "artifactory",
    "discord",
    "jwt",
    "telegram_token",
    "twilio",
}


@pytest.mark.parametrize("patterns", issuers())
def test_tokens_by_the_rules_of_detect_secrets_go(patterns):
    @settings(max_examples=5, suppress_health_check=list(HealthCheck), derandomize=True)
    @given(st.data())
    def goes(data):
        for pattern in patterns:
            if pattern.pattern.startswith("aws"):  # the name beside it
                continue
            text = data.draw(
                st.from_regex(
                    re.compile(pattern.pattern, pattern.flags & ~re.UNICODE | re.ASCII), fullmatch=True
                )
            )
            assert REDACTED in redact(f"met {text} there"), text

    goes()


HOSTILE = (
    "http://a:", 'password="', "eyJ", "-----BEGIN PRIVATE KEY-----", "-----END PRIVATE KEY-----", "secret=\\", "Bearer ", "token", "a-", "\n",
    'password="a"b ', "password={", "password=[", "{password=a,", '"name":"password",', "<password>", "sasl.jaas.config=", "LoginModule required ",
    'LoginModule required a="b" ', "https://a@", "Authorization: a, ", "key=", 'x\\"password\\":\\"', "password=a\\\n", "MIIE1aB2", "MIIE1aB2\n", "a=b,password=",
    '(("password", ', '{"value":"x","name":"password"', 'user_a="', "password \t", "sk-", "eyJ-", "SG.a-", "A" * 59 + " ", "password: |\n  x\n", "token=a ", "api key ",
    "password value: ", "password is ", "password(", "password to ", "value x for property password ",
)  # fmt: skip


@pytest.mark.parametrize("unit", HOSTILE)
@pytest.mark.parametrize("begin", ["password ", "x "])
def test_time_is_in_proportion_to_length(begin, unit):
    """Eight times the text takes nowhere near 64 times as long."""
    text = begin + unit * (16_000 // len(unit))
    few_s = least_cpu_s(partial(redact, text[:2_000]))
    assert takes_less(partial(redact, text), max(0.25, 24 * few_s))


def quickly_found(text):
    next_word, found, at = words_in(text, text.lower()), [], 0
    while match := next_word(at):
        found.append(match.span())
        at = match.end()
    return found


def test_the_quick_search_for_names_finds_what_the_whole_one_does():
    texts = [*SHAPES["goes"], " ".join(map(str, KEYS))]
    forms = [form for text in texts for form in (text, text.upper(), f"x{text}")]
    assert [
        one for one in forms if quickly_found(one) != [match.span() for match in WORDS.finditer(one)]
    ] == []


@pytest.mark.parametrize("section", ["shapes", "commands"])
def test_every_row_of_a_section_is_a_pattern_with_groups_that_are_asked(section):
    """They are compiled when they are first used: a row that is none would be found by whoever has such a line."""
    for hint, row in hinted(section):
        assert hint == hint.lower()
        assert set(re.compile(row.pattern).groupindex) <= {"secret", "other", "drawn", "q"}


def test_every_other_row_of_the_table_is_a_pattern():
    rows = [*KNOWN["told"], *KNOWN["plain"].values(), *KNOWN["parts"].values(), *KNOWN["words"]]
    rows += [part for issuer in KNOWN["issuers"] for part in issuer]
    for row in [*map(whole, rows), *(row.pattern for row, _ in TABLE)]:
        re.compile(row)


@pytest.mark.parametrize(
    ("pattern", "hint", "whole_one"), [("a(?&HINT)b", "x", "axb"), ("(?&TOKENS)", "", r"\w*tokens?\d*")]
)
def test_a_pattern_is_whole_with_its_parts(pattern, hint, whole_one):
    assert whole(pattern, hint) == whole_one


def test_the_name_of_a_region_is_no_beginning_of_a_key():
    """It costs a look by RE2, and no search for all shapes from each place of a long trace."""
    assert shapes.TOKENS.search("no route to b7.asia-south2.example.org:9092") is None
    assert shapes.TOKENS.search("key ASIA" + "Q7" * 8) is not None
