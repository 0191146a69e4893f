"""Which words of a line decide."""

import pytest

from transforms.diagnose.wording.decisive import DECIDING, decisive_parts, rank_of

HEAD = "[2026-11-21 02:44:14,605] WARN [Consumer clientId=a, groupId=g] "
EXPIRED = "Expiring 3 record(s) for orders-0:13950 ms has passed since batch creation"


@pytest.mark.parametrize(
    ("line", "message_id", "names", "decides"),
    [
        pytest.param(f"{HEAD}consumer poll timeout has expired. This means", "poll-timeout-expired", (),
                     ["consumer poll timeout has expired."], id="Kafka's own text"),
        pytest.param("    max.poll.interval.ms = 8000", "config-values", {"max.poll.interval.ms"},
                     ["max.poll.interval.ms = 8000"], id="a setting of a dump"),
        pytest.param("    max.poll.records = 500", "config-values", {"max.poll.interval.ms"}, [], id="another setting"),
        pytest.param(f"app: {EXPIRED}", "application-exception", (), [EXPIRED], id="an exception's message"),
        pytest.param("o.a.k.CommitFailedException: no", "application-exception", (),
                     ["CommitFailedException"], id="an exception without a known message"),
        pytest.param("", "", (), [], id="nothing"),
    ],
)  # fmt: skip
def test_what_decides(line, message_id, names, decides):
    parts = decisive_parts(line, message_id, names)
    assert [text for text, is_decisive in parts if is_decisive] == decides
    assert "".join(text for text, _ in parts) == line


def test_a_long_hostile_line_is_searched_at_few_places_and_kept_whole():
    line = "consumer " * 200_000
    assert "".join(text for text, _ in decisive_parts(line, "poll-timeout-expired")) == line


def test_the_line_that_says_it_goes_before_those_that_lead_there():
    assert rank_of("poll-timeout-expired") < rank_of("leave-group") == rank_of("unheard of") == len(DECIDING)
