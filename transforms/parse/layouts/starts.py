"""Where records begin: patterns of a record's first line, and of lines that go on with the record before.

They take no lookarounds, so that all lines of a block are looked at at once.
"""

import re
from collections.abc import Sequence

from transforms.parse.lines.prefixes import CUT_CONTEXT
from transforms.parse.lines.templates import template_of
from transforms.parse.lines.timestamps import ANY_MONTH, BETWEEN, MONTH
from transforms.parse.lines.tokens import ESCAPES, LEVEL_WORDS
from transforms.when_used import when_used

_CODE = rf"(?:\x1b|\^\[|{ESCAPES})?\[[0-9;]"
COLOUR = rf"(?:{_CODE}{{0,20}}m){{0,4}}"
# What pastes, viewers and shells put before a line: never letters.
_DECORATION = r"[^\w\[(<{\n]{0,40}"
# A date with a time of day, looked for in whole columns (no lookarounds), at a line's beginning.
DATED_START = (
    r"(?:\d{4}[-/.]\d\d?[-/.]\d\d?|\d\d?[-/.]\d\d?[-/.]\d{2,4}|\d{8}"
    rf"|\d\d?[-/. ]{ANY_MONTH}[-/. ,]{{1,2}}\d{{2,4}}|(?:[MTWFS][a-z]{{2,8}},? )?{MONTH} {{1,2}}\d\d?(?:,? \d{{4}})?)"
    rf"{BETWEEN}\d\d?:?\d\d"
)
LEVEL = "|".join(LEVEL_WORDS)
# Clients in other languages: lines that are never part of a record before them.
_COMPOSE = r"(?:[\w.\-]{1,100} {0,40}\| {1,4})?"  # a container's name before each line
OTHER_CLIENTS = (
    r"[^\n]{0,200}?(?:%[0-7]\|[\d.]*\|?[A-Z]|\[thrd:|#(?:consumer|producer)-\d+[|\]])",  # librdkafka
    rf"{_COMPOSE}(?:(?:{LEVEL}):[\w.]+:|[A-Z]{{4}}\[\d{{4,9}}\] |[ \t]*kafka-node:)",  # Python; Go's logrus; npm's debug
    rf"{_COMPOSE}(?:\[\w+\] \d{{4}}/\d\d/\d\d |(?:info|dbug|trce|warn|fail|crit): [\w.+`]+\[\d+\])",  # Go, .NET
    rf"{_COMPOSE}(?:Unhandled [Ee]xception[.:] |panic: |thread '[^'\n]*' panicked |Error: Executing [a-z ]{{1,40}}command )",
)
_OF_LIBRDKAFKA = "<any>|<time>|<any>|<any>|"  # its own head: of one line, what follows is the application's
# Of a trace; and what messages of Streams go on with on lines of their own (InternalTopicManager, RecordCollectorImpl).
_BELOW = (
    r"Caused by: |Wrapped by: |Suppressed: |Error message was: |The broker is either slow or |Consider overwriting `"
    r"|Written offsets would not |Exception handler choose to |elected=(?:true|false)|re-joining group, reason:"
    r"|failed to join group[ \t\r]*(?:\n|$)|reason: ?:|connected to group coordinator "  # brod's, below the member
    r"|\[signal SIG|goroutine \d+ \[running\]|(?:panic|main\.\w+|github\.com/[^\s(]{1,99}[\w.()*]{0,99})\((?:\{?0x|\.\.\.)"
)
SIGNS = rf"at [\w.$/<>@]+\(|{_BELOW}|\.\.\. \d+ (?:more|common)"
ITEM = r"[ \t]+(?:\*[ \t]|- `|kafka-node:|\{\"[a-z@])"  # of a list, npm's debug, JSON: a line of its own
_EXCEPTION = r"[\w.$]{1,300}(?:Exception|Error)(?::|\s|$)"
_OF_CODE = r"[ \t]*[-*+] `{1,3}"  # a list's item, of which the code may be an exception: that goes on
ENTRY = r"(?:\t| {2,})[a-z][\w.\-]* = "
_JSON = r'(?:\xef\xbb\xbf)?[ \t]{0,8}`{0,3}\{ ?"'
# A JSON line among lines of text is a record only if it looks like a log line, not like a printed document.
_JSON_AMONG_TEXT = (
    r'[ \t]{0,8}\{ ?"(?:@timestamp|@version|timestamp|timeMillis|instant|time|ts|level|log\.level|severity|message'
    r"|logger|logger_name|loggerName|thread|resourceLogs|sequence|sequenceNumber|source_host|host|version|log"
    r'|ecs\.version)"'
)
GOES_ON = when_used(rf"(?:\s|\\t)*(?:{SIGNS})|{ENTRY}|\s*{_EXCEPTION}")


def _shows_begins(layout: str, templates: Sequence[tuple[str, str]]) -> bool:
    """Whether some lines of such a source show that they begin a record: by a time, a level, or as JSON."""
    if layout == "plain" or layout.startswith(_OF_LIBRDKAFKA):
        return False
    shapes = [layout, *(shape for shape, _ in templates)]
    return "<message>" not in layout or any("<time>" in shape or "<level>" in shape for shape in shapes)


def starts_of(
    layout: str,
    templates: Sequence[tuple[str, str]],
    prefix: str,
    *,
    is_pretty: bool = False,
    is_apart: bool = False,
) -> tuple[str, str | None]:
    """Patterns of a record's first line, and of what of these goes on with the record before.

    is_pretty: of JSON that goes over several lines. is_apart: heads stand on lines of their own, messages below.
    """
    if is_pretty:
        return rf"{prefix}[ \t]{{0,4}}\[?\{{[ \t]*\r?(?:\n|$)", None
    # Where it holds words, a line behind it may look like a record's first one only because of it.
    lead = f"(?:{prefix})" + ("" if re.search(r"\w", re.sub(r"\\.", "", prefix)) else "?") if prefix else ""
    # A time alone on its line, which a collector or a viewer put above one that has its own, begins no record either.
    behind_time = rf"[ \t]+(?:{SIGNS})" + ("" if is_apart else r"|[ \t\r]*(?:\n|$)")
    dated = rf"\W{{0,8}}{DATED_START}[\d:.,Z+\-]{{0,24}}\]?(?:{behind_time})"
    goes_on = rf"{lead}(?:{_DECORATION}(?:{SIGNS})|{dated}|{ENTRY}|{_OF_CODE}{_EXCEPTION})"
    general = [
        rf"{_DECORATION}{COLOUR}\W{{0,3}}(?:{DATED_START}|\d\d?:\d\d:\d\d[\d.,]{{0,10}} {_CODE}{{1,20}}m)",
        rf"{COLOUR}\W{{0,8}}(?:{LEVEL}|[A-Z],)\W{{1,4}}{DATED_START}",  # Ruby's `E, [2026-01-05T..`
        *OTHER_CLIENTS,
        r"[ \t]*`{3}|\x00",  # where a page's own text begins, or ends; behind a hole of zeros
        _JSON if layout == "json" else _JSON_AMONG_TEXT,
    ]
    if not _shows_begins(layout, templates):
        whole = re.sub(r" \{0,(\d+)\}$", r" {\1}", prefix)  # whose blanks indent nothing
        return (
            rf"{lead}{COLOUR}(?:[^\s\v\x00]|{ITEM})",
            rf"{whole}(?:[ \t]+(?:[^\s*\-k{{]|\{{(?:[^\"]|\"[^a-z@])|k(?:[^a]|a[^f])|\*\S|-(?:[^ ]| [^`]))"
            rf"|\s*$|\s*\n|[}}\])]|\([a-z]|at |{_BELOW}|[\[(]?\.\.\.[\])]?(?: \d|\s*$|\s*\n)|{_EXCEPTION})",
        )
    if layout != "json" and not is_apart:
        general.append(rf"{COLOUR}(?:{LEVEL}) {{1,3}}(?:\[|--- |[a-z]\w*(?:\.\w+)+)")
        general.append(r"[^\n]{0,200}?\[[A-Z]\w+ (?:clientId|instanceId|id|nodeId|brokerId)=")
        general += [CUT_CONTEXT, rf"{_OF_CODE}[^`\s]"]
        general.append(r"(?:[^\w\s]\W{0,3})?(?:\w{2,13}:? {1,3})?(?:global-)?stream-(?:thread|client) \[")
    shapes = [
        COLOUR + re.sub(r"\(\?P<\w+>", "(?:", template_of(*one).regex.pattern)
        for one in templates
        if not one[0].startswith("<message>") and ("<time>" in one[0] or "<level>" in one[0])
    ]
    return lead + "(?:" + "|".join((*general, *shapes)) + ")", goes_on
