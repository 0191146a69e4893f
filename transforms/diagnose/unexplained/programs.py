"""Lines of a program's text: they say what it would tell, and nobody was told it."""

from collections.abc import Callable

from transforms.diagnose.wording.loudness import loudness_of
from transforms.when_used import when_used

_MARK = r"\s{0,200}(?:[-+](?=[\s\w])\s{0,200})?"  # a diff's
_LOGGER = r"(?:\w+\.){0,3}_?(?:[Ll]og(?:ger|ging)?|LOG(?:GER)?|console)"
_LEVEL = (
    r"(?:trace|debug|info|warn(?:ing)?|error|fatal|severe|exception|critical|log|(?:Trace|Debug|Info|Warn(?:ing)?|Error|Fatal"
    r"|Panic|Print)(?:f|ln|w)?)"
)
# A call whose argument is a text, or stands below it: `throw new KafkaException("..");`, Python's `raise`, a logger's.
_STATEMENT = when_used(
    rf"{_MARK}(?:"
    r'(?:(?:[\w.<>\[\]@=]+ ){0,8}[\w.]+\((?:[^\n]{0,400}"(?:, ?[\w.]+)?\)+[;,])?|raise \w+\([^\n]*\)'
    r'|rescue [^\n]*::\w+(?: => \w+)?|@\w+\([^"\n]{1,400}\)|"[^"\n]*"(?:\)+[,;]?| \+))\s*$'
    r"|(?:[\w.<>\[\]]+ ){1,3}\+?= [a-z]?\"[^\"\n]*\"(?: \+|;)\s*$"
    rf"|{_LOGGER}\.{_LEVEL}\(|throw new \w"
    r'|\w+: {1,8}"\{\\"[^\n]{0,2000}",\s*$'  # JSON that is a member of a literal
    r"|(?:trace|debug|info|warn|error|fatal|fail|println|printf?)\([a-z]{0,2}[\"'`]"
    r"|(?:@\w+(?:\([^)\n]{0,200}\))?\s+){0,5}(?:(?:public|private|protected|static|abstract|override|void|def|fun|func)\s+[\w<]"
    r"|(?:if|catch|while|for|switch|synchronized) ?\(|(?:final|val|var|let|const) \w+(?: \w+)? ?=)[^\n]{0,2000}[;{}]\s*$"
    r"|(?:case [^\n:]{1,120}|default)(?:: ?\{?|\s?=>[^\n]{0,200}| ?->[^\n]{0,200})\s*$|//)"
)
# A place in it, as Maven's compiler, javac, tsc, C#'s, sbt, Go's, gcc and clang name it.
_PLACE = when_used(
    r"\.(?:java|kt|scala|groovy|tsx?)(?::\[\d+,\d+\] |:\d+: error: |\(\d+,\d+\): error TS)"
    r"|\.cs\(\d+,\d+\): (?:error|warning) [A-Z]{2,6}\d|\.(?:scala|go):\d+:\d+: \S"
    r"|\.(?:c|cc|cpp|cxx|h|hpp|m|swift):\d+:\d+: (?:fatal )?(?:error|warning|note): "
    r"|^(?:\[ERROR\])? +(?:symbol|location): +\w"
    r"|/src/(?:main|test)/(?:java|scala|kotlin|groovy)/[^\s:]{1,400}\.(?:java|scala|kt|groovy)\b"  # an editor's
    r"|(?i:\bcompil(?:er|ation) (?:errors?|fail(?:ed|ures?))\b)"
)
# rustc names the place below its word, and draws the lines of the program below that, behind a bar.
_ARROW = when_used(r"\s{0,12}(?:-->|:::) [^\s:]{1,400}:\d+:\d+\s*$")
_BEHIND_BAR = when_used(r"\s{0,12}\d{0,6}\s{1,12}[|=](?:\s|$)|\.\.\.\s*$")
_TAG = when_used(
    rf"{_MARK}\*\s+(?:@(?:throws|exception|param|return|see|since)\b|[^\n]{{0,400}}\{{@(?:link|code)\b)"
    r"|[^\n]{0,400}<code>[\w.#]{1,80}</code> [a-z]"
)
_STARRED = when_used(rf"{_MARK}\*\s")
_OPENED = when_used(rf"{_MARK}/\*")
# A logger's level, as YAML, properties and log4j's XML set it: its name may be that of an exception.
_LOGGER_SET = when_used(
    r"\s{0,200}(?:<[Ll]ogger\s[^>\n]{0,400}>|[-#]? ?[\"'`]?(?:[\w$-]+\.){2,20}[\w$]+[\"']?\s{0,20}[:=]\s{0,20}[\"']?"
    r"(?i:off|fatal|error|warn|info|debug|trace)\b[\"',`]{0,3}(?:, ?\w+)?\s*$)"
)
# A setting, what it is for, its type, and what follows: a page of documentation that was copied.
_SETTING_TOLD = when_used(
    r"[a-z][\w.-]{2,80}\t[^\t\n]{10,8000}\t(?:boolean|int|long|short|double|string|list|class|password)\t"
)
# A string of a program, alone on its line: what JSON and shells quote so is no element of a list. And one that is made
# another kind of string for a member: `error: "..".into(),`.
_LITERAL = when_used(
    r"(?m)^[ \t]*(?:'[^'\n]*'[,;]|\w{1,80}: &?\"[^\"\n]*\"(?:\.\w{1,80}\(\)){1,4},?)[ \t\r]*$"
)
LONGEST_COMMENT = 60


def is_statement(line: str) -> bool:
    """Whether a line by itself is a statement of a program, or a tag of its comment."""
    return _STATEMENT.match(line) is not None or _TAG.match(line) is not None


def is_literal(text: str) -> bool:
    """Whether a text begins with a line that is a program's string and nothing else."""
    return _LITERAL.match(text) is not None


def are_literals(text: str) -> bool:
    """Whether a text begins with such a line, or all that it says of a failure stands in such lines."""
    failing = [line for line in text.split("\n") if loudness_of(line) == "exception"]
    return is_literal(text) or (bool(failing) and all(is_literal(line) for line in failing))


def has_literals(head: bytes) -> bool:
    """Whether such a line is in a text that begins like this."""
    return (b"'" in head or b'".' in head) and _LITERAL.search(head.decode("utf-8", "ignore")) is not None


def is_of_compiler(at: int, line: Callable[[int], str], end: int) -> bool:
    """Whether a compiler says what it found in a program, or draws a line of it. line: that of a number, below the end."""
    text = line(at)
    if _PLACE.search(text) is not None:
        return True
    if text.startswith(("error", "warning")) and at + 1 < end and _ARROW.match(line(at + 1)):
        return True
    above = at
    while above > max(0, at - LONGEST_COMMENT) and _BEHIND_BAR.match(line(above)):
        above -= 1
    return above < at and _ARROW.match(line(above)) is not None


def is_row(text: str) -> bool:
    """Whether a line is a row of a table: of data, whose cells Spark's `show` cut to fit, or of what settings are for."""
    row = text.strip()
    if "\t" in row and _SETTING_TOLD.match(row):
        return True
    return row.startswith("|") and row.endswith("|") and "...|" in row


def is_of_program(at: int, line: Callable[[int], str]) -> bool:
    """Whether a line is a statement of a program, or of a comment that began above it. line: that of a number."""
    text = line(at)
    if is_statement(text):
        return True
    above = at - 1
    while _STARRED.match(text) and above >= max(0, at - LONGEST_COMMENT):
        text = line(above)
        above -= 1
    return above < at - 1 and _OPENED.match(text) is not None


def sets_level(line: str) -> bool:
    """Whether a line sets the level of a logger: it says nothing else."""
    return _LOGGER_SET.match(line) is not None
