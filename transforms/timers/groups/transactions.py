"""Transactions that their coordinator aborted at transaction.timeout.ms: by its own lines, and the producer's settings.

A transactional.id is to its producers and its coordinator what a group id is to members: its lines are gathered from all
processes. Internal: not stored. Mirrors TransactionCoordinator.abortTimedOutTransactions and
TransactionStateManager.timedOutTransactions.

No two clocks meet here: ages are measured on the coordinator's alone, and what joins the logs is the producer id with the
epoch that the coordinator gave, which no two producers share.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from transforms.events import ClientEvent
from transforms.timers.bounded import make_room
from transforms.timers.episodes import Episode, episode_id, whose
from transforms.timers.groups.membership import Proof
from transforms.timers.profile import ClientProfile, Setting
from transforms.whole import whole_or_none

MACHINE = "transactions"
TIMEOUT, TWO_PHASES = "transaction.timeout.ms", "transaction.two.phase.commit.enable"
INITIALIZED, CHANGED, ABORTED, LOADING = (
    "broker-transaction-initialized", "broker-transaction-state", "broker-transaction-timed-out",
    "broker-transactions-loading",
)  # fmt: skip
GIVEN = "producer-pid"
OF_TRANSACTIONS = frozenset({INITIALIZED, CHANGED, ABORTED, GIVEN})
# Epochs of one process: from 4.0 on each transaction has one of its own, and the first of them is what is asked for.
MOST_GIVEN = 256
_SCOPE = "transactional.id "

Identity = tuple[int, int]  # producer id and epoch


@dataclass(frozen=True, slots=True)
class Given:
    """A producer that got its id and epoch. limit: its transaction.timeout.ms, where that is known."""

    event_id: str
    unit_id: str
    incarnation: int
    client_id: str | None
    service: str | None
    instance: str | None
    limit: Setting | None
    is_two_phase: bool


@dataclass(slots=True, kw_only=True)
class AbortedTransaction(Episode):
    """One of them; its process is the coordinator's.

    initialized: when its producer got its id and epoch here, before which it can't have begun. age_ms: from its begin to
    its abort, and limit: its timeout, where the coordinator's line of the change names both. given: the producer, where its
    log is there.
    """

    transaction_id: str
    transactional_id: str
    aborted: Proof
    initialized: Proof | None = None
    identity: Identity | None = None
    changed: Proof | None = None
    age_ms: int | None = None
    limit: Setting | None = None
    given: Given | None = None

    @property
    def at_most_ms(self) -> int | None:
        """It was open for no longer than that."""
        if self.age_ms is not None or self.initialized is None:
            return self.age_ms
        return self.aborted.at - self.initialized.at

    @property
    def timeout(self) -> Setting | None:
        """What it was given: the coordinator's word, or its producer's settings."""
        if self.limit is not None or self.given is None or self.given.is_two_phase:
            return self.limit
        return self.given.limit


@dataclass(slots=True)
class Transactions:
    """What one process's lines tell of one transactional.id: plain data (transforms.timers.state).

    aborted: at the coordinator. given: to producers of this process.
    """

    aborted: list[AbortedTransaction] = field(default_factory=list)
    given: dict[Identity, Given] = field(default_factory=dict)
    initialized: Proof | None = None
    identity: Identity | None = None
    changed: Proof | None = None
    age_ms: int | None = None
    limit: Setting | None = None

    def step(self, event: ClientEvent, profile: ClientProfile) -> None:
        """The process's next line of it."""
        if event.message_id == GIVEN:
            self._gives(event, profile)
        elif event.happened_at is not None:
            self._coordinates(event, Proof(event.happened_at, event.event_id), profile)

    def forget(self) -> None:
        """Another was its coordinator meanwhile: what is known may be of an earlier producer."""
        self.initialized = self.identity = None
        self._ended()

    def _ended(self) -> None:
        self.changed = self.age_ms = self.limit = None

    def _gives(self, event: ClientEvent, profile: ClientProfile) -> None:
        identity = _identity(event)
        if identity is None or identity[0] < 0:
            return
        two_phases = profile.setting(TWO_PHASES)
        make_room(self.given, MOST_GIVEN)
        self.given[identity] = Given(
            event_id=event.event_id,
            **whose(event),
            limit=profile.whole(TIMEOUT),
            is_two_phase=two_phases is not None and two_phases.value == "true",
        )

    def _coordinates(self, event: ClientEvent, proof: Proof, profile: ClientProfile) -> None:
        if event.message_id == INITIALIZED:
            self._ended()
            self.initialized, self.identity = proof, _identity(event)
        elif event.message_id == CHANGED:
            self._changes(event, proof)
        elif event.message_id == ABORTED:
            self.aborted.append(
                AbortedTransaction(
                    unit_id=event.unit_id,
                    incarnation=event.incarnation,
                    service=event.service,
                    instance=event.instance,
                    event_ids=[
                        one.event_id for one in (self.initialized, self.changed, proof) if one is not None
                    ],
                    profile=profile,
                    transaction_id=episode_id(event.unit_id, MACHINE, event.event_id),
                    transactional_id=named_by(event) or "",
                    aborted=proof,
                    initialized=self.initialized,
                    identity=self.identity,
                    changed=self.changed,
                    age_ms=self.age_ms,
                    limit=self.limit,
                )
            )
            self._ended()

    def _changes(self, event: ClientEvent, proof: Proof) -> None:
        """Of an abort the coordinator's line tells begin, end and timeout, all on its clock."""
        began, changed = (whole_or_none(event.details.get(name)) for name in ("began_at", "changed_at"))
        self._ended()
        state = event.details.get("state", "").replace("_", "").lower()
        if state != "prepareabort" or began is None or changed is None or event.limit_ms is None or began < 0:
            return
        self.changed, self.age_ms = proof, changed - began
        self.limit = Setting(TIMEOUT, str(event.limit_ms), "named", None, None, event.event_id)


def scope_of(event: ClientEvent) -> str | None:
    """What a line's transactional.id is gathered under; None for lines of none, and those that tell nothing of it."""
    if event.message_id not in OF_TRANSACTIONS:
        return None
    named = named_by(event)
    return f"{_SCOPE}{named}" if named else None


def named_by(event: ClientEvent) -> str | None:
    """The transactional.id: a producer's prefix, or a coordinator's text."""
    return event.transactional_id or event.details.get("transactional_id")


def transactions(parts: Mapping[str, Transactions]) -> Iterator[AbortedTransaction]:
    """What was aborted at each coordinator, with its producer where any process's log has that. parts: by unit."""
    given = {identity: one for _, part in sorted(parts.items()) for identity, one in part.given.items()}
    for _, part in sorted(parts.items()):
        for one in part.aborted:
            of = None if one.identity is None else given.get(one.identity)
            yield replace(
                one,
                given=of,
                client_id=None if of is None else of.client_id,
                event_ids=[*one.event_ids, *([] if of is None else [of.event_id])],
            )


def forget_all(parts: Iterable[Transactions]) -> None:
    """A coordinator takes over what another had."""
    for part in parts:
        part.forget()


def _identity(event: ClientEvent) -> Identity | None:
    producer_id, epoch = (whole_or_none(event.details.get(name)) for name in ("producer_id", "epoch"))
    return None if producer_id is None or epoch is None else (producer_id, epoch)
