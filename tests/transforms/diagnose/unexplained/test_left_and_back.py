"""A member of aiokafka's that left its group though nobody closed it."""

import pytest

from tests.answered import answered

HEAD = "2026-01-05 10:00:{:02d},125 - aiokafka.consumer.group_coordinator - {} - {}\n"
LEFT = ("INFO", "LeaveGroup request succeeded")
GIVEN_BACK = (
    "INFO",
    "Revoking previously assigned partitions frozenset({TopicPartition(topic='pay', partition=0)}) for group billing",
)
NONE_GIVEN_BACK = ("INFO", "Revoking previously assigned partitions set() for group billing")
TOLD = ("WARNING", "Heartbeat failed for group billing because it is rebalancing")
JOINS = ("INFO", "(Re-)joining group billing")
JOINED = ("INFO", "Joined group 'billing' (generation 3) with member_id aiokafka-1")


@pytest.mark.parametrize(
    ("lines", "kind"),
    [
        pytest.param(
            [LEFT, GIVEN_BACK, JOINS, JOINED], "left_and_back", id="it was not asked for records in time"
        ),
        pytest.param([JOINED, LEFT], "nothing_wrong", id="it was closed"),
        pytest.param([LEFT, NONE_GIVEN_BACK, JOINS, JOINED], "nothing_wrong", id="it began anew"),
        pytest.param(
            [LEFT, TOLD, GIVEN_BACK, JOINS, JOINED], "nothing_wrong", id="another member was closed"
        ),
    ],
)
def test_who_left_and_gives_partitions_back_was_not_closed(tmp_path, lines, kind):
    text = "".join(HEAD.format(at, *said) for at, said in enumerate([JOINS, JOINED, *lines]))
    ended, said = answered(text, tmp_path)
    assert ended == kind
    assert ("left its group, and went on" in said) == (kind == "left_and_back")
