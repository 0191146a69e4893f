"""Every rule says what it watches, in one sentence."""

import pytest

from transforms.rules.promises import promises
from transforms.rules.registry import RULES


@pytest.mark.parametrize("rule_id", list(RULES))
def test_every_rule_has_its_promise(rule_id):
    assert rule_id in promises()


@pytest.mark.parametrize(("rule_id", "sentence"), promises().items())
def test_a_promise_is_one_sentence(rule_id, sentence):
    assert sentence.endswith(".")
    assert ". " not in sentence
    assert rule_id.split(".")[0] in {
        "kip572",
        "kip580",
        "kip91",
        "kip62",
        "kip98",
        "kip144",
        "kip601",
        "kip848",
        "timeouts",
    }
