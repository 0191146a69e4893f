"""Lines that no rule knows: which of them are trouble by their own words or level, and which are not."""

import pytest

from transforms.diagnose.unexplained.by_words import told_by_words
from transforms.diagnose.unexplained.raw_scan import scan
from transforms.diagnose.wording.line_names import named
from transforms.diagnose.wording.loudness import fails_in_words, loudness_of

TRACE = """2026-01-05 10:00:00,123 (MainThread) Exception encountered in worker thread of the kafka consumer
  File "/app/kafka_reader.py", line 46, in fetcher
    self.fetch()
SocketDisconnectedError: <broker 14>
"""


def _told(text):
    found, left = told_by_words(scan("app.log", [text.encode()]).speaking, [])
    return [(one.incident.kind, one.lines) for one in found], left


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("10:00 [error] ** Generic server kafka_client terminating", "said_at_error"),
        ("10:00 ERROR kafka exporter: the moon is full", "said_at_error"),
        ("10:00 ERROR kafka exporter: the moon is new", "said_at_error"),
        ("10:00 WARN kafka exporter: the moon is new", None),
        ("10:00 INFO kafka exporter: the moon is new", None),
        ("12:01 LOG: [kafka reader] rows <- orders consumer error Unknown error", "said_to_fail"),
        ("12:01 LOG: [kafka reader] rows <- orders consumer error 0", None),
        ("kafka_reader: Unable to connect to broker 10.0.0.5:9092. Continuing.", "said_to_fail"),
        ("10:00 WARN KafkaOutlet could not publish 12 rows, kept for later", "said_to_fail"),
        ("An error has occurred while sending row 7 to Kafka: write after end", "said_to_fail"),
        ("Exception occurred while producing to kafka: ('x', 1)", "said_to_fail"),
        (
            "ERROR:  internal error: Meta data fetch error: BadMessage (Local: Bad message format)",
            "answer_unreadable",
        ),
        ('{"error_code":40403,"message":"Consumer instance not found."}', "rest_consumer_gone"),
        ('{"error_code":50002,"message":"Not today"}', "said_to_fail"),
        ('{"error_code":0,"message":"Consumer instance found."}', None),
        ("Query 1 failed: Cannot list splits for table 'f' reading topic 'f'", "splits_not_listed"),
        (
            "%5|1737553425.511|PARTCNT|c#1| [thrd:main]: Topic o partition count changed from 2 to 0",
            "topic_deleted",
        ),
        ("%5|1737553425.511|PARTCNT|c#1| [thrd:main]: Topic o partition count changed from 2 to 10", None),
        (
            '{"level":"ERROR","logger":"processing.C_1.KsqlTopic.d","message":{"deserializationError":{"errorMessage":"x"}}}',
            "ksql_record_skipped",
        ),
        (
            "Cannot get current offset of topic a partition 3: x509: certificate has expired",
            "certificate_expired",
        ),
        ("ConnectException: Flush timeout expired with unflushed records: 4 (kafka)", "sink_flush_timed_out"),
        (
            "INFO Kafka(k): a/3 is already under-replicated (ISR={2}, replicas=[1,2], min.insync.replicas=2); broker 1 has a"
            " replica, so should not be restarted right now",
            "operator_roll_waits",
        ),
        (
            'level=error msg="failed to commit the offset to Kafka" err="UNKNOWN_TOPIC_OR_PARTITION: not here"',
            "topic_missing",
        ),
        ('level=error msg="asking Kafka" err="UNKNOWN_TOPIC_OR_PARTITION: not here"', None),
        (
            "[error] k.m.KafkaJMX - Failed to connect to service:jmx:rmi:///jndi/rmi://n6:9999/jmxrmi",
            "jmx_unreachable",
        ),
        ("10:00 INFO kafka bridge: delivery of 3 rows failed", None),
        (
            "10:00 INFO  bridge.go:24 Error fetching rows of kafka.groups: error in connect: EOF",
            "protocol_doubted",
        ),
        ("10:00 INFO  bridge.go:24 Error fetching rows of kafka.groups: none", None),
        ("10:00 WARN the kafka outlet has no limit", None),
        ("10:00 WARN a.b.Janitor Failed to clear soft references of [pay-kafka-shop]", None),
        ("WARNING:kafka.client:Caught an exception, rolling over", "said_to_fail"),
        (
            "10:00 kafka WARN Unable to reconnect to ZooKeeper service, session 0x100000045930002 has expired",
            "zookeeper_session_expired",
        ),
        ("Jan 05 10:00:00 n1 systemd[1]: Unit kafka-exporter.service entered failed state.", "said_to_fail"),
        ("Jan 05 10:00:00 n1 systemd[1]: kafka.service: Failed with result 'exit-code'.", "said_to_fail"),
        (
            "Jan 05 10:00:00 n1 systemd[1]: kafka.service: Main process exited, code=exited, status=1/FAILURE",
            "said_to_fail",
        ),
        ("Jan 05 10:00:00 n1 systemd[1]: Started kafka.service.", None),
        (
            "10:00 ERROR kafka bridge: Global error: PartitionEOF (Broker: No more messages): Fetch from broker 2",
            None,
        ),
        (
            "Discovered cluster metadata; nodes: b1:9092\nLoop error: Failed to find coordinator",
            "said_to_fail",
        ),
        ("10:00 INFO kafka bridge: read on, no rows were lost", None),
        (
            "INCONSISTENT_GROUP_PROTOCOL: The member's supported protocols are incompatible.",
            "assignors_differ",
        ),
        (
            'level=error msg="Kafka poll: topic pay partition 3 lost records; '
            'the client consumed to offset 77 epoch 2 but was reset to offset 5 epoch 2"',
            "records_lost_below",
        ),
        (
            "svc: rdkafka_assignor.c:1896: rd_kafka_assignor_destroy: Assertion `rkas' failed.",
            "process_crashed",
        ),
        (
            "ERROR: failed to fetch metadata from kafka (b1:9092), error: topic pay-7.in not found",
            "topic_missing",
        ),
    ],
)
def test_a_line_that_no_rule_knows_is_trouble_by_its_own_words_or_level(text, kind):
    found, _ = _told(text)
    assert [one for one, _ in found] == ([kind] if kind else [])


def test_an_address_of_ipv6_is_one_and_this_host():
    (worded,), _ = told_by_words(
        scan(
            "ex.log",
            [
                b"ERRO[0716] kafka: Cannot get offset of pay: dial tcp [::1]:9092: connect: connection refused\n"
            ],
        ).speaking,
        [],
    )
    assert "[::1]:9092" in worded.incident.title
    assert "The address is localhost" in worded.incident.cause


def test_who_wrote_a_line_need_be_no_client():
    (worded,), _ = told_by_words(
        scan("up.log", [b"ERROR: for kafka  Container 8a is unhealthy.\n"]).speaking, []
    )
    assert worded.incident.title.startswith("A line about Kafka said that something failed")


def test_what_python_raised_is_told_though_its_kind_passes_by_itself():
    assert [kind for kind, _ in _told(TRACE)[0]] == ["disconnected"]
    assert not _told(TRACE.splitlines()[-1] + " of kafka")[0]


def test_lines_that_name_no_client_are_of_the_only_one_that_has_the_same_fault():
    said = "kafka: Broker transport failure\nnode-rdkafka ERROR Broker transport failure\n"
    found, _ = _told(said)
    assert [len(lines) for _, lines in found] == [2]


def test_of_lines_that_only_say_that_something_failed_one_with_an_address_is_the_title():
    found, _ = _told("KafkaThing failed to start\nUnable to connect to broker 10.0.0.5:9092. Going on.\n")
    assert found[0][1][0].text.startswith("Unable to connect")


@pytest.mark.parametrize(
    ("text", "fails"),
    [
        ("revoked at the end of a session even though no partitions were lost", False),
        ("sent 12, 0 failed", False),
        ("done without errors", False),
        ("no brokers are left: the send failed", True),
        ("sent 12, 1 failed", True),
    ],
)
def test_what_did_not_happen_is_no_failure(text, fails):
    assert fails_in_words(text) is fails


def test_a_thread_of_rust_that_panicked_speaks():
    assert loudness_of("thread 'kafka-worker' panicked at 'called `Option::unwrap()`'") == "exception"


def test_a_proxy_s_own_address_is_no_broker_s():
    said = "12:00 [error] 5#5: kafka err: connection refused, client: 10.0.0.9:51000, server: 0.0.0.0:9080\n"
    (_, lines), *_ = _told(said)[0]
    assert named("node", lines[0].text) is None
    assert named("node", "kafka: dial 54aa5a50fc15:9092: connection refused") == "54aa5a50fc15:9092"


@pytest.mark.parametrize("host", ["kafka-2.kafka.svc", "3c-db2"])
def test_the_leader_in_a_position_is_no_address_that_failed(host):
    position = (
        f"FetchPosition{{offset=9, currentLeader=LeaderAndEpoch{{leader=Optional[{host}:9092 (id: 0)]}}}}"
    )
    assert (
        named("node", f"OffsetOutOfRangeException with message [Fetch position {position} is out of range]")
        is None
    )


def test_a_topic_within_an_object_is_named():
    assert named("topic", "kafka: Partition(topic=Topic(name='orders'), index=0)") == "orders"


def test_an_error_in_a_field_of_json_speaks_where_nothing_around_it_does():
    said = (
        '  "errorMsg" : "Fetch position FetchPosition{offset=5} is out of range for partition a-0 of Kafka"\n'
    )
    assert [kind for kind, _ in _told(said)[0]] == ["offset_out_of_range"]
    assert not _told(said.replace("is out of range for partition a-0 of Kafka", "of Kafka"))[0]


@pytest.mark.parametrize("said", ["parameter x.y is ignored", "property max.z is deprecated, use q"])
def test_a_warning_of_a_setting_that_does_nothing_is_normal(said):
    assert _told(f"10:00 WARN kafka reader: {said}\n") == ([], [])


def test_a_process_that_ends_by_it_is_told():
    found, _ = told_by_words(
        scan("a", [b"kafka worker: Uncaught exception Error: Broker transport failure\n"]).speaking, []
    )
    assert "it ended the process" in found[0].incident.cause


def test_whose_group_and_topic_it_is_stands_in_the_title():
    found, _ = told_by_words(
        scan(
            "a", [b'{"level":"error","msg":"kafka sink: could not send","groupId":"g1","topic":"t1"}\n']
        ).speaking,
        [],
    )
    assert "group g1" in found[0].incident.title
    assert "topic t1" in found[0].incident.title


@pytest.mark.parametrize(
    "said",
    [
        '{"log":"kafka sink: it failed here\\n","stream":"stdout","time":"2026-01-05T10:00:08.1Z"}',
        "2026-01-05T10:00:08.1Z stdout F kafka sink: it could not send",
    ],
)
def test_what_a_container_s_runtime_put_around_a_line_is_not_quoted(said):
    found, _ = told_by_words(
        scan("a", [f"{said.replace('it failed here', 'it could not send')}\n".encode()]).speaking, []
    )
    assert '"kafka sink: it could not send"' in found[0].incident.title
