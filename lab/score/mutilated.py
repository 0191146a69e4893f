"""Logs of recordings as people send them: heads and tails, lines left out, stack traces cut; each line written by two
appenders, neighbours swapped, all from some line on written later (a standstill), the hour set, another pod's lines between.
Nobody may be accused more.

python -m lab.score.mutilated [--seeds N] [NAME...]   each broken_semantics finding that the whole log does not give

A line that is missing proves nothing: what `kip*` rules say to be impossible must show in lines that are there. Nor does
one that comes late, or twice.
"""

import argparse
import random
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from conf.names import unit_names
from conf.settings import SourceHint
from lab.corpus import Recording, recordings
from lab.score.pure import records_in, settings_of
from transforms.events import unit_id_of
from transforms.parse.catalogue.compiled import UUID
from transforms.parse.events.messages import events_of
from transforms.parse.records.placing import ProcessRef
from transforms.pure import judge_events
from transforms.records import LogRecord
from transforms.rules.judge import Finding

Cut = Callable[[list[LogRecord], random.Random], list[LogRecord]]
STANDSTILLS = (300, 2_000, 20_000, 400_000)  # ms
HOUR = 3_600_000  # ms
BETWEEN_PODS = (50, 700, 5_000, 20_000, 100_000)  # ms
GENERATED = re.compile(UUID)
OTHER_DIGITS = str.maketrans("0123456789abcdef", "fedcba9876543210")
LONG = 3  # lines: a record of more may be a stack trace


def head(records: list[LogRecord], chance: random.Random) -> list[LogRecord]:
    """The beginning alone."""
    return records[: chance.randrange(1, len(records) + 1)]


def tail(records: list[LogRecord], chance: random.Random) -> list[LogRecord]:
    """The end alone, as a file looks after its rotation."""
    return records[chance.randrange(len(records)) :]


def window(records: list[LogRecord], chance: random.Random) -> list[LogRecord]:
    """What lies between two lines."""
    first, last = sorted(chance.randrange(len(records) + 1) for _ in range(2))
    return records[first:last]


def lossy(records: list[LogRecord], chance: random.Random) -> list[LogRecord]:
    """Lines missing here and there, as of a shipper that drops under load."""
    kept = chance.choice((0.5, 0.8, 0.95, 0.99))
    return [record for record in records if chance.random() < kept]


def without_a_logger(records: list[LogRecord], chance: random.Random) -> list[LogRecord]:
    """All lines of some loggers gone, as by `grep -v`."""
    loggers = sorted({record.logger for record in records if record.logger})
    gone = set(chance.sample(loggers, k=chance.randrange(1, len(loggers)))) if len(loggers) > 1 else set()
    return [record for record in records if record.logger not in gone]


def of_a_word(records: list[LogRecord], chance: random.Random) -> list[LogRecord]:
    """Only lines that hold a word, as by `grep`."""
    words = chance.choice(records).message.split()
    word = chance.choice(words) if words else ""
    return [record for record in records if word in record.message]


def louder(records: list[LogRecord], chance: random.Random) -> list[LogRecord]:
    """From INFO, or from WARN, on."""
    gone = chance.choice((("DEBUG", "TRACE"), ("DEBUG", "TRACE", "INFO")))
    return [record for record in records if record.level not in gone]


def cut_traces(records: list[LogRecord], chance: random.Random) -> list[LogRecord]:
    """Each stack trace ends at some line of its own."""
    return [_cut(record, chance) if record.message.count("\n") >= LONG else record for record in records]


def _cut(record: LogRecord, chance: random.Random) -> LogRecord:
    if "\tat " not in record.message:
        return record  # a config dump
    lines = record.message.split("\n")
    return replace(record, message="\n".join(lines[: chance.randrange(1, len(lines) + 1)]))


def without_a_family(records: list[LogRecord], chance: random.Random) -> list[LogRecord]:
    """All lines of a message gone, as of a release that words it otherwise."""
    gone = chance.choice(sorted(_families(records)) or [""])
    return [record for record in records if gone not in _families_of(record)]


def without_one(records: list[LogRecord], chance: random.Random) -> list[LogRecord]:
    """One line gone; that of a message that stands once is as likely as one of a thousand."""
    found = _families(records)
    gone = chance.choice(found[chance.choice(sorted(found))]) if found else None
    return [record for record in records if record is not gone]


def doubled(records: list[LogRecord], chance: random.Random) -> list[LogRecord]:
    """Some lines, or all, twice: of a logger whose lines its parent's appender writes, too."""
    share = chance.choice((0.05, 1.0))
    return _placed(again for one in records for again in ((one, one) if chance.random() < share else (one,)))


def swapped(records: list[LogRecord], chance: random.Random) -> list[LogRecord]:
    """Neighbours in the other order, as threads may write them."""
    found = list(records)
    for at in range(len(found) - 1):
        if chance.random() < 0.2:
            found[at : at + 2] = found[at + 1], found[at]
    return _placed(found)


def stood_still(records: list[LogRecord], chance: random.Random) -> list[LogRecord]:
    """All from a line on later."""
    return _later(records, chance.randrange(len(records)), chance.choice(STANDSTILLS))


def hour_set(records: list[LogRecord], chance: random.Random) -> list[LogRecord]:
    """All from a line on an hour ahead, or back, as where a layout prints local times."""
    return _later(records, chance.randrange(len(records)), chance.choice((HOUR, -HOUR)))


def beside_another(records: list[LogRecord], chance: random.Random) -> list[LogRecord]:
    """With the lines of a second pod that does the same a little later, as `kubectl logs -l` gives them."""
    by_ms = chance.choice(BETWEEN_PODS)
    others = [replace(one, message=_of_another(one.message), text=_of_another(one.text)) for one in records]
    timed = [*_at(records), *_at(_later(others, 0, by_ms))]
    return _placed(one for _, one in sorted(timed, key=lambda pair: pair[0]))


def _at(records: list[LogRecord]) -> Iterator[tuple[int, LogRecord]]:
    """Each with its time, or that of the line before it."""
    at = 0
    for one in records:
        at = one.logged_at or at
        yield at, one


def _of_another(text: str) -> str:
    """With other ids of members and processes."""
    return GENERATED.sub(lambda found: found[0].translate(OTHER_DIGITS), text)


def _later(records: list[LogRecord], first: int, by_ms: int) -> list[LogRecord]:
    moved = (replace(one, logged_at=one.logged_at and one.logged_at + by_ms) for one in records[first:])
    return [*records[:first], *moved]


def _placed(records: Iterable[LogRecord]) -> list[LogRecord]:
    """Each at a place of its own, which its id is made of."""
    return [replace(one, offset=place, position=place) for place, one in enumerate(records)]


def _families(records: Iterable[LogRecord]) -> dict[str, list[LogRecord]]:
    found: dict[str, list[LogRecord]] = {}
    for record in records:
        for family in _families_of(record):
            found.setdefault(family, []).append(record)
    return found


def _families_of(record: LogRecord) -> set[str]:
    return {event.message_id for event in events_of(record, _process(Path("app.log")))}


CUTS: dict[str, Cut] = {
    cut.__name__: cut
    for cut in (
        head,
        tail,
        window,
        lossy,
        without_a_logger,
        of_a_word,
        louder,
        cut_traces,
        without_a_family,
        without_one,
        doubled,
        swapped,
        stood_still,
        hour_set,
        beside_another,
    )
}


def accused_more(recording: Recording, seeds: Iterable[int], cuts: Iterable[str] = CUTS) -> Iterator[str]:
    """What is said to be broken in a cut log and not in the whole one, a sentence each."""
    sources = [(_process(path), list(records_in(path))) for path in recording.logs]
    known = {_what(found) for found in _broken(sources)}
    for name in cuts:
        for seed in seeds:
            chance = random.Random(f"{recording.name} {name} {seed}")
            cut = [(process, CUTS[name](records, chance)) for process, records in sources if records]
            for found in _broken(cut):
                if _what(found) not in known:
                    yield f"{recording.name} {name} {seed}: {found.rule_id} of {found.client_id}: {found.explanation}"


def _what(found: Finding) -> tuple[str, str | None]:
    return found.rule_id, found.client_id


def _broken(sources: Sequence[tuple[ProcessRef, list[LogRecord]]]) -> list[Finding]:
    events = [
        event for process, records in sources for record in records for event in events_of(record, process)
    ]
    return [
        found for found in judge_events(events, settings_of).findings if found.category == "broken_semantics"
    ]


def _process(path: Path) -> ProcessRef:
    service, instance = unit_names(str(path), SourceHint(match="*"))
    return ProcessRef(unit_id_of(service, instance), str(path), service, instance)


def main() -> int:
    """Print what is accused; 1 where anything is."""
    parser = argparse.ArgumentParser(prog="python -m lab.score.mutilated", description=__doc__)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("names", nargs="*", metavar="NAME")
    options = parser.parse_args()
    return printed(
        said for one in recordings(*options.names) for said in accused_more(one, range(options.seeds))
    )


def printed(accused: Iterable[str]) -> int:
    """Print each accusation as it comes, and how many there are: the exit code."""
    count = 0
    for said in accused:
        print(said, flush=True)
        count += 1
    print(f"{count} false accusations")
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main())
