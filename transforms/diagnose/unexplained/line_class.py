"""What a line is by what it says: the class of its trouble, whoever wrote it, or that it is normal."""

import re
from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache

from transforms.diagnose.unexplained.line_words import codes_in, is_servers, logger_in, names_thrown, said_in
from transforms.diagnose.unexplained.raw_line import RawLine
from transforms.diagnose.unexplained.traces import is_exception, is_thrown_elsewhere, was_raised
from transforms.diagnose.wording.catalogue import (
    OTHER,
    PROGRAM_ENDED,
    SAID_AT_ERROR,
    SAID_TO_FAIL,
    Said,
    TroubleClass,
    class_of,
    class_of_kind,
)
from transforms.diagnose.wording.kafkas_words import OWN_PACKAGES, SPEAKER
from transforms.diagnose.wording.loudness import (
    AN_ERROR,
    ANSWERED,
    DROPPED,
    ITS_ERROR,
    MAY_BE_LOST,
    WERE_LOST,
)
from transforms.diagnose.wording.other_languages import FAILING as IN_OTHER_LANGUAGES
from transforms.parse.catalogue.exceptions import chain_of
from transforms.parse.events.fields import UNCAUGHT
from transforms.parse.lines.timestamps import STAMP
from transforms.when_used import when_used

_CODE = when_used(r"\b[A-Z][A-Z]+(?:_[A-Z]+)+\b")
# What has no level, or a quiet one, and calls itself an error, or says that a program or a part of it ends by its failure.
_ENDS = when_used(
    r"\b[Ff]ailed to (?:start|initiali[sz]e)\b|, exiting\b|\b[Ee]xiting (?:due|because|after|with) |\bcrashed\b"
    rf"|{AN_ERROR.text}|\bpanicked at\b|{ANSWERED}"
    r"|\b[Uu]n(?:caught|handled) (?:\w+ ){0,2}(?:[Ee]xception|[Ee]rror|[Rr]ejection)\b"
)
# That something that is done with Kafka failed, at whatever level it is said.
_DOING = (
    r"(?:re)?connect\w*|establish\w*|dial\w*|reach|resolv\w+|auth\w*|log ?in|handshake|sen[dt]\w*|publish\w*|produc\w+"
    r"|deliver\w*|writ\w+|flush\w*|commit\w*|fetch\w*|consum\w+|read\w*|receiv\w+|poll\w*|subscri\w+|join\w*|rebalanc\w+|assign\w*"
    r"|start\w*|initiali[sz]\w+|creat\w+|open\w*|load\w*|list\w*|describ\w+|delet\w+|register\w*|request\w*|quer\w+"
    r"|retriev\w+|call\w*|repl(?:y|ies)|get\w*|set|find|update|refresh\w*|validat\w+|pars\w+|process\w*|push\w*|drain\w*"
    r"|acquir\w+|(?:en|de)cod\w+|(?:de)?seriali[sz]\w+"
)
_UNDONE_SAYS = (
    r"(?i)\b(?:failed|failure|fails|unable|could ?n.?t|could not|can.?t|cannot|errors?|exceptions?)"
    rf"(?: (?:to|while|when|in|during|on|from|trying|the|an?|has|was|occurr?ed|encountered|thrown))*"
    rf"[ :]{{0,3}}(?:\b(?:{_DOING})\b)"
    rf"|\b(?:{_DOING}) (?:[^\n]{{0,60}} )?"
    r"(?:failed|refused|timed out|denied|rejected|aborted|unreachable|reset by peer|expired)\b"
    rf"|{DROPPED}"
    # whatever it was, of a part of a program that is Kafka's by its name: `omkafka[orders]: could not persist ..`
    r"|kafka(?:\[[^\]\n]{1,80}\])?: (?:(?:failed|unable) to|could(?: not|n.?t)|error (?=\w+ing )|\w+\(\) (?=failed)) ?\w{3}"
    rf"|{WERE_LOST}|\btransport error\b|\bnot allowed in\b"
    # systemd of a unit
    r"|\bentered failed state\b|\.service(?:: main process exited|:? failed)\b"
    r"|\*\*\* (?:ABORTED|FAILED) \*\*\*"  # ScalaTest of a suite, of a test
    rf"|{ITS_ERROR}|{IN_OTHER_LANGUAGES}"
)
_UNDONE = when_used(_UNDONE_SAYS)
# And that anything did, where a client says so at WARN; a line of others may have Kafka's name in that of an application.
_UNDONE_BY_CLIENT = when_used(
    rf"{_UNDONE_SAYS}|\b(?:(?:failed|unable|not able) to|could(?: not|n't)(?: be)?) [a-z]{{3,}}"
    rf"|\b(?:{_DOING}|auth\w+) (?:failure|error)\b|\berrors? (?:\w+ing|in [a-z]\w+)\b"
    rf"|\bcorruption detected|\bdegraded state\b|{MAY_BE_LOST}"
    r"|\b(?:error|exception|failure) (?:(?:has |was )?(?:occurr?ed|encountered|thrown|caught) )?(?:while|when|during) \w"
    r"|\b(?:caught|got|received|encounter(?:ed)?|threw|unexpected) (?:an? )?(?:\w+ )?(?:error|exception)\b"
)
# And what a line says of the exception that stands below it, but for what its program closes, or goes on without.
_OF_THROWN = when_used(r"(?i)\b(?:errors?|exceptions?|fail(?:ed|ure|s|ing)?|unable|cannot|can.t)\b")
_GOES_ON = when_used(
    r"(?i)\b(?:clos(?:e|ing)|shut(?:ting)? ?down|stop(?:ping)?|ignor\w+|without|default\w*|instead|fall(?:s|ing)? ?back"
    r"|re-?tr(?:y|ies|ied|ying)|re-?attempt\w*)\b"
)
# And of what it could not find out, and takes its default for.
_BY_DEFAULT = when_used(
    r"(?i)\b(?:us(?:e|es|ing)|set(?:ting)?(?: it)? to|defaults?(?:ing)? to) (?:the |a |its )?default\b"
)
# As Node prints an error that a program was given; as a program of Rust's prints the one by which it ends.
_INSPECTED = when_used(r"\{ \[\w*Error: |\bpanicked at |\AError: ")
# What a line says that there may be, with what to do then: nobody has said so.
_MAY_BE = when_used(r"\b[Ii]f there (?:is|are) [^.\n]{0,300}")


def class_of_line(line: RawLine) -> TroubleClass | None:
    """What a line is by what it says, wherever and whenever it does."""
    said = (_MAY_BE.sub("", one) for one in (line.text, line.record))
    text, record = (STAMP.sub(undated, one, count=1) for one in said)
    return _class_of(replace(line, source="", line=0, text=text, record=record))


@lru_cache(maxsize=4096)  # each line is asked for what is normal, and again for what it tells
def _class_of(line: RawLine) -> TroubleClass | None:
    said = said_in(line)
    names = names_thrown(said)
    errors = (*line.errors, *reversed(names), *_CODE.findall(line.text), *codes_in(line.text))
    words = "\n".join([said, *line.errors])
    is_error = line.loudness in ("fatal", "error") or (
        line.loudness == "words" and _ENDS.search(line.text) is not None
    )
    logger = logger_in(line.text)
    of = class_of(
        Said(
            words,
            tuple(dict.fromkeys(errors)),
            "",
            "",
            is_error=is_error,
            logger=logger,
            is_server=is_servers(line.text, logger),
            is_carried=len(set(names)) > 1 or "Caused by: " in line.text or is_thrown_elsewhere(line.record),
            is_uncaught=UNCAUGHT.match(line.whole) is not None,
        )
    )
    if line.ended and of.kind in (OTHER, SAID_TO_FAIL):
        of = class_of_kind(PROGRAM_ENDED)
    elif of.kind == OTHER:
        of = _by_itself(line, of, has_name=bool(names), is_error=is_error)
    is_tried_again = not is_error or (of.fault == "metadata" and _may_be_clients(line))
    was_thrown = _was_thrown(line) or _INSPECTED.search(line.text) is not None or is_exception(line.text)
    is_over = of.heals and is_tried_again and not line.errors and not was_thrown
    return None if of.kind == OTHER or (is_over and of.verdict != "benign") else of


def without_normal(lines: Iterable[RawLine]) -> list[RawLine]:
    """The lines but those that are always normal by what they say."""
    return [line for line in lines if (of := class_of_line(line)) is None or of.verdict != "benign"]


def undated(stamp: re.Match[str]) -> str:
    """A time with zeros for its digits."""
    return re.sub(r"\d", "0", stamp[0])


def _was_thrown(line: RawLine) -> bool:
    """Whether an exception stands below it."""
    return bool(chain_of(line.record)) or was_raised(line.record)


def _may_be_clients(line: RawLine) -> bool:
    """Clients say at ERROR, too, that a leader is elected; an application that says what it could not do has failed."""
    return line.client is not None or "org.apache.kafka" in line.text or _UNDONE.search(line.text) is None


def _by_itself(line: RawLine, of: TroubleClass, *, has_name: bool, is_error: bool) -> TroubleClass:
    """The class of a line that nothing is known of: what failed by its own words, or by an exception, or its level alone."""
    if line.loudness == "exception" and has_name:
        return class_of_kind(SAID_TO_FAIL)
    if line.is_doubtful:
        return of
    if _is_undone(line):
        return class_of_kind(SAID_TO_FAIL)
    return class_of_kind(SAID_AT_ERROR) if is_error else of


def _is_undone(line: RawLine) -> bool:
    """Whether a line says that something failed: that something which is done with Kafka did, whoever says it; anything, of
    a client's warning, of one by Kafka's own code, or by what is made for it alone."""
    text = line.text
    if line.loudness == "warn" and line.client is None and _BY_DEFAULT.search(text) is not None:
        return False
    if _UNDONE.search(text) is not None:
        return True
    speaks = (
        line.client is not None or SPEAKER.search(text) is not None or OWN_PACKAGES.search(text) is not None
    )
    if line.loudness != "warn" or not speaks:
        return False
    if _UNDONE_BY_CLIENT.search(text) is not None and (line.client or _GOES_ON.search(text) is None):
        return True
    return _was_thrown(line) and _OF_THROWN.search(text) is not None and _GOES_ON.search(text) is None
