# ruff: noqa: E501  # a format is a line here, as its writer has it
"""Formats of frameworks, servers, shippers and viewers, each with the same six records: the same events come out of all.

A format is written as its lines are; {t}: time in strftime's notation with {ms} and {us} in it.
"""

import json
from datetime import UTC, datetime

import pytest

from lab.layouts.score import events_in

BEGIN_MS = 1_772_366_405_123
STREAM_THREAD = "app-4bb1c7ae-1111-2222-3333-444455556666-StreamThread-1"
RECORDS = (  # level, thread, logger, message, trace
    (
        "INFO", "main", "org.apache.kafka.clients.consumer.internals.ConsumerCoordinator",
        "[Consumer clientId=c-1, groupId=g] Revoke previously assigned partitions orders-0, orders-1", (),
    ),
    (
        "WARN", "kafka-coordinator-heartbeat-thread | g",
        "org.apache.kafka.clients.consumer.internals.ConsumerCoordinator",
        "[Consumer clientId=c-1, groupId=g] consumer poll timeout has expired. This means the time between subsequent calls to"
        " poll() was longer than the configured max.poll.interval.ms, which typically implies that the poll loop is spending"
        " too much time processing messages.", (),
    ),
    (
        "WARN", "kafka-producer-network-thread | p-1", "org.apache.kafka.clients.NetworkClient",
        "[Producer clientId=p-1] Connection to node -1 (localhost/127.0.0.1:9092) could not be established."
        " Broker may not be available.", (),
    ),
    (
        "ERROR", "http-nio-8080-exec-3", "org.springframework.kafka.support.LoggingProducerListener",
        "Exception thrown when sending a message with key='null' and payload='x' to topic orders:",
        (
            "org.apache.kafka.common.errors.TimeoutException: Expiring 3 record(s) for orders-0:120001 ms has passed since"
            " batch creation",
        ),
    ),
    (
        "ERROR", STREAM_THREAD, "org.apache.kafka.streams.processor.internals.TaskExecutor",
        f"stream-thread [{STREAM_THREAD}] task [0_1] Failed to process stream task 0_1 due to the following error:",
        (
            "org.apache.kafka.streams.errors.StreamsException: Exception caught in process. taskId=0_1, processor=SOURCE,"
            " topic=orders, partition=1, offset=5",
            "\tat org.apache.kafka.streams.processor.internals.StreamTask.process(StreamTask.java:696)",
            "Caused by: java.lang.NullPointerException",
            "\t... 7 more",
        ),
    ),
    (
        "INFO", "main", "org.apache.kafka.clients.consumer.internals.AbstractCoordinator",
        "[Consumer clientId=c-1, groupId=g] Group coordinator broker1:9092 (id: 2147483646 rack: null) is unavailable or"
        " invalid due to cause: session timed out without receiving a heartbeat response. isDisconnected: false."
        " Rediscovery will be attempted.", (),
    ),
)  # fmt: skip
ISO, ISO_COMMA, ISO_T = "%Y-%m-%d %H:%M:%S.{ms}", "%Y-%m-%d %H:%M:%S,{ms}", "%Y-%m-%dT%H:%M:%S.{ms}"
FORMATS = {
    "Quarkus": (ISO_COMMA, "{t} {level:<5} [{short}] ({thread}) {message}"),
    "Quarkus with its host": (ISO_COMMA, "{t} host-1 app[12] {level:<5} [{logger}] ({thread}) {message}"),
    "Play": (ISO_COMMA, "{t} [{level}] from {logger} in {thread} - {message}"),
    "Play with its messages below": (ISO_COMMA, "{t} - [{level}] - from {logger} in {thread} \n{message}\n"),
    "Karaf": ("%Y-%m-%dT%H:%M:%S,{ms}", "{t} | {level:<5} | {thread} | {name} | 242 - kafka-clients - 2.3.1.1 | {message}"),
    "Hadoop": ("%y/%m/%d %H:%M:%S", "{t} {level} {name}: {message}"),
    "Flink": (ISO_COMMA, "{t} {level:<5} {logger:<60} [] - {message}"),
    "Logstash": ("%Y-%m-%dT%H:%M:%S,{ms}", "[{t}][{level:<5}][{logger}][main][4bfd] {message}"),
    "Elasticsearch": ("%Y-%m-%dT%H:%M:%S,{ms}", "[{t}][{level:<5}][o.a.k.c.c.i.{name}] [node-1] {message}"),
    "Solr": (ISO, "{t} {level:<5} ({thread}) [   x:c1] {short} {message}"),
    "containers of Kubernetes": (ISO_T + "456789Z", "{t} stdout F {t} {level} [{thread}] {logger} - {message}"),
    "Compose": (ISO, "orders-service-1       | {t}  {level} 1 --- [{thread}] {short} : {message}"),
    "Cloud Foundry": (ISO_T + "+0000", "   {t} [APP/PROC/WEB/0] OUT {t} {level} 14 --- [{thread}] {short} : {message}"),
    "Heroku": (ISO_T + "456+00:00", "{t} app[web.1]: {level} {logger} {message}"),
    "java.util.logging": ("%b %d, %Y %I:%M:%S %p", "{t} {logger} logIfEnabled\n{jul}: {message}"),
    "java.util.logging without a method": ("%b %d, %Y %I:%M:%S %p", "{t} {logger}\n{jul}: {message}"),
    "Tomcat": ("%d-%b-%Y %H:%M:%S.{ms}", "{t} {jul} [{thread}] {logger}.poll {message}"),
    "GlassFish": (
        ISO_T + "+0000",
        "[{t}] [glassfish 4.1] [{level}] [] [{logger}] [tid: _ThreadID=45 _ThreadName=x] [timeMillis: 1] [[\n  {message}]]",
    ),
    "WebLogic": ("%b %d, %Y %I:%M:%S,{ms} %p UTC", "####<{t}> <{level}> <{logger}> <host> <{thread}> <> <123> <BEA-1> <{message}>"),
    "Dropwizard": (ISO_COMMA, "{level:<6}[{t}] {logger}: {message}"),
    "Mule": (ISO_COMMA, "{level}  {t} [{thread}] [processor: ; event: ] {logger}: {message}"),
    "CloudHub": ("%H:%M:%S.{ms}     %m/%d/%Y", "{t}     Worker-0     {thread}     {level}\n{message}"),
    "Serilog": (ISO + " +00:00", "{t} [{serilog}] {message}"),
    "Lambda": ("%Y-%m-%d %H:%M:%S", "{t} 1f0c8b1a-aaaa-bbbb-cccc-1234567890ab {level} {name}:123 - {message}"),
    "Connect": (ISO_COMMA, "[{t}] {level} [sink-1|task-0] {message} ({logger}:1017)"),
    "Strimzi": (ISO_COMMA, "{t} {level} [sink-1|task-0] {message} ({logger}) [{thread}]"),
    "Testcontainers": ("%H:%M:%S.{ms}", "{t} [docker-java-stream-1] INFO  tc.kafka - STDOUT: [{t}] {level} {message} ({logger})"),
    "Logback's own": ("%H:%M:%S.{ms}", "{t} [{thread}] {level:<5} {short} - {message}"),
    "Spring in colours": (ISO, "\x1b[2m{t}\x1b[0;39m \x1b[32m{level:>5}\x1b[0;39m \x1b[35m1\x1b[0;39m [{thread}] {short} : {message}"),
    "Spring in colours that lost their escape": (ISO, "[2m{t}[0;39m [32m{level:>5}[0;39m [35m1[0;39m [{thread}] {short} : {message}"),
    "Spring in colours that are spelt": (ISO, r"\u001b[2m{t}\u001b[0;39m \u001b[32m{level:>5}\u001b[0;39m [{thread}] {short} : {message}"),
    "Sleuth": (ISO, "{t}  {level} [orders,5f3a1b2c3d4e5f60,5f3a1b2c3d4e5f60,true] 1 --- [{thread}] {short} : {message}"),
    "Kibana": ("%b %d, %Y @ %H:%M:%S.{ms}", "{t}\t{level}\t{message}"),
    "Datadog": (ISO_T + "Z", '"{t}","host-1","svc","{level} {name} - {message}"'),
    "WebSphere": ("%m/%d/%y %H:%M:%S:{ms} UTC", "[{t}] 0000004f {name:<13} {letter} {logger} log {message}"),
    "Storm": (ISO, "{t} {short} {thread} [{level}] {message}"),
    "akka": (ISO_COMMA, "[{level}] [{t}] [{thread}] [{logger}] - {message}"),
    "log4j 2 in colours, without a date": ("%H:%M:%S", "{t} \x1b[32m{level:<5}\x1b[m [APP] {name} - {message}"),
    "log4j 2 in colours that lost their escape": ("%H:%M:%S", "{t} [1;31m{level:<5}[m [APP] {name} - {message}"),
    "a day before its month": ("%d %b %H:%M:%S.{ms}", "{t} * app=pay pri={level} t={thread} at={name} {message}"),
    "Maven": ("%H:%M:%S.{ms}", "[INFO] {t} [{thread}] {level} {logger} - {message}"),
    "a sign between": ("%H:%M:%S", "\U0001f6a8 {t} {level} {name} » {message}"),
    "bars": (ISO, "{t}|{level}|{thread}|{logger}|{message}"),
    "tabs": (ISO, "{t}\t{level}\t{thread}\t{logger}\t{message}"),
    "OpenShift": (ISO_T + "456Z", "[pod/orders-7d9-x/app] {t} {level} {name} {message}"),
    "journald": ("%b %d %H:%M:%S", "{t} host1 java[123]: [{t}] {level} {message} ({logger})"),
    "grep": (ISO_COMMA, "/var/log/app/server.log.2:{t} {level} [{thread}] ({name}.java:1234) - {message}"),
    "a quote": ("%Y-%m-%d %H:%M:%S", "> {t} {level} {name} - {message}"),
    "paragraphs": ("%Y-%m-%d %H:%M:%S", "<p>{t} {level} {name} - {message}</p>"),
    "a list": ("%Y-%m-%d %H:%M:%S", "{number}. {t} {level} {name} - {message}"),
    "no time": ("", "{level} {logger} - {message}"),
    "the logger alone": ("", "{logger}: {message}"),
    "the message alone": ("", "{message}"),
}  # fmt: skip
JUL = {"WARN": "WARNING", "ERROR": "SEVERE"}
SERILOG = {"INFO": "INF", "WARN": "WRN", "ERROR": "ERR"}


def written(notation: str, form: str) -> str:
    lines = []
    for number, (level, thread, logger, message, trace) in enumerate(RECORDS):
        at = BEGIN_MS + number * 1_517
        time = datetime.fromtimestamp(at / 1000, UTC).strftime(notation).replace("{ms}", f"{at % 1000:03d}")
        name = logger.rpartition(".")[2]
        short = ".".join([*(part[0] for part in logger.split(".")[:-1]), name])
        lines.append(
            form.format(
                t=time, level=level, thread=thread, logger=logger, name=name, short=short, message=message, number=number,
                jul=JUL.get(level, level), serilog=SERILOG[level], letter=level[0],
            )
        )  # fmt: skip
        lines += trace
    return "\n".join(lines) + "\n"


def said(text: str) -> list[tuple[object, ...]]:
    return [
        (event.kind, event.message_id, event.client_id, event.error_class, event.task_id)
        for event in events_in(text)
    ]


EXPECTED = said(written(*FORMATS["Quarkus"]))


def test_the_first_format_says_what_there_is():
    assert [kind for kind, *_ in EXPECTED] == [
        "partitions_revoked", "poll_interval_expired", "connect_failed", "batch_expired", "streams_error", "session_expired",
    ]  # fmt: skip


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_gives_the_same_events(name):
    notation, form = FORMATS[name]
    text = written(notation, form)
    assert said(text) == EXPECTED
    events = list(events_in(text))
    if any(field in form for field in ("{level", "{jul", "{serilog", "{letter")):
        assert [event.level for event in events] == [level for level, *_ in RECORDS]
    if notation and "%Y" in notation and "%m/%d" not in notation:
        assert [event.happened_at for event in events] == pytest.approx(
            [BEGIN_MS + number * 1_517 for number in range(len(RECORDS))], abs=999
        )


@pytest.mark.parametrize(
    "head",
    ["{us}|INFO |[main]|", "{ms}|main|INFO|", "{us} | main | INFO | "],
)
def test_an_epoch_before_a_bar_is_a_time_and_no_container(head):
    lines = [
        head.format(ms=BEGIN_MS + number, us=(BEGIN_MS + number) * 1_000) + f"{logger}: {message}\n"
        for number, (_, _, logger, message, trace) in enumerate(RECORDS)
        if not trace
    ]
    events = list(events_in("".join(lines)))
    assert [event.happened_at for event in events] == [BEGIN_MS, BEGIN_MS + 1, BEGIN_MS + 2, BEGIN_MS + 5]


def test_objects_behind_numbers_of_lines_are_no_text_that_was_escaped():
    message, trace = RECORDS[3][3], RECORDS[3][4]
    said = {"level": "ERROR", "logger": RECORDS[3][2], "message": "\n".join((message, *trace))}
    lines = [
        f"{number}:{json.dumps({'jsonPayload': said, 'severity': 'ERROR'})}\n" for number in range(101, 120)
    ]
    events = list(events_in("".join(lines)))
    assert [event.level for event in events] == ["ERROR"] * len(lines)
    assert {event.kind for event in events} == {"batch_expired"}
