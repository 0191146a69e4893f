"""Clients that break one promise of KIP-580 each. What a defect implies beside it may be said (Truth.departs)."""

from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from lab.simulate.backoff import KINDS, NOON, Backoff, Caller, caller
from lab.simulate.line import Line, shown
from lab.simulate.process import Client, Process, start_lines
from lab.simulate.truth import Truth

Planted = tuple[list[Line], Truth]
UNIT = ("shop", "app.log")
GROWING = ("3.7.2", "3.8.1", "3.9.1", "4.0.1", "4.2.1")
CONSTANT = ("2.1.1", "2.8.2", "3.5.2")
FLAT = {"kip580.backoff_too_short", "kip580.no_growth", "kip580.too_many_in_first_second"}


class TooShort(Backoff):
    def wait(self, failures: int) -> int:
        return super().wait(failures) * 6 // 10


class TooLong(Backoff):
    def wait(self, failures: int) -> int:
        return int(self.term(failures) * 1.5)


class NoBackoff(Backoff):
    def wait(self, failures: int) -> int:
        return 0


class NoGrowth(Backoff):
    def wait(self, failures: int) -> int:
        return int(self.base * self.jitter())


class NoJitter(Backoff):
    def jitter(self) -> float:
        return 1.0


class AboveCap(Backoff):
    def wait(self, failures: int) -> int:
        return int(self.base * 2 ** (failures - 1) * self.jitter())


class NotConstant(Backoff):
    """Draws a wait although the base is above the cap."""

    def wait(self, failures: int) -> int:
        return int((self.cap or self.base) * self.rng.uniform(0.5, 0.9))


@dataclass
class NotReset(Backoff):
    """Goes on counting after a success."""

    before: int = 0
    last: int = 0

    def wait(self, failures: int) -> int:
        self.last = failures
        return super().wait(self.before + failures)

    def succeeded(self) -> None:
        self.before += self.last
        self.last = 0


def _calls(made: Caller) -> None:
    for _ in range(5):
        made.call("createTopics", 6)
        made.now += 500


def _many_batches(made: Caller) -> None:
    """So many that a log at DEBUG shows itself to be whole."""
    for _ in range(4):
        _batches(made)


def _batches(made: Caller) -> None:
    for _ in range(3):
        made.produce("orders-0", 6)
        made.now += 500


def _lookups(made: Caller) -> None:
    made.look_up(25)


def _planted(
    rule_id: str,
    doing: Callable[[Caller], None],
    kind: type[Backoff] = Backoff,
    client: str = "producer",
    versions: tuple[str, ...] = GROWING,
    levels: tuple[str, ...] = ("DEBUG",),
    implies: set[str] | None = None,
    warned: bool = True,
    **settings: object,
) -> Callable[[Random], Planted]:
    """A client with this backoff that does these calls."""

    def plant(rng: Random) -> Planted:
        chosen = {name.replace("_", "."): value for name, value in settings.items()}
        process = Process(*UNIT, rng.choice(versions), chosen, rng.choice(levels))
        made = caller(rng, process, KINDS[client], kind)
        doing(made)
        lines = shown(made.lines, process.level)
        if not warned:
            lines = [line for line in lines if "A static backoff" not in line.text]
        return lines, Truth(made.facts, {rule_id}, (implies or set()) - {rule_id})

    return plant


def _fleet(rng: Random) -> Planted:
    """Producers of one process draw the same waits, since they share a seed: each alone is right."""
    process = Process(*UNIT, rng.choice(GROWING), level="DEBUG")
    seed = rng.random()
    clients = [Client("producer", f"orders-producer-{number}") for number in range(1, 9)]
    lines = start_lines(process, clients, NOON)
    begin = lines[-1].at + 100
    for client in clients:
        made = caller(Random(seed), process, client)
        made.lines.clear()
        made.now = begin
        for _ in range(4):
            made.produce("orders-0", 5)
            made.now += 2000
        lines += made.lines
    return lines, Truth([], {"kip580.fleet_in_step"})


def _grew_on_static_path(rng: Random) -> Planted:
    process = Process(*UNIT, rng.choice(GROWING), level="DEBUG")
    made = caller(rng, process, KINDS["producer"])
    made.init_producer_id(7, [int(made.backoff.term(n) * made.backoff.jitter()) for n in range(1, 8)])
    return made.lines, Truth([], {"kip580.grew_on_static_path"})


BOTH = ("INFO", "DEBUG")
LONG = {"kip580.backoff_too_long"}
DEFECTS: dict[str, Callable[[Random], Planted]] = {
    "kip580.backoff_too_short": _planted("kip580.backoff_too_short", _batches, TooShort, implies=FLAT),
    "kip580.backoff_too_long": _planted(
        "kip580.backoff_too_long", _calls, TooLong, "admin", implies={"kip580.above_cap"}
    ),
    "kip580.no_backoff": _planted("kip580.no_backoff", _calls, NoBackoff, "admin", implies=FLAT),
    "kip580.no_growth": _planted("kip580.no_growth", _batches, NoGrowth, levels=BOTH, implies=FLAT),
    "kip580.growth_restarted": _planted("kip580.growth_restarted", _lookups, client="consumer"),
    "kip580.not_reset": _planted("kip580.not_reset", _calls, NotReset, "admin", implies=LONG),
    "kip580.no_jitter": _planted("kip580.no_jitter", _calls, NoJitter, "admin"),
    "kip580.above_cap": _planted("kip580.above_cap", _calls, AboveCap, "admin", implies=LONG),
    "kip580.saturated_below_cap": _planted(
        "kip580.saturated_below_cap", lambda made: made.call("createTopics", 20), client="admin"
    ),
    "kip580.base_above_max": _planted(
        "kip580.base_above_max", _calls, client="admin", levels=BOTH, retry_backoff_ms=2000
    ),
    "kip580.base_above_max_not_constant": _planted(
        "kip580.base_above_max_not_constant",
        _calls,
        NotConstant,
        "admin",
        implies=FLAT,
        retry_backoff_ms=2000,
    ),
    "kip580.base_above_max_not_warned": _planted(
        "kip580.base_above_max_not_warned",
        _many_batches,
        warned=False,
        retry_backoff_ms=2000,
    ),
    "kip580.too_many_in_first_second": _planted(
        "kip580.too_many_in_first_second",
        lambda made: made.produce("orders-0", 14),
        NoGrowth,
        implies=FLAT,
        retry_backoff_ms=60,
    ),
    "kip580.fleet_in_step": _fleet,
    "kip580.grew_on_static_path": _grew_on_static_path,
}
# Constant waits of releases before 3.7 are said once, as older semantics.
OLDER: dict[str, Callable[[Random], Planted]] = {
    "kip580.no_growth": _planted("kip580.no_growth", _batches, versions=CONSTANT, levels=BOTH),
    "kip580.no_jitter": _planted("kip580.no_jitter", _calls, client="admin", versions=CONSTANT),
}
