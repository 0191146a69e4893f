"""Brokers that began anew in their own log, and how they had ended before; internal episodes.

A broker that is stopped says so ("shutting down"), and leaves a file by which it knows at its next start that nothing was
lost. One that is killed says nothing, and finds none; one without a log directory halts, and says so. Sources: KafkaServer
and BrokerServer (maybeChangeStatus), LogManager (loadLogs, handleLogDirFailure), KafkaRaftServer.startup.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

from transforms.events import ClientEvent
from transforms.timers.bounded import make_room
from transforms.timers.clients.incarnations import BROKER_STARTS, broker_of
from transforms.timers.episodes import Episode, episode_id, whose
from transforms.timers.profile import ClientProfile

MACHINE = "broker-starts"
STOPS, STOPPED, STARTED = "broker-stopping", "broker-stopped", "broker-started"
CLEAN, UNCLEAN, FAILED = "broker-logs-clean", "broker-logs-unclean", "broker-log-dirs-failed"
FAMILIES = frozenset({BROKER_STARTS, STOPS, STOPPED, STARTED, CLEAN, UNCLEAN, FAILED})
UNNAMED = frozenset({STOPS, STOPPED, FAILED})  # may not say their broker's number
SERVES = frozenset({"broker_member_failed", "broker_rebalance"})  # kinds of what a coordinator does
READS = FAMILIES | SERVES | {"config-dump"}
KEPT = 64  # brokers of one process, as a test may embed some


@dataclass(slots=True, kw_only=True)
class BrokerStart(Episode):
    """One start of a broker that had run before in the same log.

    is_stopping: whether it said before that it shuts down; stopping_at: when. is_stopped: and that it had. has_failed:
    whether it ended itself, without a log directory. up_at: when it said that it is started. is_clean: whether it found its
    logs closed, as after a shutdown; None where no line tells.
    """

    start_id: str
    broker_id: str
    started_at: int | None = None
    up_at: int | None = None
    is_stopping: bool = False
    stopping_at: int | None = None
    is_stopped: bool = False
    has_failed: bool = False
    is_clean: bool | None = None

    @property
    def was_killed(self) -> bool:
        """Whether it had ended before without a shutdown that was carried out, as far as its log tells.

        One that had said that it is shut down left the file; where it finds none then, it was given another directory.
        """
        if self.is_stopped or self.has_failed or self.is_clean:
            return False
        return self.is_clean is False or not self.is_stopping


@dataclass(slots=True)
class BrokerStarts:
    """Machine: events of one process -> BrokerStart, when the broker is up, or begins anew, or its log is over.

    stopping: by broker that was seen here, its lines of a shutdown since its last start: that it begins, that it is over.
    unnamed: the start of a broker that does not say its number yet (with ZooKeeper): the settings that it prints next do.
    served: whether a coordinator was seen at work.
    """

    stopping: dict[str, list[ClientEvent]] = field(default_factory=dict)
    starting: dict[str, BrokerStart] = field(default_factory=dict)
    unnamed: ClientEvent | None = None
    served: bool = False

    def step(self, event: ClientEvent, profile: ClientProfile) -> Iterable[Episode]:
        """The start that this event shows to be over."""
        if event.message_id in (CLEAN, UNCLEAN):
            if event.details.get("logs") != "0":  # of an empty directory nothing is told
                self._loads(event)
            return ()
        self.served |= event.kind in SERVES
        over: list[BrokerStart] = []
        broker_id = self._whose(event)
        if self.unnamed is not None and broker_id is not None:
            over += self._starts(self.unnamed, broker_id, profile)
            self.unnamed = None
        if event.message_id == BROKER_STARTS and broker_id is None:
            self.unnamed = event
        if broker_id is None or event.message_id not in FAMILIES:
            return over
        if event.message_id == BROKER_STARTS:
            return [*over, *self._starts(event, broker_id, profile)]
        if event.message_id == STARTED and broker_id in self.starting:
            over.append(self._is_up(event, self.starting.pop(broker_id)))
        if event.message_id in UNNAMED and broker_id in self.starting:
            over.append(self.starting.pop(broker_id))  # what is loaded next is another's
        self._seen(broker_id, event)
        return over

    def finish(self, data_clock: int | None) -> Iterable[Episode]:
        """Those that were not up by the end."""
        return list(self.starting.values())

    def _whose(self, event: ClientEvent) -> str | None:
        """The broker that an event is of; one that stops without its number is the only one there is."""
        broker_id = broker_of(event)
        is_only = event.message_id in UNNAMED and len(self.stopping) == 1
        return next(iter(self.stopping)) if broker_id is None and is_only else broker_id

    def _seen(self, broker_id: str, event: ClientEvent) -> None:
        """What its last line says of a shutdown: that it begins, that it is over, or that there is none."""
        make_room(self.stopping, KEPT)
        stopping = self.stopping.pop(broker_id, [])
        # As its process ends, a broker that has shut down already is told so once more.
        stops = stopping if stopping and stopping[-1].message_id == STOPPED else [event]
        of_shutdown = {STOPS: stops, FAILED: [event], STOPPED: [*stopping[:1], event]}
        self.stopping[broker_id] = of_shutdown.get(event.message_id, [])

    def _starts(self, event: ClientEvent, broker_id: str, profile: ClientProfile) -> list[BrokerStart]:
        over = [self.starting.pop(broker_id)] if broker_id in self.starting else []
        # A log that begins while its broker runs has no line of that start; another broker of the process is none of it.
        if broker_id in self.stopping or (not self.stopping and self.served):
            stopping = self.stopping.get(broker_id, [])
            over += make_room(self.starting, KEPT)
            self.starting[broker_id] = BrokerStart(
                **whose(event),
                profile=profile,
                event_ids=[one.event_id for one in (*stopping, event)],
                start_id=episode_id(event.unit_id, MACHINE, event.event_id),
                broker_id=broker_id,
                started_at=event.happened_at,
                is_stopping=bool(stopping),
                stopping_at=stopping[0].happened_at if stopping else None,
                is_stopped=any(one.message_id == STOPPED for one in stopping),
                has_failed=any(one.message_id == FAILED for one in stopping),
            )
        self._seen(broker_id, event)
        return over

    def _loads(self, event: ClientEvent) -> None:
        """What a broker says of its logs names its directory alone: of one that is starting it is that one's."""
        for start in self.starting.values():
            # Of several directories one that was not closed is enough.
            if start.is_clean is not False:
                start.is_clean = event.message_id == CLEAN
                start.event_ids.append(event.event_id)

    def _is_up(self, event: ClientEvent, start: BrokerStart) -> BrokerStart:
        start.up_at = event.happened_at
        start.event_ids.append(event.event_id)
        return start
