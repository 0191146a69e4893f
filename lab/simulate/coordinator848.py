"""A coordinator of KIP-848 that fences members before a timer of theirs has run out."""

from random import Random
from uuid import UUID

from lab.simulate.coordinator import METADATA
from lab.simulate.line import Line
from lab.simulate.truth import Truth

NOON = 1_767_268_800_000
CONFIG = "kafka.server.KafkaConfig"
THREAD = "group-coordinator-event-processor-0"


def _begin(rng: Random, shortest: int) -> tuple[list[Line], str, str]:
    """The broker's settings, and a member that joined; whose lines begin so, and its id."""
    member = str(UUID(int=rng.getrandbits(128), version=4))
    me = "[GroupCoordinator id=1 topic=__consumer_offsets partition=7] [GroupId orders] "
    settings = {
        "group.consumer.max.session.timeout.ms": 60_000,
        "group.consumer.min.session.timeout.ms": shortest,
        "group.consumer.session.timeout.ms": shortest,
    }
    dump = "KafkaConfig values: \n" + "".join(f"\t{name} = {value}\n" for name, value in settings.items())
    joins = f"{me}Member {member} joins the consumer group using the consumer protocol."
    lines = [Line(NOON, "INFO", CONFIG, "main", dump), Line(NOON + 9_000, "INFO", METADATA, THREAD, joins)]
    return lines, me, member


def _silent(rng: Random) -> tuple[list[Line], Truth]:
    """Its session ends sooner than any may."""
    shortest = rng.choice((10_000, 30_000, 45_000))
    lines, me, member = _begin(rng, shortest)
    at = lines[-1].at + rng.randint(1, shortest - 2)
    text = f"{me}Member {member} fenced from the group because the member session expired."
    lines.append(Line(at, "INFO", METADATA, THREAD, text))
    return lines, Truth([], {"kip848.evicted_early"})


def _stuck(rng: Random) -> tuple[list[Line], Truth]:
    """It has partitions to give up, and is not given the time for it."""
    lines, me, member = _begin(rng, 45_000)
    limit, epoch, at = (
        rng.choice((30_000, 300_000)),
        rng.randint(1, 40),
        lines[-1].at + rng.randint(1_000, 9_000),
    )
    computed = f"Computed a new target assignment for epoch {epoch + 1} with 'uniform' assignor in 2ms."
    stuck = f"it failed to transition from epoch {epoch} within {limit}ms."
    texts = (
        (at, f"{me}Bumped group epoch to {epoch + 1} with metadata hash {rng.getrandbits(60)}."),
        (at + rng.randint(0, 9), f"{me}{computed}"),
        (at + rng.randint(10, limit - 2), f"{me}Member {member} fenced from the group because {stuck}"),
    )  # fmt: skip
    lines += [Line(one, "INFO", METADATA, THREAD, text) for one, text in texts]
    return lines, Truth([], {"kip848.evicted_in_rebalance_early"})


DEFECTS = {"kip848.evicted_early": _silent, "kip848.evicted_in_rebalance_early": _stuck}
