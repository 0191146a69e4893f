"""By which line a program ended: what nothing caught, as runtimes print it.

Sources: java.lang.ThreadGroup, Go's runtime (panic.go, proc.go), .NET's and PHP's hosts, Node's
lib/internal/process/execution.js, Ruby's error.c, Rust's std/src/panicking.rs, CPython's traceback.c.
"""

from collections.abc import Callable, Collection, Iterator

from transforms.diagnose.unexplained.block_lines import container_of
from transforms.diagnose.wording.loudness import loudness_of
from transforms.when_used import when_used

_OF_JAVA = when_used(r"\borg\.apache\.kafka\.|\[(?:Consumer|Producer|AdminClient) clientId=")
_NEAR = 8  # lines between what panicked and the first goroutine
_SAID = when_used(
    r"(?P<go>(?:panic|fatal error): )|Unhandled [Ee]xception[.:] |thread 'main' (?:\(\d+\) )?panicked at "
    r"|Exception in thread \"main\" |(?:PHP )?Fatal error: +Uncaught |(?P<python>Traceback \(most recent call last\):\s*$)"
    r"|(?P<ruby>\S{1,300}\.rb:\d+:in [`'\"][^\n]{1,1500} \((?:\w+::)*[A-Z]\w*\)\s*$)"
    r"|(?P<node>(?:\w+: )?[A-Z]\w*Error(?: \[\w+\])?: )"
)
_GOROUTINE = when_used(r"goroutine \d+ [^\n]{0,80}\[[^\]\n]+\]:")
_CARET = when_used(r"\s*\^+\s*$")  # below the source line at which Node threw
_ENDS_THREAD = "terminated with exception"
_THROWN = when_used(r"[\w.]*[A-Z]\w*(?:: |\s*$)")  # not of a trace that is cut off
_OF_TRACE = when_used(rf"\s|$|{_THROWN.pattern}|exit status \d|The above exception|During handling of")


def is_of_client(text: str, client: str | None) -> bool:
    """Whether a line is a client's. client: that is not Java's, whose it is."""
    return client is not None or _OF_JAVA.search(text) is not None


def is_ended_by(at: int, line: Callable[[int], str], end: int, containers: Collection[str]) -> bool:
    """Whether a program ended by what a line says. line: that of a number, before end. containers: see container_of; the
    program was in one of these. A thread that ended is no program; what Python prints of an exception ended it only where
    nothing but its trace follows."""
    before = container_of(line(at))
    said = _SAID.match(line(at), len(before)) if before in containers else None
    if said is None:
        return False

    def lines(begin: int, until: int) -> Iterator[str]:
        return (line(number).removeprefix(before) for number in range(max(begin, 0), min(until, end)))

    above = list(lines(at - 2, at))
    match said.lastgroup:
        case "go":
            return any(map(_GOROUTINE.match, lines(at + 1, at + 1 + _NEAR)))
        case "node":
            return len(above) == 2 and not above[1].strip() and _CARET.match(above[0]) is not None
        case "ruby":
            return not any(_ENDS_THREAD in one for one in above)
        case "python" if any(map(loudness_of, above[-1:])):
            return False  # who caught it has logged it
        case "python":
            return all(map(_OF_TRACE.match, lines(at + 1, end))) and any(
                map(_THROWN.match, lines(at + 1, end))
            )
    return True
