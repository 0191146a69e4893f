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
            "org.apache.kafka.common.KafkaException: Failed to construct kafka consumer\nCaused by: org.apache.kafka.common.config.ConfigException: No resolvable bootstrap urls given in bootstrap.servers",
            "dns_failed", ["broker's address: the name does not resolve"], "address address", id="an address that no line names is no word",
        ),
        pytest.param(
            "Error Details\norg.apache.kafka.common.errors.NetworkException: The server disconnected before a response was received.",
            "disconnected", ["lost its connection"], "nothing wrong", id="a send that failed is not normal for want of a level",
        ),
        pytest.param(
            "WARN Got error produce response with correlation id 878 on topic-partition pay-0, retrying (0 attempts left). Error: OUT_OF_ORDER_SEQUENCE_NUMBER\n"
            "ERROR [Producer clientId=p-1] The broker returned org.apache.kafka.common.errors.OutOfOrderSequenceException: The broker received an out of order sequence number for topic-partition pay-0 with producerId 97018, epoch 0, and sequence number 1212",
            "sequence_broken", ["of p-1 for pay-0 out of order. Do"], "out of order; they are sent again. Do", id="a failure leads, and not the tries that it ended",
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
