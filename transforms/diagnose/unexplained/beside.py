"""What a program says at ERROR of its own beside Kafka's lines: nobody judges that here, and no all-clear is of it."""

from collections.abc import Iterable, Mapping, Sequence

from transforms.diagnose.unexplained.line_class import without_normal
from transforms.diagnose.unexplained.raw_line import RawLine
from transforms.diagnose.unexplained.source_read import ERRORS, ReadRecord, SourceRead
from transforms.diagnose.unexplained.unexplained_lines import MOST_COVERED, Covered
from transforms.diagnose.wording.kafkas_words import KAFKA
from transforms.diagnose.wording.words import counted


def said_beside(sources: Iterable[SourceRead], records: Mapping[str, ReadRecord]) -> list[str]:
    """What is said of such lines, a sentence a log: how many there are, and where the first is."""
    found = {source.name: _loudest(source) for source in sources if source.kafka_lines}
    covered = {name: Covered(lines) for name, lines in found.items() if lines}
    for record in records.values():
        if record.source in covered:
            end = record.line + min(record.line_count, MOST_COVERED)
            covered[record.source].take(record.line, end)
    left = {
        name: [one for one in found[name] if one.line not in known.lines] for name, known in covered.items()
    }
    return [_sentence(name, others) for name, lines in left.items() if (others := without_normal(lines))]


def _loudest(source: SourceRead) -> list[RawLine]:
    """Its lines at ERROR that say nothing of Kafka, nor does what was thrown there; what speaks of it was judged."""
    speaking = {line.line for line in source.scan.speaking}
    return [
        line
        for line in source.scan.loud
        if line.loudness in ERRORS and line.line not in speaking and KAFKA.search(line.whole) is None
    ]


def _sentence(name: str, lines: Sequence[RawLine]) -> str:
    what = "says nothing of Kafka, and was" if len(lines) == 1 else "say nothing of Kafka, and were"
    where = f"{name}:{lines[0].line}" if len(lines) == 1 else f"the first is {name}:{lines[0].line}"
    return f"{counted(len(lines), 'line')} at ERROR or above beside them {what} not judged: {where}."
