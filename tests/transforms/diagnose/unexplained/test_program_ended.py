"""Programs that ended by what nothing caught: told where a client's lines stand beside it, whoever's code it was."""

import pytest

from transforms.diagnose.unexplained.by_words import told_by_words
from transforms.diagnose.unexplained.raw_scan import scan

SARAMA = "2026/11/05 10:01:02 [sarama] Successfully initialized new client"
RDKAFKA = (
    "%6|1762336862.114|FETCH|rdkafka#consumer-1| [thrd:b.example:9092/1]: b.example:9092/1: Fetching 1 of 1"
)
KAFKAJS = '{"level":"INFO","timestamp":"2026-11-05T10:01:02.114Z","logger":"kafkajs","message":"[Consumer] Starting"}'
RUBY = "I, [2026-11-05T10:01:02.114202 #12]  INFO -- : [[orders] {}:] Joined group `g` with member id `c-1`"
GO = "panic: assignment to entry in nil map\n\ngoroutine 42 [running]:\nmain.(*handler).Take(0xc0)\n\t/app/main.go:88 +0x11c"
RUST = "thread 'main' panicked at src/main.rs:42:18:\ncalled `Option::unwrap()` on a `None` value"
NET = "Unhandled exception. System.FormatException: no number\n   at Orders.Worker.Take() in /src/Worker.cs:line 31"
NODE = (
    "/app/take.js:22\n    const total = order.items.length\n                              ^\n\n"
    "TypeError: Cannot read properties of undefined (reading 'length')\n    at take (/app/take.js:22:31)\n\nNode.js v20.11.0"
)
OF_RUBY = "/app/take.rb:22:in `take': undefined method `size' for nil:NilClass (NoMethodError)\n\tfrom /app/take.rb:12"
RAISED = "Traceback (most recent call last):\n  File \"/app/take.py\", line 31, in <module>\n    take()\nKeyError: 'items'"
JAVA = "10:01:02 INFO [Consumer clientId=c-1, groupId=g] Adding newly assigned partitions: orders-0"
OF_JAVA = (
    "10:01:03 INFO handled 12\n"
    'Exception in thread "main" java.lang.IllegalStateException: no such order\n\tat com.example.Orders.take(Orders.java:31)'
)
PHP = "PHP Fatal error:  Uncaught TypeError: take(): Argument #1 must be of type array in /app/take.php:12"


def told(text):
    found, _ = told_by_words(scan("app.log", [text.encode()]).speaking, [])
    return [(one.incident.kind, one.incident.title) for one in found]


@pytest.mark.parametrize(
    ("client", "ended", "title"),
    [
        (SARAMA, GO, 'a sarama client ended: nothing caught "panic: assignment to entry in nil map"'),
        (
            RDKAFKA,
            RUST,
            "a librdkafka client ended: nothing caught \"thread 'main' panicked at src/main.rs:42:18: called `Option",
        ),
        (RDKAFKA, NET, 'a librdkafka client ended: nothing caught "FormatException: no number"'),
        (
            KAFKAJS,
            NODE,
            "a kafkajs client ended: nothing caught \"TypeError: Cannot read properties of undefined (reading 'length')\"",
        ),
        (RUBY, OF_RUBY, "a ruby-kafka client ended: nothing caught \"/app/take.rb:22:in `take': undefined"),
        (RDKAFKA, RAISED, "a librdkafka client ended: nothing caught \"KeyError: 'items'\""),
        (JAVA, OF_JAVA, 'a client ended: nothing caught "IllegalStateException: no such order"'),
        (RDKAFKA, PHP, "a librdkafka client ended: nothing caught"),
    ],
    ids=["Go", "Rust", ".NET", "Node", "Ruby", "Python", "Java", "PHP"],
)
def test_what_nothing_caught_ended_the_clients_program(client, ended, title):
    [(kind, said)] = told(f"{client}\n{ended}\n")
    assert kind == "program_ended"
    assert title in said


@pytest.mark.parametrize("ended", [GO, RUST, NET, NODE, OF_RUBY, RAISED, OF_JAVA, PHP])
def test_a_log_without_a_client_is_another_programs(ended):
    assert told(f"10:00 listening on port 8080\n{ended}\n") == []


@pytest.mark.parametrize(
    "text",
    [
        f"{SARAMA}\n10:00 panic: is only a word here\n10:01 went on\n",
        f"{RDKAFKA}\n{RUST.replace('main', 'worker-3', 1)}\n",
        f"{RUBY}\n#<Thread:0x01 run> terminated with exception (report_on_exception is true):\n{OF_RUBY}\n",
        f"{RDKAFKA}\n{RAISED}\n10:01 INFO went on\n",
        f"{RDKAFKA}\nERROR:root:could not take 12\n{RAISED}\n",
        f"{RDKAFKA}\n{RAISED.rpartition(chr(10))[0]}\n",
        f"{KAFKAJS}\nTypeError: Cannot read properties of undefined\n    at take (/app/take.js:22:31)\n",
    ],
    ids=[
        "a word",
        "a thread of Rust's",
        "a thread of Ruby's",
        "it went on",
        "it was logged",
        "cut off",
        "caught and printed",
    ],
)
def test_what_was_caught_or_ended_a_thread_ended_no_program(text):
    assert [kind for kind, _ in told(text) if kind == "program_ended"] == []


def test_another_container_is_another_program():
    beside, own = (
        "\n".join([f"orders-1  | {RDKAFKA}", *(f"{name} | {one}" for one in RUST.split("\n")), ""])
        for name in ("web-1    ", "orders-1 ")
    )
    assert told(beside) == []
    [(kind, title)] = told(own)
    assert kind == "program_ended"
    assert "42:18: called" in title


def test_what_names_kafka_is_told_by_its_own_class():
    said = "kafka: client has run out of available brokers to talk to"
    [(kind, _)] = told(f"{SARAMA}\n{GO.replace('assignment to entry in nil map', said)}\n")
    assert kind == "no_broker_left"
