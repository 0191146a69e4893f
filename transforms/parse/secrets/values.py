# ruff: noqa: E501 (patterns are written whole)
"""Where the value of a name ends: each notation ends it in its own way.

A name is followed by what its notation puts there (`=`, `: `, `=>`, `>`, `(`, a blank after an option), then by a value that
is quoted (to the quote of the same level: text may be JSON in JSON), bracketed, or bare. A bare value ends where the
notation around it does, and that is told by what stands before the name: a line of a dump or of properties ends with the
line, a map's entry where the next one begins or the bracket closes, a URL's parameter at `&`, any other at a blank.
"""

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass

from transforms.parse.secrets.names import Strength
from transforms.parse.secrets.patterns import whole
from transforms.parse.secrets.plain import is_known, looks_secret
from transforms.when_used import when_used

Span = tuple[int, int]

_QUOTE = r"(?:\\*[\"'`]|&quot;|&\#3[49];|\\u0022|%22)"
_OPENS_PAIR = when_used(rf"[(\[{{]\s{{0,8}}{_QUOTE}{{1,2}}\Z")
_BLANKS = r"[^\S\n]{0,64}"
NAME = r"[\w.\-$@/]{1,64}"
# What is told of a value between its name and the sign: `password (new):`, `Unseal Key 1:`.
_NOTE = r"[^\S\n]{0,4}(?:[(\[<{](?!\d+\))[\w*][\w \-*/@.:]{0,30}[)\]>}]|\s(?:\#\s?)?\d{1,2})"
# After a name: the quote that closes it, brackets of `map["name"]` or `**name**`, an index, what stands between.
SEPARATOR = when_used(
    rf"(?P<close>{_QUOTE}{{0,2}})(?:(?<=[\"'`])(?:\s|\\+[nrt]){{1,64}}(?=:))?(?:[\])*}}]{{1,2}}|\[\d{{1,4}}\])?"
    rf"(?:{_NOTE}(?=[^\S\n]?[:=]))?"
    rf"(?:(?P<tight>=|%3[Dd])(?![=>])|{_BLANKS}(?P<sep>={{1,3}}>|-{{1,2}}>|:=|<-|>>|~|={{1,3}}|::?(?!//)|[\uff1a\uff1d→⇒⟶]|%3[Aa]){_BLANKS}"
    rf"|(?P<pipe>{_BLANKS}\|{_BLANKS}|\t{{1,4}}|[ ]{{3,64}})|[ ]?\.{{3,64}}[ ]?:[ ]?|\.{{3,64}}|[ ]?\.{{6,64}}[ ]?"
    r"|(?<=\})[ ](?:[a-z]{4,12}[ ])?to[ ])(?:</\w{1,16}>[ ]?)?"
    rf"(?P<down>(?:\s|\\+[nrt]){{0,64}}(?={_QUOTE}|[\[{{]|string\s?\())?"
)
CAST = when_used(
    r"\([*&]?[\w.]{1,24}\)(?:(?=\()|\s\(len=\d{1,6}\)\s(?=\"))|(?:str|string|char|bytes|varchar|unicode)\s?\(\d{1,5}\)\s{1,4}(?=[\"'])|(?:[bruBRU]{1,2}|N|<<)(?=[\"'])"
)
TAG = when_used(r"(?:[!&][\w!/.\-]{1,32}[ \t]{1,4})+(?=\S)")  # of YAML, before a value
CALL = when_used(rf"\(\s{{0,8}}(?={_QUOTE})")
# Of Lisp, Ruby and Erlang: `(password . "x")`, `[:password, "x"]`, `{password,<<"x">>}`, `{:password "x"}`.
SYMBOL_PAIR = when_used(r"\s?[,.]?\s{0,4}(?:<<)?(?=\\*\")")
_SYMBOL = when_used(r"[(\[{]\s{0,4}:?\Z|\s:\Z|,:\Z")
NEXT_OF_PAIR = when_used(rf"{_QUOTE}{{1,2}}\s{{0,64}},\s{{0,64}}(?={_QUOTE})")
OPENING = when_used(_QUOTE)
ELEMENT = when_used(r"(?:\s[^<>=]{1,64}=[^<>]{0,200})?(?:>|&gt;)(?:<!\[CDATA\[)?")
# The element behind the one whose text is a name: a table's cell, a list's entry.
NEXT_ELEMENT = when_used(r"\s{0,8}(?::\s{0,8})?</\w{1,32}>\s{0,64}<\w{1,32}(?:\s[^<>]{0,200})?>")
_ALONE_BELOW = when_used(r"\r?\n\s{1,64}([^\s<>\"']{1,512})\s*\Z")
_CUT_END = when_used(r"(?<=\S)(?:\n|\\*\")|(?<=>)\\*\"|\Z")
ELEMENT_END = when_used(r"\]\]>|<|&lt;|\Z")
OPTION = when_used(
    r"[ \t](?![-=:\s<]|(?:requires|needs|expects|takes|must|is|was|and|or|option|argument|not|has)\b)"
)
SAID = when_used(
    rf"(?:[\"'][ \t]{{1,3}}|[\s:]{{1,3}})(?:(?:is|was|are|were|of|as|set to|is set to|changed to|equals|value)[\s:]{{1,3}})?(?={_QUOTE})"
)
SAID_BARE = when_used(
    r"\s(?:(?:(?:is|was|are)\s(?:not )?(?:wrong|bad|invalid|incorrect|valid|correct|refused|rejected|expired):"
    r"|is|was|are|set to|is set to|was set to|changed to|equals):?\s)?(?=[\w!#$%&*+/=?^~@.\-]{6})"
)
BLOCK = when_used(r":[ \t]*(?:![\w!]{1,32}[ \t]+)?[|>][+\-]?\d?[ \t]*\n((?:[ \t]+[^\n]*(?:\n|\Z))+)")
# A name that says that the next one's value is meant: `{"name": "password", "value": "x"}`.
HOLDER = when_used(
    rf"(?i)(?:\b(?:\w{{0,16}}name|\w{{0,16}}key|k|property|prop|field|header|setting|config|param|parameter|option|variable"
    rf"|attribute|label|id|env){_QUOTE}?\s{{0,8}}(?:=>|[=:])\s{{0,8}}{_QUOTE}?"
    r"|<(?:name|key|param-name|string|entry)>\s{0,8})\Z"
)
OWN_BLOCK = when_used(r"\\*[\"'] ?\{")
HELD = when_used(
    rf"(?i)(?:\b(?:\w{{0,16}}value|val|v|select|default|content|text|data|secret|old|new|from|to|before|after){_QUOTE}?\s{{0,8}}(?:=>|[=:])[^\S\n]{{0,8}}"
    r"|<(?:value|param-value|string)>)"
)
_NEXT_HELD = when_used(
    rf"{_QUOTE},\s{{0,8}}{_QUOTE}(?:old|new|from|to|before|after|previous|current)\w{{0,16}}{_QUOTE}\s?:\s{{0,8}}(?={_QUOTE})"
)
_BECAME = when_used(rf"{_QUOTE}?[^\S\n]{{1,4}}(?:->|=>|→|~>|!=|<>|vs\.?|versus|became)[^\S\n]{{1,4}}(?!\()")
_OF_PATH = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-/"
_ATTRIBUTE_ENDS = when_used(rf"{_QUOTE}(?:\s[^<>]{{0,100}})?(?<!/)>(?:\s{{0,64}}<value>)?(?!\s)")
_NEXT_OBJECT = when_used(r"\}\s*,\s*[{(\[]|</")
_PAIR_ENDS = when_used(r"[{}]|\bname\b(?!>)|</property>")
_NEXT_PAIR = rf"\s{{0,8}}{_QUOTE}?{NAME}{_QUOTE}?\s{{0,2}}(?:=|:\s)"
_DELIMITED = r"(?=[\s,;:.)\]}>\"'`\\&<|]|\Z)"

# A bare value that a blank ends: brackets and quotes inside it belong to it where no delimiter follows.
BARE = when_used(
    r"(?:\[redacted\]|\$\{[^{}\s]{0,128}\}|\{\{[^{}\n]{0,128}\}\}"  # what stands for another value
    r"|[^\s\"'`\\,;&)\]}<|]|\\\r?\n[ \t]{0,64}"
    rf"|{_QUOTE}(?![\s,;:.)\]}}>&<]|\Z|\\)"
    rf"|[,;|](?!\s|\Z|[\"'\\]|{_NEXT_PAIR})"
    rf"|&(?!{NAME}=|quot;|lt;|\#3|\s|\Z)"
    rf"|[)\]}}](?!{_DELIMITED})"
    r"|[ \t]{0,4}\\\r?\n[ \t]{0,64}"
    r"|\\(?![\\\"'`nrtu])|\\\\(?=\w)|<(?![/!]))+"
)
COOKIES = when_used(
    r"[\w.\-]{1,64}=[^\s;,\"'\\)\]}]{1,4096}(?:;[ ]?[\w.\-]{1,64}(?:=[^\s;,\"'\\)\]}]{0,4096})?)*"
)
URL_VALUE = when_used(
    r"(?:\[redacted\]|[^\s&#\"'`<>\\|)\]}]|&(?![\w.\-%\[\]]{0,64}=|amp;|quot;|lt;|gt;|\W|\Z))+"
)
# A value up to the next entry of its map, blanks and all. The closing brackets are tried one by one.
_ENTRY_END = {
    close: when_used(
        rf"[,;|]{_NEXT_PAIR}|{re.escape(close)}{_DELIMITED}|\n|\\[nr]|{_QUOTE}(?=\s?[,:\]}})]|\Z)|\Z"
    )
    for close in "}])"
}
_NEXT_ENV = when_used(r"[\s,;]+[A-Z][A-Z\d_]{1,63}=|\n|\\*[\"'](?=\s?[,:\]}])|\Z")
_LINE_END = when_used(r"\n|\Z")
_ESCAPED_LINE_END = when_used(rf"\\+[nr]|\n|{_QUOTE}(?=\s?[,:\]}})]|\Z)|\Z")
_LINE_NEXT = when_used(rf"[&;]\s?{NAME}=|,?[ \t]+{NAME}=")
LINE_ENDS = whole("(?&LINE_ENDS)")
_LOGGER = when_used(r"\s+\([A-Za-z_$][\w$]*(?:\.[\w$]+)+\)\s*\Z")
# Lines that no value in quotes goes on with: a setting, a frame, a cause, the next record.
_NEXT_LINE = when_used(
    r"\n(?:[ \t]{0,64}[\w.\-\[\]]{1,128}[ \t]?[=:][ \t]|[ \t]{1,64}at [\w.$/@]{1,256}\("
    r"|[ \t]{0,64}(?:Caused by|Suppressed): |\[?\d{4}-\d\d-\d\d[ T]|%\d\|\d)"
)
_RUNS = when_used(r"(\\*)([\"'`])")
_SCHEME = when_used(r"[A-Za-z][A-Za-z0-9\-]{1,24}[^\S\n]+(?=[^\s,;])")
_PARAMETER = when_used(r"\s?,\s{0,8}[\w\-]{1,64}\s?=\s?(?:\\*\"[^\"\n]{0,2048}\\*\"|[^\s\"',;)\]}]+)")
_FIRST_PARAMETER = when_used(r"[\w\-]{1,64}\s?=\s?\\*\"[^\"\n]{0,2048}\"")
_LINE_HEAD = when_used(
    r"(?:(?:\A|\n|\\+n)(?:[^\S\n]|\\t){0,64}(?:export|set|declare -x|setx|ENV|ARG|[-*+>#]|\d+[.)])?[ \t]{0,8})\Z"
)
_ESCAPED_HEAD = when_used(r"\\[nrt][^\n\\]{0,64}\Z")
# An entry of a JAAS configuration, to the semicolon outside quotes.
_JAAS = when_used(r"(?:[^;\n\"'\\]|\\*\"[^\"\n]*(?:\"|\Z)|\\*'[^'\n]*(?:'|\Z)|\\(?!n))+;?")
_ENTRY_BEGINS = ("{", "[", "(", ",", ";", "|")
_OPENS = {"{": "}", "[": "]", "(": ")"}
BRACKETS = 8192  # characters of a bracketed value or a map's entry that are looked through
OPENED = 400  # characters before an entry in which its bracket is looked for
AGAIN = 256  # characters in which a quote that closes nothing is looked past


@dataclass(frozen=True, slots=True)
class Value:
    """A value's place. is_said: it stands in prose, where a word may be no value at all, is_quoted: there in quotes; is_url: a URL's parameter."""

    begin: int
    end: int
    is_said: bool = False
    is_url: bool = False
    is_quoted: bool = False


def value_after(text: str, begin: int, end: int, strength: Strength) -> Value | None:
    """The value of the name at text[begin:end], without its quotes; None where no notation shows one."""
    before = text[begin - 1] if begin else ""
    found = SEPARATOR.match(text, end)
    if before == "<" or (before == ":" and re.search(r"<\w{1,32}:\Z", text[max(0, begin - 34) : begin])):
        element = ELEMENT.match(text, end)
        if element:
            stop = _search(ELEMENT_END, text, element.end())
            # Cut off: not beyond the string or line it is in.
            if not text.startswith(("</", "]]>", "&lt;/"), stop):
                if stop == len(text) and text[element.end() : element.end() + 1] == " ":
                    return None  # of a usage: `<password> [options]`
                if alone := _ALONE_BELOW.match(text, element.end()):
                    return Value(*alone.span(1))
                stop = _search(_CUT_END, text, element.end(), stop)
            return Value(element.end(), stop)
    if before == ";" and text.endswith("&lt;", 0, begin) and (element := ELEMENT.match(text, end)):
        return _in_element(text, element.end())
    if found and (block := BLOCK.match(text, found.end("close"))) and not found["close"]:
        return Value(block.start(1), block.end(1) - block[1].endswith("\n"))
    if found and (
        not found["pipe"]
        or is_line_head(text, begin)
        or text[max(0, begin - 4) : begin].rstrip().endswith("|")
    ):
        return _value_at(text, begin, found, strength)
    if before == ">" and (cell := NEXT_ELEMENT.match(text, end)):
        return _in_element(text, cell.end())
    opens = before in "\"'`" and _OPENS_PAIR.search(text[max(0, begin - 32) : begin])
    if opens and (pair := NEXT_OF_PAIR.match(text, end)):
        return _quoted(text, pair.end())
    if (
        before
        and before in "([{:"
        and (pair := SYMBOL_PAIR.match(text, end))
        and _SYMBOL.search(text, max(0, begin - 8), begin)
    ):
        return _quoted(text, pair.end())
    call = CALL.match(text, end)
    if call:
        return _quoted(text, call.end())
    if before == "-" and (option := OPTION.match(text, end)):
        return _quoted(text, option.end()) or _of(text, option.end(), BARE)
    if said := SAID.match(text, end):
        value = _quoted(text, said.end(), is_one_line=True)
        return value and Value(value.begin, value.end, is_said=True, is_quoted=text[begin:end] != "")
    if said := SAID_BARE.match(text, end):
        value = _of(text, said.end(), BARE)
        return value and Value(*stripped(text, value.begin, value.end, "", ".:!?"), is_said=True)
    return None


def held_value(text: str, begin: int, end: int) -> Value | None:
    """The value that stands in a field of its own beside the field whose value is the name: before it, or after it."""
    before = text[max(0, begin - 96) : begin]
    if before.endswith("/"):  # `/prod/db/password`
        begin -= len(before) - len(before.rstrip(_OF_PATH))
        before = text[max(0, begin - 96) : begin]
    if not HOLDER.search(before[-48:]):
        block = OWN_BLOCK.match(text, end)
        if block is None:
            return None
        end = block.end()
    after = text[end : end + 400]
    stop = _PAIR_ENDS.search(after)
    inside = _ATTRIBUTE_ENDS.match(after)
    if inside and not HELD.search(after, 0, inside.end()):
        return _in_element(text, end + inside.end())
    found = HELD.search(text, end, end + (stop.start() if stop else len(after)))
    if found is None:
        found = _last_held(text, max(0, begin - 400), begin)
        quoted = found and _quoted(text, found.end())
        if found is None or _NEXT_OBJECT.search(text, quoted.end if quoted else found.end(), begin):
            return None
    if found[0].endswith(">"):
        return _in_element(text, found.end())
    return _quoted(text, found.end()) or _bare(text, found.start(), found.end(), is_tight=False)


def next_held(text: str, held: Value) -> Value | None:
    """The next field of values beside one: `"old": "x", "new": "y"`."""
    found = _NEXT_HELD.match(text, held.end)
    return _quoted(text, found.end()) if found else None


def next_value(text: str, value: Value) -> Value | None:
    """What a value became: `x -> y`."""
    found = _BECAME.match(text, value.end)
    if found is None or value.is_url:
        return None
    return _quoted(text, found.end()) or _of(text, found.end(), BARE)


def _last_held(text: str, at: int, stop: int) -> re.Match[str] | None:
    """The last field of values in a stretch, but for what stands within another's quotes."""
    last = None
    while found := HELD.search(text, at, stop):
        last = found
        quoted = _quoted(text, found.end())
        at = quoted.end if quoted and quoted.end < stop else found.end()
    return last


def _value_at(text: str, begin: int, found: re.Match[str], strength: Strength) -> Value | None:
    start = found.end()
    if found["down"] and "\n" in found["down"] and not found["close"]:
        start = found.start("down")  # an empty value; the next line is not its own
    if text.startswith(("!", "&"), start) and (tag := TAG.match(text, start)):
        start = tag.end()
    if cast := CAST.match(text, start):
        start = cast.end()
    quoted = _quoted(text, start)
    if quoted is not None:
        return quoted
    if start >= len(text) or text[start].isspace():
        return None
    if text[start] in _OPENS and (close := _bracketed(text, start)) is not None:
        return Value(start, close)
    if text.startswith("<![CDATA[", start):
        return _in_element(text, start + 9)
    before = text[begin - 1] if begin else ""
    if before and before in "?&" and found["tight"]:
        value = _of(text, start, URL_VALUE)
        return value and Value(value.begin, value.end, is_url=True)
    if strength is Strength.HEADER:
        return _header(text, start)
    if strength is Strength.COOKIE and not is_line_head(text, begin) and (first := _of(text, start, COOKIES)):
        return first
    if strength is Strength.JAAS and not is_line_head(text, begin) and (first := _of(text, start, BARE)):
        if is_known(text[start : first.end]):
            return first
        return _of(text, start, _JAAS)
    return _bare(text, begin, start, is_tight=bool(found["tight"]) or found["sep"] == "=")


def _quoted(text: str, start: int, *, is_one_line: bool = False) -> Value | None:
    """A value in quotes, of any level; to the end of the text where the quote is cut off."""
    opening = OPENING.match(text, start)
    if opening is None:
        return None
    quote, begin = opening[0], opening.end()
    if quote[-1] not in "\"'`":
        other = text.find(quote, begin)
        return Value(begin, other if other >= 0 else len(text))
    if text.startswith(quote * 2, begin):
        tripled = text.find(quote * 3, begin + 2 * len(quote))
        return Value(begin + 2 * len(quote), tripled if tripled >= 0 else len(text))
    if text.startswith(quote, begin):  # CSV doubles a quote; else the value is empty
        doubled = text.find(quote * 2, begin + len(quote))
        behind = text[begin + len(quote) : begin + len(quote) + 1]
        is_csv = behind not in ", })];\n\\:"  # nor the text's end
        return Value(begin + len(quote), doubled) if is_csv and doubled >= 0 else Value(begin, begin)
    end: int | None = _closing(text, begin, len(quote) - 1, quote[-1])
    if is_one_line:
        line = text.find("\n", begin)
        if line >= 0 and (end is None or end > line):
            return None
    return Value(begin, len(text) if end is None else end)


def _closing(text: str, begin: int, level: int, mark: str) -> int | None:
    """Where the quote of a level closes: level is the count of backslashes before its opening one (0, 1, 3, 7)."""
    first: int | None = None
    line = -1
    for run in _RUNS.finditer(text, begin):
        if first is not None and run.start() > first + AGAIN:
            return first
        slashes, at = len(run[1]), run.start(2)
        if slashes < level and run[2] in (mark, '"'):
            return first if first is not None else run.start()  # the text around it ends here
        if run[2] != mark or (slashes // (level + 1)) % 2:
            continue
        after = text[at + 1 : at + 2]
        if line < 0 and (line := text.find("\n", begin, at)) >= 0 and _NEXT_LINE.match(text, line):
            return line  # cut off with its line
        if not (after.isalnum() or after == mark):
            return at - level
        first = at - level if first is None else first
    if first is None and (line := text.find("\n", begin)) >= 0 and _NEXT_LINE.match(text, line):
        return line
    return first


def _bracketed(text: str, start: int) -> int | None:
    """Behind the bracket that closes the one at `start`, on whatever line; None where none does."""
    depth = 0
    for at in range(start, min(len(text), start + BRACKETS)):
        if text[at] in "{[(":
            depth += 1
        elif text[at] in "}])":
            depth -= 1
            if depth == 0:
                after = text[at + 1 : at + 2]
                return at + 1 if not after or not after.isalnum() else None
    return None


def _header(text: str, start: int) -> Value | None:
    """Credentials of a header: behind the scheme, with the parameters that some schemes have."""
    if (first := _of(text, start, BARE)) and is_known(text[start : first.end]):
        return first
    scheme = _SCHEME.match(text, start)
    # No scheme has a digit behind a letter but of SCRAM-SHA-256 and the like: what has may be the credentials themselves.
    begin = scheme.end() if scheme and not looks_secret(scheme[0].rstrip()) else start
    value = _of(text, begin, _FIRST_PARAMETER) or _of(text, begin, BARE)
    if value is None:
        return None
    end = value.end
    while parameter := _PARAMETER.match(text, end):
        end = parameter.end()
    return Value(value.begin, end)


def _bare(text: str, begin: int, start: int, *, is_tight: bool) -> Value | None:
    before = text[begin - 1] if begin else ""
    if is_line_head(text, begin):
        is_escaped = _ESCAPED_HEAD.search(text, max(0, begin - 96), begin) is not None
        end = _search(_ESCAPED_LINE_END if is_escaped else _LINE_END, text, start)
        while text.endswith("\\", start, end) and text.startswith("\n", end):  # continued lines of properties
            end = _search(_LINE_END, text, end + 1)
        if is_tight and text[start - 1] == "=" and (other := _LINE_NEXT.search(text, start, end)):
            end = other.start()
        logger = _LOGGER.search(text, max(start, end - 256), end)
        return Value(start, logger.start() if logger else end)
    close = _open_bracket(text, begin)
    if close:
        end = _search(_ENTRY_END[close], text, start, start + BRACKETS)
        return Value(start, end) if end > start else None
    if before in " \t,;\"'" and is_tight and text[begin : begin + 64].split("=")[0].isupper():
        following = _NEXT_ENV.search(text, start, start + 1024)
        if following and following[0].endswith("="):
            return Value(start, following.start())
    return _of(text, start, BARE)


def _open_bracket(text: str, begin: int) -> str | None:
    """What closes the bracket that is open at a place of a line, where the place is an entry of it."""
    before = text[max(0, begin - OPENED) : begin]
    if not before.rstrip(" \"'`\\").endswith(_ENTRY_BEGINS):
        return None
    depth = {"}": 0, "]": 0, ")": 0}
    for at in range(len(before) - 1, -1, -1):
        mark = before[at]
        if mark in depth:
            depth[mark] += 1
        elif mark in _OPENS:
            close = _OPENS[mark]
            if depth[close] == 0:
                return close
            depth[close] -= 1
        elif mark == "\n":
            return None
    return None


def is_line_head(text: str, begin: int) -> bool:
    """Whether nothing but signs of a list or of a shell stands before a place on its line."""
    return _LINE_HEAD.search(text, max(0, begin - 96), begin) is not None if begin else True


def stripped(text: str, begin: int, end: int, before: str | None = None, behind: str | None = None) -> Span:
    """A stretch without these characters at its ends; None: without white space."""
    begin = end - len(text[begin:end].lstrip(before))
    return begin, begin + len(text[begin:end].rstrip(behind))


def spans_of(pattern: re.Pattern[str], text: str, begin: int = 0, end: int = sys.maxsize) -> Iterator[Span]:
    """Where a pattern's matches are in a stretch of a text: of each its value, where it has a group for that, or all of it."""
    group = "value" if "value" in pattern.groupindex else 0
    return (found.span(group) for found in pattern.finditer(text, begin, end))


def _in_element(text: str, start: int) -> Value:
    return Value(start, _search(ELEMENT_END, text, start))


def _of(text: str, start: int, pattern: re.Pattern[str]) -> Value | None:
    found = pattern.match(text, start)
    return Value(start, found.end()) if found else None


def _search(pattern: re.Pattern[str], text: str, start: int, stop: int = sys.maxsize) -> int:
    found = pattern.search(text, start, stop)
    return found.start() if found else min(len(text), stop)
