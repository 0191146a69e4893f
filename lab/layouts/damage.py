"""What becomes of a record that somebody copied, cut, masked, marked or wrote again: of its parts, and of its text."""

import html
import json
import random
import re
from collections.abc import Callable
from dataclasses import dataclass, replace

from lab.layouts.posts import Said

OfParts = Callable[[Said, random.Random], Said]
OfText = Callable[[str, random.Random], str]
FIELD = re.compile(r"(?P<key>\b[a-z]+Id=)(?P<value>[^,\]\s]+)")


@dataclass(frozen=True)
class Damage:
    """of_parts or of_text: what it does to each record. needs_context: records without a client's are left as they are."""

    name: str
    of_parts: OfParts | None = None
    of_text: OfText | None = None
    needs_context: bool = False

    def parted(self, one: Said, draw: random.Random) -> Said:
        """A record's parts, damaged."""
        if self.of_parts is None or (self.needs_context and not one.context):
            return one
        return self.of_parts(one, draw)


def _cut_within(one: Said, draw: random.Random) -> Said:
    """`sumer clientId=a, groupId=g] `."""
    cut = draw.randrange(1, len(one.context) - 2)
    dots = draw.choice(("", "", "..", "...", "... ", "\u2026"))
    return replace(one, head=(), context=dots + one.context[cut:].lstrip())


def _cut_to_ids(one: Said, draw: random.Random) -> Said:
    """`clientId=a, groupId=g] `."""
    return replace(one, head=(), context=re.sub(r"^\[?[\w\-]+ \[?", "", one.context))


def _cut_to_values(one: Said, draw: random.Random) -> Said:
    """`a, groupId=g] `."""
    return replace(one, head=(), context=re.sub(r"^clientId=", "", _cut_to_ids(one, draw).context))


def _without_open_bracket(one: Said, draw: random.Random) -> Said:
    return replace(one, context=one.context.replace("[", "", 1))


def _without_close_bracket(one: Said, draw: random.Random) -> Said:
    return replace(one, context=one.context.replace("]", "", 1))


def _context_apart(one: Said, draw: random.Random) -> Said:
    return replace(one, context=one.context.rstrip() + "\n" + draw.choice(("", "", "    ", "  ")))


def _head_apart(one: Said, draw: random.Random) -> Said:
    head = (*one.head[:-1], one.head[-1] + "\n") if one.head else ()
    return replace(one, head=head, between=one.between)


def _head_brackets_lost(one: Said, draw: random.Random) -> Said:
    return replace(one, head=tuple(part.strip("[]()") for part in one.head))


def _logger_lost(one: Said, draw: random.Random) -> Said:
    head = tuple(part for part in one.head if "kafka." not in part and ".k." not in part)
    return replace(one, head=head, behind="")


def _head_lost(one: Said, draw: random.Random) -> Said:
    return replace(one, head=(), behind="")


def _some_heads_lost(one: Said, draw: random.Random) -> Said:
    """Lines right below others that have a head."""
    return _head_lost(one, draw) if draw.random() < 0.5 else one


def _time_lost(one: Said, draw: random.Random) -> Said:
    return replace(one, head=tuple(part for part in one.head if not re.search(r"\d\d:\d\d", part)))


def _date_lost(one: Said, draw: random.Random) -> Said:
    return replace(one, head=tuple(re.sub(r"\d{4}-\d\d-\d\d[T ]", "", part) for part in one.head))


WORDS = {
    "INFO": ("INFORMATION", "INFOS", "\u60c5\u5831", "INFORMACI\u00d3N", "\u4fe1\u606f", "Information"),
    "WARN": ("WARNUNG", "AVERTISSEMENT", "ADVERTENCIA", "\u8b66\u544a", "AVVERTENZA", "Warnung"),
    "ERROR": ("FEHLER", "ERREUR", "SCHWERWIEGEND", "GRAVE", "\u30a8\u30e9\u30fc", "\u9519\u8bef", "Fehler"),
}  # fmt: skip


def _translated(one: Said, draw: random.Random) -> Said:
    number = draw.randrange(7)

    def word(part: str) -> str:
        words = WORDS.get(part.strip())
        return words[number % len(words)] if words else part

    return replace(one, head=tuple(map(word, one.head)))


def _small_level(one: Said, draw: random.Random) -> Said:
    write = draw.choice((str.lower, str.capitalize))
    return replace(one, head=tuple(write(part) if part.strip().isupper() else part for part in one.head))


def _upper(one: Said, draw: random.Random) -> Said:
    return replace(one, context=one.context.upper())


def _row(one: Said, draw: random.Random) -> Said:
    """A row of a Markdown table."""
    parts = [part.strip() for part in one.head if part not in ("-", ":", "---")]
    return replace(one, head=("|", *(part + " |" for part in parts)), behind=one.behind + " |")


def _row_of_jira(one: Said, draw: random.Random) -> Said:
    parts = [part.strip() for part in one.head if part not in ("-", ":", "---")]
    return replace(one, head=("||", *(part + " ||" for part in parts)), behind=one.behind + " ||")


def _context_in_a_cell(one: Said, draw: random.Random) -> Said:
    row = _row(one, draw)
    return replace(row, context=f"{row.context.rstrip()} | ")


def _cells(one: Said, draw: random.Random) -> Said:
    """A row of a page's table."""
    head = tuple(f"<td>{part.strip()}</td>" for part in one.head)
    inner = html.escape(one.context + one.message + one.behind)
    return replace(one, head=("<tr>", *head), context="", message=f"<td>{inner}</td></tr>", behind="")


def _spans(one: Said, draw: random.Random) -> Said:
    """As a highlighter writes a page's source."""
    head = tuple(f'<span class="hljs-{number}">{part}</span>' for number, part in enumerate(one.head))
    return replace(
        one, head=head, context=html.escape(one.context, quote=False), message=html.escape(one.message)
    )


def _marked(one: Said, draw: random.Random) -> Said:
    """What matters in bold, or in italics."""
    mark = draw.choice(("**", "*", "__", "_", "<b>", "<em>"))
    end = mark.replace("<", "</")
    which = draw.choice(("message", "all", "head"))
    if which == "message":
        return replace(one, message=f"{mark}{one.message}{end}")
    if which == "head" and one.head:
        return replace(one, head=tuple(f"{mark}{part.strip()}{end}" for part in one.head))
    first = (mark + one.head[0], *one.head[1:]) if one.head else ()
    return replace(
        one, head=first, context=one.context if first else mark + one.context, behind=one.behind + end
    )


MASKS = (
    "***",
    "xxx",
    "XXXX",
    "[REDACTED]",
    "<redacted>",
    "{masked}",
    "####",
    "...",
    "<client-id>",
    "*****-consumer",
)


def _masked(one: Said, draw: random.Random) -> Said:
    """Ids are nobody's business, the same in the context and in the message."""
    mask, text = draw.choice(MASKS), one.message
    context = FIELD.sub(lambda found: found["key"] + mask, one.context)
    for found in FIELD.finditer(one.context):
        text = text.replace(found["value"], mask) if len(found["value"]) > 3 else text
    return replace(one, context=context, message=text)


def _masked_numbers(one: Said, draw: random.Random) -> Said:
    """`orders-<n>`: the numbers of topics, members and nodes are of no use to others."""
    return replace(
        one,
        context=re.sub(r"-\d+(?=[,\]])", "-<n>", one.context),
        message=re.sub(r"-\d+\b", "-<n>", one.message),
    )


def _list_elided(one: Said, draw: random.Random) -> Said:
    dots = draw.choice(("...", ", ...", "\u2026", "[...]"))
    return replace(
        one, message=re.sub(r"(?<=\[)([^\[\],\n]+), [^\[\]\n]+(?=\])", lambda f: f[1] + dots, one.message)
    )


def _prompted(one: Said, draw: random.Random) -> Said:
    """Who said it, in a chat."""
    said = draw.choice(("[10:03 AM] Alice: ", "bob  10:03\n", "<carol> ", "Alice: ", "me > ", "bob [10:04] "))
    return replace(one, head=(said.rstrip(" ") if said.endswith("\n") else said[:-1], *one.head))


def _typographic(text: str, draw: random.Random) -> str:
    signs = {"...": "\u2026", "'": "\u2019", " - ": " \u2013 ", '"': "\u201d"}
    for sign, written in signs.items():
        text = text.replace(sign, written)
    return text.replace("--", "\u2013")


def _dashed(text: str, draw: random.Random) -> str:
    return text.replace("-", draw.choice(("\u2013", "\u2011", "\u2212", "\u2010")))


def _quoted_by_page(text: str, draw: random.Random) -> str:
    return re.sub(r"'([^'\n]*)'", "\u2018\\1\u2019", re.sub(r'"([^"\n]*)"', "\u201c\\1\u201d", text))


def _spaced(text: str, draw: random.Random) -> str:
    space = draw.choice(("\xa0", "\xa0", "\u202f", "\u2009", "\u3000"))
    return "".join(space if sign == " " and draw.random() < 0.5 else sign for sign in text)


def _all_spaced(text: str, draw: random.Random) -> str:
    return text.replace(" ", "\xa0")


def _zero_width(text: str, draw: random.Random) -> str:
    sign = draw.choice(("\u200b", "\u00ad", "\ufeff", "\u2060"))
    return re.sub(r"(?<=[.,/=\-])", lambda found: sign if draw.random() < 0.6 else "", text)


def _zero_width_begin(text: str, draw: random.Random) -> str:
    return draw.choice(("\u200b", "\u200e", "\ufeff", "\u202a")) + text


def _doubled(text: str, draw: random.Random) -> str:
    return re.sub(r"(?<=\S) (?=\S)", lambda found: draw.choice((" ", " ", "  ", "   ")), text)


def _tabbed(text: str, draw: random.Random) -> str:
    return re.sub(r"(?<=\S) (?=\S)", lambda found: draw.choice((" ", " ", " ", "\t")), text)


def _unindented(text: str, draw: random.Random) -> str:
    return re.sub(r"\n[ \t]+", "\n", text)


def _collapsed(text: str, draw: random.Random) -> str:
    return re.sub(r"[ \t]+", " ", text)


def _one_line(text: str, draw: random.Random) -> str:
    return re.sub(r"\s*\n\s*", " ", text)


SENTENCES = (
    ("We see {} every 5 min.", "`"), ("Then it says {}, and nothing comes after that.", "`"), ("It ends with {}", '"'),
    ("The only thing I find is this ({}).", ""), ("and then \u201c{}\u201d again and again", ""), ("Error: {}", ""),
)  # fmt: skip


def _in_sentence(text: str, draw: random.Random) -> str:
    sentence, quote = draw.choice(SENTENCES)
    first, newline, rest = text.partition("\n")
    return sentence.format(f"{quote}{first}{quote}") + newline + rest


QUOTING = (
    "- it logs `{}` then", "* `{}`", "2. **{}**", "| it stops | `{}` |", "- [x] {}", "> {}", "Symptom: `{}`.", "=> {}",
    "### {}", "**Error:** {}",
)  # fmt: skip


def _quoted_in_notes(text: str, draw: random.Random) -> str:
    """In an item of a list, in a cell, as a heading."""
    first, newline, rest = text.partition("\n")
    return draw.choice(QUOTING).format(first) + newline + rest


PROGRAMS = (
    "    // {}",
    "# {}",
    '    "{}",',
    "    '{}',",
    "  # e.g. {}",
    'String line = "{}";',
    'LINE = "{}"',
    "-- {}",
)


def _in_a_program(text: str, draw: random.Random) -> str:
    """As a comment or a string of a program has it."""
    first, newline, rest = text.partition("\n")
    return draw.choice(PROGRAMS).format(first) + newline + rest


def _coded(text: str, draw: random.Random) -> str:
    return "\n".join(f"`{line}`" for line in text.split("\n"))


def _coloured(text: str, draw: random.Random) -> str:
    escape = draw.choice(("\x1b", "\\u001b", "\\x1b", "\\033", "^[", "\u241b", "#033", "\ufffd"))
    return re.sub(
        r"\b(INFO|WARN|ERROR|DEBUG)\b",
        rf"{escape}[3{draw.randrange(8)}m\1{escape}[0m".replace("\\", "\\\\").replace("\\\\1", "\\1"),
        text,
        count=1,
    )


def _of_syslog(text: str, draw: random.Random) -> str:
    return text.replace("\t", "#011").replace("\n", "#012")


def _mojibake(text: str, draw: random.Random) -> str:
    """Typographic signs in UTF-8 that were read as Windows' code page."""
    typographic = _quoted_by_page(text, draw).replace(" - ", " \u2013 ").replace("  ", " \xa0")
    return typographic.encode().decode("cp1252", "replace")


def _ended(text: str, draw: random.Random) -> str:
    return text + draw.choice((",", ";", " \\", "\u00b6", "  ", "|", '"', "\u21b5", " ...", "\t"))


def _nested(text: str, draw: random.Random) -> str:
    """The line in an object of no framework's."""
    objects: tuple[dict[str, object], ...] = (
        {"event": {"original": text}}, {"data": {"line": text, "seq": 4}}, {"_source": {"message": text}},
        {"content": text, "id": "a-1"}, {"fields": {"raw": [text]}}, {"@message": text, "@logStream": "orders/1"},
        {"kind": "log", "payload": {"body": {"text": text}}},
    )  # fmt: skip
    return json.dumps(draw.choice(objects))


def _in_csv(text: str, draw: random.Random) -> str:
    cell = _nested(text, draw).replace('"', '""')
    return f'"orders-1","{cell}"'


def _escaped_twice(text: str, draw: random.Random) -> str:
    return json.dumps(json.dumps({"message": text, "stream": "stdout"}))


def _concatenated(text: str, draw: random.Random) -> str:
    """As a program's source has a long string."""
    words, sign = text.split("\n")[0].split(" "), draw.choice((" +", "", " \\"))
    half = len(words) // 2
    parts = (" ".join((*words[:half], "")), " ".join(words[half:]))
    return f"{sign}\n    ".join(f'"{part}"' for part in parts) + text[len(text.split("\n")[0]) :]


def _in_yaml(text: str, draw: random.Random) -> str:
    name = draw.choice(("message", "log", "line"))
    return f"- {name}: {json.dumps(text, ensure_ascii=False)}\n  stream: stdout"


def _in_logfmt(text: str, draw: random.Random) -> str:
    return f"level=info app=orders msg={json.dumps(text, ensure_ascii=False)}"


DAMAGES = (
    Damage("context cut within", _cut_within, needs_context=True),
    Damage("context cut to ids", _cut_to_ids, needs_context=True),
    Damage("context cut to values", _cut_to_values, needs_context=True),
    Damage("context without [", _without_open_bracket, needs_context=True),
    Damage("context without ]", _without_close_bracket, needs_context=True),
    Damage("context on a line of its own", _context_apart, needs_context=True),
    Damage("head on a line of its own", _head_apart),
    Damage("head without brackets", _head_brackets_lost),
    Damage("logger lost", _logger_lost, needs_context=True),
    Damage("head lost", _head_lost, needs_context=True),
    Damage("some heads lost", _some_heads_lost, needs_context=True),
    Damage("time lost", _time_lost),
    Damage("date lost", _date_lost),
    Damage("level translated", _translated),
    Damage("level in small letters", _small_level),
    Damage("context in capitals", _upper, needs_context=True),
    Damage("row of Markdown", _row),
    Damage("row of Jira", _row_of_jira),
    Damage("context in a cell of its own", _context_in_a_cell, needs_context=True),
    Damage("row of HTML", _cells),
    Damage("spans of HTML", _spans),
    Damage("bold or italic", _marked),
    Damage("ids masked", _masked),
    Damage("numbers masked", _masked_numbers),
    Damage("list elided", _list_elided),
    Damage("said in a chat", _prompted),
    Damage("typographic signs", of_text=_typographic),
    Damage("typographic dashes", of_text=_dashed),
    Damage("typographic quotes", of_text=_quoted_by_page),
    Damage("some blanks of another width", of_text=_spaced),
    Damage("no-break spaces", of_text=_all_spaced),
    Damage("zero-width signs", of_text=_zero_width),
    Damage("zero-width sign at the beginning", of_text=_zero_width_begin),
    Damage("blanks doubled", of_text=_doubled),
    Damage("tabs for blanks", of_text=_tabbed),
    Damage("not indented", of_text=_unindented),
    Damage("blanks collapsed", of_text=_collapsed),
    Damage("on one line", of_text=_one_line),
    Damage("in a sentence", of_text=_in_sentence, needs_context=True),
    Damage("in notes", of_text=_quoted_in_notes, needs_context=True),
    Damage("in a program", of_text=_in_a_program, needs_context=True),
    Damage("lines in backticks", of_text=_coded),
    Damage("coloured", of_text=_coloured),
    Damage("syslog's octal signs", of_text=_of_syslog),
    Damage("wrong code page", of_text=_mojibake),
    Damage("sign at the end", of_text=_ended),
    Damage("in an object", of_text=_nested),
    Damage("in an object in CSV", of_text=_in_csv),
    Damage("in a string in a string", of_text=_escaped_twice),
    Damage("a string that is concatenated", of_text=_concatenated),
    Damage("in YAML", of_text=_in_yaml),
    Damage("in logfmt", of_text=_in_logfmt),
)  # fmt: skip
