# ruff: noqa: E501  # a line of a log is a line
"""What only several lines tell: elections that elect nobody, assignments that are empty, states that are stale, topics without
a leader; each beside the same line said once, or what it ended with.
"""

import pytest

from tests.answered import answered
from tests.story import CONSUMER, line, told

RAFT = "org.apache.kafka.raft."
HERDER = "org.apache.kafka.connect.runtime.distributed.DistributedHerder"
WORKER = "[Worker clientId=connect-7, groupId=shop-connect] "
NETWORK = "org.apache.kafka.clients.NetworkClient"


def unattached(at, epoch, was="Unattached"):
    return line(at, "INFO", f"{RAFT}QuorumState", f"[RaftManager id=4] Completed transition to Unattached(epoch={epoch}, voters=[1, 2, 3], electionTimeoutMs=1500) from {was}(epoch={epoch - 1}, voters=[1, 2, 3], electionTimeoutMs=1500)")  # fmt: skip


def epoch_of(at, epoch, leader="(none)"):
    return line(at, "INFO", "org.apache.kafka.controller.QuorumController", f"[QuorumController id=4] In the new epoch {epoch}, the leader is {leader}.")  # fmt: skip


def follows(at, epoch):
    return line(at, "INFO", f"{RAFT}QuorumState", f"[RaftManager id=4] Completed transition to FollowerState(fetchTimeoutMs=2000, epoch={epoch}, leaderId=1, voters=[1, 2, 3], highWatermark=Optional.empty) from Unattached(epoch={epoch}, voters=[1, 2, 3], electionTimeoutMs=1500)")  # fmt: skip


def candidate(at, epoch, retries):
    return line(at, "INFO", f"{RAFT}QuorumState", f"[RaftManager id=4] Completed transition to CandidateState(localId=4, epoch={epoch}, retries={retries}, voteStates={{4=GRANTED, 5=UNRECORDED}}, highWatermark=Optional.empty, electionTimeoutMs=1400) from Unattached(epoch=0, voters=[4, 5], electionTimeoutMs=1100)")  # fmt: skip


def election_lost(at):
    return line(at, "INFO", f"{RAFT}KafkaRaftClient", "[RaftManager id=4] Election has timed out, backing off for 1000ms before becoming a candidate again")  # fmt: skip


def no_voters(at):
    return line(at, "INFO", f"{RAFT}QuorumState", "[RaftManager id=4] Completed transition to UnattachedState(epoch=0, leaderId=OptionalInt.empty, votedKey=Optional.empty, voters=[], electionTimeoutMs=9223372036854775807, highWatermark=Optional.empty) from null")  # fmt: skip


def assigned(at, error, generation):
    return line(at, "INFO", HERDER, f"{WORKER}Joined group at generation {generation} with protocol version 2 and got assignment: Assignment{{error={error}, leader='connect-7-x', leaderUrl='http://10.0.0.8:8083/', offset=9, connectorIds=[], taskIds=[], revokedConnectorIds=[], revokedTaskIds=[], delay=0}} with rebalance delay: 0")  # fmt: skip


def joined(at, generation):
    return line(at, "INFO", "org.apache.kafka.clients.consumer.internals.AbstractCoordinator", f"{WORKER}Successfully joined group with generation {generation}")  # fmt: skip


def stale(at):
    return line(at, "INFO", "kafka.cluster.Partition", "[Partition orders-3 broker=2] Cached zkVersion 14 not equal to that in zookeeper, skip updating ISR")  # fmt: skip


def leaderless(at, number):
    return line(at, "WARN", NETWORK, f"{CONSUMER}Error while fetching metadata with correlation id {number} : {{orders=LEADER_NOT_AVAILABLE}}")  # fmt: skip


def troubles(*lines):
    return [one.kind for one in told(*lines) if one.verdict != "benign"]


ELECTIONS = [unattached(at, 40 + at // 1000) for at in (0, 1000, 2000)]


@pytest.mark.parametrize(
    ("lines", "kinds"),
    [
        pytest.param(ELECTIONS, ["quorum_without_leader"], id="three elections without a leader"),
        pytest.param([*ELECTIONS, follows(2100, 42)], ["quorum_without_leader"], id="and then one"),
        pytest.param(ELECTIONS[:2], [], id="two of them"),
        pytest.param([unattached(0, 40, "Follower"), follows(90, 40)], [], id="a leader that changes"),
        pytest.param([line for n in range(3) for line in (unattached(n * 100_000, 40 + n), follows(n * 100_000 + 90, 40 + n))], [], id="three that each ended with a leader, minutes apart"),
        pytest.param([epoch_of(1000 * n, 40 + n) for n in range(3)], ["quorum_leaderless"], id="three epochs without a leader, as a controller is told"),
        pytest.param([*(epoch_of(1000 * n, 40 + n) for n in range(4)), epoch_of(4100, 43, "2")], ["quorum_leaderless"], id="and then one with"),
        pytest.param([one for n in range(5) for one in (epoch_of(1000 * n, 40 + n), epoch_of(1000 * n + 90, 40 + n, "2"))], [], id="five epochs that each got a leader at once"),
        pytest.param([candidate(1000 * n, n, n) for n in range(1, 5)], ["quorum_election_failed"], id="a candidate that tries again"),
        pytest.param([candidate(0, 1, 1)], [], id="a candidate for the first time"),
        pytest.param([election_lost(0), election_lost(2000)], ["quorum_election_failed"], id="a candidate that nobody votes for"),
        pytest.param([election_lost(0), follows(900, 3)], [], id="a start that others join later"),
        pytest.param([no_voters(0)], ["quorum_without_voters"], id="nobody to vote for"),
        pytest.param([no_voters(0), follows(400, 3)], [], id="voters that it learns of its leader"),
        pytest.param([assigned(0, 1, 8), joined(20, 9), assigned(30, 1, 9), joined(50, 10), assigned(60, 1, 10)], ["connect_assignment_empty"], id="workers that join for nothing"),
        pytest.param([assigned(0, 1, 8), joined(20, 9), assigned(30, 0, 9)], [], id="an empty assignment, and then one"),
        pytest.param([stale(0), stale(30)], ["isr_state_stale"], id="a stale state, again"),
        pytest.param([stale(0)], [], id="a stale state, once"),
        pytest.param([leaderless(0, 2)], [], id="a topic that is being made"),
        pytest.param([leaderless(100 * n, n) for n in range(4)], ["leader_awaited"], id="a topic without a leader"),
    ],
)  # fmt: skip
def test_what_comes_again_is_trouble_and_what_passes_is_not(lines, kinds):
    assert troubles(*lines) == kinds


def test_the_facts_of_an_election_stand_in_its_words():
    (incident,) = (one for one in told(*ELECTIONS, follows(2100, 42)) if one.verdict != "benign")
    assert "(3 times in 2 s): epoch 40 to 42" in incident.title
    assert "got on again after 2.1 s" in incident.cause
    assert "controller.quorum.voters" in incident.advice


def test_a_leader_of_the_quorum_ends_no_other_trouble_of_the_node():
    refused = line(0, "WARN", NETWORK, "[NodeToControllerChannelManager id=4 name=heartbeat] Connection to node 1 (c1/10.0.0.1:9093) could not be established. Node may not be available.")  # fmt: skip
    assert troubles(refused, follows(300, 3)) == ["server_connect_failed"]


def test_an_exception_of_a_missing_leader_is_trouble_once():
    said = "failed\norg.apache.kafka.common.errors.LeaderNotAvailableException: There is no leader for this topic-partition as we are in the middle of a leadership election."
    assert troubles(line(0, "ERROR", "com.acme.App", said)) == ["no_leader"]


def test_the_answer_to_a_commit_is_named_with_its_partition():
    coordinator = "org.apache.kafka.clients.consumer.internals.ConsumerCoordinator"
    (incident,) = told(line(0, "ERROR", coordinator, f"{CONSUMER}Offset commit failed on partition pay-2 at offset 17: The coordinator is not aware of this member."))  # fmt: skip
    assert "of pay-2 at offset 17 was UNKNOWN_MEMBER_ID" in incident.cause


def test_a_record_that_streams_refuses_in_plain_words_is_too_large():
    collector = "org.apache.kafka.streams.processor.internals.RecordCollectorImpl"
    said = "task [0_1] Error sending record to topic pay-store due to The message is 1200345 bytes when serialized which is larger than the maximum request size you have configured with the max.request.size configuration.; No more records will be sent and no more offsets will be recorded for this task."
    (incident,) = told(line(0, "ERROR", collector, said))
    assert (incident.kind, incident.impact) == ("record_too_large", "lost")
    assert "1200345 bytes" in incident.title


def test_who_refused_a_candidate_is_named():
    said = "[RaftManager id=4] Insufficient remaining votes to become leader (rejected by [5, 6]). We will backoff before retrying election again"
    (incident,) = told(line(0, "INFO", f"{RAFT}KafkaRaftClient", said))
    assert "rejected by 5, 6" in incident.title
    assert "5, 6 refused" in incident.cause


COORDINATOR = "kafka.coordinator.group.GroupCoordinator"
JOINS = "Adding new member {} with group instance id None; client reason: not provided"


def passes(at, generation, member, count, why=JOINS):
    """A rebalance that a member asks for, and how many there are after it."""
    return [
        line(at, "INFO", COORDINATOR, f"[GroupCoordinator 1]: Preparing to rebalance group pay in state PreparingRebalance with old generation {generation} (__consumer_offsets-7) (reason: {why.format(member)})"),
        line(at + 5, "INFO", COORDINATOR, f"[GroupCoordinator 1]: Stabilized group pay generation {generation + 1} (__consumer_offsets-7) with {count} members"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("counts", "first", "kinds"),
    [
        pytest.param([1, 1, 1, 1], 7, ["rebalance_storm"], id="each new member finds nobody"),
        pytest.param([1, 2, 3, 4], 7, [], id="a group that grows"),
        pytest.param([1, 2], 100_001, ["rebalance_storm"], id="more generations than deployments make"),
    ],
)
def test_members_that_come_and_do_not_stay(counts, first, kinds):
    members = [f"app-{number:08d}-1111-2222-3333-444444444444" for number in range(len(counts))]
    lines = [
        row
        for number, count in enumerate(counts)
        for row in passes(2000 * number, first + number, members[number], count)
    ]
    assert [one.kind for one in told(*lines) if one.verdict != "benign"] == kinds


def test_a_group_that_always_rebalanced_says_how_often():
    (incident,) = told(*passes(0, 138_000, "app-x", 1, "leader {} re-joining during Stable"))
    assert incident.title.startswith("Group pay has rebalanced 138001 times")
    assert "max.poll.interval.ms" in incident.advice


def refused(at, node):
    return line(at, "WARN", NETWORK, f"{CONSUMER}Connection to node {node} (kafka2/10.0.0.2:9092) could not be established. Node may not be available.")  # fmt: skip


def cluster(at):
    return line(at, "INFO", "org.apache.kafka.clients.Metadata", f"{CONSUMER}Cluster ID: x1")


@pytest.mark.parametrize(
    ("lines", "kinds"),
    [
        pytest.param([refused(0, -2), cluster(60)], [], id="another address answers"),
        pytest.param([refused(0, -2), cluster(5000)], ["connect_failed"], id="long after it"),
        pytest.param([refused(0, -2)], ["connect_failed"], id="no other"),
        pytest.param([refused(0, 2), cluster(60)], ["connect_failed"], id="a broker of the cluster"),
    ],
)
def test_one_bootstrap_address_of_several_may_be_down(lines, kinds):
    assert troubles(*lines) == kinds


def test_a_sentence_where_a_thread_would_stand_is_no_thread():
    (incident,) = told(
        "Tue Jan 06 10:00:00 GMT 2026 shop1 Exception SHOP-TOPIC-0017 An unexpected error org.apache.kafka.clients.consumer.CommitFailedException was met: Offset commit cannot be completed since the consumer is not part of an active group for auto partition assignment; it is likely that the consumer was kicked out of the group."
    )
    assert "thread" not in incident.title


OF_CONSUMER = "org.apache.kafka.clients.consumer.internals.ConsumerCoordinator"
LOST = "Group coordinator 10.0.0.7:9092 (id: 2147483646 rack: null) is unavailable or invalid due to cause: coordinator unavailable. isDisconnected: true. Rediscovery will be attempted."
FOUND_AGAIN = "Discovered group coordinator 10.0.0.7:9092 (id: 2147483646 rack: null)"


@pytest.mark.parametrize(
    ("session_ms", "after_s", "verdict"),
    [
        pytest.param(10_000, 15, "benign", id="within twice the session timeout that its log tells"),
        pytest.param(10_000, 25, "as_designed", id="longer: a member is gone by then"),
        pytest.param(None, 25, "benign", id="its log tells none"),
    ],
)
def test_what_passed_by_itself_took_no_longer_than_the_client_s_own_sessions(session_ms, after_s, verdict):
    config = "org.apache.kafka.clients.consumer.ConsumerConfig"
    settings = f"\tclient.id = consumer-1\n\tgroup.id = orders\n\tsession.timeout.ms = {session_ms}\n"
    dump = [line(0, "INFO", config, f"ConsumerConfig values: \n{settings}")] if session_ms else []
    lost = line(1_000, "INFO", OF_CONSUMER, f"{CONSUMER}{LOST}")
    found = line(1_000 + after_s * 1_000, "INFO", OF_CONSUMER, f"{CONSUMER}{FOUND_AGAIN}")
    assert [one.verdict for one in told(*dump, lost, found)] == [verdict]


STREAMS = "org.apache.kafka.clients.consumer.internals.StreamsGroupHeartbeatRequestManager"


@pytest.mark.parametrize(
    ("said", "kind", "verdict"),
    [
        pytest.param(
            "Membership is in the following statuses: (5) Assignment delayed due to the configured initial rebalance delay.",
            "normal_warning",
            "benign",
            id="its group has just begun",
        ),
        pytest.param(
            "Membership is in the following statuses: (1) Source topics orders are missing.",
            "topic_missing",
            "as_designed",
            id="a topic is missing",
        ),
        pytest.param(
            "Membership is in the following statuses: (5) Assignment delayed., (3) Internal topics are missing: [app-repartition].",
            "streams_group_waits",
            "as_designed",
            id="several, of which one is no normal one",
        ),
        pytest.param(
            "Share groups and KafkaShareConsumer are part of a preview feature introduced by KIP-932, and are not recommended for use in production.",
            "normal_warning",
            "benign",
            id="a preview",
        ),
        pytest.param(
            "Share groups and KafkaShareConsumer are part of the early access of KIP-932 and MUST NOT be used in production.",
            "normal_warning",
            "benign",
            id="early access",
        ),
    ],
)
def test_warnings_of_the_new_groups(said, kind, verdict):
    (incident,) = told(line(0, "WARN", STREAMS, f"{CONSUMER}{said}"))
    assert (incident.kind, incident.verdict) == (kind, verdict)


@pytest.mark.parametrize(
    ("event", "kind"),
    [
        ("ConsumerRebalanceListenerCallbackNeededEvent", "normal_closed_meanwhile"),
        ("SyncCommitEvent", "closed_meanwhile"),
    ],
)
def test_what_a_consumer_had_under_way_as_it_was_closed(event, kind):
    logger = "org.apache.kafka.clients.consumer.internals.ConsumerMembershipManager"
    thrown = f"java.util.concurrent.CompletionException: org.apache.kafka.common.errors.TimeoutException: {event} could not be completed before the consumer closed"
    (incident,) = told(
        line(
            0,
            "ERROR",
            logger,
            f"{CONSUMER}Reconciliation failed.\n{thrown}\n\tat java.base/java.util.concurrent.CompletableFuture.encodeRelay(CompletableFuture.java:3)",
        )
    )
    assert incident.kind == kind


def test_a_rebalance_that_failed_while_the_coordinator_starts_is_normal_once_it_is_joined():
    failed = "Rebalance failed.\norg.apache.kafka.common.errors.CoordinatorLoadInProgressException: The coordinator is loading and hence can't process requests."
    lines = [line(0, "INFO", OF_CONSUMER, f"{CONSUMER}{failed}")]
    assert [one.verdict for one in told(*lines)] == ["as_designed"]
    joined = "Successfully joined group with generation Generation{generationId=1, memberId='m-1', protocol='range'}"
    assert [one.verdict for one in told(*lines, line(900, "INFO", OF_CONSUMER, f"{CONSUMER}{joined}"))] == [
        "benign"
    ]


GROUP_IS = "StreamsGroupHeartbeatRequest failed because the group coordinator Optional[10.0.0.7:9092 (id: 2147483646 rack: null isFenced: false)] is {}"
LOADING = GROUP_IS.format("still loading. Will retry in 0ms: null")
WRONG = GROUP_IS.format("incorrect. Will attempt to find the coordinator again and retry in 0ms: null")
ADDED = "Adding newly assigned partitions: orders-0"


@pytest.mark.parametrize(
    ("said", "every_ms", "verdict"),
    [
        pytest.param(LOADING, 100, "benign", id="it loads, as a broker starts"),
        pytest.param(
            WRONG, 400, "benign", id="found and refused several times within seconds, then a member"
        ),
        pytest.param(WRONG, 40_000, "as_designed", id="found and refused for minutes"),
    ],
)
def test_a_coordinator_that_is_not_there_yet_for_a_member_by_heartbeats(said, every_ms, verdict):
    refused = [
        step
        for at in (0, 1, 2)
        for step in (
            line(at * every_ms, "INFO", STREAMS, f"{CONSUMER}{said}"),
            line(at * every_ms + 20, "INFO", OF_CONSUMER, f"{CONSUMER}{FOUND_AGAIN}"),
        )
    ]
    added = line(3 * every_ms, "INFO", OF_CONSUMER, f"{CONSUMER}{ADDED}")
    (incident,) = told(*refused, added)
    assert (incident.kind, incident.verdict) == ("coordinator_moved", verdict)


@pytest.mark.parametrize(("times", "verdict"), [(4, "benign"), (40, "as_designed")])
def test_a_producer_that_waits_for_its_id_for_a_moment_is_well(times, verdict):
    waits = "%4|{}.100|GETPID|pay-1#producer-1| [thrd:main]: Failed to acquire transactional PID from broker TxnCoordinator/1: Broker: Not coordinator: retrying"
    (incident,) = told("\n".join(waits.format(1_700_000_000 + at) for at in range(times)))
    assert incident.verdict == verdict


def test_a_member_by_heartbeats_that_is_given_its_tasks_found_its_coordinator():
    manager = "org.apache.kafka.clients.consumer.internals.StreamsMembershipManager"
    given = "Member wrcHkwX1TQeZRgrjvPeMQA with epoch 1 transitioned from JOINING to RECONCILING."
    lines = [
        line(0, "INFO", STREAMS, f"{CONSUMER}{LOADING}"),
        line(700, "INFO", manager, f"{CONSUMER}{given}"),
    ]
    assert [one.verdict for one in told(lines[0])] == ["as_designed"]
    assert [one.verdict for one in told(*lines)] == ["benign"]


REPLACED = "[2026-01-05 10:00:00,417] INFO [GroupCoordinator id=1] Static member with groupInstanceId=node-a and unknown member id joins group pay in Stable state. Replacing previously mapped member node-a-7fed4066-d1e6-447e-934e-3cb0a87e0b10 with this groupInstanceId. (org.apache.kafka.coordinator.group.GroupMetadataManager)"
REFUSED = "[2026-01-05 10:00:03,689] INFO [GroupCoordinator id=1] Request memberId=node-a-7fed4066-d1e6-447e-934e-3cb0a87e0b10 for static member with groupInstanceId=node-a is fenced by existing memberId=node-a-a89cd636-1e04-4f47-b11b-cb2c488bb4ea during operation heartbeat (org.apache.kafka.coordinator.group.classic.ClassicGroup)"


def test_a_static_members_restart_is_normal_and_two_of_one_id_are_not(tmp_path):
    assert answered(REPLACED, tmp_path)[0] == "nothing_wrong"
    kind, said = answered(f"{REPLACED}\n{REFUSED}", tmp_path)
    assert (kind, "two run with the same group.instance.id (node-a)" in said) == (
        "static_member_replaced",
        True,
    )


@pytest.mark.parametrize(("given", "kinds"), [("refunds-0", []), ("audit-0", ["topics_not_assigned"])])
def test_topics_that_were_just_being_made_are_shared_out_later(given, kinds):
    coordinator = "org.apache.kafka.clients.consumer.internals.ConsumerCoordinator"
    found = troubles(
        line(0, "WARN", coordinator, f"{CONSUMER}The following subscribed topics are not assigned to any members: [orders, refunds]"),
        line(80, "INFO", coordinator, f"{CONSUMER}Successfully joined group with generation 1"),
        line(82, "INFO", coordinator, f"{CONSUMER}Adding newly assigned partitions:"),
        line(3000, "INFO", coordinator, f"{CONSUMER}Adding newly assigned partitions: {given}"),
    )  # fmt: skip
    assert found == kinds
