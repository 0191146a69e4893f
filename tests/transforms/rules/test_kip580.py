"""KIP-580's rules on one-line histories of waits."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from tests.rule_cases import case, guilty, inside, negative, outside, positive, unknown
from tests.timelines_backoff import admin, lookups, metadata, produce, profile, sequences
from tests.timelines_backoff import run as run_backoff
from tests.timelines_streams import profile as streams_profile
from tests.timelines_streams import run as run_machine
from transforms.rules import kip580, kip580_config, kip580_jitter
from transforms.rules.rule import Verdict
from transforms.rules.short_waits import LEADER, PAUSED, proving, unproven
from transforms.timers.backoff.envelope import Backoff
from transforms.timers.backoff.jitter import JitterSample
from transforms.timers.backoff.retry_sequences import BackoffSequence, Wait
from transforms.timers.clients.client_configs import BackoffFacts, ClientConfigs
from transforms.timers.profile import ClientProfile, Setting

B, D, OLDER, M = "broken_semantics", "departs_from_kip", "older_semantics", "misconfiguration"
BY_848 = profile()
BY_848.settings["group.protocol"] = Setting("group.protocol", "consumer", "logged")
FINE, SILENT, OPEN = "conforms", "not_applicable", "unjudged"
OLD = profile("3.5.2", cap=None)
UNKNOWN = [profile(None), profile(base=None), profile(cap=None), profile(origin="default:4.2")]
# A log that begins when the batch has failed ten times already.
SATURATED = " | ".join(f"{n * 850} send {n} | {n * 850} fail {n + 9} {n}" for n in range(1, 9))


def said(rule: Callable[[BackoffSequence], Verdict], history: str, of: ClientProfile | None = None) -> str:
    """The category or outcome for the one sequence of a history."""
    (sequence,) = sequences(history, of)
    verdict = rule(sequence)
    return verdict.category or verdict.outcome


@pytest.mark.parametrize(
    ("history", "of", "found"),
    [
        negative(produce("80 160 320 640 800 800"), profile(), FINE, id="lowest draw at every step"),
        inside(produce("74 154"), profile(), FINE, id="grain and what a line may come late"),
        outside(produce("73 160"), profile(), B, id="just below"),
        guilty(produce("73L 160"), profile(), OPEN, id="a leader may be new"),
        positive(produce("0L 0L 0L"), profile(), B, id="three in a row are no election"),
        pytest.param(produce("73 160", debug=False), profile(), OPEN, id="leader not excluded without DEBUG"),
        pytest.param(produce("50 60 50", debug=False), profile(), B, id="a pattern without DEBUG"),
        pytest.param(produce("100 100 100"), profile("3.5.2", cap=None), FINE, id="constant before 3.7"),
        pytest.param(produce("93 100"), profile("3.5.2", cap=None), B, id="before 3.7 no leader excuses"),
        pytest.param(produce("2000 2000"), profile(), FINE, id="waiting behind another batch"),
        pytest.param(metadata("10 10 10"), profile(), SILENT, id="another topic asks for metadata"),
        guilty(lookups("10 10 10"), profile(), SILENT, id="poll() ends"),
        pytest.param(admin("80 160 320"), profile(), FINE, id="drawn"),
        guilty(admin("73 160 320"), profile(), OPEN, id="drawn too short once: the line may be late"),
        pytest.param(admin("73 153 320"), profile(), B, id="drawn too short by two failures"),
        guilty(produce("40 100", debug=False), OLD, OPEN, id="a pause may have delayed the line"),
        pytest.param(produce("40 40", debug=False), OLD, B, id="the failure before was written since"),
        pytest.param(produce("40 100 161", debug=False), OLD, OPEN, id="long ones prove nothing"),
        guilty(produce("40 94", debug=False), OLD, OPEN, id="the second within a line's latency"),
        guilty(produce("100 40", debug=False), OLD, OPEN, id="the failure before is too long ago"),
        outside(produce("93 93", debug=False), OLD, B, id="two just below"),
    ],
)
def test_backoff_too_short(history: str, of: ClientProfile, found: str) -> None:
    assert said(kip580.backoff_too_short, history, of) == found


def test_a_short_wait_of_an_earlier_batch_is_the_second_one() -> None:
    two = "0 fail 1 | 40 fail 2 | 5000 fail 1 | 5050 fail 2"
    verdicts = [kip580.backoff_too_short(sequence) for sequence in sequences(two, OLD)]
    assert [verdict.outcome for verdict in verdicts] == [OPEN, "violated"]
    assert verdicts[0].reason == "a pause may have delayed the line that it counts from"
    assert (verdicts[1].observed_ms, verdicts[1].event_ids) == (50, ("e3", "e4", "e1", "e2"))


def test_what_one_pause_explains_is_no_second_short_wait() -> None:
    first = Wait(1, 1000, 40, 40, ("e1", "e2"), leader_excluded=True)
    in_its_pause = Wait(1, 1059, 40, 40, ("e3", "e4"), leader_excluded=True)
    just_after = Wait(1, 1060, 40, 40, ("e5", "e6"), leader_excluded=True)
    flat = Backoff(100, None, False, True)
    assert proving([first, in_its_pause], [first, in_its_pause], flat) == []
    assert proving([first, just_after], [first, just_after], flat) == [first, just_after]
    assert proving([just_after], [just_after], flat, before=[first]) == [just_after, first]


@pytest.mark.parametrize(
    ("read_after", "is_proof"),
    [pytest.param(41, False, id="the least room for a pause"), pytest.param(42, True, id="none")],
)
def test_a_line_before_the_reading_leaves_no_room_for_a_pause(read_after: int, is_proof: bool) -> None:
    wait = Wait(1, 100, 40, 40, ("e1", "e2"), leader_excluded=True, read_after=read_after)
    assert proving([wait], [wait], Backoff(100, None, False, True)) == ([wait] if is_proof else [])


def test_what_may_be_another_batchs_asks_for_its_leader_first() -> None:
    wait = Wait(1, 100, 40, 40, ("e1", "e2"), leader_excluded=True)
    assert unproven([wait]) == PAUSED
    assert unproven([replace(wait, is_ambiguous=True), replace(wait, leader_excluded=False)]) == LEADER


@case("unknown")
@pytest.mark.parametrize("of", UNKNOWN, ids=["version", "base", "cap", "default"])
@pytest.mark.parametrize(
    "rule",
    [kip580.backoff_too_short, kip580.no_growth, kip580.saturated_below_cap, kip580.too_many_in_first_second],
)
def test_an_unknown_setting_accuses_nobody(
    rule: Callable[[BackoffSequence], Verdict], of: ClientProfile
) -> None:
    assert said(rule, produce("1 1 1 1 1 1 1 1"), of) == OPEN


@pytest.mark.parametrize("of", UNKNOWN, ids=["version", "base", "cap", "default"])
@pytest.mark.parametrize("rule", [kip580.backoff_too_long, kip580.above_cap])
@case("unknown")
def test_an_unknown_setting_accuses_no_drawn_wait(
    rule: Callable[[BackoffSequence], Verdict], of: ClientProfile
) -> None:
    assert said(rule, admin("5000 5000"), of) == OPEN


@pytest.mark.parametrize(
    ("history", "too_long", "above"),
    [
        negative(admin("120 240 480 960 1000"), FINE, FINE, id="highest draw at every step"),
        inside(admin("121"), FINE, FINE, id="the clock's grain", of="kip580.backoff_too_long"),
        outside(admin("122"), B, FINE, id="above the step", of="kip580.backoff_too_long"),
        outside(admin("100 200 400 800 1002"), B, B, id="above the cap", of="kip580.above_cap"),
        guilty(produce("5000 5000"), SILENT, SILENT, id="a late send proves nothing"),
        positive(admin("500"), B, FINE, id="far above the step", of="kip580.backoff_too_long"),
        inside(
            admin("100 200 400 800 1001"),
            FINE,
            FINE,
            id="the cap, and the clock's grain",
            of="kip580.above_cap",
        ),
        positive(admin("100 200 400 800 3000"), B, B, id="far above the cap"),
    ],
)
def test_too_long_and_above_cap(history: str, too_long: str, above: str) -> None:
    assert said(kip580.backoff_too_long, history) == too_long
    assert said(kip580.above_cap, history) == above


@pytest.mark.parametrize(
    ("history", "of", "found"),
    [
        outside(admin("0 0 0", "queue"), profile(), D, id="lookups of the admin, as released"),
        inside(admin("0 0", "queue"), profile(), SILENT, id="two are no storm"),
        pytest.param(admin("0 0 0"), profile(), B, id="an admin call"),
        negative(admin("0 90 0"), profile(), FINE, id="it waits"),
        guilty(admin("0 0 0"), profile(base=0), FINE, id="no wait is configured"),
        unknown(admin("0 0 0"), profile(base=None), OPEN, id="base unknown"),
        positive(admin("0 0 0 1 0 0"), profile(), B, id="again and again"),
        pytest.param(admin("0 0 0"), profile(base=1), FINE, id="a wait that no clock shows"),
        unknown(admin("0 0 0"), profile(origin="default:4.2"), OPEN, id="base not proven"),
    ],
)
def test_no_backoff(history: str, of: ClientProfile, found: str) -> None:
    assert said(kip580.no_backoff, history, of) == found


@pytest.mark.parametrize(
    ("history", "of", "found"),
    [
        negative(produce("80 160 320 640 800"), profile(), FINE, id="grows"),
        positive(produce("100 100 100 100"), profile("3.5.2", cap=None), OLDER, id="before 3.7"),
        pytest.param(
            produce("100 100 100 100", debug=False), profile("2.1.1", cap=None), OLDER, id="gaps only"
        ),
        inside(produce("100 100"), profile("3.5.2", cap=None), FINE, id="one step is no sequence"),
        pytest.param(
            produce("1000 1000 1000"), profile("3.5.2", base=1000, cap=None), SILENT, id="nothing to grow"
        ),
        pytest.param(produce("100 100 100 100"), profile("3.7.0"), B, id="3.7 must grow"),
        pytest.param(produce("100 160 0 700"), profile("3.7.0"), FINE, id="one short wait is another rule's"),
        guilty(produce("100 100L"), profile("3.7.0"), FINE, id="a new leader"),
        pytest.param(metadata("104 104 104"), profile("3.5.2", cap=None), OLDER, id="metadata before 3.7"),
        pytest.param(metadata("104 104 104"), profile("3.7.0"), SILENT, id="metadata starts anew"),
        pytest.param(lookups("100 150 100 150"), profile(), D, id="each poll() counts anew, as released"),
        pytest.param(lookups("100 150 100 150"), profile("2.8.2", cap=None), OLDER, id="lookups before 3.7"),
        pytest.param(lookups("100 200 400 800"), profile(), FINE, id="a long poll()"),
        guilty(lookups("100 200 400 800 810 900 820"), profile(), FINE, id="saturated, as released"),
        outside(produce("100 100 100"), profile("3.5.2", cap=None), OLDER, id="two steps are"),
        pytest.param(produce("50 100"), profile("3.5.2", cap=None), FINE, id="a short first wait is no step"),
        positive(produce("100 100 100"), profile("3.7.0"), B, id="3.7, two steps"),
        outside(produce("100 100 150"), profile("3.7.0"), B, id="no more than jitter"),
        inside(produce("100 100 151"), profile("3.7.0"), FINE, id="more than jitter"),
        guilty(admin("100 100 100", "queue"), profile(), SILENT, id="lookups of the admin never wait"),
    ],
)
def test_no_growth(history: str, of: ClientProfile, found: str) -> None:
    assert said(kip580.no_growth, history, of) == found


@pytest.mark.parametrize(
    ("history", "of", "found"),
    [
        positive(lookups("100 200 100"), profile(), D, id="fell back"),
        negative(lookups("100 200 400"), profile(), FINE, id="went on"),
        guilty(lookups("100 120 100"), profile(), FINE, id="never grew"),
        pytest.param(lookups("100 200 100"), profile("3.5.2", cap=None), SILENT, id="before 3.7"),
        pytest.param(produce("100 200 100"), profile(), SILENT, id="another path"),
        unknown(lookups("100 200 100"), profile(base=None), OPEN, id="base unknown"),
        inside(lookups("100 159 100"), profile(), FINE, id="jitter of the first step"),
        outside(lookups("100 160 100"), profile(), D, id="and beyond"),
        guilty(lookups("100 200 100"), profile(cap=100), SILENT, id="nothing to grow"),
        guilty(lookups("100 200 100"), BY_848, SILENT, id="counted until success"),
    ],
)
def test_growth_restarted(history: str, of: ClientProfile, found: str) -> None:
    assert said(kip580.growth_restarted, history, of) == found


@pytest.mark.parametrize(
    ("history", "found"),
    [
        positive(produce("100 200 400 800 900"), D, id="as released"),
        inside(produce("100 200 400 800 994"), FINE, id="the cap, less grain and latency"),
        pytest.param(produce("100 200 400 700"), SILENT, id="not saturated"),
        guilty(produce("100 200 400 800 700"), FINE, id="too short is another rule's"),
        pytest.param(metadata("100 200 400 800 900"), SILENT, id="metadata may have begun anew"),
        outside(produce("100 200 400 800 993"), D, id="a millisecond shorter"),
        negative(produce("100 200 400 800 1000"), FINE, id="the cap"),
    ],
)
def test_saturated_below_cap(history: str, found: str) -> None:
    assert said(kip580.saturated_below_cap, history) == found


@case("looks guilty")
def test_a_client_without_a_cap_saturates_nowhere() -> None:
    assert (
        said(kip580.saturated_below_cap, produce("100 200 400 800 900"), profile("3.5.2", cap=None)) == SILENT
    )


@case("looks guilty")
def test_a_client_without_a_cap_is_above_none() -> None:
    assert said(kip580.above_cap, admin("5000"), profile("3.5.2", cap=None)) == SILENT


@pytest.mark.parametrize(
    ("history", "of", "found"),
    [
        negative(produce("80 160 320 640"), profile(), FINE, id="lowest draws"),
        pytest.param(produce("100 " * 9), profile("3.5.2", cap=None), OLDER, id="ten a second before 3.7"),
        positive(produce("100 " * 9), profile(), B, id="3.7 and later"),
        pytest.param(produce("100 " * 9, debug=False), profile(), OPEN, id="leader not excluded"),
        guilty(produce("300 300 300 300"), profile("3.5.2", base=300, cap=None), FINE, id="slow"),
        guilty(lookups("10 " * 20), profile(), SILENT, id="lookups"),
        inside(produce("80 160 320 400 41"), profile(), FINE, id="the fifth a millisecond after it"),
        outside(produce("80 160 320 400 40"), profile(), B, id="the fifth at its end"),
        guilty(produce("1 " * 9), profile("3.5.2", base=1, cap=None), FINE, id="no wait is configured"),
        pytest.param(produce("160 " * 6), profile(base=202, cap=202), FINE, id="as many as fit, and one"),
        pytest.param(produce("140 " * 7), profile(base=202, cap=202), B, id="one more"),
        guilty(SATURATED, profile(), SILENT, id="a log that begins later"),
        guilty(produce("24 " + "28 " * 34), profile(base=30, cap=35), FINE, id="lowest draws near the cap"),
        positive(
            produce("100 " * 9, debug=False),
            profile("3.5.2", cap=None),
            OLDER,
            id="no leader excuses before 3.7",
        ),
    ],
)
def test_too_many_in_first_second(history: str, of: ClientProfile, found: str) -> None:
    assert said(kip580.too_many_in_first_second, history, of) == found


@pytest.mark.parametrize(
    ("history", "of", "found"),
    [
        negative(produce("600 601 606"), profile(base=1500, cap=600), FINE, id="the cap each time"),
        pytest.param(produce("600 500"), profile(base=1500, cap=600), B, id="shorter"),
        positive(admin("600 800"), profile(base=1500, cap=600), B, id="drawn longer"),
        pytest.param(
            produce("600 500", debug=False), profile(base=1500, cap=600), OPEN, id="leader not excluded"
        ),
        guilty(produce("500 500"), profile(base=600, cap=600), SILENT, id="base is the cap"),
        unknown(produce("600 500"), profile(None), OPEN, id="version unknown"),
        guilty(
            admin("500 600"), profile(base=1500, cap=600), OPEN, id="drawn short once: the line may be late"
        ),
        pytest.param(admin("500 500"), profile(base=1500, cap=600), B, id="drawn short twice"),
        inside(produce("594 600"), profile(base=1500, cap=600), FINE, id="grain and latency"),
        outside(produce("593 600"), profile(base=1500, cap=600), B, id="a millisecond shorter"),
        inside(admin("601"), profile(base=1500, cap=600), FINE, id="the clock's grain"),
        outside(admin("602"), profile(base=1500, cap=600), B, id="and beyond"),
        guilty(lookups("600 500"), profile(base=1500, cap=600), SILENT, id="poll() ends"),
        guilty(produce("600 500"), profile("3.5.2", base=1500, cap=None), SILENT, id="no cap before 3.7"),
    ],
)
def test_base_above_max_not_constant(history: str, of: ClientProfile, found: str) -> None:
    assert said(kip580.base_above_max_not_constant, history, of) == found


DUMP = "0 dump ProducerConfig client.id=a retry.backoff.ms={} retry.backoff.max.ms={}"


@pytest.mark.parametrize(
    ("base", "cap", "version", "above", "not_warned"),
    [
        positive(1500, 600, "4.2.1", M, B, id="above, not warned"),
        inside(600, 600, "4.2.1", FINE, SILENT, id="equal"),
        unknown(1500, 600, None, M, OPEN, id="version unknown", of="kip580.base_above_max_not_warned"),
        guilty(1500, "", "3.5.2", SILENT, SILENT, id="no cap before 3.7"),
        outside(601, 600, "4.2.1", M, B, id="a millisecond above"),
        negative(100, 1000, "4.2.1", FINE, SILENT, id="the defaults", of="kip580.base_above_max"),
        unknown(1500, "", "4.2.1", SILENT, SILENT, id="cap not printed", of="kip580.base_above_max"),
        pytest.param(1500, 600, "3.5.2", M, SILENT, id="no warning before 3.7"),
    ],
)
def test_base_above_max(base: int, cap: object, version: str | None, above: str, not_warned: str) -> None:
    episodes = run_machine(ClientConfigs(), DUMP.format(base, cap), streams_profile(version))
    (facts,) = [episode for episode in episodes if isinstance(episode, BackoffFacts)]
    verdicts = [kip580_config.base_above_max(facts), kip580_config.base_above_max_not_warned(facts)]
    assert [verdict.category or verdict.outcome for verdict in verdicts] == [above, not_warned]


@case("negative", of="kip580.base_above_max_not_warned")
def test_a_warning_of_base_above_max_is_seen() -> None:
    warning = "1 backoff_warning 1500 600"
    episodes = run_machine(ClientConfigs(), f"{DUMP.format(1500, 600)} | {warning}", streams_profile())
    (facts,) = [episode for episode in episodes if isinstance(episode, BackoffFacts)]
    assert kip580_config.base_above_max_not_warned(facts).outcome == FINE


def test_a_log_that_begins_with_saturated_waits_accuses_nobody() -> None:
    assert said(kip580.no_growth, SATURATED) == FINE
    assert said(kip580.backoff_too_short, SATURATED) == FINE


def test_a_finding_carries_its_limit_and_its_proof() -> None:
    (sequence,) = sequences(produce("100 160 200"))
    verdict = kip580.backoff_too_short(sequence)
    assert (verdict.observed_ms, verdict.limit_ms, verdict.limit_origin) == (200, 320, "logged")
    assert verdict.event_ids == ("e9", "e10", "e12")


def jitter(history: str, of: ClientProfile | None = None) -> list[str]:
    """What is said of each client's sample of waits."""
    samples = [episode for episode in run_backoff(history, of) if isinstance(episode, JitterSample)]
    verdicts = [kip580_jitter.no_jitter(sample) for sample in samples]
    return [verdict.category or verdict.outcome for verdict in verdicts]


@pytest.mark.parametrize(
    ("history", "of", "found"),
    [
        positive(produce("101 " * 12), OLD, [OLDER], id="none before 3.7"),
        inside(produce("101 " * 9), OLD, [SILENT], id="too few to tell"),
        pytest.param(produce("101 " * 11 + "93"), OLD, [FINE], id="one that differs"),
        pytest.param(produce("101 " * 11 + "900"), OLD, [OLDER], id="one that stood behind another"),
        guilty(produce("101 " * 12), profile("3.5.2", base=1000, cap=None), [SILENT], id="none is due"),
        unknown(produce("101 " * 12), profile(None), [OPEN], id="version unknown"),
        pytest.param(
            " | ".join(f"{n * 5000} retry 1 100 | {n * 5000 + 1} retry 2 200" for n in range(6)),
            profile(),
            [B],
            id="3.7 and later",
        ),
        negative(
            " | ".join(f"{n * 5000} retry 1 {90 + n} | {n * 5000 + 1} retry 2 200" for n in range(6)),
            profile(),
            [FINE],
            id="jittered",
        ),
        outside(produce("101 " * 10), OLD, [OLDER], id="enough to tell"),
        outside(produce("102 " * 12), OLD, [OLDER], id="two milliseconds off"),
        inside(produce("103 " * 12), OLD, [FINE], id="three"),
        inside(produce("101 " * 11 + "125"), OLD, [FINE], id="a draw, with the clock's grain"),
        outside(produce("101 " * 11 + "126"), OLD, [OLDER], id="longer than any draw"),
        unknown(
            produce("101 " * 12),
            profile("3.5.2", cap=None, origin="default:3.5"),
            [OPEN],
            id="base not proven",
        ),
        guilty(produce("101 " * 12, debug=False), OLD, [], id="waits that a leader may have cut"),
    ],
)
def test_no_jitter(history: str, of: ClientProfile, found: list[str]) -> None:
    assert jitter(history, of) == found
