"""Groups of classic consumers with their coordinator (KIP-62): healthy ones, and such as bear a fault as promised."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from random import Random

from lab.simulate.consumer_texts import Voice
from lab.simulate.coordinator import Coordinator, Faults
from lab.simulate.line import Line, shown
from lab.simulate.loop import Loop
from lab.simulate.member import Member
from lab.simulate.process import Client, Process
from lab.simulate.scraper import Scraped, Scraper, merged
from lab.simulate.truth import Fact, Truth
from lab.simulate.wired import NOON, Life

BROKER = ("broker", "broker.log")
Logs = dict[tuple[str, str], list[Line]]


@dataclass
class Group:
    """A scene: one group, its members and its coordinator. instead: settings that all members have instead of their own."""

    rng: Random
    group: str = "order-service"
    is_new_broker: bool = True
    faults: Faults = field(default_factory=Faults)
    members: list[Member] = field(default_factory=list)
    instead: Mapping[str, object] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.loop = Loop(NOON)
        self.scrapers: list[tuple[tuple[str, str], Scraper]] = []
        self.rng_of_scrapers = Random(self.rng.getstate()[1][0])
        clock_ms = self.rng.choice((0, 30, -2_500, 90_000))  # an unset clock is minutes off
        self.coordinator = Coordinator(
            self.loop, self.group, self.rng, self.is_new_broker, clock_ms, self.faults
        )

    def add(
        self, process: Process, life: Life, settings: Mapping[str, object] | None = None, *bugs: str
    ) -> Member:
        """A process with one consumer of this group, its client id the name of the log."""
        client = Client(
            "consumer",
            process.instance.removesuffix(".log"),
            self.group,
            {**(settings or {}), **self.instead},
        )
        voice = Voice(process, client, self.rng)
        of_process = (one.clock_ms for one in self.members if one.process == process)
        clock_ms = next(of_process, self.rng.choice((0, -200, 400)))
        member = Member(self.loop, voice, life, clock_ms, coordinator=self.coordinator, bugs=frozenset(bugs))
        self.members.append(member)
        for _ in range(self.rng_of_scrapers.choice((1, 1, 2))):
            frozen = [(member.begun + begin, member.begun + end) for begin, end in life.frozen]
            scraper = Scraper(self.loop, self.rng_of_scrapers, member.measured, clock_ms, frozen)
            scraper.start()
            self.scrapers.append(((process.service, process.instance), scraper))
        return member

    def scraped(self) -> dict[tuple[str, str], Scraped]:
        """What was read of each process."""
        units = dict.fromkeys(unit for unit, _ in self.scrapers)
        return {unit: merged([one.scraped for of, one in self.scrapers if of == unit]) for unit in units}

    def run(self, ms: int) -> None:
        self.loop.run(NOON + ms)

    def logs(self) -> Logs:
        """What each process wrote, at its level."""
        logs: Logs = {}
        for one in self.members:
            unit = (one.process.service, one.process.instance)
            logs[unit] = [*logs.get(unit, []), *shown(one.lines, one.process.level)]
        logs[BROKER] = shown(self.coordinator.lines, "INFO")
        return logs

    def truth(self, *violated: str) -> Truth:
        """Memberships that began, and how each ended; rebalances that were completed (subject: the generation)."""
        removed = {member: (cause, at) for member, cause, at in self.coordinator.removed}
        facts = [
            Fact("rebalance", str(generation), began, elapsed_ms=ended - began, ended_at=ended)
            for generation, began, ended in self.coordinator.rebalances
        ]
        for one in self.members:
            own = [*one.ended]
            if one.generation >= 0:
                own.append(Fact("membership", one.member, one.joined_at, outcome="open", limit_ms=one.limit))
            for fact in own:
                cause, at = removed.get(fact.subject, (None, 0))
                is_earlier = fact.ended_at is None or at + one.clock_ms < fact.ended_at
                is_others = (
                    cause not in (None, "left", fact.outcome) and fact.outcome != "closed" and is_earlier
                )
                facts.append(
                    Fact(
                        fact.kind,
                        fact.subject,
                        fact.at,
                        outcome=cause if is_others else fact.outcome,
                        ended_at=at + one.clock_ms if is_others else fact.ended_at,
                        limit_ms=fact.limit_ms,
                    )
                )
        return Truth(facts, set(violated), scraped=self.scraped())


def healthy(
    rng: Random, processes: Sequence[Process], ms: int = 180_000, pace: tuple[int, int] | None = None
) -> tuple[Logs, Truth]:
    """A group whose members come, process quickly, and in part close again; the last one stays.

    pace: shortest and longest ms from poll to poll; drawn for each member where None.
    """
    group = Group(rng, is_new_broker=rng.random() < 0.7)
    for number, process in enumerate(processes):
        is_last = number == len(processes) - 1
        closes = None if is_last or rng.random() < 0.5 else rng.randint(ms // 2, ms - 20_000)
        life = Life(starts=rng.randint(0, 4_000), processing=pace or _pace(rng), closes=closes)
        group.add(process, life, _settings(rng))
    group.run(ms)
    return group.logs(), group.truth()


KEEPS_POLLING = ("none", "paused", "dies", "restarts", "twin")
FAULTS = ("slow", "frozen", "paused", "dies", "restarts", "cut", "twin")


def faulty(
    rng: Random,
    processes: Sequence[Process],
    ms: int = 240_000,
    instead: Mapping[str, object] | None = None,
    faults: Sequence[str] = FAULTS,
) -> tuple[Logs, Truth]:
    """To each member but the last something happens, all of it borne as the KIP promises; some members are static.

    It is slow once, stands still, dies, restarts, is cut off from the coordinator, or meets a twin of its instance id.
    instead: other values of settings, which change nothing of what is drawn.
    """
    group = Group(rng, instead=instead or {}, faults=Faults(times_out_commit=rng.choice((0, 7, 20))))
    for number, process in enumerate(processes):
        settings = _settings(rng)
        fault = "none" if number == len(processes) - 1 else rng.choice(faults)
        # Before 3.0 a static member says nothing at INFO when its poll timer has expired.
        if rng.random() < 0.4 and (process.at_least(3, 0) or fault in KEEPS_POLLING):
            settings["group.instance.id"] = f"node-{number}"
        _befall(group, process, settings, fault)
    group.coordinator.is_new = any(one.voice.instance for one in group.members) or rng.random() < 0.6
    group.run(ms)
    return group.logs(), group.truth()


def _befall(group: Group, process: Process, settings: dict[str, object], fault: str) -> None:
    rng = group.rng
    limit, session = (int(str(settings[name])) for name in ("max.poll.interval.ms", "session.timeout.ms"))
    at = rng.randint(40_000, 80_000)
    life = Life(rng.randint(0, 4_000), _pace(rng))
    if fault == "slow":
        slow = {rng.randint(6, 12): limit + rng.randint(2_000, 40_000)}
        life = replace(life, slow=slow, commits_each=rng.choice((None, 3_000)))
    elif fault in ("frozen", "paused"):
        for_ms = session // 3 if fault == "paused" else session + rng.randint(500, 30_000)
        life = replace(life, frozen=[(at, at + for_ms)])
    elif fault == "cut":
        life = replace(life, cut=[(at, at + rng.choice((session // 3, session + rng.randint(500, 20_000))))])
    elif fault in ("dies", "restarts"):
        life = replace(life, dies=at)
    group.add(process, life, settings)
    if fault == "restarts":
        group.add(process, Life(at + rng.choice((1_500, 2 * session)), _pace(rng)), settings)
    elif fault == "twin" and "group.instance.id" in settings:
        twin = replace(process, instance=f"twin-of-{process.instance}")
        group.add(twin, Life(at, _pace(rng)), settings)


def _pace(rng: Random) -> tuple[int, int]:
    least = rng.randint(200, 3_000)
    return least, least + rng.randint(100, 3_000)


def _settings(rng: Random) -> dict[str, object]:
    session = rng.choice((9_000, 12_000, 20_000))
    return {
        "session.timeout.ms": session,
        "heartbeat.interval.ms": session // rng.choice((3, 4)),
        "max.poll.interval.ms": rng.choice((25_000, 40_000, 60_000)),
        "enable.auto.commit": "false",
    }
