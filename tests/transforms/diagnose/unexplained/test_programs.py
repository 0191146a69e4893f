# ruff: noqa: E501  # a line of a program is a line
"""What a program would say has happened to nobody; what was said is told, however like a program its line looks."""

import pytest

from tests.story import left_of
from transforms.diagnose.unexplained.by_words import told_by_words

PROGRAMS = [
    "[ERROR] /C:/src/kafka-bills/src/main/java/com/example/kafka/Bills.java:[29,37] cannot find symbol\n[ERROR]   symbol:   method bills(com.example.kafka.Bill)",
    "src/kafka/bills.ts(12,5): error TS2304: Cannot find name 'Kafka'.",
    "warning: constant `KAFKA_STORAGE_ERROR` is never used\n  --> src/kafka/errors.rs:41:15\n   |\n41 |     pub const KAFKA_STORAGE_ERROR: i16 = 56;\n   |               ^^^^^^^^^^^^^^^^^^^",
    "error[E0425]: cannot find value `kafka_timed_out` in this scope\n  --> src/bills.rs:7:5\n   |\n 7 |     return Err(KafkaError::InvalidProducerEpoch); // kafka timed out, connection refused\n...\n31 |     NotEnoughReplicas,",
    "kafka/bills.cpp:31:9: error: 'RdKafka::ERR__TIMED_OUT' was not declared in this scope",
    "./kafka/bills.go:31:9: undefined: kafka.ErrTimedOut",
    "[error] /src/kafka/Bills.scala:5:8: object kafka is not a member of package org.apache",
    "SEVERE: A severe compiler error occurred, full details of the error can be found in the error report /opt/src/kafka/.metals/r_7.md",
    "2026-01-05 10:00:00 ERROR Failed to tokenize input for semantic tokens for /opt/src/kafka/core/src/main/scala/kafka/server/Bills.scala\nscala.meta.tokenizers.TokenizeException: <input>:7: error: unclosed string literal",
    "Kafka/Bills.cs(31,9): error CS0103: The name 'KafkaException' does not exist in the current context",
    "retry.backoff.ms\tThe time to wait before a failed request to a kafka topic partition is tried again.\tlong\t100\t[0,...]\tlow",
    "| user7|2026-01-05 11:59:06|Can't believe wha...|[kafka, tech, dat...|      Chicago|  814|",
    'log.warn("This member will leave the group because consumer poll timeout has expired. This " +\n        "means the time between subsequent calls to poll() was longer than the configured " +\n        "max.poll.interval.ms.");',
    '-        log.warn("Kafka timed out: the group coordinator {} is unavailable", node);\n+        log.warn("Kafka timed out: the coordinator {} is unavailable due to {}.", node, cause);',
    '    logger.error(s"Failed to send to kafka topic $topic", e)',
    '  log.Printf("failed to connect to kafka broker %s: %v", addr, err)',
    '            logger.exception("could not connect to kafka")',
    "    fail(`kafka connect failed: ${err.message}`);",
    '+              warn(s"Received error from kafka leader, fetch failed for partition $partition")',
    "/**\n * This exception is raised by the broker if it could not locate the producer metadata associated with the producerId\n * in question. The kafka client timed out.\n */\npublic class UnknownIdException extends ApiException {",
    "     * @throws org.apache.kafka.common.errors.TimeoutException if time spent waiting for the topic metadata exceeds the limit",
    "    // kafka connection refused: the commit failed with a retriable exception, so ask again",
    "    @Test void shouldFail() { assertThrows(TimeoutException.class, () -> kafka.poll(1)); }",
    '                .isInstanceOf(KafkaException.class)\n                .hasMessage("Failed to construct kafka consumer")',
    "assertThat(kafka.fault()).isEqualTo(TimeoutException::class)",
    '    <logger name="org.apache.kafka.common.errors.TimeoutException" level="ERROR"/>',
    "logging:\n  level:\n    org.apache.kafka.common.errors.SaslAuthenticationException: ERROR",
    "logging.level.org.apache.kafka.clients.consumer.CommitFailedException = off",
    "                case Errors.COORDINATOR_NOT_AVAILABLE:\n                    // kafka: ask again\n                    break;",
    "    @Throws(ProducerFencedException::class)\n    fun commitKafkaTransaction()",
    '+    String reason = "Kafka left the group because its poll timeout expired" +',
    '    message += "kafka send failed: connection refused";',
    "@ExceptionHandler({TimeoutException.class, SaslAuthenticationException.class})",
    "+    Kafka now handles <code>TimeoutException</code> thrown by the consumer and producer.",
    "    case Errors.NOT_LEADER_OR_FOLLOWER => refreshKafkaMetadata()",
    "`log4j.logger.org.apache.kafka.common.network.Selector=ERROR`",
    '    throw new TimeoutException("kafka timed out in " +\n        timer.elapsedMs() + "ms");',
    '\t\t\terr: "{\\"error\\":7,\\"message\\":\\"kafka: failed to dial: lookup b1: no such host\\"}\\n",',
]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.strip()[:40])
def test_what_a_program_would_say_is_no_trouble(program):
    worded, _ = told_by_words(left_of(f"{program}\n"), [])
    assert worded == []


@pytest.mark.parametrize(
    "said",
    [
        "* the broker kafka1:9092 timed out, connection refused",
        " * 10:00 kafka producer failed to send: connection refused\n * 10:01 kafka producer failed to send: connection refused",
        "ERROR kafka send failed: throw new TimeoutException",
        "kafka send failed, if (true) the connection is refused;",
        'kafka.send failed = "connection refused"',
        "@timestamp(10:00) kafka send failed: connection refused",
        "<code>kafka1:9092</code>: failed to connect to kafka broker, connection refused",
        "case 7: failed to connect to kafka broker kafka1:9092",
        "error: failed to connect to kafka broker kafka1:9092",
        "error: kafka send failed: connection refused\n  kafka.rs:31:9",
        " 41 | ERROR kafka send failed: connection refused",
        "Error('failed to connect to kafka broker kafka1:9092')",
    ],
)
def test_what_only_looks_like_a_program_is_told(said):
    worded, _ = told_by_words(left_of(f"{said}\n"), [])
    assert worded


@pytest.mark.parametrize("end", [".into(),", ".to_string(),", ".to_owned()"])
def test_a_string_that_a_program_makes_another_of_was_told_to_nobody(end):
    text = f'        let fault = Fault {{\n            reason: "TimeoutError: kafka timed out after 700ms"{end}\n        }};\n'
    assert told_by_words(left_of(text), [])[0] == []
