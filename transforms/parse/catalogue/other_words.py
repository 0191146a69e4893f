"""Words that only a client other than Java's has, wherever they stand: its errors as applications print them."""

from collections.abc import Iterable
from dataclasses import replace
from functools import cache
from itertools import islice

from transforms.events import LIBRDKAFKA, UNNAMED
from transforms.parse.catalogue.by_literal import FormsByLiteral
from transforms.parse.catalogue.cut_off import Found
from transforms.parse.catalogue.errors import code_in
from transforms.parse.catalogue.form import LEAST_TOLD
from transforms.parse.catalogue.forms import finder, others_finder, said_anywhere
from transforms.when_used import when_used

MOST_COLUMNS = 8
# Kinds of what an error alone tells, and of what it may have been of.
ANYTHINGS = frozenset({"other_kafka", "commit_failed", "coordinator_lost"})
OPERATIONS = frozenset({"commit_failed", "heartbeat_failed", "produce_failed"})
# A connection, as Python's clients name it before what they say of it.
OF_PYTHON = r"<\w*Connection (?:client_id|node_id|host)=[^\n]{0,300}?>: "
_OF_CLIENTS = when_used(rf"group |{OF_PYTHON}")  # makes words of some length a client's
DOTS = "... "  # what a paste left of a head
_COLUMN = when_used(r"\t| [|-] |\] | {2,}(?:\d{5,} )?|\b[Mm](?:essage|sg)=\"?")
_QUOTE = when_used(r"`(?<!\w`)|`(?!\d)")
_CODE = when_used(r"(?:[-*+ \t]*\*\*[^*`\n]{2,40}\*\*:?)?[ \t]*`[^`\n]+`,?[ \t]*(?![^\n])")  # all of a line
_GROUP = when_used(r'"group": ?"[^"\n]{1,249}"')
_MESSAGE = when_used(
    r'\b(?:msg|message)"?[:=] ?"([^"\n]{3,300})"|\t([^\t\n]{3,300})\t\{(?=")|^\W{0,6}"([A-Z][^":\n]{3,300})",'
)
_ERROR = when_used(r'\berr(?:or)?"?[:=] ?(?:\{[^{}\n]{0,80}?"message": ?)?"(?P<error>[^"\n]{3,300})"')
_said_anywhere = cache(lambda: FormsByLiteral(said_anywhere()))


def told_anywhere(text: str) -> Found | None:
    """The first form whose words are in a text, and which ones; None where prose only quotes them, or there are none."""
    said = _message_first(text)
    found = ((one, one.regex.search(said)) for one in _said_anywhere().may_be_in(said))
    told = ((one, of) for one, of in found if of and not _is_quoted(said, of.start()))
    first = next(told, None)
    return first and _of_what(first, told)


def _of_what(error: Found, others: Iterable[Found]) -> Found:
    """What a broker answered, with the kind of that which words of no library say, before it, that it was of."""
    (form, said), family = error, error[0].family
    is_answer = said.groupdict().get("error_class") or code_in(said[0])
    if family.kind not in ANYTHINGS or family.benign or not is_answer:
        return error
    before = (one.family for one, of in others if of.end() <= said.start())
    told = next((one for one in before if one.library == UNNAMED and one.kind in OPERATIONS), None)
    return (replace(form, family=replace(told, library=family.library)), said) if told else error


def _message_first(text: str) -> str:
    """A line of fields (zap's behind a tab) as it was said: message, error, group, the rest, in whatever order."""
    error = _ERROR.search(text) if "err" in text else None
    group = _GROUP.search(text) if '"group"' in text else None
    message = _MESSAGE.search(text.replace(error[0], "") if error else text) if error or group else None
    because = f": {error['error']}" if error else ""
    said = message[message.lastindex or 0] if message else ""
    return f'{said}{because}",{group[0] if group else ""},{text}' if message else text


def is_of_other(message: str, text: str) -> bool:
    """Whether a record without a head of any client speaks as one of another language does."""
    return told_by_line(message) is not None or told_anywhere(text) is not None


def told_by_line(message: str) -> Found | None:
    """The form of a message that names its client by its words alone; librdkafka's lines have a head of their own."""
    return _beyond_doubt(others_finder().find(message, None) or _behind_columns(message))


def begins_message(line: str) -> bool:
    """Whether a line begins with what a client says, of Java or not, and nobody else: it needs no head to be known."""
    if not line or line[0].isspace():
        return False
    line = line.removeprefix(DOTS)
    return finder().find_start(line, 0, None) or _beyond_doubt(others_finder().find(line, None)) is not None


def _beyond_doubt(found: Found | None) -> Found | None:
    """A form that was found, where its words alone tell the client."""
    if found is None or found[0].family.library == LIBRDKAFKA:
        return None
    is_long = len(found[1][0]) >= LEAST_TOLD and _OF_CLIENTS.search(found[1][0]) is not None
    return found if is_long or found[0].is_telling else None


def _behind_columns(message: str) -> Found | None:
    """The form of a message that its application's own columns stand before: a module, a line's number, ids."""
    ends = (column.end() for column in islice(_COLUMN.finditer(message.partition("\n")[0]), MOST_COLUMNS))
    return next(filter(None, (others_finder().find(message[end:], None) for end in ends)), None)


def _is_quoted(text: str, at: int) -> bool:
    """Whether prose quotes it: `like this`; .NET writes a generic class as ProduceException`2."""
    is_within = "`" in text and len(_QUOTE.findall(text[:at].replace("```", ""))) % 2 == 1
    return is_within and _CODE.match(text, text.rfind("\n", 0, at) + 1) is None
