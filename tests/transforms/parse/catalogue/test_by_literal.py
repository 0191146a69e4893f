"""Forms whose literals a text holds: the same as each looked for alone, in their order."""

import pytest

from transforms.parse.catalogue.by_literal import FormsByLiteral
from transforms.parse.catalogue.forms import exception_forms, said_anywhere

TEXTS = (
    "", "Commit failed: Broker: Group rebalance in progress", "Expiring 3 record(s) for orders-0:120001 ms has passed",
    "kafka: client has run out of available brokers to talk to: EOF \u2026", "coordinator \ud800 is not available",
)  # fmt: skip


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("forms", [said_anywhere(), exception_forms()], ids=["others", "exceptions"])
def test_those_whose_literal_is_there_are_found_in_their_order(forms, text):
    assert FormsByLiteral(forms).may_be_in(text) == [form for form in forms if form.literal in text]
