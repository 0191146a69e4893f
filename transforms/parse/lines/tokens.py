"""Words of a record's head that are known by their own looks: levels, loggers, groups in brackets; and what a head tells."""

from dataclasses import dataclass
from functools import lru_cache

from transforms.parse.catalogue.anchors import is_kafka_logger
from transforms.parse.lines.timestamps import EPOCH
from transforms.when_used import when_used

NAME = r"[A-Za-z_$.][\w.$\-/]{0,300}"
_IN_ENGLISH = (
    "TRACE", "DEBUG", "INFO", "WARNING", "WARN", "ERROR", "FATAL", "SEVERE", "CONFIG", "FINEST", "FINER", "FINE", "CRITICAL",
    "NOTICE", "INFORMATION",
)  # fmt: skip
# As java.util.logging says them in other languages, and log viewers.
_TRANSLATED = {
    "INFO": "INFORMACIÓN INFORMAZIONI INFORMAÇÕES INFOS 情報 信息 資訊 정보",
    "WARN": "WARNUNG AVERTISSEMENT ADVERTENCIA AVVERTENZA ADVERTÊNCIA AVISO 警告 경고",
    "ERROR": "SCHWERWIEGEND FEHLER GRAVE ERREUR ERRORE 重大 エラー 严重 嚴重 错误 錯誤 심각 오류",
}
_OF_OTHERS = {word: level for level, words in _TRANSLATED.items() for word in words.split()}
LEVEL_WORDS = (*_IN_ENGLISH, *_OF_OTHERS)
LEVELS = _OF_OTHERS | {
    "WARNING": "WARN", "SEVERE": "ERROR", "CRITICAL": "FATAL", "CONFIG": "INFO", "FINE": "DEBUG", "FINER": "TRACE",
    "FINEST": "TRACE", "ALL": "TRACE", "INFORMATION": "INFO", "ERR": "ERROR", "NOTICE": "INFO",
    "VRB": "TRACE", "DBG": "DEBUG", "INF": "INFO", "WRN": "WARN", "FTL": "FATAL",
    "D": "DEBUG", "I": "INFO", "W": "WARN", "E": "ERROR", "F": "FATAL",
}  # fmt: skip
USUAL_LEVELS = frozenset(("TRACE", "DEBUG", "INFO", "WARN", "ERROR", "FATAL"))
# Colour codes; a paste, a viewer or a shipper shows the escape before them in a way of its own, or leaves it out. And the
# key that ended a program, as a terminal shows it.
ESCAPES = r"\\{1,2}(?:u001[bB]|x1[bB]|0?33|e)|#033" "|\u2190|\u241b|\ufffd"
ANSI = when_used(
    rf"(?:\x1b|\^\[)\[[0-9;]*[A-Za-z]|\^C(?=[\d\[])|(?:{ESCAPES})?\[\d{{1,3}}(?:;\d{{1,3}})*m(?!\])|(?:{ESCAPES})\[m(?=\s)"
)
# What sets colours back: where none of these stands, no code does.
RESETS = ("\x1b", "^[[", "^C", "[0m", "[0;", "[39m", "[00m", "[m ")

LEVEL = rf"(?:{'|'.join(LEVEL_WORDS)}|ALL|OFF)"
# In brackets, between bars or behind `level=` they come in small letters, too, and shortened.
ANY_LEVEL = when_used(
    rf"(?:{LEVEL}|{LEVEL.lower()}|{'|'.join(map(str.title, _OF_OTHERS))}|err|[Ww]arn(?:ing)?|[Ii]nfo(?:rmation)?|[Ee]rror"
    r"|[Dd]ebug|VRB|DBG|INF|WRN|ERR|FTL|[DIWEF]!?)$"
)
THREADY = when_used(
    r"main$|.*[Tt]hread|pool-|.*-\d+$|.*-C-\d|.*exec|kafka-(?!node:)|.*[Ww]orker|.*executor|.*scheduler|.*-StateUpdater"
)
_CONNECT_CONTEXT = r"[^\]\n=|]*\|(?:task-\d+|worker)[^\]\n]*"
_OF_CONNECT = when_used(rf"(?!kafka-){_CONNECT_CONTEXT}$")
CONNECT_CONTEXT_BEGINS = when_used(rf"\[{_CONNECT_CONTEXT}\]")
CORRELATION = when_used(r"(?:(?i:[\da-f]{8,32}[,-][\da-f]{8,32})|\W*|null|Producer|Consumer|AdminClient)$")
GROUP = (
    r"\[(?:[^\[\]\n]|\[[^\[\]\n]*\]){0,400}\]|\((?!\*[A-Z])(?:[^()\n]|\([^()\n]*\)){0,400}\)(?![a-z])"  # not Go's (*Conn)
    r"|\{(?:[^{}\n]|\{[^{}\n]*\}){0,400}\}|<[^<>\n]{0,400}>"
)
_LOGGER = when_used(
    rf"(?P<name>{NAME}?)(?:[.:#][a-z_<][\w$<>]*:\d+|:\d+|[.#:][\w$<>]+\(\)|\(\w+\.(?:java|scala|kt):\d+\)|\.(?:java|scala):\d+)?:?$"
)
_METHOD = when_used(r"((?:[\w$]+\.)*[A-Z][\w$]*)\.[a-z]\w*:?$")
_PATH_OF_LOGGER = when_used(r"(?:[A-Za-z_$][\w$\-]*)?(?:\.[\w$\-/]+)+$")


def is_whole_time(at: str) -> bool:
    """Whether a time has its date, or is an epoch's."""
    return len(at) > 15 or EPOCH.match(at) is not None


def is_connects(held: str) -> bool:
    """Whether what brackets hold is the context of a line of Connect (KIP-449)."""
    return _OF_CONNECT.match(held) is not None


@dataclass(slots=True)
class Head:
    """What a record says beside its message. at: the time as written. shape: as a layout has it
    (transforms.parse.layouts.layout)."""

    at: str | None = None
    level: str | None = None
    logger: str | None = None
    thread: str | None = None
    message: str = ""
    context: str | None = None
    is_anchored: bool = False
    shape: str = ""


def normal_level(level: str | None) -> str | None:
    """log4j's word for a level: TRACE, DEBUG, INFO, WARN, ERROR or FATAL."""
    if level is None or level in USUAL_LEVELS:
        return level
    upper = level.strip().rstrip("!").upper()
    return LEVELS.get(upper, upper)


@lru_cache(maxsize=8192)
def logger_of(word: str) -> str | None:
    """The logger that a word is; None where it can't be one."""
    method = _METHOD.match(word)  # java.util.logging and Tomcat name it behind the class
    found = _LOGGER.match(method[1] if method else word.rstrip(",;"))
    if found is None:
        return None
    name = found["name"].rstrip(".")
    if name.endswith(("Exception", "Error")):  # it is thrown, and begins what is said
        return None
    if is_kafka_logger(name):
        return name
    parts = name.split(".")
    is_path = len(parts) > 1 and _PATH_OF_LOGGER.match(name) is not None and "/" not in name
    is_class = parts[-1][:1].isupper() or (len(parts) > 2 and not parts[-1].isdecimal())
    return name if is_path and is_class and not word.endswith((".java", ".log", ".sh")) else None
