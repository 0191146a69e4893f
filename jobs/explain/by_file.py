"""Logs through the pure path: read, typed, folded and judged. Seconds, not a job."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from conf.names import unit_names
from conf.settings import Conf, SourceHint
from jobs.explain.calls import read_piece, scan_file
from jobs.explain.helpers import Call, Helpers
from jobs.explain.log_input import LogInput
from transforms.diagnose.unexplained.raw_scan import RawScan
from transforms.errors import BadInput
from transforms.events import ClientEvent, unit_id_of
from transforms.explain.log_read import PIECE_BYTES, LogRead, Piece, scanned
from transforms.parse.layouts.detect import SourceHints
from transforms.parse.records.placing import ProcessRef
from transforms.parse.records.spans import ReadSettings
from transforms.pure import Story, judge_events
from transforms.timers.clients.settings import UnitSettings


def read_file(path: Path, conf: Conf) -> tuple[Story, LogRead]:
    """The file's story, and how it was read.

    Raises: BadInput where the file can't be read.
    """
    story, (reading,) = read_logs([LogInput(str(path), lambda: path.open("rb"))], conf)
    return story, reading.log


def read_logs(
    logs: Iterable[LogInput], conf: Conf, helpers: Helpers | None = None
) -> tuple[Story, list["Reading"]]:
    """The story of some logs together, and how each was read; those of one process are one unit, as in the jobs.

    helpers: processes that read a part of them.
    Raises: BadInput where one can't be read.
    """
    readings = [Reading(log, conf) for log in logs]
    if helpers:
        files = [reading for reading in readings if reading.is_file]
        for reading in files:  # they take what comes last first: all is read before lines are looked at
            reading.ask_scan(helpers)
        for reading in files:
            reading.ask(helpers)
        helpers.start()
    hints: dict[str, SourceHint] = {}

    def events() -> Iterator[ClientEvent]:
        for reading in readings:
            for event in reading.events():
                hints.setdefault(event.unit_id, reading.hint)
                yield event

    def settings_of(unit_id: str, control: Sequence[ClientEvent]) -> UnitSettings:
        return UnitSettings.from_events(control, hints[unit_id].settings, conf.defaults)

    return judge_events(events(), settings_of, most_clients=conf.lake.most_clients), readings


class Reading:
    """Reads a log once. log: what it told, once its events were read."""

    def __init__(self, given: LogInput, conf: Conf) -> None:
        self._given = given
        self.hint = conf.hint_for(given.path)
        self.log = LogRead(given.path)
        service, instance = unit_names(str(Path(given.path).absolute()), self.hint)
        self._whole = Piece(
            ProcessRef(unit_id_of(service, instance), given.path, service, instance),
            SourceHints(layout=self.hint.layout, time_zone=self.hint.time_zone),
            ReadSettings(keep=conf.reader.keep, max_record_bytes=conf.reader.max_record_bytes),
            conf.reader.head_bytes,
        )
        self._pieces: list[Call[tuple[list[ClientEvent], LogRead]]] = []
        self._scan: Call[RawScan] | None = None

    @property
    def is_file(self) -> bool:
        """Whether another process can open it."""
        return self._given.size > 0

    def ask(self, helpers: Helpers) -> None:
        """Have helpers read it, too, piece by piece."""
        with self._telling(), self._given.open() as file:
            cut = list(self._whole.cut(file)) if self._given.size > PIECE_BYTES else [self._whole]
        self._pieces = [helpers.ask(partial(read_piece, piece)) for piece in cut]

    def ask_scan(self, helpers: Helpers) -> None:
        """Have helpers look at its lines as they stand."""
        self._scan = helpers.ask(partial(scan_file, self._given.path))

    def events(self) -> Iterator[ClientEvent]:
        """All typed events of the log, in its order."""
        with self._telling():
            if not self._pieces:
                with self._given.open() as file:
                    yield from self._taken(self._whole.read(file))
            while self._pieces:
                yield from self._taken(self._pieces.pop(0).result())

    def scan(self) -> RawScan:
        """Its lines as they stand."""
        if self._scan is not None:
            return self._scan.result()
        with self._given.open() as file:
            return scanned(self._given.path, file)

    def _taken(self, read: tuple[list[ClientEvent], LogRead]) -> list[ClientEvent]:
        events, piece = read
        self.log.add(piece)
        return events

    @contextmanager
    def _telling(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            what = f"can't be read ({error.strerror or error})"
            raise BadInput(what, where=self._given.path, todo="give a readable log file") from None
