"""What clients with a trouble have in common, and those without it have not. Pure: counts, no judgement."""

from collections.abc import Hashable, Iterable, Set
from dataclasses import dataclass

Trait = tuple[str, str]  # what it is, such as `setting max.poll.records`, and its value


@dataclass(frozen=True, slots=True)
class Shared:
    """One trait. bad, good: how many with and without the trouble have it; of so many whose value is known."""

    name: str
    value: str
    bad: int
    bad_of: int
    good: int
    good_of: int

    @property
    def apart(self) -> float:
        """By how much more of the bad ones have it, -1 to 1."""
        return self.bad / self.bad_of - self.good / self.good_of

    def says(self) -> str:
        """As a sentence."""
        return f"{self.name} is {self.value}: {self.bad} of {self.bad_of} with it, {self.good} of {self.good_of} without it"


def shared(
    bad: Set[Hashable], good: Set[Hashable], traits: Iterable[tuple[Hashable, Trait]], most: int = 12
) -> list[Shared]:
    """The traits that bad ones have more often than good ones, those that tell them apart best first.

    traits: of each client what is known of it. Where a trait's value is not known of any bad one, or of any good one, it
    tells nothing.
    """
    named: dict[str, set[Hashable]] = {}
    having: dict[Trait, set[Hashable]] = {}
    for client, trait in traits:
        named.setdefault(trait[0], set()).add(client)
        having.setdefault(trait, set()).add(client)
    found = []
    for (name, value), clients in having.items():
        bad_of, good_of = len(named[name] & bad), len(named[name] & good)
        if bad_of and good_of:
            found.append(Shared(name, value, len(clients & bad), bad_of, len(clients & good), good_of))
    telling = [one for one in found if one.apart > 0]
    return sorted(telling, key=lambda one: (-one.apart, -one.bad, one.name, one.value))[:most]
