# ruff: noqa: E501  # a line of a log is a line
"""Lines of TLS that was not made: each reason is gathered for itself, whatever numbers it has each time."""

import pytest

from tests.transforms.parse.typed import events
from transforms.timers.clients.troubles import Troubles
from transforms.timers.profile import ClientProfile

FAILED = "[sarama] Failed to connect to broker kb1:9093: "
EXPIRED = "tls: failed to verify certificate: x509: certificate has expired: current time 2026-01-05T10:00:0{}Z is after 2025-12-31T23:59:59Z"
UNKNOWN = "tls: failed to verify certificate: x509: certificate signed by unknown authority"


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        pytest.param([EXPIRED.format(at) for at in range(5)], 1, id="the time of each try"),
        pytest.param([EXPIRED.format(1), UNKNOWN, EXPIRED.format(2)], 2, id="two reasons"),
    ],
)
def test_a_reason_is_the_same_whatever_its_numbers(said, kept):
    troubles = Troubles()
    for event in (event for reason in said for event in events(f"2026/01/05 10:00:01 {FAILED}{reason}")):
        troubles.step(event, ClientProfile("unit", None, "producer"))
    assert len(list(troubles.finish(None))) == kept
