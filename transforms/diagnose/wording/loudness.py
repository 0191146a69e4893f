"""How loudly a line speaks: by its level, an exception that it names, or words of failing."""

import re

from transforms.diagnose.wording.other_languages import FAILING as IN_OTHER_LANGUAGES
from transforms.parse.catalogue.exceptions import ERROR_NAME
from transforms.sieve import Sieved
from transforms.when_used import when_used

# How loudly a line speaks, loudest first: what is quoted of many lines is the first of these.
LOUDNESS = ("fatal", "error", "exception", "warn", "words")
LOUD = frozenset({"fatal", "error", "warn"})
_LEVELS = {
    "FATAL": "fatal", "FATA": "fatal", "ERRO": "error", "CRITICAL": "fatal", "EMERG": "fatal",
    "ALERT": "fatal", "PANIC": "fatal", "SEVERE": "error", "ERROR": "error", "ERR": "error", "WARN": "warn",
    "WARNING": "warn", "FAIL": "error", "CRIT": "fatal", "E": "error", "W": "warn",
    "F": "fatal", "40": "warn", "50": "error", "60": "fatal",
}  # fmt: skip
_HEAD = r"\W*(fatal|panic|error|warn(?:ing)?|fail|crit)\b\s*[:\]]"
_LEVEL = Sieved(
    # What a logger is set to is no level of the line: `Setting level of ROOT logger to WARN`.
    r"(?<![\w.-])(?<!logger to )(?<!level to )(?<!level set to )"
    r"(FATAL?|CRIT(?:ICAL)?|EMERG|ALERT|PANIC|SEVERE|ERROR?|ERR|WARN|WARNING)(?![\w.=-])"
    r"|(?i:\blevel\"?\s*[=:]>?\s*[\":]?(fatal|critical|panic|error|err|warn(?:ing)?)\b)"
    rf"|(?i:\A{_HEAD})|\[ ?(fatal|error|warn(?:ing)?)\][: ]|<(Fatal|Error|Warning)>"
    r"|\] \w+\.(ALERT|CRITICAL|ERROR|WARNING): "  # Monolog's, `production.ERROR: `
    # ClickHouse's; zap's console between tabs, Telegraf's, Tarantool's, numbers of pino and bunyan, Serilog's compact JSON
    r"|\t(fatal|panic|error|warn)\t|(?:^|\s)([EW])[!>] |\"level\": ?([456]0)\b|\"@l\": ?\"(Fatal|Error|Warning)\""
)
_AT_GLOG = r"\d{4}(?:\d\d)? \d\d:\d\d:\d\d"  # behind a letter, what Google's libraries begin a line with
_GLOG = when_used(rf"\s{{0,8}}([EFW]){_AT_GLOG}")
_SEVERITY = when_used(r"%([0-7])\|\d")  # syslog's numbers, as librdkafka writes them
_THROWN = Sieved(
    # A result of .NET's, of a success too, is none; nor is a class that a program speaks of.
    rf"\b(?!TopicPartition(?:Offset)?Error\b){ERROR_NAME}\b(?!(?:\.|::)class\b)|\bTraceback \(|\bKafkaError\b|\bpanic: "
    r"|\bpanicked at\b|\bjava\.lang\.(?:Exception|Error): "
    r"|\b(?:kafka\.errors\.[A-Z]\w+:|Kafka::[A-Z]\w+)"  # some of Python's have no such ending
)
# What a program catches, or says that it may throw: nobody threw it.
_DECLARED = when_used(
    r"(?<!\w)(?:catch ?\((?:final )?|(?:rescue|except|throws|import|instanceof|new) )"
    rf"(?:[\w.$]{{1,200}}(?:, ?| ?\| ?)){{0,6}}(?:\w{{1,80}}\.){{0,12}}{ERROR_NAME}\b(?!: )|-XX:[+\-]\w+Error\b"
)
# An error of one of the two sides: `consumer error Unknown error`.
ITS_ERROR = r"(?i:\b(?:consumer|producer|broker|connection|kafka) errors?\b(?! *[=:]? *(?:none|null|<?nil|0)\b)(?=:? \w))"
# How the REST proxy and the schema registry refuse a request: `{"error_code":40403,"message":".."}`.
ANSWERED = r"\"error_code\": ?[45]\d{4}\b"
# What is lost by it: `Skipping record due to null key`.
DROPPED = (
    r"(?i:\b(?:dropp|skipp|discard)ing (?:(?:the|an?|invalid|broken|malformed|bad|corrupt\w*|poison\w*|log) )?"
    r"(?:events?|messages?|records?)\b"
    r"|\b(?:data|events?|messages?|records?)\b[^\n]{0,60}? (?:has|have|was|were) (?:been )?"
    r"(?:lost|dropped|omitted|discarded)\b)"
)
# And what a warning says may be, or was put aside.
MAY_BE_LOST = (
    r"\b(?:data|events?|messages?|records?)\b[^\n]{0,60}? (?:may|might|will|could) (?:have been |be )"
    r"(?:lost|dropped|omitted|discarded)\b|\berrant records? (?:written|sent|reported)\b"
)
WERE_LOST = (
    r"\b(?:have|has|were|was) (?:been )?(?:dropped|discarded)\b|\bclosed unexpectedly\b"
    r"|\b(?:went down|(?:is|was|been|got|thread) stuck)\b"
)
# What a container's runtime says of its end; 130 and 143 are the codes of one that was told to stop.
ENDED = r"\bexited (?:with (?:exit )?code |\()(?!(?:0|130|143)\b)\d"
# What a shell, cmd.exe or the JVM itself says where no program was started, of which there is no log then.
OF_STARTS = (
    r"\bError response from daemon: |\brequest returned (?:\d+ )?[\w ]{3,40} for API route and version\b"
    r"|\.sh: line \d+: (?=[^\n]*: )|\b[Ii]nput line is too long\b|\bClasspath is empty\. Please build\b"
    r"|\bis not recognized as an internal or external\b|\binsufficient memory for the Java Runtime\b"
    r"|\bos::commit_memory\(0x|\b[Nn]ative memory allocation \(\w+\) failed\b"
    r"|\bCould not (?:create the Java Virtual|reserve enough space for)\b"
    r"|# +(?:SIG[A-Z]{3,4}|EXCEPTION_[A-Z_]{3,40}|Internal Error) \([^)\n]{1,200}\)(?:,| at) p(?:c=0x|id=)"
)
_WORDS = Sieved(
    r"(?i)\b(?:fail(?:ed|ure|s)?|time(?:d ?| )out|refused|unable|denied|unavailable|expired|lost|dead|run out of|no route"
    r"|unreachable|incompatible|could ?n.?t|can.?t|cannot|evicted|fenced|aborted|exceed(?:ed|s)|has waited for|not available"
    r"|no (?:answer|response)|not (?:answer|respond)(?:ed|ing)?|unresponsive|significantly longer|did not succeed"
    r"|bytes when serialized which is larger|invalid transition attempted"
    rf"|{DROPPED}|exhausted for \S+-\d+@\d+)\b"
    r"|(?<!\d[sm] )(?<!\dms )\btimeouts?\b(?!\W{0,3}\d)"
    rf"|{ITS_ERROR}|\bis out of range for partition\b|{ANSWERED}|{ENDED}|{OF_STARTS}"
    rf"|{IN_OTHER_LANGUAGES}|[a-z]_denied(?:\b|_)|\bfailed_to_[a-z]"
    r"|(?i:\berr(?:or)?: (?!none\b|null\b|<?nil\b|false\b|success\b|0\b))"
)
# What clients that print all at one level, or at none, say of a failure.
_FAILING = Sieved(
    # librdkafka's own names of errors: those of the protocol, and its own.
    _WORDS.text
    + r"|\b(?:Broker|Local): (?!Success|No more messages|No offset stored|Assign partitions|Revoke partitions)[A-Z]"
    r"|(?i:\berrors? \w+ing\b|\b(?:error|exception) (?:(?:has |was )?(?:occurr?ed|encountered|thrown) )?"
    r"(?:while|when|in|during|on|from)\b)"
    r"|\bSIG(?:SEGV|ABRT|BUS|FPE|ILL)\b|[Ss]egmentation fault|core dumped"
    rf"|{WERE_LOST}"
    r"|\bEOF\b|\b(?:is|are) down\b|\babandon(?:ed|ing)\b|\bgiv(?:ing|en|es) up\b|Connection closed$"
    r"|\bpartition count changed from [1-9]\d* to 0\b|(?i:\bcorruption detected|\bdegraded state\b)"
    rf"|(?i:{MAY_BE_LOST})"
    r"|(?<!\d[sm] )(?<!\dms )\b[tT]imeout\b(?!\W{0,3}\d|\w*[\"']?\s*[=:])"
)
# No line without one of these fails in words (RE2, on bytes: all lines at once).
MAY_FAIL = _FAILING.sieve
# What a line of any level names as its error: `err=(request timeout)`, `error="EOF"`.
_NAMES_ERROR = Sieved(
    r"(?<![\w.-])err(?:or)?\\?\"?\s*[=:]\s*\\?[\"'(]"
    r"(?!(?i:<?nil>?|none|null|false|success|no error|ok)\\?[\"')]|\\?[\"')])"
)
# What calls itself an error, at whatever level: `Error fetching data: EOF`.
AN_ERROR = Sieved(
    r"\b(?:Error|Exception|An (?:error|exception)) (?:(?:has |was )?(?:[oO]ccurr?ed|encountered|thrown) )?"
    r"(?:\w+ing|while|when|during|in|on) [^\n]{1,160}?: ?(?!(?i:none|null|<?nil|false|success)\b)[^\s*_]"  # no emphasis
)
_FAILINGS = r"(?:lost|fail(?:ed|ures?|s)?|errors?|exceptions?|timeouts?|expired|dead|aborted|evicted|refused|rejected)"
# What did not happen: `no partitions were lost`, `0 failed`, `failed=0`, `Errors: 0`.
_NONE = (
    rf"(?i)\b(?:no|without|zero|0) (?:\w+ ){{0,2}}?{_FAILINGS}\b|\bpreviously failed\b"
    rf"|\b{_FAILINGS}[\"']?\s{{0,3}}[=:]\s{{0,3}}0\b"
)
_COUNTED_NONE = when_used(_NONE)
# And names that have such a word in them, of topics, groups and hosts: `payment-failed-0`.
_NONE_OF = when_used(rf"{_NONE}|(?<![\w.-])[\w.]+(?:-[\w.]+)+")
# What Strimzi's operator says of pods that it may not restart, or that did not get ready, Redpanda of what it refuses, a
# broker's authorizer of what it denied, MongoDB's and MySQL's connectors of their ends, and ZooKeeper's client of what
# refused it: at INFO, and never louder. That the controller is the last to be restarted is the order of things.
_SAID_QUIETLY = Sieved(
    r"Could not (?:roll|restart|verify) pod .{1,200}?(?:, giving up after|due to (?!.{0,300}is currently the controller))"
    r"|\bPod \S+ (?:is currently not rollable|cannot be (?:rolled|updated) right now)"
    r"|\b(?:DENY|DENIED)\b[^\n]{0,60}\b(?:[Aa]uth|[Oo]peration|[Rr]equest)\b"
    r"|\bacl op: \w+, (?:principal: [^\n]{1,200}?, )?resource: "
    r"|[Rr]ejecting produce request: |Error while waiting for restarted pod|Pod is unschedulable or"
    r"|Unsupported version \d+ for [\w ]+ API|Unexpected request during authentication"
    r"|when trying to get the next item from the Change Stream|Resume of change stream was not possible"
    r"|[Cc]onnector (?:requires binlog file '[^'\n]{1,200}', but \w{1,40} only has|used GTIDs previously, but) "
    r"|[Cc]onnector last known GTIDs are [^\n]{1,900}, but \w{1,40} has |GTIDs needed to replicate have been already purged"
    r"|Socket error occurred: \S+/\S+:\d+: "  # ZooKeeper's client, of an address that refused it
    r"|Refusing session\S* request for client "  # its server, of one that has seen later changes
    r"|(?:will be|is already) under-replicated \(ISR=|Principal = \S+.{0,160} is Denied [Oo]peration = "
)
_QUIET = Sieved(
    r"(?:(?<![\w.-])|(?<=\|-))(?:INFO|DEBUG|TRACE|NOTICE)(?![\w.=-])"  # `|-INFO in`: Logback's, of itself
    rf"|\A\s{{0,8}}I{_AT_GLOG}"
    r"|(?i:\blevel\"?\s*[=:]\s*\"?(?:info|debug|trace)\b)"
)
# And as others write it, whose lines of failing words are not quiet for that.
_QUIET_OF_OTHERS = Sieved(
    r"\A(?:info|dbug|trce): "
    r"|(?:\A|\s)[ID][!>] |\] \w+\.(?:INFO|DEBUG|NOTICE): "  # Telegraf's, Tarantool's, Monolog's
    r"|(?i:\[ ?(?:info|debug|trace|notice)\]|<(?:information|debug|trace|notice)>|\t(?:info|debug|trace|notice)\t)"
)
_OF_NET = when_used(r"(?:info|dbug|trce|warn|fail|crit): [\w.+`]+\[\d+\]\s*$")
_OBJECT = when_used(r"\{\s*\\?[\"']")
# What stands before a record that an application shows, be it received or to be sent.
_PAYLOAD = when_used(
    r"(?i)(?!\W*\{)[^{\n]{0,400}?\b(?:received|consumed|consuming|got|read|sent|sending|produced|published|publishing|payload|value"
    r"|body|message|record|event)\b[^{}\n]{0,80}[:=>]\s*b?[\"']?(?=\{\s*\\?[\"'])"
)
DETAIL = Sieved(r"(?<![\w.-])(?:DEBUG|TRACE)(?![\w.=-])|(?i:\blevel\"?\s*[=:]\s*\"?(?:debug|trace)\b)|%7\|")


def loudness_of(text: str) -> str:
    """How loudly a line speaks: its level, else an exception, else words of failing; empty where it does not."""
    text = _without_payload(text)
    if level := _LEVEL.search(text):
        return _LEVELS[next(filter(None, level.groups())).upper()]
    if (glog := _GLOG.match(text)) is not None:
        return _LEVELS[glog[1]]
    severity = _SEVERITY.search(text)
    if severity and severity[1] <= "4":
        return {"3": "error", "4": "warn"}.get(severity[1], "fatal")
    is_quiet = _QUIET.search(text) is not None
    if is_quiet and DETAIL.search(text) is not None:
        return ""  # most lines of all that are asked
    if _SAID_QUIETLY.search(text) is not None and DETAIL.search(text) is None:
        return "words"
    if is_quiet:
        is_error = _NAMES_ERROR.search(text) is not None or AN_ERROR.search(text) is not None
        return "words" if is_error else ""
    if is_thrown(text):
        return "exception"
    fails = _WORDS.search(text) is not None and _WORDS.search(_COUNTED_NONE.sub("", text)) is not None
    return "words" if fails or AN_ERROR.search(text) is not None else ""


def is_thrown(text: str, thrown: re.Pattern[str] | Sieved = _THROWN) -> bool:
    """Whether a text names what was thrown. thrown: what is looked for."""
    return thrown.search(text) is not None and thrown.search(_DECLARED.sub("", text)) is not None


def fails_in_words(text: str) -> bool:
    """Whether a line says that something failed, whatever its level."""
    text = _without_payload(text)
    return _FAILING.search(text) is not None and _FAILING.search(_NONE_OF.sub("", text)) is not None


def _without_payload(text: str) -> str:
    """A line without the record that it shows, of which its producer is the author: `Received: {"status": "FAILED"}`."""
    found = _PAYLOAD.match(text) if _OBJECT.search(text) is not None else None
    return found[0] if found else text


def is_level_of_net(text: str) -> bool:
    """Whether a line is what .NET's console puts above each message, level and speaker: `info: Orders.Worker[0]`."""
    return _OF_NET.match(text) is not None


def says_quiet(text: str) -> bool:
    """Whether a line says by its own level that nothing is amiss."""
    return _QUIET.search(text) is not None or _QUIET_OF_OTHERS.search(text) is not None
