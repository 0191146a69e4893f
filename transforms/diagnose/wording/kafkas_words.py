"""What speaks of Kafka, whoever writes it: its packages, errors, things, and those of what is made for it alone."""

import re

from transforms.diagnose.wording.loudness import ANSWERED, OF_STARTS
from transforms.diagnose.wording.other_languages import LINE_TOO_LONG
from transforms.parse.catalogue.errors import EARLIER_NAMES, ITS_OWN, NAMES, TEXTS
from transforms.sieve import Sieved
from transforms.when_used import when_used

# Of loggers in these packages a warning is about Kafka, or what is made for it alone, whatever it says.
OWN_PACKAGES = when_used(
    r"org\.apache\.kafka|\borg\.apache\.zookeeper\.server\.|\bcom\.linkedin\.kafka\.cruisecontrol\."
    r"|(?<![\w./-])kafka\.(?:server|log|cluster|controller|coordinator|network|raft|zk|zookeeper)\.[\w.$]*[A-Z]"
)
# What a worker puts before each line of a connector's task, of whatever library (KIP-449), and that task's thread.
OF_TASK = r"\[(?:[\w.\-]{1,200}\|(?:task-\d+|worker)(?:\|offsets)?|task-thread-[\w.\-]{1,200})\]"
# Of Reactor's, and Camel's, part for Kafka, shortened.
_OF_FRAMEWORKS = r"\br\.k\.[rs](?:eceiver|ender)?\.|\bo\.a\.c\.c(?:omponent)?\.k(?:afka)?\."
# Connectors say at WARN what their own tries came to; so does a class that is named after Kafka, or is in a package of that
# name, behind the level.
SPEAKER = when_used(
    rf"\bio\.(?:debezium|confluent)\.|{_OF_FRAMEWORKS}|{OF_TASK}|\bSRMSG18\d{{3}}\b|\barroyo\.processing\."
    r"|\bW! \[(?:in|out)puts\.kafka\w*(?:::[^\]\n]{1,80})?\] "
    r"|\bWARN(?:ING)?\]? +(?:\[\w{0,40}Kafka\w+\]|(?:[A-Z]\w{0,40})?Kafka[A-Z]\w*: )"
    r"|\bWARN(?:ING)?\]? +(?:(?:\d+ )?--- )?(?:\[[^\]\n]{1,80}\] ){0,2}\[?\.?"
    r"(?:[a-z]\w*\.){1,10}(?:(?<=[.\s\[]kafka\.)(?:\w+\.){0,8}\w+|\w*[kK]afka\w*)(?::\d+)?\]?"
    r"(?: \[[^\]\n]{1,80}\])?(?: ?[-:]| )"
    # That class where it stands last, as in Kafka's own layout, or in braces; a message that calls itself Kafka's.
    r"|\A[^\n]{0,80}?\bWARN(?:ING)?\b[^\n]{0,2000}?[({](?:[a-z]\w{0,80}\.){1,10}"
    r"(?:(?<=[.({]kafka\.)(?:\w{1,80}\.){0,8}\w{1,80}|\w{0,80}[kK]afka\w{0,80})(?:\)\s*$|\} - )"
    r"|(?<=[\s\"])\[[kK]afka\] (?=\w)"
)
# An application that prints an exception of Kafka's at INFO speaks of trouble; JRuby names classes in its own way.
OF_KAFKA = Sieved(
    r"\borg\.apache\.kafka\.[\w.$]*(?:Exception|Error)\b|\bOrgApacheKafka\w*::\w+(?:Exception|Error)\b"
)
_ITS_NAMES = [name.lower() for name in (*NAMES.values(), *EARLIER_NAMES) if ITS_OWN.search(name)]
_ITS_CODES = rf"\b(?:{'|'.join(_ITS_NAMES).replace('_', '[_ ]')})\b"
# And its exceptions without their package, as tools and documents quote them.
_ITS_CLASSES = [
    name.removesuffix("_failed").removesuffix("_exception").replace("_", "") for name in _ITS_NAMES
]
_ITS_EXCEPTIONS = rf"\b(?:corruptrecord|{'|'.join(_ITS_CLASSES)})exception\b"
# Names that are Kafka's, or of what is made for it.
_NAMES = (
    r"(?i)kafka|\bio\.(?:confluent|debezium|kafbat|strimzi)\.|\bi\.debezium\.|\bi\.c\.k\.|\bSRMSG18\d{3}\b"
    r"|\[(?:consumer|producer|adminclient|shareconsumer|worker) (?:clientid|instanceid)="
    r"|\bstream-(?:thread|client|task) \[|essagelistenercontainer\$listenerc"
    r"|(?:consumer|abstract|group|worker)coordinator\b|(?:^|[^.(]|[^t]\.)\bnetworkclient\b|\(networkclient[:)]"
    r"|\brecord\(s\) for |ommit cannot be completed"
    rf"|{OF_TASK.lower()}|{_OF_FRAMEWORKS}"
    r"|\bo\.s\.k\.[a-z]|\bexhausted for \S+-\d+@\d"  # Spring's part for Kafka, shortened; one of its records
    r"|\bmissingtopicsfatal\b|\bauthexceptionretryinterval\b|\bdb[ -]history topic\b"  # Spring's, Debezium's
    r"|\barroyo\.(?:processing|backends|dlq|errors)\b"  # Sentry's library over librdkafka
    r"|\bksql|\bcommand topic\b|did not make progress within|not present in metadata"
    rf"|max\.(?:poll|request)\.|offsetrange\(topic|{_ITS_EXCEPTIONS}"
    r"|\btransactional[._ ]?id\b|\bgroup\.instance\.id\b|\btopic \S+ is not authorized"
    r"|\b__(?:consumer_offsets|transaction_state)\b"
    r"|\bpartition\.assignment\.strategy\b|\bschema[ ._-]?registry|\bregister subject\b"
    r"|\bplt_kfk_|\bth(?:is|at) topic-partition\b|\bnot the correct coordinator\b"
    r"|\[shard +\d+:\w+\] [\w/\-]+ - "
    rf"|\bproduce request\b|\boffsetandmetadata\{{|{ANSWERED}|\bcannot list splits for table\b|\btopic \S+,? partition \d"
    # ZooKeeper's servers; of its client whoever has one speaks
    r"|\borg\.apache\.zookeeper\.(?:server\.|common\.x509exception)|\bo\.a\.z\.s\.|\bnioserver(?:cnxn|cxn)|\bquorum(?:cnxmanager|peer(?:main|config)?)\b|\[myid:\d*\]"
)
NAMES_KAFKA = Sieved(_NAMES)
# And what others say, too: it is about Kafka only where something in its log names Kafka.
KAFKA = Sieved(
    rf"{_NAMES}|{_ITS_CODES}|{'|'.join(re.escape(text) for texts in TEXTS.values() for text in texts)}"
    r"|\bbootstrap[ .]?(?:server|broker)|\bbrokers?\b|\bconsumer[ -]group|\bpartition \S+-\d"
    r"|\btopic[- /]?partition|\b(?:group|find) coordinator|\bcontroller quorum\b"
    r"|\bzookeeper service, session\b|\bsession (?:0x\w+ for se|establishment complete)"
    r"|\bfuture isn't success\. |\bsocket error occurred: \S+/\S+:\d+: |\bhave not heard from server in \d"
    # What the serializers of a schema registry's clients say.
    r"|\berror (?:retrieving|registering|(?:de)?serializing) (?:avro|json|protobuf) (?:(?:key|value) )?(?:schema|message)\b"
    rf"|{OF_STARTS}|{LINE_TOO_LONG}"  # of a start script of Kafka's
    r"|\bwith sasl mechanism\b"
    r"|\bkeytool error\b|\bcertificate has expired getting chain\b"
    r"|offset ?commit|commit(?:ting|ted)? offset|\bproducer record\b|\bpoll timeout\b|\bpoll\(\)|\bheartbeat\b|\brebalanc"
)
# What a loud line says of Kafka's things without its name: clients that are not Java's have no logger that would name it.
ITS_THINGS = when_used(
    r"(?i)(?<![a-z])(?:(?:consum|produc)(?:er|ing"
    r"|e(?= (?:(?:a|an|the) )?(?:message|record|event|batch|from|to)))"  # `plants produce oxygen` is of no client
    r"|topic|partition|offset|auto-?commit|(?:join|sync) group)s?(?![a-z])"
)
# Names of classes, metrics, hosts, releases; a word with one number behind it is an instance of something: `kafka.0`.
# So is a connector's task. From what stands before a word on: tried from within each, a long one would take the square of
# its length.
DOTTED = when_used(
    rf"(^|[^\w$-])(?:{OF_TASK}|[\w$-]+(?:\.\d+)*\.\d*[A-Za-z_$-][\w$-]*(?:\.[\w$-]+)*|[\w$-]+(?:\.\d+){{2,}})"
)
BEFORE_IT = r"\1"
# A tool of Kafka's as somebody called it: what stands right below is what it printed.
_CALLED = when_used(
    r"(?:^|[$#>] ?|\bexec .{1,200} )(?:[\w.~:-]*[/\\])*(?:kafka|zookeeper|connect)(?:-[a-z]+)+(?:\.\w+)? "
)
# What java.util.logging prints above each message.
_LOGGED_BY_KAFKAS = when_used(
    r"^[A-Z][a-z]{2} \d{1,2}, \d{4} \d{1,2}:\d\d:\d\d [AP]M [\w.$]{0,200}[kK]afka[\w.$]{0,200} \S+\s*$"
)
# Of a class of Java's that is not Kafka's: a registry of services, a broker of another kind; of Cassandra's driver.
_ANOTHERS_HEARTBEAT = when_used(
    r"(?i)((?:\b[a-z]\w*\.){2,10}[a-z]\w*\b[^\n]*?)\bheartbeats?\b|\bheartbeat failed for connection \(\d+\)"
)


def about_by_what_stands_above(above: str) -> str:
    """How a line is about Kafka by the one right above it: `plainly` where that called a tool of Kafka's, only `by a name`
    where it names the class that says it; empty where it is not."""
    if _CALLED.search(above) is not None:
        return "plainly"
    return "by a name" if _LOGGED_BY_KAFKAS.search(above) is not None else ""


def names_kafkas_heartbeat(text: str) -> bool:
    """Whether a text of a heartbeat is about Kafka.

    text: the exception that stands below the line, if any, then the line.
    """
    return KAFKA.search(_ANOTHERS_HEARTBEAT.sub(r"\1", text)) is not None
