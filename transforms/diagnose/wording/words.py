"""Numbers and origins in words, the same everywhere a person reads them."""

from transforms.events import is_named
from transforms.when_used import when_used

SECOND_MS, MINUTE_MS, HOUR_MS = 1_000, 60_000, 3_600_000

# The values of an incident's columns, as on-call reads them.
LONGEST_QUOTE = 220  # characters
_STOP = when_used(r"[.;:](?:\s+|$)")
CONFIDENCE_WORDS = {
    "proven": "its lines say so",
    "inferred": "computed from its lines",
    "unknown": "why, these lines don't tell",
}
IMPACT_WORDS = {
    "lost": "records were lost",
    "duplicated": "records are processed twice",
    "delayed": "work was delayed",
}
ACTOR_WORDS = {
    "application": "whoever writes the application",
    "settings": "whoever sets the client's configuration",
    "broker": "whoever runs the brokers",
    "network": "whoever runs the network between them",
    "nobody": "nobody: it mends itself",
}
VERDICT_WORDS = {
    "broken": "a promise of Kafka's was broken",
    "as_designed": "the client did what it is made for",
    "benign": "normal",
}


def group_words(group_id: str | None) -> str:
    """A group by its name, where the log has it."""
    return group_id if group_id is not None and is_named(group_id) else "unknown"


def partition_words(topic: str | None, partition: int | None) -> str:
    """A partition as Kafka writes it; of some only the topic is known, or nothing."""
    if topic is None:
        return "unknown"
    return topic if partition is None else f"{topic}-{partition}"


def span(ms: int | None) -> str:
    """A duration as a person says it: 850 ms, 14.1 s, 2 min 5 s, 1 h 3 min."""
    if ms is None:
        return "an unknown time"
    if ms < 0:
        return f"-{span(-ms)}"
    if ms < SECOND_MS:
        return f"{ms} ms"
    if ms < MINUTE_MS:
        return f"{ms / SECOND_MS:.1f} s".replace(".0 s", " s")
    if ms < HOUR_MS:
        return _of_two(ms // MINUTE_MS, "min", ms % MINUTE_MS // SECOND_MS, "s")
    return _of_two(ms // HOUR_MS, "h", ms % HOUR_MS // MINUTE_MS, "min")


def exact(ms: int | None) -> str:
    """A duration that a line names, so that its number is found again: 8 s, 7375 ms, 5 min (300000 ms)."""
    if ms is None or (ms % SECOND_MS == 0 and abs(ms) < MINUTE_MS):
        return span(ms)
    return f"{ms} ms" if abs(ms) < MINUTE_MS else f"{span(ms)} ({ms} ms)"


def _of_two(many: int, unit: str, few: int, smaller: str) -> str:
    return f"{many} {unit} {few} {smaller}" if few else f"{many} {unit}"


def origin_words(origin: str | None) -> str:
    """Where a limit came from, as half a sentence."""
    if origin is None:
        return "origin unknown"
    if origin.startswith("default:"):
        version = origin.removeprefix("default:")
        return f"the default of {version}; no config dump was seen, so it may be overridden"
    return {
        "logged": "from the client's own log",
        "named": "as the line itself says",
        "declared": "as declared in the configuration",
        "adjusted": "as the client adjusted it, by its own line",
        "assumed": "assumed: neither the client's version nor its config was seen",
    }.get(origin, origin)


def counted(number: int, noun: str) -> str:
    """1 batch, 3 batches."""
    if number == 1:
        return f"1 {noun}"
    return f"{number} {noun}es" if noun.endswith(("ch", "s")) else f"{number} {noun}s"


def listed(names: list[str], most: int = 3) -> str:
    """a, b and 4 more."""
    if len(names) <= most:
        return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
    return f"{', '.join(names[:most])} and {len(names) - most} more"


def clause(sentence: str) -> str:
    """What a sentence says up to its first stop, to stand within another: "The client left. It .." is "the client left"."""
    begun = _STOP.split(sentence, maxsplit=1)[0]
    first, _, rest = begun.partition(" ")
    return f"{first.lower()} {rest}" if first.istitle() and rest else begun


def cut(text: str, longest: int = LONGEST_QUOTE) -> str:
    """A text in one line, cut where it is longer than that many characters."""
    plain = " ".join(text.split())
    return plain if len(plain) <= longest else f"{plain[:longest].rstrip()} ..."
