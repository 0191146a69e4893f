# ruff: noqa: E501  # a line of a log is a line
"""What an answer concludes of few lines: what they say, and nothing that they leave open."""

import pytest

from tests.answered import answered

AT = "[2026-01-05 10:00:00,000]"
RDKAFKA = "%7|1767607200.{}|{}|rdkafka#consumer-1| [thrd:sasl_ssl://b1:9093/bootstrap]: sasl_ssl://b1:9093/bootstrap: {}"
FILE = '2026-01-05T10:00:00.000Z\t{}\tbase_exporter.go:1\tExporting failed. {}\t{{"name": "kafka", "error": "error exporting to topic \\"pay\\": MESSAGE_TOO_LARGE: The request included a message larger than the max message size the server will accept."}}'


@pytest.mark.parametrize(
    ("text", "kind", "words", "unsaid"),
    [
        pytest.param(
            f"{AT} WARN [Worker clientId=connect-1, groupId=pay] Didn't reach end of config log quickly enough (org.apache.kafka.connect.runtime.distributed.DistributedHerder)\njava.util.concurrent.TimeoutException: Timed out waiting for future",
            "connect_config_unread", ["group pay", "leaves its group", "worker.unsync.backoff.ms"], "nothing wrong", id="a worker that leaves its group is no normal start",
        ),
        pytest.param(
            RDKAFKA.format("100", "BROKERFAIL", "failed: err: Local: Authentication failure: (errno: Invalid argument)"),
            "auth_failed_somewhere", ["b1:9093", "Look for a line of FAIL"], 'says which: "Local', id="a name of an error is no reason",
        ),
        pytest.param(
            "\n".join([
                RDKAFKA.format("101", "BROKERFAIL", "failed: err: Local: SSL error: (errno: Success)"),
                RDKAFKA.format("102", "STATE", "Broker changed state CONNECT -> DOWN"),
            ]),
            "tls_failed_unsaid", ["Somebody listens there", "b1:9093"], "these lines do not say", id="TLS that failed was begun with somebody",
        ),
        pytest.param(
            "2026-01-05 10:00:00.103 Info Billing.Consumer | [thrd:main]: Deferring \"manual\" offset commit for 1 partition(s) in state query-coord: no coordinator available",
            "commit_deferred", ["knows no coordinator"], '"manual". (', id="what asked for a commit is no reason that it waits",
        ),
        pytest.param(
            f"{AT} ERROR Shutdown broker because all log dirs in /data/a, /data/b have failed (kafka.log.LogManager)",
            "storage_failed_wholly", ["A broker stops", "(/data/a, /data/b)"], "leads", id="a broker without a log directory ends itself",
        ),
        pytest.param(
            "ERROR 2026-01-05 10:00:00,000 [shard 2] rpc - server.cc:116 - kafka rpc protocol - Error[applying protocol] remote address: 10.1.2.3:24006 - std::__1::system_error (error system:104, read: Connection reset by peer)",
            "redpanda_client_cut", ["10.1.2.3:24006", "cut from the other side"], "no client's doing", id="Redpanda's listener for Kafka clients serves clients",
        ),
        pytest.param(
            FILE.format("info", "Will retry the request after interval."),
            "record_too_large_retried", ["tried again"], "records were lost", id="what is tried again is not lost yet",
        ),
        pytest.param(
            '2026-01-05T10:00:00.000Z\tinfo\tretry_sender.go:1\tExporting failed. Will retry the request after interval.\t{"name": "kafka", "error": "Failed to deliver 1 messages due to kafka: invalid configuration (Attempt to produce message larger than configured Producer.MaxMessageBytes: 1126653 > 1000000)", "interval": "5.8s"}',
            "record_too_large", ["1126653 bytes, limit 1000000 bytes", "work was delayed"], "records were lost", id="nor what its line says the next try of",
        ),
        pytest.param(
            FILE.format("error", "Rejecting data."),
            "record_too_large", ["records were lost"], "tried again", id="what is rejected is lost",
        ),
        pytest.param(
            f"{AT} INFO [RaftManager id=0] Completed transition to CandidateState(localId=0, epoch=54, retries=4, voteStates={{0=GRANTED, 1=UNRECORDED, 2=UNRECORDED}}, highWatermark=Optional.empty, electionTimeoutMs=1395) from CandidateState(localId=0, epoch=53, retries=3, voteStates={{0=GRANTED, 1=REJECTED, 2=REJECTED}}, highWatermark=Optional.empty, electionTimeoutMs=1350) (org.apache.kafka.raft.QuorumState)\n"
            f"{AT} INFO [RaftManager id=0] Insufficient remaining votes to become leader (rejected by [1, 2]). We will backoff before retrying election again (org.apache.kafka.raft.KafkaRaftClient)",
            "quorum_election_failed", ["rejected by 1, 2", "1, 2 refused"], "nothing wrong", id="who refused a vote stands in the last of its lines",
        ),
        pytest.param(
            f"{AT} ERROR WorkerSourceTask{{id=pay-0}} Task threw an uncaught and unrecoverable exception. Task is being killed and will not recover until manually restarted (org.apache.kafka.connect.runtime.WorkerTask)\norg.apache.kafka.connect.errors.ConnectException: Unrecoverable exception from producer send callback\n\tat org.apache.kafka.connect.runtime.WorkerSourceTask.maybeThrowProducerSendException(WorkerSourceTask.java:266)",
            "connect_record_not_sent", ["task pay-0", "could not be sent", "It killed the Connect task"], "No timer of Kafka's is part", id="a record that a task could not send may be a timer's",
        ),
        pytest.param(
            "kafka/client.go:113 Dropping event: no topic could be selected",
            "output_without_topic", ["drops events", "output.kafka.topic"], "none of its lines says", id="events that an output drops",
        ),
        pytest.param(
            "2026-01-05 10:00:00,000 - pykafka.cluster - INFO - Found coordinator broker with id 11\n2026-01-05 10:00:01,000 - root - ERROR - Error committing offsets for topic pay (error codes: [16])",
            "said_to_fail", ["Error committing offsets for topic pay"], "none could be read.", id="offsets that are being committed are Kafka's",
        ),
        pytest.param(
            f"{AT} ERROR Could not describe group (io.acme.Ops)\njava.util.concurrent.ExecutionException: org.apache.kafka.common.errors.TimeoutException: Call(callName=findCoordinator, deadlineMs=1767607200315, tries=12, nextAllowedTryMs=1767607200618) timed out at 1767607200318 after 12 attempt(s)\nCaused by: org.apache.kafka.common.errors.TimeoutException: Timed out waiting for a node assignment.",
            "admin_timed_out", ["(attempts: 12)"], "found no broker", id="an admin call that was tried twelve times had a broker",
        ),
        pytest.param(
            f"{AT} ERROR Could not describe group (io.acme.Ops)\njava.util.concurrent.ExecutionException: org.apache.kafka.common.errors.TimeoutException: Call(callName=findCoordinator, deadlineMs=1767607200315, tries=1, nextAllowedTryMs=1767607200618) timed out at 1767607200318 after 1 attempt(s)\nCaused by: org.apache.kafka.common.errors.TimeoutException: Timed out waiting for a node assignment.",
            "admin_found_no_broker", ["found no broker to send it to"], "(attempts", id="one that was never sent had none",
        ),
        pytest.param(
            f"{AT} ERROR Could not process (io.acme.Worker)\norg.apache.kafka.common.errors.RebalanceInProgressException: Offset commit cannot be completed since the consumer group is executing a rebalance at the moment. You can try completing the rebalance by calling poll() and then retry commit again",
            "commit_in_rebalance", ["its group was rebalancing"], "rebalanced without it", id="who commits while its group rebalances is a member",
        ),
        pytest.param(
            "\n".join(f"{AT} {level} [Consumer clientId=pay-1, groupId=pay] Offset commit failed on partition orders-0 at offset 41: {error} (org.apache.kafka.clients.consumer.internals.ConsumerCoordinator)" for level, error in (("ERROR", "The group is rebalancing, so a rejoin is needed."), ("WARN", "The coordinator is loading and hence can't process requests."))),
            "commit_in_rebalance", ["its group was rebalancing", "The coordinator of pay-1 (group pay) moved"], "moved between brokers (2 times", id="commits that were refused for two reasons",
        ),
        pytest.param(
            f"{AT} ERROR Sending failed (io.acme.Worker)\norg.apache.kafka.common.errors.TimeoutException: Expiring 1 record(s) for orders-0:9001 ms has passed since batch creation\n[2026-01-05 10:00:20,000] ERROR Sending failed (io.acme.Worker)\norg.apache.kafka.common.errors.TopicAuthorizationException: Not authorized to access topics: [orders]",
            "batches_expired", ["no right to topics: [orders]. Do:"], "Meanwhile", id="what began after a fault is not its cause",
        ),
        pytest.param(
            f"{AT} WARN Auto topic creation failed for __consumer_offsets with error 'TOPIC_ALREADY_EXISTS': Topic '__consumer_offsets' already exists. (kafka.server.DefaultAutoTopicCreationManager)",
            "nothing_wrong", ["the first one made it"], "could not make", id="a topic that was asked for twice",
        ),
        pytest.param(
            f"{AT} WARN global-stream-thread [pay-GlobalStreamThread] Failed to get offsets for partitions [rates-0]. The broker may be transiently unavailable at the moment. (org.apache.kafka.streams.processor.internals.GlobalStateManagerImpl)\norg.apache.kafka.common.errors.TimeoutException: Failed to get offsets by times in 4005ms\n"
            + "\n".join(f"[2026-01-05 10:00:16,000] {line}" for line in (
                "INFO global-stream-thread [pay-GlobalStreamThread] State transition from PENDING_SHUTDOWN to DEAD (org.apache.kafka.streams.processor.internals.GlobalStreamThread)",
                "ERROR stream-client [pay] Global thread has died. The streams application or client will now close to ERROR. (org.apache.kafka.streams.KafkaStreams)",
            )),
            "global_thread_stalled", ["global thread died 16 s after its first timeout", "1 attempt timed out"], "was retried", id="a global thread that died was not only retried",
        ),
    ],
)  # fmt: skip
def test_an_answer_says_what_its_lines_say(text, kind, words, unsaid, tmp_path):
    found, told = answered(text, tmp_path)
    assert found == kind
    assert [word for word in words if word not in told] == []
    assert unsaid not in told


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("[2026-01-05 10:00:00,000] WARN [Worker clientId=connect-1, groupId=pay] Catching up to assignment's config offset. (org.apache.kafka.connect.runtime.distributed.DistributedHerder)", id="a worker that catches up"),
        pytest.param('2026-01-05T10:00:00.000Z\tINFO\t[monitoring]\tNon-zero metrics in the last 30s\t{"kafka": {"events": {"dropped": 0, "active": 2}}}', id="a count of nothing that was dropped"),
        pytest.param("2026-01-05 10:00:00,000 - pykafka.balancedconsumer - INFO - Committing offsets for 2 partitions to broker id 11", id="offsets that are committed"),
    ],
)  # fmt: skip
def test_what_only_looks_alike_is_no_trouble(text, tmp_path):
    kind, _ = answered(text, tmp_path)
    assert kind != "trouble"
    assert kind in ("nothing_wrong", "not_judged")
