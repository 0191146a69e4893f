"""Whose the levels of a log are: of those that wrote its lines, or of whatever prints them."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from transforms.diagnose.unexplained.raw_line import RawLine
from transforms.diagnose.wording.loudness import LOUD, fails_in_words, is_thrown
from transforms.events import ClientEvent
from transforms.timers.clients import trouble_events
from transforms.when_used import when_used

# What a line may say of trouble in other words than those of failing.
_DOUBTFUL = when_used(
    r"[Ee]rr(?:ors?|s)?(?::| \w)|[a-z](?:Error|Exception)\b|(?i:exception|kill|uncaught|unexpected|crash|invalid|illegal"
    r"|missing|reject|unknown|\b(?:no|not|never|without)\b)"
)


def printers(
    levels: Mapping[str, tuple[str, str | None]], of_record: Mapping[str, Sequence[ClientEvent]]
) -> frozenset[str]:
    """The sources in which each line that Kafka never writes at WARN or louder stands so: a shipper takes all of stderr
    for errors. levels: of records, by their ids: source and level. of_record: what they told."""
    are_loud: dict[str, set[bool]] = defaultdict(set)
    for record_id, events in of_record.items():
        source, level = levels.get(record_id, ("", None))
        if level and all(trouble_events.has_printers_level(event.message_id) for event in events):
            are_loud[source].add(level in trouble_events.LOUD)
    return frozenset(source for source, loud in are_loud.items() if loud == {True})


def by_their_words(lines: Iterable[RawLine], sources: frozenset[str]) -> Iterator[RawLine]:
    """Lines without those of such sources that only their level calls errors."""
    for line in lines:
        may_be_quiet = (
            line.source in sources and line.loudness in LOUD and _DOUBTFUL.search(line.text) is None
        )
        if not may_be_quiet or fails_in_words(line.text) or is_thrown(line.whole):
            yield line
