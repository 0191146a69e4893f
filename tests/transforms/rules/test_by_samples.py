"""What rules say of a member whose log is at INFO, by the samples of its process: guilt, innocence, and what stays open."""

import pytest

from tests.rule_cases import case, guilty, inside, negative, outside, positive, unknown
from tests.timelines_liveness import app, fold
from tests.timelines_samples import COORDINATOR, scraped, series
from transforms.parse.metrics.samples import COLLECTOR
from transforms.rules import heartbeats, kip62
from transforms.timers.groups.membership import Membership

JOIN = "0:ask 10:joined=m1/1 14:synced=m1/1"
EXPIRY = f"{JOIN} 10000:expired 10000:left=poll/m1 10000:reset"
BACK = f"{EXPIRY} 16000:lost 16005:ask 16300:joined=m2/2"
STEADY = "2000-60000/2000"


def said(rule, story: str, samples, **known):
    """The verdict on the first membership, with its category where it has one."""
    found = [rule(one) for one in fold(app(story, **known), samples=samples) if type(one) is Membership]
    return found[0].category or found[0].outcome


@pytest.mark.parametrize(
    ("samples", "known", "wanted"),
    [
        negative({"beats": STEADY, "until": 30_000}, {}, "conforms", id="beats on"),
        positive({"beats": "2000-6000/2000 18000-30000/2000", "until": 30_000}, {}, "broken_semantics", id="stopped"),
        inside({"beats": "2000-6000/2000 10001-30000/2000", "until": 30_000}, {}, "conforms", id="two intervals"),
        outside(
            {"beats": "2000-6000/2000 13000-30000/2000", "until": 30_000}, {}, "broken_semantics", id="and two scrapes more"
        ),
        guilty(
            {"beats": "2000-6000/2000 18000-30000/2000", "until": 30_000, "blind": (6_000, 18_000)},
            {},
            "unjudged",
            id="it stood still: nobody got an answer either",
        ),
        unknown({"beats": "2000 18000-30000/2000", "until": 30_000, "every": 5_000}, {}, "unjudged", id="too few scrapes"),
        unknown({"beats": "2000 18000", "until": 30_000}, {"origin": "assumed"}, "unjudged", id="default interval"),
        unknown({"beats": "2000 18000", "until": 30_000, "since": 9_000}, {}, "unjudged", id="nobody looked at first"),
        unknown({"beats": "2000 18000", "until": 30_000, "clock": COLLECTOR}, {}, "unjudged", id="another clock"),
        unknown({"beats": "2000 18000", "until": 30_000, "unit": "other"}, {}, "unjudged", id="another process"),
    ],
)  # fmt: skip
def test_heartbeat_starved(samples, known, wanted):
    story = f"{JOIN} 30000:noise"
    assert said(heartbeats.heartbeat_starved, story, scraped(**samples), **known) == wanted


@pytest.mark.parametrize(
    ("line", "starved", "stopped"),
    [
        ("7000:told_to_rejoin", "conforms", "unjudged"),
        ("7000:gone 17000:found", "unjudged", "not_applicable"),
        ("7000:ask 17000:joined=m1/2", "conforms", "not_applicable"),
        ("7000:ask 11000:joined=m1/2 11500:synced=m1/2", "unjudged", "not_applicable"),
        ("7000:told_to_rejoin 11000:ask 16000:joined=m1/2 16500:synced=m1/2", "conforms", "conforms"),
        ("7000:told_to_rejoin 11001:ask 16000:joined=m1/2 16500:synced=m1/2", "conforms", "unjudged"),
    ],
)
@case("looks guilty")
def test_a_silence_that_a_line_explains_is_no_starvation(line, starved, stopped):
    """From the JoinGroup on heartbeats rest; from the notice to that they go on, and two intervals prove nothing."""
    samples = scraped(beats="2000-6000/2000 18000-30000/2000", until=30_000)
    story = f"{JOIN} {line} 30000:noise"
    assert said(heartbeats.heartbeat_starved, story, samples) == starved
    assert said(heartbeats.heartbeats_stopped_in_rebalance, story, samples) == stopped


@pytest.mark.parametrize(
    ("story", "version", "wanted"),
    [
        (f"{JOIN} 9000:noise", (4, 2, 1), "not_applicable"),
        (f"{JOIN} 5000:told_to_rejoin 6000:ask 6100:joined=m1/2 9000:noise", (4, 2, 1), "conforms"),
        (f"{JOIN} 5000:told_to_rejoin 6000:ask 6100:joined=m1/2 9000:noise", (2, 5, 0), "unjudged"),
        (f"{JOIN} 5000:told_to_rejoin 9000:noise", (4, 2, 1), "unjudged"),
        (f"{JOIN} 5000:told_to_rejoin 8000:told_to_rejoin 9001:ask 9100:joined=m1/2", (4, 2, 1), "unjudged"),
        (f"{JOIN} 5000:told_to_rejoin 9001:left=close/m1", (4, 2, 1), "unjudged"),
    ],
)
def test_notices_that_were_followed_at_once_need_no_heartbeat_lines(story, version, wanted):
    """Logs at INFO alone; before 3.0 the notice may stand at DEBUG."""
    assert said(heartbeats.heartbeats_stopped_in_rebalance, story, (), version=version) == wanted


@pytest.mark.parametrize(
    ("left", "wanted"),
    [(4010, "not_applicable"), (4011, "unjudged")],
    ids=["two intervals", "a millisecond more"],
)
def test_a_membership_too_short_for_a_silence_is_no_subject(left, wanted):
    for rule in (heartbeats.heartbeat_starved, heartbeats.heartbeats_stopped_in_rebalance):
        story = f"{JOIN} 1000:told_to_rejoin {left}:left=close/m1"
        found = said(rule, story, (), version=(2, 5, 0))
        assert found == wanted


@case("looks guilty")
def test_a_heartbeat_whose_answer_may_be_on_its_way_is_waited_for():
    samples = scraped(beats="2000-6000/2000 18000-30000/2000", until=30_000, answer_ms=2_500)
    assert said(heartbeats.heartbeat_starved, f"{JOIN} 30000:noise", samples) == "unjudged"


@pytest.mark.parametrize(
    ("beats", "wanted"),
    [
        negative(STEADY, "conforms", id="beats on after its last line"),
        guilty("2000-6000/2000", "unjudged", id="what ended it may stand in lines that are not there"),
    ],
)
def test_after_the_last_line_samples_acquit_and_accuse_nobody(beats, wanted):
    assert said(heartbeats.heartbeat_starved, JOIN, scraped(beats=beats, until=30_000)) == wanted


def test_a_starved_member_is_told_with_its_samples():
    samples = scraped(beats="2000-6000/2000 18000-30000/2000", until=30_000)
    (member,) = [one for one in fold(app(f"{JOIN} 30000:noise"), samples=samples) if type(one) is Membership]
    found = heartbeats.heartbeat_starved(member)
    assert (found.observed_ms, found.limit_ms, found.event_ids) == (9_001, 2_000, ("app/joined@10",))
    assert [one.split()[1] for one in found.samples] == [COORDINATOR_NAME] * 2
    assert found.samples[-1].endswith("last-heartbeat-seconds-ago=11")


COORDINATOR_NAME = "kafka.consumer:type=consumer-coordinator-metrics,client-id=c"


@pytest.mark.parametrize(
    ("samples", "wanted"),
    [
        negative({"beats": STEADY, "until": 30_000}, "conforms", id="beats on"),
        unknown({"beats": "2000 18000", "until": 30_000}, "unjudged", id="a silence, in a rebalance or not"),
    ],
)
def test_heartbeats_stopped_in_rebalance(samples, wanted):
    story = f"{JOIN} 2500:told_to_rejoin 30000:noise"
    assert said(heartbeats.heartbeats_stopped_in_rebalance, story, scraped(**samples)) == wanted


@pytest.mark.parametrize(
    ("samples", "wanted"),
    [
        negative({"beats": "2000-9000/2000", "until": 20_000}, "conforms", id="silent after it"),
        positive({"beats": "2000-15000/2000", "until": 20_000}, "broken_semantics", id="beats on"),
        inside({"beats": "2000-11999/2000", "until": 20_000}, "conforms", id="once, perhaps before it"),
        outside({"beats": "2000-9000/2000 13000", "until": 20_000}, "broken_semantics", id="surely after it"),
        guilty(
            {"beats": "2000-9000/2000 17000-20000/2000", "until": 20_000}, "conforms", id="as a member anew"
        ),
        unknown({"beats": "2000-9000/2000", "until": 9_000}, "unjudged", id="nobody looked any more"),
        unknown(
            {"beats": "2000-13000/2000", "until": 20_000, "every": 7_000}, "unjudged", id="too few scrapes"
        ),
    ],
)
def test_heartbeat_after_expiry(samples, wanted):
    assert said(kip62.heartbeat_after_expiry, BACK, scraped(**samples)) == wanted


@case("looks guilty")
def test_a_rejoin_whose_lines_are_missing_is_no_beating_on():
    samples = scraped(beats="2000-9000/2000 12000-20000/2000", rebalances="10 11500", until=20_000)
    assert said(kip62.heartbeat_after_expiry, EXPIRY, samples) == "unjudged"


@pytest.mark.parametrize(
    ("samples", "wanted"),
    [
        negative({"polls": "100 300-1000/100", "until": 20_000}, "conforms", id="a poll before the limit"),
        positive(
            {"polls": "100 300-9000/100", "until": 20_000}, "broken_semantics", id="polled all the while"
        ),
        inside(
            {"polls": "100 300-7000/100", "until": 20_000}, "unjudged", id="no better known than by a scrape"
        ),
        outside(
            {"polls": "100 300-8000/100", "until": 20_000}, "broken_semantics", id="and two scrapes within it"
        ),
        guilty(
            {"polls": "100 300-2000/100 7000", "until": 20_000},
            "unjudged",
            id="one poll, which wakeup() may have cut",
        ),
        unknown(
            {"polls": "100 300-9000/100", "until": 20_000, "clock": COLLECTOR}, "unjudged", id="another clock"
        ),
    ],
)
def test_left_early(samples, wanted):
    log_begins_late = "10000:expired 10000:left=poll/m1 10000:reset"
    assert said(kip62.left_early, log_begins_late, scraped(**samples)) == wanted


@pytest.mark.parametrize(
    ("story", "polls", "wanted"),
    [
        negative(BACK, "100 300-1990/100", "conforms", id="left as soon as the limit had passed"),
        unknown(BACK, "100 300-900/100", "unjudged", id="it may have been late by more than a second"),
    ],
)
def test_left_late(story, polls, wanted):
    assert said(kip62.left_late, story, scraped(polls=f"{polls} 16000", until=20_000)) == wanted


@pytest.mark.parametrize(
    ("commits", "wanted"),
    [
        negative("2000-7000/1000", "conforms", id="no commit was answered"),
        unknown("2000-12000/1000", "unjudged", id="one was, and how nobody says"),
    ],
)
def test_commit_after_leaving(commits, wanted):
    assert (
        said(kip62.commit_after_leaving, BACK, scraped(polls="100", commits=commits, until=20_000)) == wanted
    )


def test_the_membership_says_what_it_has_from_metrics():
    samples = scraped(polls="100 300-20000/200", beats=STEADY, until=20_000)
    (member,) = [one for one in fold(app(f"{JOIN} 20000:noise"), samples=samples) if type(one) is Membership]
    session = member.session
    assert session.from_metrics == ["last_poll_at", "max_poll_gap_ms", "last_heartbeat_at"]
    assert abs(session.last_poll_at - 20_000) <= session.plus_minus_ms == 999
    assert (session.max_poll_gap_ms, session.last_heartbeat_at) == (100, 20_000)


def test_a_line_stands_where_both_know():
    samples = scraped(polls="100 300-2000/100 16000", beats="2000 4000", until=20_000)
    beats = " ".join(f"{at}:beat=m1/1" for at in (2_000, 4_000, 6_000, 8_000))
    story = f"{JOIN} {beats} {BACK.removeprefix(JOIN)}"
    member = next(one for one in fold(app(story), samples=samples) if type(one) is Membership)
    assert member.session.from_metrics == []
    assert (member.session.last_poll_at, member.session.last_heartbeat_at) == (2_000, 8_000)


def test_the_gap_of_a_late_poll_says_when_it_had_polled_last():
    samples = scraped(polls="100 300-1990/100 16000", until=20_000)
    member = next(one for one in fold(app(BACK), samples=samples) if type(one) is Membership)
    assert member.sampled.last_poll.at == 1_900
    assert member.sampled.last_poll.plus_minus_ms == 0


def test_samples_of_another_start_of_the_process_are_not_its():
    story = f"{JOIN} 9000:noise 30000:ask 30010:joined=m2/1"
    samples = [series(COORDINATOR, "last-heartbeat-seconds-ago", [(n * 1_000, 0.0) for n in range(1, 40)])]
    members = [
        one for one in fold(app(story, restarts_at=30_000), samples=samples) if type(one) is Membership
    ]
    assert [one.session.last_heartbeat_at for one in members] == [30_000, 39_000]


def test_a_member_whose_clock_was_set_back_has_no_gap_between_its_polls():
    story = f"{JOIN.replace('10:', '50010:').replace('14:', '50014:')} 20000:expired 20000:left=poll/m1 20000:reset"
    (member, *_) = [
        one
        for one in fold(app(story), samples=scraped(polls=STEADY, until=60_000))
        if type(one) is Membership
    ]
    assert member.session.max_poll_gap_ms is None
