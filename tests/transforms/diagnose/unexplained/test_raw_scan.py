# ruff: noqa: E501  # a line of a log is a line
"""Lines as they stand: which speak of trouble with Kafka, which client's they are, which tell of a standstill."""

import json
from collections import deque

import pytest

from tests.answered import answered
from transforms.diagnose.reports.own_words import own_words
from transforms.diagnose.reports.report import ProvingLine
from transforms.diagnose.unexplained.raw_line import unread_line
from transforms.diagnose.unexplained.raw_scan import scan
from transforms.diagnose.wording.loudness import fails_in_words, loudness_of
from transforms.diagnose.wording.named_clients import client_of


@pytest.mark.parametrize(
    ("text", "loudness"),
    [
        ("10:00 ERROR [main] Kafka is away", "error"),
        ("10:00 WARN  [main] Kafka is slow", "warn"),
        ('{"level":"error","msg":"kafka: client has run out of available brokers"}', "error"),
        ("level=warning msg=x", "warn"),
        ("%3|1745333196.160|FAIL|rdkafka#producer-1| x", "error"),
        ("%5|1745333196.160|REQTMOUT|rdkafka#producer-1| Timed out MetadataRequest", "words"),
        ("org.apache.kafka.common.errors.TimeoutException: x", "exception"),
        ("kafka: dial tcp 10.0.0.1:9092: connection refused", "words"),
        ("ERRO[0349] Can't get current offset of topic pay", "error"),
        ("2026-01-05 10:00:00 +0000 [warn]: #0 Send exception occurred", "warn"),
        ("2026/01/05 10:00:00 rebalance error: EOF", "words"),
        ("2026/01/05 10:00:00 fetched, error: nil", ""),
        ("Confluent.Kafka.TopicPartitionOffsetError: pay [[3]] @17: Success", ""),
        ("10:00 INFO [main] the send failed, and is retried", ""),
        ("10:00 INFO errors=0 error-rate = 0.0 ERROR_COUNT=0", ""),
        ("Successfully joined group", ""),
        ("2026-01-05T10:00:00Z E! [inputs.kafka_consumer] Error in plugin: EOF", "error"),
        ("2026-01-05T10:00:00Z W! [outputs.kafka] Metric buffer overflow", "warn"),
        ("2026-01-05T10:00:00Z D! [sarama] client/metadata fetching", ""),
        ("2026-01-05T10:00:00.059+0100\terror\tkafkareceiver/kafka.go:238\tno session", "error"),
        ("2026-01-05T10:00:00.059+0100\tinfo\tkafkareceiver/kafka.go:238\tno session", ""),
        ('{"level":50,"time":1700000000000,"msg":"kafka is away"}', "error"),
        ('{"level":30,"time":1700000000000,"msg":"kafka is there"}', ""),
        ('{"@t":"2026-01-05T10:00:00Z","@l":"Warning","@mt":"kafka is slow"}', "warn"),
        ("crit: Orders.Worker[0]", "fatal"),
        ("2026-01-05T10:00:00+01:00 msg: failed_to_discover_client, producer_id: pay", "words"),
    ],
)
def test_how_loudly_a_line_speaks(text, loudness):
    assert loudness_of(text) == loudness


@pytest.mark.parametrize(
    ("text", "client"),
    [
        ("%7|1745333196.160|MAXPOLL|c| [thrd:main]: x", "librdkafka"),
        ("KafkaError{code=_TIMED_OUT,val=-185}", "librdkafka"),
        ("[2026-01-05 10:00:00,462] [WARNING] [quixstreams] : Backpressure is detected", "librdkafka"),
        ("10:00 WARN Streamiz.Kafka.Net.Processors.StreamThread - the thread is being fenced", "librdkafka"),
        ("[sarama] 2026/05/01 consumer/broker/1 added subscription to orders/0", "sarama"),
        ('{"level":"ERROR","logger":"kafkajs","message":"[Connection] Connection timeout"}', "kafkajs"),
        ("INFO:aiokafka.consumer.group_coordinator:Joined group", "aiokafka"),
        ("WARNING:kafka.coordinator.consumer:Heartbeat failed", "kafka-python"),
        ("[2026-05-01] INFO [GroupCoordinator 1] x (kafka.coordinator.group.GroupCoordinator)", None),
        ("INFO org.apache.kafka.clients.NetworkClient - kafka.conn x", None),
        ("a line of an application", None),
    ],
)
def test_whose_line_it_is(text, client):
    assert client_of(text) == client


def test_lines_have_their_numbers_whatever_the_blocks():
    lines = [b"plain\n"] * 50_000
    lines[41_233] = b"10:00 ERROR Kafka is away\r\n"
    whole = b"".join(lines)
    for size in (7_001, len(whole)):
        found = scan("s", (whole[at : at + size] for at in range(0, len(whole), size)))
        assert [(line.line, line.text) for line in found.speaking] == [(41_234, "10:00 ERROR Kafka is away")]
        assert found.lines == 50_000


@pytest.mark.parametrize(
    ("text", "speaks"),
    [
        ("10:00 WARN io.metrics.Registry gauge kafka.consumer.rate is registered twice", False),
        ("10:00 WARN shop.Orders could not reach Kafka", True),
        ("10:00 WARN org.apache.kafka.clients.NetworkClient bootstrap", True),
        ("10:00 ERROR io.metrics.Registry gauge kafka.consumer.rate is lost", True),
        ("10:00 ERROR c.netflix.DiscoveryClient - no heartbeat sent!\nx.NoException: no\n\tat x.Z.a(Z.java:1)", False),
        ("10:00 ERROR consumer was unable to send heartbeat: broker is away", True),
    ],
)  # fmt: skip
def test_a_warning_that_only_names_a_metric_is_not_about_kafka(text, speaks):
    assert bool(scan("s", [text.encode()]).speaking) is speaks


@pytest.mark.parametrize(
    ("text", "speaks"),
    [
        ("10:00 WARN shop.Db - org.hibernate.tool.CommandAcceptanceException: Error executing DDL \"create table kafka_bills (partition integer)\"", False),
        ("org.apache.tomcat.jni.LibraryNotFoundError: Can't load library: D:\\shop\\kafkaBills\\bin\\tcnative-2.dll", False),
        ("10:00 ERROR shop.BillConsumer : a bill of Kafka failed: com.mongodb.MongoTimeoutException: Timed out", True),
        ("10:00 ERROR kafka-bills-sink failed\njava.sql.SQLException: no\n\tat x.Z.a(Z.java:1)", True),
        ("10:00 ERROR shop.Bills - org.apache.kafka.common.errors.TimeoutException: the topic of com.mysql.Bills", True),
    ],
)  # fmt: skip
def test_what_another_s_exception_names_is_that_one_s(text, speaks):
    assert bool(scan("s", [text.encode()]).speaking) is speaks


def test_a_consumer_s_failure_of_a_cache_is_not_of_its_topics():
    below = "\n\norg.springframework.data.redis.RedisConnectionFailureException: Unable to connect to Redis\n\tat x.Z.a(Z.java:1)"
    assert (
        scan("s", [f"10:00 ERROR consumer: could not take the record{below}".encode()]).of_its_things
        == deque()
    )
    assert scan("s", [b"10:00 ERROR consumer: could not take the record"]).of_its_things


def test_a_task_of_airflow_s_that_ended_by_its_command_is_not_of_the_topics_in_its_name():
    task = "[2026-01-05T10:00:02.655+0000] {{standard_task_runner.py:110}} ERROR - Failed to execute job 7 for task run_producer ({}; 71)"
    command = task.format("Bash command failed. The command returned a non-zero exit code 124.").encode()
    assert scan("s", [command]).of_its_things == deque()
    assert scan("s", [task.format("NoBrokersAvailable").encode()]).of_its_things


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("kafka version: 0.10.0", None),
        ("some\nERROR Kafka is away", "ERROR Kafka is away"),
        ("ERROR of a shop", None),
    ],
)
def test_of_a_piece_that_was_not_read_the_loud_line_is_told(text, told):
    line = unread_line("s", 1, text)
    assert (line and line.text) == told


def test_a_last_line_without_an_end_is_one():
    assert scan("s", [b"a\nERROR Kafka"]).lines == 2


def proving(line, text):
    return ProvingLine("e", None, "x", "s", line, text)


def words(log, at, text="10:09 [pool-1] WARN consumer poll timeout has expired"):
    found = scan("s", [log.encode()])
    return [line.text for line in own_words([proving(at, text)], {"s": found.telling})]


def test_the_last_words_before_the_line_that_decides_are_quoted():
    log = "10:00 [pool-1] INFO start\n10:01 [pool-1] WARN retry with backoff of 532500 ms\n10:09 [x] after GC pause\n"
    assert words(log, 3) == ["10:01 [pool-1] WARN retry with backoff of 532500 ms"]


def test_what_proves_a_fault_is_not_quoted_beside_it():
    found = scan("s", [b"10:01 GC pause of 9 s\n10:02 retry of orders\n10:03 retry of orders\n"])
    lines = [proving(at, f"10:0{at} retry of orders") for at in (2, 3)]
    assert [line.line for line in own_words(lines, {"s": found.telling})] == [1]


def test_a_thread_in_json_is_told_by_its_own_key():
    said = '{{"@version":"1","message":"{}","thread_name":"{}","level":"WARN"}}\n'
    log = (
        said.format("sleeping 40 s", "pool-1")
        + said.format("GC pause", "main") * 201
        + said.format("x", "pool-1")
    )
    decides = said.format("consumer poll timeout has expired", "pool-1")
    assert [one["message"] for one in map(json.loads, words(log, 204, decides))] == ["sleeping 40 s"]


def test_what_was_said_hours_before_explains_nothing():
    log = "2026-01-05 06:00:00,000 GC pause of 9 s\n2026-01-05 10:00:00,000 retry of orders\n"
    assert words(log, 3, "2026-01-05 10:09:00,000 WARN poll timeout") == [
        "2026-01-05 10:00:00,000 retry of orders"
    ]


@pytest.mark.parametrize(("at", "quoted"), [("10:09:30,000", 1), ("10:10:30,000", 0)])
def test_a_watch_that_lost_time_says_so_soon_after_it(at, quoted):
    watch = (
        f"2026-01-05 {at} [PayPool:housekeeper] WARN Thread starvation or clock leap detected (delta=8m31s)."
    )
    log = f"10:00 x\n10:00 y\n{watch}\n2026-01-05 {at} [PayPool] WARN retry of orders"
    assert words(log, 2, "2026-01-05 10:09:00,000 INFO session timed out") == [watch] * quoted


def test_words_of_the_same_thread_come_before_nearer_ones():
    log = "10:01 [pool-1] sleeping 40 s\n10:02 [pool-2] GC pause\n" + "10:03 [x] y\n" * 3
    assert words(log, 6) == ["10:01 [pool-1] sleeping 40 s"]


def test_a_part_of_a_record_is_nobody_s_own_words():
    assert words("10:01 partition revocation took 0 ms.\n\tsuspended active tasks: []\n", 9)[-1:] != [
        "\tsuspended active tasks: []"
    ]


def test_a_name_in_dots_and_the_end_of_a_thread_of_zookeeper_s_client_explain_nothing():
    quiet = (
        '10:01 [pool-1] has the config {"spout.sleep.strategy" 60}\n'
        "10:02 [pool-1] EventThread shut down for session: 0x17\n"
    )
    assert words(f"{quiet}10:03 [pool-1] x\n", 4) == []
    assert words(f"10:00 [pool-1] sleeping 40 s\n{quiet}", 4) == ["10:00 [pool-1] sleeping 40 s"]


def test_colours_are_no_words():
    assert words("\x1b[2m10:01\x1b[0m \x1b[31mWARN\x1b[0m GC pause of 9 s\n", 2) == [
        "10:01 WARN GC pause of 9 s"
    ]
    (line,) = scan("s", [b"10:01 \x1b[31mERROR\x1b[0m Kafka is away\n"]).speaking
    assert (line.loudness, line.text) == ("error", "10:01 ERROR Kafka is away")


FRAMES = 'Traceback (most recent call last):\n  File "/srv/feed.py", line 7, in feed_kafka\n    for one in answer.lines():\n'
DEEP = "".join(f'  File "/venv/{{}}/deep.py", line {n}, in call\n    call(x)\n' for n in range(9))


@pytest.mark.parametrize(
    ("deep", "is_kafka_s"),
    [(DEEP.replace("{}", "urllib3"), False), (DEEP.replace("{}", "kafka"), True), ("", True)],
)
def test_whose_an_exception_of_python_is_the_call_that_failed_tells(deep, is_kafka_s):
    said = scan(
        "s", [f"10:01 INFO Kafka is there\n{FRAMES}{deep}OSError: it ended early\n".encode()]
    ).speaking
    assert [line.text for line in said] == ["OSError: it ended early"] * is_kafka_s


def test_java_s_own_network_client_is_not_kafka_s():
    trace = "10:01 WARN c.acme.Tracing : spans dropped\n\ncom.acme.CallException: no answer\n\tat com.acme.Call.run(x)\n"
    inner = (
        "Caused by: java.net.UnknownHostException: {}\n\tat java.base/sun.nio.ch.NioSocketImpl.connect(x)\n"
    )
    http = "\tat java.base/sun.net.NetworkClient.doConnect(NetworkClient.java:178)\n"
    kafka = "\tat org.apache.kafka.clients.NetworkClient.initiateConnect(NetworkClient.java:956)\n"
    assert not scan("s", [(trace + inner + http).encode()]).speaking
    assert scan("s", [(trace + inner + kafka).encode()]).speaking


def test_what_comes_after_or_long_before_explains_nothing():
    assert words("10:09 x\n10:10 GC pause of 9 s\n", 1) == []
    assert words("10:01 GC pause of 9 s\n" + "10:02 x\n" * 400, 401) == []


def test_a_line_of_a_dump_of_settings_is_no_word_of_the_application():
    dump = "\tsasl.oauthbearer.jwks.endpoint.retry.backoff.ms = 100\nserver.shutdown.timeout: 30s\n"
    stamped = "".join(f"2026-01-05T10:01:00.123456789Z {line}\n" for line in dump.splitlines())
    for lines in (dump, stamped):
        assert words(f"{lines}10:01 [pool-1] sleeping 40 s\n{lines}", 6) == ["10:01 [pool-1] sleeping 40 s"]


def test_kafkas_own_lines_are_no_words_of_the_application():
    assert words("10:01 [pool-1] Kafka rebalance backoff of 5 ms\n10:02 x\n", 2) == []


SARAMA = b"2026/11/22 10:00:01 client/coordinator requesting coordinator for consumergroup pay from kafka-1.example:9092\n"


@pytest.mark.parametrize(
    ("line", "client"),
    [
        (b"2026/11/22 10:00:31 read tcp 10.0.0.4:51137->10.0.0.5:9092: i/o timeout\n", "sarama"),
        (b"2026/11/22 10:00:31 read tcp 10.0.0.4:51137->10.0.0.7:5432: i/o timeout\n", None),
        (b"2026/11/22 10:00:31 read tcp 10.0.0.4:51137->10.0.0.5:9092: done\n", None),
    ],
)
def test_a_failure_of_the_network_is_of_the_client_whose_brokers_it_names(line, client):
    found = scan("app.log", [SARAMA + line])
    assert [one.client for one in found.speaking if one.line == 2] == ([client] if client else [])


def test_a_failure_that_names_an_address_is_nobodys_without_a_client():
    line = b"2026/11/22 10:00:31 read tcp 10.0.0.4:51137->10.0.0.5:9092: i/o timeout\n"
    assert not scan("app.log", [line]).speaking


@pytest.mark.parametrize(
    "text",
    ["Failed to join group pay: EOF", "read timed out", "ended by EOF", "Error processing append operation"],
)
def test_failures_are_known_by_words(text):
    assert fails_in_words(text)
    assert not fails_in_words("joined group pay in generation 3")


@pytest.mark.parametrize(
    ("lines", "is_quiet"),
    [
        (["2026-01-05 10:00:00 INFO [rows-1] the kafka bridge took 7 rows of orders"], True),
        (["2026-01-05 10:00:00.5 [ 7 ] {} <Trace> StorageKafka (orders): took 7 rows"], True),
        (
            ["2026-01-05 10:00:00 the kafka bridge took 7 rows of orders"],
            False,
        ),  # no level: it may print all so
        (["log4j.logger.kafka.controller=TRACE, controllerAppender"], False),  # no time: it is no log
        (["2026-01-05 10:00:00 INFO the kafka bridge began", "10:00:01 WARN the disk is full"], False),
        (["2026-01-05 10:00:00 INFO the kafka bridge began", "it could not connect"], False),
        (["2026-01-05 10:00:00 INFO the bridge began"], False),
        (
            ["$ kubectl logs kafka-bridge-0", "2026-01-05 10:00:00 INFO the kafka bridge began"],
            True,
        ),  # a prompt
        (["  Kafka.Retry.Max = 3", "2026-01-05 10:00:00 INFO the kafka bridge began"], True),  # its settings
    ],
)
def test_lines_that_nobody_knows_are_quiet_by_their_own_level(lines, is_quiet):
    assert scan("app.log", ["\n".join(lines).encode()]).is_quiet(0) == is_quiet


def test_an_exception_without_its_package_that_a_note_quotes_was_thrown(tmp_path):
    note = "**Error:**\n```\n{}NotCoordinatorException: This is not the correct coordinator.\n```\n"
    assert [
        answered(note.format(package), tmp_path)[0] for package in ("", "org.apache.kafka.common.errors.")
    ] == ["coordinator_moved"] * 2
