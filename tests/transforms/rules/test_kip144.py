"""How long a client waits before it connects again: from try to try, of its DEBUG lines."""

import pytest

from tests.rule_cases import guilty, inside, negative, outside, positive, unknown
from tests.timelines_streams import NOON
from transforms.events import ClientEvent
from transforms.rules import kip144
from transforms.timers.backoff.reconnects import Reconnects
from transforms.timers.profile import ClientProfile, Setting

WORDS = {
    "try": ("other_kafka", "net-connect"),
    "gone": ("disconnect", "net-node-disconnected"),
    "silent": ("connect_failed", "net-setup-timeout"),
    "unknown": ("connect_failed", "net-connect-error"),
    "again": ("other_kafka", "net-rebootstrap"),
    "dump": ("config_dump", "config-dump"),
}


def client(base=50, most=1000, origin="logged"):
    named = {kip144.BASE: base, kip144.MOST: most}
    return ClientProfile(
        unit_id="shop/orders",
        client_id="orders-1",
        client_kind="producer",
        settings={
            name: Setting(name, str(value), origin) for name, value in named.items() if value is not None
        },
    )


def lines(story: str) -> list[ClientEvent]:
    """`0 try 2 | 1 gone 2 | 60 try 2`: at 0 ms a connection to node 2 was begun."""
    found = []
    for number, step in enumerate(story.split(" | ")):
        at, word, *node = step.split()
        event = ClientEvent(*WORDS[word], f"e{number}", happened_at=NOON + int(at))
        event.client_kind, event.client_id = "producer", "orders-1"
        event.node_id = int(node[0]) if node else None
        found.append(event)
    return found


def said(story: str, **known) -> list[str]:
    machine, of = Reconnects(), client(**known)
    return [
        kip144.reconnected_early(one).outcome for event in lines(story) for one in machine.step(event, of)
    ]


@pytest.mark.parametrize(
    ("story", "known", "wanted"),
    [
        positive("0 try 2 | 1 gone 2 | 6 try 2", {}, ["violated"], id="at once"),
        negative("0 try 2 | 1 gone 2 | 60 try 2", {}, ["conforms"], id="after fifty"),
        inside(
            "0 try 2 | 1 gone 2 | 39 try 2", {}, ["conforms"], id="the shortest draw and the clock's grain"
        ),
        outside("0 try 2 | 1 gone 2 | 38 try 2", {}, ["violated"], id="shorter"),
        outside("0 try 2 | 90 silent 2 | 30 try 2", {}, ["violated"], id="a set-up that timed out"),
        guilty("0 try 2 | 58 gone 2 | 60 try 2", {}, ["conforms"], id="a pause before its line was written"),
        guilty("0 try 2 | 1 gone 2 | 6 try 3", {}, [], id="another node"),
        guilty("0 try 2 | 1 unknown 2 | 6 try 2", {}, [], id="no try at all: its name resolves to nothing"),
        guilty("0 try 2 | 1 gone 2 | 2 again | 6 try 2", {}, [], id="bootstrapped again"),
        guilty("0 dump | 0 dump | 1 try 2 | 1 gone 2 | 6 try 2", {}, [], id="two clients of one name"),
        guilty(
            "0 try 2 | 3 try 2 | 4 gone 2 | 8 try 2", {}, [], id="two connections to one node: two clients"
        ),
        guilty(
            "0 try 2 | 1 gone 2 | 9 try 2", {"base": 5000, "most": 10}, ["conforms"], id="a maximum of ten"
        ),
        unknown("0 try 2 | 1 gone 2 | 6 try 2", {"base": None}, ["unjudged"], id="no base"),
        unknown("0 try 2 | 1 gone 2 | 6 try 2", {"most": None}, ["unjudged"], id="no maximum"),
        unknown("0 try 2 | 1 gone 2 | 6 try 2", {"origin": "default:4.2"}, ["unjudged"], id="no dump"),
    ],
)
def test_reconnected_early(story, known, wanted):
    assert said(story, **known) == wanted
