"""KIP-580, Motivation: clients of one fault do not come back in the same instants."""

from math import prod

from transforms.rules.rule import CONFORMS, NOT_APPLICABLE, Verdict, rule, unjudged, violated
from transforms.timers.backoff.envelope import JITTER, Backoff, backoff_of
from transforms.timers.backoff.fleet_steps import IN_STEP_MS, FleetStep

# Fewer retries side by side are no fleet, jitter or not.
ROUNDS = 3
# Waits drawn apart fall together by chance: so small a chance is none.
CHANCE = 1e-9


@rule(
    "kip580.fleet_in_step",
    judges=FleetStep,
    severity="warning",
    gives=("broken_semantics", "older_semantics"),
    says="clients {first} and {second} failed together {count} times, and each time came back within {limit_ms} ms "
    "of each other",
    runbook=(
        "Compare the retries of the two clients after the same failure: do they leave in one instant each time?",
        "Clients before 3.7 wait exactly retry.backoff.ms: a fleet of them asks a broker that recovers all at once.",
        "Let it be for two or three clients; look at the broker's request rate for hundreds.",
    ),
    advice="Upgrade clients to 3.7 or later; till then give the clients of a fleet different retry.backoff.ms. Some "
    "of them then recover later than others.",
)
def fleet_in_step(fleet: FleetStep) -> Verdict:
    """Find two clients of one process that retried in the same instants each time they failed together.

    Source: KIP-580, Motivation (a static backoff lets clients retry in step) and Proposed Changes (jitter of
    0.2); ExponentialBackoff.backoff.
    Silent when: the clients are of different processes, whose clocks are not one; no jitter is due (base at
    or above cap, saturated waits); fewer than three failures together, or for clients that jitter so few that
    chance may do it; a lookup or a metadata refresh, which the end of a poll() may align.
    """
    if fleet.together < ROUNDS:
        return NOT_APPLICABLE
    if fleet.in_step < fleet.together:
        return CONFORMS
    known = [backoff_of(profile) if profile else None for profile in fleet.profiles]
    backoffs = [backoff for backoff in known if backoff is not None and backoff.is_proven]
    if len(backoffs) < len(known):
        return unjudged(
            "backoff settings or version unknown",
            "the configuration dumps of both clients and their 'Kafka version' lines (INFO)",
        )
    grows = any(backoff.grows for backoff in backoffs)
    if grows and _chance(fleet) > CHANCE:
        return CONFORMS
    return violated(
        "broken_semantics" if grows else "older_semantics",
        events=fleet.event_ids,
        happened_at=fleet.started_at,
        observed_ms=0,
        limit_ms=IN_STEP_MS,
        limit_origin=_origin(fleet, backoffs),
        first=fleet.clients[0],
        second=fleet.clients[1],
        count=fleet.together,
    )


def _chance(fleet: FleetStep) -> float:
    """How likely two waits, drawn from 0.8 to 1.2 of their step, are to fall together each time."""
    near_ms = 2 * IN_STEP_MS + 1
    return prod(min(1.0, near_ms / max(1.0, 2 * JITTER * step)) for step in fleet.steps)


def _origin(fleet: FleetStep, backoffs: list[Backoff]) -> str | None:
    base = fleet.profile.setting("retry.backoff.ms") if fleet.profile and backoffs else None
    return base.origin if base else None
