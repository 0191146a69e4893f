"""Rebalances of groups: the coordinator answers the members' JoinGroups at once when one is done."""

from collections import defaultdict
from collections.abc import Iterator, Mapping

from lab.corpus import Recording, times_said
from lab.score.fact import FALSE, FOUND, MISSED, SAME_MOMENT_MS, Fact, Row, near, pair, without
from lab.score.memberships import broker_text
from lab.score.wire import Request

STATIC_WITHOUT_REBALANCE = "will not trigger a rebalance"
EMPTIED = "is now empty"
# Members get their answers together, each one in a rebalance.
TOGETHER_MS = 1000


def rebalance_facts(
    recording: Recording, wire: Mapping[str, list[Request]], rebalances: list[Row]
) -> Iterator[Fact]:
    """Each rebalance that gave its members a generation, of all groups of a recording."""
    if any(not client.is_classic for client in recording.clients):
        return  # the coordinator alone knows when all members are done: nothing on the wire is one rebalance
    text = broker_text(recording)
    truths = rebalances_of(wire, times_said(text, STATIC_WITHOUT_REBALANCE))
    done = [row for row in rebalances if row["outcome"] == "completed"]
    used = pair(
        truths,
        done,
        truth_at="at",
        row_at="ended_at",
        fits=lambda truth, row: bool(truth["group"] == row["group_id"]),
    )
    for truth, row in zip(truths, used, strict=True):
        status, why = (FOUND, "") if row else (MISSED, "no such rebalance")
        says = f"{truth['group']}, {truth['members']} members"
        yield Fact("rebalance completed", status, recording.name, truth["group"], says, truth["at"], why)
    emptied = [{"at": at} for at in times_said(text, EMPTIED)]
    for row in without(done, used):
        if not near(emptied, "at", row["ended_at"]):
            says = f"generation {row['generation']} by {row['instance']}, {row['trigger']}"
            yield Fact("rebalance completed", FALSE, recording.name, row["group_id"], says, row["ended_at"])


def rebalances_of(wire: Mapping[str, list[Request]], static_joins: list[int]) -> list[Row]:
    """The rebalances of all groups: when their first answer came. static_joins: joins that moved nobody."""
    answers: dict[str, list[tuple[int, str]]] = defaultdict(list)
    for requests in wire.values():
        for request in requests:
            answered = request.answered_at
            if request.api != "JoinGroup" or answered is None or request.error not in (None, "NONE"):
                continue
            if request.says.get("group_instance_id") and any(
                request.sent_at - SAME_MOMENT_MS <= at <= answered + SAME_MOMENT_MS for at in static_joins
            ):
                continue
            answers[request.says["group"]].append((answered, request.client_id))
    found: list[Row] = []
    for group, given in answers.items():
        members: set[str] = set()
        for at, client_id in sorted(given):
            if client_id in members or not members or at - found[-1]["at"] > TOGETHER_MS:
                found.append({"group": group, "at": at, "members": 0})
                members = set()
            members.add(client_id)
            found[-1]["members"] += 1
    return sorted(found, key=lambda truth: truth["at"])
