"""A record's text taken apart around its message, whatever its layout: time, level, thread, logger, in any order.

The message is the anchor. Before it stands a head, which is read token by token: what is a time, a level, a logger,
a bracket is known by its own looks, and anything may stand between. A tail may follow the message on its line.
"""

import re
from dataclasses import dataclass, field
from itertools import chain

from transforms.parse.catalogue.anchors import CONTEXT, context_in, is_kafka_logger
from transforms.parse.catalogue.exceptions import is_behind_class, is_thrown_text
from transforms.parse.catalogue.forms import finder
from transforms.parse.catalogue.other_clients import library_of
from transforms.parse.lines.jsonlines import LOGFMT
from transforms.parse.lines.pasted import unescaped
from transforms.parse.lines.tails import take_below, take_tail
from transforms.parse.lines.timestamps import EPOCH, STAMP
from transforms.parse.lines.tokens import (
    ANY_LEVEL,
    CORRELATION,
    GROUP,
    LEVEL,
    THREADY,
    Head,
    is_connects,
    is_whole_time,
    logger_of,
    normal_level,
)
from transforms.when_used import when_used

HEAD_WINDOW = 2048  # characters: no head is longer
# What belongs to a word, `executor[4 4]`; no time nor level right behind one that was typed or counted, `>1[10:15:01]`.
_INDEX = rf"\[(?!\d{{1,4}}[-/.:]\d\d|{LEVEL}\])[^\]\n]*\]"
_TOKEN = when_used(
    rf"(?P<sep>[\s|>:\uff1a;,\-\u2013\u2014#*\u2502=\"'`@]+|//+|/\*+)"
    rf"|(?P<time>{STAMP.pattern})"
    rf"|(?P<level>(?:{LEVEL})(?![\w.$(]))"
    rf"|(?P<group>{GROUP})"
    rf"|(?P<pair>[A-Za-z][\w.\-]*=(?:\"(?:[^\"\\\n]|\\.)*\"|\[[^\]\n]*\]|[^\s|,;]*))"
    rf"|(?P<name>(?<=[A-Z]:)[A-Za-z_][\w.\-]*(?=:\S))"  # Python's `LEVEL:name:message`
    rf"|(?P<word>[^\s\[({{|\uff1a]+(?:{_INDEX}[^\s\[({{|\uff1a]*)?)|(?P<odd>.)"
)
# A program's comment without a blank, `//Auto offset commit failed ..`; a prefix whose beginning an excerpt cut off.
_CUT = when_used(r"[ \t]*(?://|\*[ \t])|(?:\W{0,4}[a-z\-]{0,12}[dt] \[|\.{2,3} ?\[)?[^\[\]\n]{1,400}\][ \t]+")
_THROWN = when_used(r"(?:\w+\.)*[A-Z]\w*(?:Exception|Error): ")
_NOTED = when_used(r"\((?P<said>[^\n]*)\)[ \t.]*(?![^\n])")  # what a note has in brackets
_CALL = when_used(r"(?:\w+\.)*[A-Z][\w$]*\.[a-z]\w*\(")  # or a trace's frame: no logger
_MAY_BE_NUMBER = when_used(r"\d{10}$")  # an epoch's seconds, or a thread's id
# What a page says before a line that it quotes whole: `**Error:** `, `message: "`; a word alone needs no quotes.
LABEL = when_used(
    r"\W{0,6}(?:\w[\w .\-]{0,40}\W{0,3}[:\uff1a]\W{0,4}(?P<quote>[\"'`])|(?:\w{1,20} ?[:\uff1a]|\{\w{1,20}\}) ?)"
    r"|[A-Za-z][\w.\-]{0,60} {1,40}\| {1,4}"  # a container's name
)
_BEFORE_TIME = when_used(r"(?:([A-Za-z]+) )?(?:\d{6} (?=\d\d:))?")  # as Tornado puts it
_MONOLOGS = when_used(rf"([\w.]+)\.({LEVEL})$")  # a channel and its level
_WORDS = when_used(r"\w(?:.*\w)?")
_PLAIN_WORD = when_used(r"[A-Za-z][a-z']+[,.]?$")
MOST_WORDS = 12
MOST_BEFORE = 4  # words that may stand before a head's time
_GOES_ON = when_used(r"(?<=\w) [a-z]{2,}(?= [A-Za-z])")
# Where the message begins, itself where a field holds it, and whether it is Kafka's for certain.
Found = tuple[int, str | None, bool]


@dataclass(slots=True)
class _Token:
    kind: str  # sep, time, level, logger, thread, context, any, word, message
    begin: int
    end: int
    value: str
    inner: str = "any"


@dataclass(slots=True)
class _Seen:
    """What the tokens before the message tell. anchor: where a client's context begins, or -1. stop: where the message
    begins if nothing better comes, given_up: one that was none; of_head: level and logger, should the head end there.
    """

    text: str
    end: int
    anchor: int
    tokens: list[_Token] = field(default_factory=list)
    times: list[_Token] = field(default_factory=list)
    level: _Token | None = None
    logger: _Token | None = None
    groups: list[_Token] = field(default_factory=list)
    words_since: int = 0
    words: int = 0
    is_spring: bool = False
    thrown: str = ""  # what a field of its own says was thrown
    stop: int = -1
    given_up: int = -1
    of_head: tuple[_Token | None, _Token | None] = (None, None)

    def read(self) -> Found:
        """Read tokens up to the message."""
        text, at, find = self.text, 0, finder().find_start
        cut = _CUT.match(text)
        is_cut = cut is not None and not 0 <= self.anchor < cut.end()
        if cut and is_cut and (find(text, cut.end(), None) or text.startswith("task [", cut.end())):
            return cut.end(), None, True
        while at < self.end:
            if at == self.anchor or self._begins_at(at):
                return at, None, True
            token = _TOKEN.match(text, at, self.end)
            if token is None:
                break
            # A message in quotes may be longer than any head.
            if token.lastgroup == "pair" and '="' in token[0] and not token[0].endswith('"'):
                token = _TOKEN.match(text, at) or token
            if 0 <= self.anchor < token.end() and token.lastgroup == "group":
                at += 1  # a sentence may hold all of the line in its brackets
                continue
            kind = "time" if token["time"] else str(token.lastgroup)
            if (found := self._found_in(token, kind)) is not None:
                return found
            if kind in ("word", "odd") and self.words >= MOST_WORDS and self.anchor < 0:
                break
            self._go_on(token, kind)
            at = token.end()
        self._choose_stop()
        return self.stop, None, False

    def _begins_at(self, at: int) -> bool:
        """Whether a message begins here that is Kafka's for certain."""
        text = self.text
        if text[at] in " \t" or not (at == 0 or text[at - 1] in " \t:\uff1a|]}>\"'`"):
            return False
        is_found = finder().find_start(text, at, self.logger.value if self.logger else None)
        is_free = is_found and (_is_free(self) or LABEL.fullmatch(text, 0, at) is not None)
        return is_free and not is_behind_class(text, at)

    def _found_in(self, token: re.Match[str], kind: str) -> Found | None:
        """The message, where it begins at this token or within it."""
        text, at = self.text, token.start()
        if kind == "pair" and (value := _of_pair(token, self)) is not None:
            return token.end(), value, CONTEXT.match(value) is not None
        if 0 <= self.anchor < token.end():  # a word glued to it: what is before the anchor is no token
            self.tokens.append(_Token("any", at, self.anchor, text[at : self.anchor]))
            return self.anchor, None, True
        if (noted := _NOTED.match(text, at)) and finder().find_start(text, at + 1, None) and _is_free(self):
            return at + 1, noted["said"], True
        has_head = (self.level or self.times) and STAMP.match(text, at + 1) is None
        if kind == "group" and text.startswith(": ", token.end()) and has_head and self.stop < 0:
            return at, None, False  # `[thread]: text`, as Kafka's own threads begin their messages
        if kind in ("word", "odd") and self.stop < 0 and _is_over(text, at, self):
            self.stop, self.of_head = at, (self.level, self.logger)
            if self.anchor < 0 and any(self.of_head) and not _is_free(self):
                return at, None, False
        return None

    def _go_on(self, token: re.Match[str], kind: str) -> None:
        """Take a token of the head; where it shows that the head goes on behind a stop, that was none."""
        if kind != "pair":
            _take(token, kind, self)
        last = self.tokens[-1].kind if self.tokens else ""
        if kind in ("sep", "word", "odd") and last != "logger":
            return
        self.words_since = 0
        was_name = self.stop >= 0 and self.anchor < 0 and last in ("logger", "level") and self.words < 5
        if was_name and (self.end < len(self.text) or self.text[token.end() : self.end].strip()):
            self.given_up, self.stop = self.stop, -1  # words before it were a name of something

    def _choose_stop(self) -> None:
        """Where the message begins, of a head that nothing ended; what stands behind is none of the head's."""
        is_bare = not any(self.of_head if self.stop >= 0 else (self.level, self.logger))
        if is_bare and not _is_within(self) and (self.stop < 0 or self.words_since > 1):
            at = self.times[-1].end if self.times else self.end  # nothing but a time: all behind it is said
            self.stop = next((one.begin for one in self.tokens if one.kind == "word" and one.begin >= at), -1)
        if self.stop < 0:  # where all is head, the words that were taken for a name are the message
            self.stop = self.given_up if self.given_up >= 0 and self.end == len(self.text) else self.end
        for taken in (self.tokens, self.times, self.groups):
            taken[:] = [one for one in taken if one.begin < self.stop]
        level, logger = self.of_head
        if self.logger is not None and self.logger.begin >= self.stop:  # a word of the message
            self.logger = logger
        if self.level is not None and self.level.begin >= self.stop:
            self.level = level


def read_head(text: str) -> Head | None:
    """Take a text apart around its message; None where it has neither a head nor a Kafka message.

    text: lines joined by newlines, without colour codes and carriage returns.
    """
    end = len(text[:HEAD_WINDOW].partition("\n")[0])
    context = context_in(text, 0, end)
    seen = _Seen(text, end, context.start() if context else -1)
    stop, message, is_anchored = seen.read()
    head = Head(message=message if message is not None else text[stop:], is_anchored=is_anchored)
    has_head = seen.times or seen.level or (seen.logger and is_kafka_logger(seen.logger.value))
    is_call = not (seen.times or seen.level or is_anchored) and _CALL.match(text)
    if is_call or (not has_head and not _may_stand_alone(text, stop, seen, is_context=is_anchored)):
        return None
    if message is None:
        _quoted(text, stop, head)
    _fill(head, seen, text)
    take_below(head)
    tail = take_tail(head) if head.logger is None else ""
    if tail:
        take_below(head)
    head.message = head.message.rstrip()
    if not head.message and head.level is None and _is_within(seen):
        return None
    head.shape = _shape_of(text, seen, stop) + tail
    return head


def _is_free(seen: _Seen) -> bool:
    """Whether a message may begin here: no application's logger wrote it, and no prose stands before it."""
    if seen.logger is not None and not is_kafka_logger(seen.logger.value):
        return False
    return seen.words_since <= 3 and (seen.words == 0 or bool(seen.times or seen.level or seen.logger))


def _is_over(text: str, at: int, seen: _Seen) -> bool:
    """Whether the head is over before a word: there is a logger and it was followed by what ends a head, or it is thrown."""
    if seen.logger is not None or (seen.times and _THROWN.match(text, at)):
        return True
    return bool(seen.level) and (bool(seen.times) or seen.words == 0)


def _take(token: re.Match[str], kind: str, seen: _Seen) -> None:
    text, begin, end = token[0], token.start(), token.end()
    made = _Token(kind, begin, end, text)
    if kind == "sep":
        seen.is_spring = seen.is_spring or text.strip() == "---"
    elif kind == "time" and not (seen.words > MOST_BEFORE and EPOCH.match(text)):
        seen.times.append(made)
    elif kind == "level":
        seen.level = made
    elif kind == "group":
        _take_group(made, text, seen)
    elif kind == "name":
        made.kind, seen.logger = "logger", made
    elif kind == "word":
        name = logger_of(text)
        after_level = seen.level is not None or bool(seen.times)
        if seen.logger is not None and library_of(seen.logger.value):
            name = None  # `DEBUG kafka.coordinator Heartbeat: orders[7]`
        if name is not None and "." not in name and not _ends_name(token.string, end, text):
            name = None
        if name is not None and (is_kafka_logger(name) if seen.logger or not after_level else True):
            made.kind, made.value = "logger", name
            seen.logger = made
            if (monologs := _MONOLOGS.match(name)) is not None and seen.level is None:
                made.value, made.end = monologs[1], begin + monologs.end(1)
                seen.tokens.append(made)
                seen.level = made = _Token("level", made.end + 1, end, monologs[2])
        elif seen.level is None and ANY_LEVEL.match(text.rstrip(":,]")) and _is_level(token, seen):
            made.kind, made.value = "level", text.rstrip(":,]")
            seen.level = made
        else:
            seen.words += 1
            seen.words_since += bool(_PLAIN_WORD.match(text))
    seen.tokens.append(made)


def _is_level(token: re.Match[str], seen: _Seen) -> bool:
    """Whether a level's word is one: none that begins a sentence (`Error creating ..`), in small letters none within one;
    without a time but before a client's words."""
    if seen.times:
        before = token.string[: token.start()].rstrip().rpartition(" ")[2]  # `Got error produce response`
        first = before if token[0].islower() else token[0]
        is_said = first.isalpha() and first.istitle() and _GOES_ON.match(token.string, token.end())
        return not is_said and (not token[0].islower() or seen.words_since <= 1)
    is_loud = token[0].isupper() and len(token[0]) > 1
    if seen.words or is_loud:
        return is_loud
    behind = token.string[token.end() :].lstrip(" ")
    return CONTEXT.match(behind) is not None or (
        token[0].endswith(":") and finder().find_start(behind, 0, None)
    )


def _ends_name(text: str, end: int, word: str) -> bool:
    """Whether a class name alone is a logger: what follows it is no sentence that it begins."""
    if word.endswith(":") or ":" in word:
        return True
    following = text[end : end + 80].removeprefix("()").lstrip(" ")
    return not following or not following[0].isalnum() or finder().find_start(text, end + 1, word)


def _take_group(made: _Token, text: str, seen: _Seen) -> None:
    inner = text[1:-1].strip()
    lead = _BEFORE_TIME.match(inner)
    at = lead.end() if lead and (lead[1] is None or ANY_LEVEL.match(lead[1])) else 0
    stamp = STAMP.match(inner, at)
    if stamp is not None:
        around = (inner[:at], inner[stamp.end() :])
        level = next(filter(ANY_LEVEL.match, re.split(r"[\s/:,|]+", " ".join(around))), None)
        begin = made.begin + 1 + (len(text[1:-1]) - len(text[1:-1].lstrip()))
        seen.times.append(_Token("time", begin + at, begin + stamp.end(), stamp[0]))
        if level is not None:
            seen.level = _Token("level", made.begin, made.end, level)
        parts = (part.split(level or "\n", 1) for part in around)
        made.inner = "<time>".join("<level>".join(_WORDS.sub("<any>", one) for one in part) for part in parts)
    elif ANY_LEVEL.match(inner):
        made.inner = "level"
        seen.level = _Token("level", made.begin, made.end, inner)
    elif (name := logger_of(inner.split(" ")[0])) is not None and (
        is_kafka_logger(name) or name.rpartition(".")[2][:1].isupper()
    ):
        made.inner = "logger"
        if seen.logger is None or is_kafka_logger(name):
            seen.logger = _Token("logger", made.begin, made.end, name)
    elif text[0] in "[({" and inner and not ("=" in inner and "|" not in inner):
        made.value, made.inner = inner, "thread"
        seen.groups.append(made)


def _of_pair(token: re.Match[str], seen: _Seen) -> str | None:
    """A field of logfmt. Gives the message, where it is that."""
    key, _, value = token[0].partition("=")
    if key.lower() not in LOGFMT["message"] or not value.startswith('"'):
        seen.tokens.append(_put_pair(token, seen))
        return None
    plain = value.strip('"')
    seen.tokens.append(_Token("pair", token.start(), token.end(), token[0], "message"))
    end = token.string.find("\n", token.end())
    for behind in _TOKEN.finditer(token.string, token.end(), end if end >= 0 else len(token.string)):
        if behind.lastgroup == "pair":
            _put_pair(behind, seen)
    return unescaped(f"{plain}\n{seen.thrown}" if seen.thrown and seen.thrown not in plain else plain)


def _put_pair(token: re.Match[str], seen: _Seen) -> _Token:
    """What a field tells beside the message."""
    made = _Token("pair", token.start(), token.end(), token[0])
    key, _, value = token[0].partition("=")
    key, plain = key.lower(), value.strip('"')
    if key in LOGFMT["level"] and ANY_LEVEL.match(plain):
        made.inner = "level"
        seen.level = _Token("level", made.begin, made.end, plain)
    elif key in LOGFMT["time"] and (stamp := STAMP.match(plain)):
        made.inner = "time"
        seen.times.append(_Token("time", made.begin, made.end, stamp[0]))
    elif key in LOGFMT["logger"] and (name := logger_of(plain)):
        made.inner = "logger"
        seen.logger = _Token("logger", made.begin, made.end, name)
    elif key in LOGFMT["thread"] and plain:
        made.inner, made.value = "thread", plain
        seen.groups.insert(0, made)
    elif is_thrown_text(plain):
        seen.thrown = seen.thrown or plain
    return made


def _quoted(text: str, stop: int, head: Head) -> None:
    """A message in quotes ends with them: a column of CSV, a field."""
    quote = text[stop - 1] if stop else ""
    if quote not in "\"'`" or stop >= len(text):
        return
    closing = re.compile(rf"(?<!\\){quote}(?!{quote})").search(text, stop)
    # One that is a word of a sentence holds no message, unless it begins as Kafka's does.
    is_word = quote == "`" and not head.is_anchored
    if closing is not None and not (is_word and re.match(r"[ \t]+\w", text[closing.end() :])):
        head.message = unescaped(text[stop : closing.start()].replace(quote * 2, quote))


def _may_stand_alone(text: str, stop: int, seen: _Seen, *, is_context: bool) -> bool:
    """A message without any head: where a line begins, but for what a paste puts there; not quoted by prose or code."""
    lead = text[:stop].rstrip()
    if lead.endswith(('"', "'", "`", "(", "=")) or stop >= len(text):
        return _is_labelled(text, lead, stop, is_context=is_context)
    words = [token for token in seen.tokens if token.kind == "word" and token.begin < stop]
    return len(words) <= (4 if is_context else 0)


def _is_labelled(text: str, lead: str, stop: int, *, is_context: bool) -> bool:
    """Whether a line is a label and a message in quotes, and nothing else; in those of a program it must say whose it is,
    and what a sentence has as code is one where it says so."""
    label, line = LABEL.fullmatch(lead), text[stop:].partition("\n")[0].rstrip(" \t.,;*_|")
    if lead.endswith("`") and (named := CONTEXT.match(text, stop)):
        return "`" in line and not text.startswith(("...", "…"), named.end())
    if label is None or not (is_context or label["quote"] == "`"):
        return False
    return line.find(label["quote"]) == len(line) - 1


def _is_within(seen: _Seen) -> bool:
    """Whether what may be a time is a number of a sentence, or a logger stands behind one."""
    first = next(iter(seen.times), seen.logger)
    at = first.begin if first else 0
    return sum(token.kind == "word" and token.begin < at for token in seen.tokens) > MOST_BEFORE


def _fill(head: Head, seen: _Seen, text: str) -> None:
    if seen.times:
        whole = [token for token in seen.times if is_whole_time(token.value)]
        sure = [token for token in whole if not _MAY_BE_NUMBER.match(token.value)]
        head.at = (sure or whole or seen.times)[-1].value
    head.level = normal_level(seen.level.value) if seen.level is not None else None
    head.logger = seen.logger.value if seen.logger is not None else None
    _put_thread(head, seen, text)


def _put_thread(head: Head, seen: _Seen, text: str) -> None:
    candidates = []
    first = seen.times[0].begin if seen.times else 0
    for token in seen.groups:
        if is_connects(token.value):
            head.context, token.inner = token.value, "context"
        elif token.begin < first or CORRELATION.match(token.value):
            token.inner = "any"
        else:
            candidates.append(token)
    thready = (token for token in candidates if THREADY.match(token.value))
    named = (token for token in candidates if token.value.strip(".0123456789"))
    chosen = candidates[-1] if candidates and seen.is_spring else next(chain(thready, named), None)
    chosen = chosen or _bare_thread(seen, text)
    for token in candidates:
        token.inner = "thread" if token is chosen else "any"
    head.thread = chosen.value if chosen is not None else None


def _bare_thread(seen: _Seen, text: str) -> _Token | None:
    """A thread without brackets: the words between time, level and logger."""
    known = sorted(token.begin for token in (*seen.times, seen.level, seen.logger) if token is not None)
    if len(known) < 2:
        return None
    words = [token for token in seen.tokens if token.kind == "word" and known[0] < token.begin < known[-1]]
    if not words or len(words) > 6 or not any(THREADY.match(token.value) for token in words):
        return None
    first, last = words[0], words[-1]
    value = text[first.begin : last.end].strip(" :,")
    if any(first.begin < begin < last.end for begin in known):
        value, last = first.value, first
    made = _Token("thread", first.begin, last.end, value)
    at = seen.tokens.index(first)
    seen.tokens[at : seen.tokens.index(last) + 1] = [made]
    return made


def _shape_of(text: str, seen: _Seen, stop: int) -> str:
    """The head's layout: what is a field as `<field>`, all else as it stands, runs of blanks as one."""
    parts: list[str] = []
    at = 0
    for token in seen.tokens:
        if token.begin > at:
            parts.append(text[at : token.begin])
        parts.append(_shape_of_token(token, text))
        at = token.end
    if at < stop and not any(token.inner == "message" for token in seen.tokens):
        parts.append(text[at:stop])
    shape = re.sub(r"\s+", " ", "".join(parts))
    return shape if "<message>" in shape else shape + "<message>"


def _shape_of_token(token: _Token, text: str) -> str:
    written = text[token.begin : token.end]
    if token.kind == "sep":
        return written
    if token.kind == "group":
        inner = "any" if token.inner == "thread" and not token.value else token.inner
        inner = inner if "<" in inner else f"<{inner}>"
        return f"{written[0]}{inner}{written[-1]}" if written[1:-1].strip() else written[0] + written[-1]
    if token.kind == "pair":
        quote = '"' if written.endswith('"') else ""
        return f"{written.partition('=')[0]}={quote}<{token.inner}>{quote}"
    if token.kind in ("time", "level", "logger", "thread"):
        suffix = ":" if token.kind in ("logger", "level") and written.endswith(":") else ""
        return f"<{token.kind}>{suffix}"
    return "<any>"
