"""A simulated process on its wire: it may stand still, die, and its coordinator may be out of reach for a while."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from lab.simulate.consumer_texts import Voice
from lab.simulate.line import Line
from lab.simulate.loop import Loop
from lab.simulate.process import Process

NOON = 1_795_262_400_000
MAIN = "main"
CODES = {
    "NONE": 0,
    "REQUEST_TIMED_OUT": 7,
    "ILLEGAL_GENERATION": 22,
    "UNKNOWN_MEMBER_ID": 25,
    "REBALANCE_IN_PROGRESS": 27,
    "MEMBER_ID_REQUIRED": 79,
    "FENCED_INSTANCE_ID": 82,
}


@dataclass(frozen=True)
class Life:
    """What an application does with its consumer, and what befalls its process. Times: ms after the scene begins.

    processing: shortest and longest ms from poll to poll; slow: those of the n-th poll instead; frozen: from, to.
    cut: from, to: nothing passes between it and its coordinator; what was sent arrives at the end (TCP sends again).
    commits_each: ms between commits in the middle of slow processing; None for one commit at its end.
    """

    starts: int = 0
    processing: tuple[int, int] = (800, 2_000)
    slow: Mapping[int, int] = field(default_factory=dict)
    commits_each: int | None = None
    frozen: Sequence[tuple[int, int]] = ()
    cut: Sequence[tuple[int, int]] = ()
    closes: int | None = None
    dies: int | None = None


@dataclass
class Pending:
    """A request without an answer yet."""

    api: str
    sent_at: int
    timeout: int
    body: str
    thread: str


@dataclass
class Wired:
    """One client's process: its log, its clock (clock_ms ahead of the true time), its connection to the coordinator."""

    loop: Loop
    voice: Voice
    life: Life
    clock_ms: int = 0
    begun: int = NOON
    lines: list[Line] = field(default_factory=list)
    is_over: bool = False
    pending: dict[int, Pending] = field(default_factory=dict)

    @property
    def process(self) -> Process:
        return self.voice.process

    @property
    def now(self) -> int:
        """By this process's clock."""
        return self.loop.now + self.clock_ms

    def later(self, ms: int, act: Callable[..., None], *args: Any) -> None:
        """Do it in so many ms, or when the process wakes; never, once it is over."""
        self.loop.after(ms, self._awake, act, args)

    def _awake(self, act: Callable[..., None], args: tuple[Any, ...]) -> None:
        rest = self._rest_of(self.life.frozen)
        if rest:
            self.loop.after(rest, self._awake, act, args)
        elif not self.is_over:
            act(*args)

    def _rest_of(self, spans: Sequence[tuple[int, int]]) -> int:
        """How long the span that it is in still lasts."""
        since = self.loop.now - self.begun
        return next((end - since for begin, end in spans if begin <= since < end), 0)

    def die(self) -> None:
        self.is_over = True

    def wire(self) -> int:
        """How long a message takes: some ms, or until what cuts the wire is over."""
        return self._rest_of(self.life.cut) + self.voice.rng.randint(1, 4)

    def say(self, key: str, thread: str = MAIN, *, level: str | None = None, **fields: object) -> None:
        if self.voice.writes(key, level):
            self.lines.append(self.voice.say(key, self.now, thread, level=level, **fields))

    def ask(
        self,
        api: str,
        body: str,
        serve: Callable[..., None],
        *args: Any,
        timeout: int,
        thread: str = MAIN,
    ) -> None:
        """Send to the coordinator; `serve` is its method that takes args and what handles the answer (on_<api>)."""
        correlation, lines = self.voice.request(api, self.now, thread, timeout, body)
        self.lines += lines
        self.pending[correlation] = Pending(api, self.loop.now, timeout, body, thread)
        took = getattr(self, f"on_{api.lower()}")

        def answer(error: str, *rest: Any) -> None:
            self.loop.after(self.wire(), self._awake, answered, (error, *rest))

        def answered(error: str, *rest: Any) -> None:
            if self.pending.pop(correlation, None) is None:
                return  # the connection it was sent on is gone
            text = f"{api.title().replace('_', '')}ResponseData(throttleTimeMs=0, errorCode={CODES[error]})"
            self.lines.extend(self.voice.response(api, correlation, self.now, thread, text))
            took(error, *rest)

        self.loop.after(self.wire(), serve, *args, answer)

    def disconnect(self) -> list[Pending]:
        """Give up the connection and all that is under way on it; from 3.1 on that is said of each request."""
        gone, self.pending = self.pending, {}
        is_debug = self.process.level == "DEBUG"
        for correlation, one in gone.items():
            ms = self.loop.now - one.sent_at
            fields = {"api": one.api, "correlation": correlation, "ms": ms, "limit": one.timeout}
            if self.process.at_least(3, 8):
                self.say("cancelled_debug" if is_debug else "cancelled", one.thread, body=one.body, **fields)
            elif self.process.at_least(3, 1):
                self.say("cancelled_37", one.thread, level="DEBUG" if is_debug else "INFO", **fields)
        return list(gone.values())
