"""What lines of trouble name, as fields for the sentences of troubles.yaml."""

from collections.abc import Iterator, Mapping, Sequence

from transforms.diagnose.incident import limit_of
from transforms.diagnose.troubles.trouble import ENDED, HEALS_WITHIN_MS, Trouble
from transforms.diagnose.troubles.trouble_places import address_of, number_of, places_of, topic_of, who_of
from transforms.diagnose.wording.catalogue import WRAPPERS, found_in
from transforms.diagnose.wording.sentences import sentence, within
from transforms.diagnose.wording.words import counted, cut, exact, listed, span
from transforms.events import is_named
from transforms.timers.clients.others import REFUTES
from transforms.when_used import when_used
from transforms.whole import whole_number

# An address of this very host, and who named it: of a client that reached it no cause.
LOCALLY = ("localhost", "advertised")
TIMEOUT = "TimeoutException"
LONGEST_TOLD = 120  # characters of a line that is quoted beside something
LONGEST_TITLE = 240  # and of a title, which nobody understands without its end
IT = "it"
_OF_IT = when_used(r"\b(?:Consumer|Producer|Streams)(?: client)? it\b")
# Source: librdkafka, rdkafka_request.c: they end by the session's timeout, by max.poll.interval.ms or in 5 s, whatever the
# limit of other requests is.
OWN_LIMITS = frozenset({"Heartbeat", "JoinGroup", "SyncGroup", "LeaveGroup", "ConsumerGroupHeartbeat"})
AT_ONCE_MS = 2_000  # found again, and lost again
# What says only that another exception ended it; that one was left out where this is the innermost.
ONLY_WRAPS = when_used(
    r"Exiting Worker\w+ due to unrecoverable exception|Tolerance exceeded in error handler"
    r"|Seek to current after exception(?!;)"
)
# What lines say of one exception: that of another is none of its message, and threw it nowhere.
_OF_THROWN = frozenset(
    {"cause_class", "cause_message", "error_message", "exceptions", "thrown_at", "between"}
)
_QUOTED = ("error_message", "cause_message", "text", "reason", "cause", "errors")
_WORD = when_used(r"\w{2}")
THROWN = "the innermost exception"  # where there is one to read
_CONNECT_TASK = when_used(r"^task-thread-(?P<task>.+-\d+)$")  # Source: WorkerTask.run


def known_of(first: Trouble, alike: Sequence[Trouble], stretch: Sequence[Trouble]) -> dict[str, str]:
    """What the sentences may name."""
    lines, own = first.lines, first.found
    known = _named_in((first, *alike, *stretch)) | own
    known["who"] = who_of([one.lines for one in stretch])
    known["message_id"] = lines.message_id
    known |= _counts(alike)
    if "worst" in known and _refutes_default(first):
        known["under_default"] = known["worst"]
    # What says the same names the nodes; what else was said, where that names none.
    of_servers = all(one.lines.is_server for one in stretch)
    places: dict[str, str] = {}
    for some in (stretch, alike):
        places |= places_of([all_named(one) for one in some], of_servers=of_servers)
    if "topic" not in places and known.get("partition", "").isdecimal() and (topic := topic_of(known)):
        places["topic"] = topic
    known |= places
    if lines.worked or lines.is_healed:
        known = {name: value for name, value in known.items() if name not in LOCALLY}
    if "ipv6" in known and not any(one.lines.is_beyond_ipv6 for one in alike):
        known["ipv6_alone"] = known["ipv6"]
    tasks = list(dict.fromkeys(task for one in alike if (task := one.found.get("task"))))
    if len(tasks) > 1:
        known["task"] = f"{tasks[0]} (and {len(tasks) - 1} more)"
    if "unresolved" in own:  # each of the names, for each is to be mended
        known["unresolved"] = _each("unresolved", own, alike)
    if "topic" in own and "partition" not in own:  # whatever stands in lines beside them
        known["topic"] = _each("topic", own, alike)
    if (of_thread := _CONNECT_TASK.search(lines.thread or "")) is not None:
        known.setdefault("task", of_thread["task"])
    _put_error(known, lines.error_class, is_others=first.of.fault == "died")
    if first.errors or "innermost_name" in known:
        known["thrown"] = THROWN
    _put_quote(known, first, stretch)
    if first.rested_ms is not None:
        known["rested_ms"] = str(first.rested_ms)
    if "text" in known:
        known["text"] = cut(known["text"])
    if known.get("size", "").isdecimal() and known.get("max", "").isdecimal():
        known["over"] = str(whole_number(known["size"]) - whole_number(known["max"]))
    return known


def _refutes_default(one: Trouble) -> bool:
    """Whether its limit is not known but by its default, and passed before that had."""
    name = one.of.limit or ""
    is_held = name in REFUTES.get(one.lines.message_id, ()) and one.lines.first.get("api") not in OWN_LIMITS
    return is_held and limit_of(one.lines, name) == (None, None)


def _named_in(some: Sequence[Trouble]) -> dict[str, str]:
    """What all of them name, the first that names it; of the last lines what their first ones name otherwise."""
    merged: dict[str, str] = {}
    for one in {id(one): one for one in some}.values():
        names, last = one.lines.first, one.lines.last
        if topic_of(last) != topic_of(names):
            last = {}  # its last line is of something else
        changed = {f"last_{name}": value for name, value in last.items() if value != names.get(name)}
        found = one.found if one.of is some[0].of else found_in(some[0].of, one.words)
        known = _OF_THROWN if "cause_class" in merged else frozenset[str]()
        if found.get("broker", "") not in ("", merged.get("broker", found.get("broker"))):
            found = {}  # what it has of another broker, its address first, is not the first one's
        for name, value in (*names.items(), *changed.items(), *found.items()):
            if name not in known:
                merged.setdefault(name, value)
    told = {name: value for name, value in merged.items() if value not in ("", "null")}
    if not is_named(told.get("group_id")):
        told.pop("group_id", None)
    return told


def _put_quote(known: dict[str, str], first: Trouble, stretch: Sequence[Trouble]) -> None:
    """What is said of it in words, by its own lines first: what its class is told by, where that is among it. What others
    say beside it are no words of it."""
    own = first.lines.first.keys() | first.found.keys()
    others = {item for one in stretch if one.of is not first.of for item in one.lines.first.items()}
    of_it = [name for name in _QUOTED if name in known and (name in own or (name, known[name]) not in others)]
    names = [name for name in of_it if _WORD.search(known[name]) is not None]
    for name in sorted(names, key=lambda name: name not in own):
        said = cut(known[name])
        known.setdefault("said", said)
        known.setdefault("quote", f'"{said}"')
        if any(form.is_in(known[name]) for form in first.of.says):
            known["quote"] = f'"{said}"'
            break


def _put_error(known: dict[str, str], error: str | None, *, is_others: bool) -> None:
    """The error that it is, and the innermost that was thrown. is_others: by what is none of Kafka's."""
    error = error or known.get("cause_class")
    if error in WRAPPERS:
        error = known.get("cause_class", error)
    if error:
        known["error"] = error
    if ONLY_WRAPS.match(known.get("cause_message", "")):
        known["cut_off"] = ""
    elif "cause_class" in known:
        own = known["cause_class"], known.get("cause_message", "")
        name, message = own if own[1] or not is_others else _said_around(known)
        known["innermost_name"] = name
        if message := cut(message):
            known["innermost_message"] = message
        known["innermost"] = ": ".join(filter(None, (name, message)))


def _each(name: str, own: Mapping[str, str], alike: Sequence[Trouble]) -> str:
    """What each of the lines has of a name. own: what the first has."""
    return listed(sorted({one.found.get(name, own[name]) for one in alike}))


def _said_around(known: Mapping[str, str]) -> tuple[str, str]:
    """An exception that says nothing, with what the one around it says."""
    name, chain = known["cause_class"], known.get("exceptions", "").split("|")
    said = known.get("between" if len(chain) > 2 else "error_message", "")
    is_said = 1 < len(chain) <= 3 and said and "\n" not in said and not said.endswith(name)
    return (f"{chain[-2]} ({name})", said) if is_said and not ONLY_WRAPS.match(said) else (name, "")


def _counts(alike: Sequence[Trouble]) -> dict[str, str]:
    """How often, how long, how it went on."""
    counted_: dict[str, str] = {}
    count = sum(one.lines.count for one in alike)
    starts = [one.lines.first_at for one in alike if one.lines.first_at is not None]
    ends = [one.lines.last_at for one in alike if one.lines.last_at is not None]
    lasted = max(ends) - min(starts) if starts and ends else 0
    if count > 1:
        counted_["times"] = f"({counted(count, 'time')}{f' in {span(lasted)}' if lasted > 0 else ''})"
    healed = [one.lines.healed_at for one in alike if one.lines.is_healed]
    if len(healed) == len(alike):
        dated = [at for at in healed if at is not None]
        away = f" after {span(max(dated) - min(starts))}" if dated and starts else ""
        how = "once it was made anew" if any(one.lines.was_closed for one in alike) else "by itself"
        counted_["recovered"] = f" It got on again{away}, {how}."
    elif starts and not any(one.lines.is_cut_off or one.lines.is_found_again for one in alike):
        counted_["open"] = ""
    own = [one for one in alike if one.lines.kind in one.of.events] or alike
    worst = max((one.lines.worst_ms or 0 for one in own), default=0)
    if worst:
        counted_["worst"] = exact(worst)
    if used_up := sum(one.lines.used_up for one in alike):
        counted_["used_up"] = counted(used_up, "time")
    away_ms = max((one.lines.away_ms or 0 for one in alike), default=0)
    if away_ms > HEALS_WITHIN_MS:
        counted_["away"] = span(away_ms)
    if any(one.lines.is_lost_at_once or one.lines.flaps for one in alike) and away_ms <= AT_ONCE_MS:
        counted_["kept" if all(one.is_normal for one in alike) else "flapping"] = ""
    return counted_


def all_named(one: Trouble) -> dict[str, str]:
    """What its first line names, and what its class finds in all of them."""
    named = one.found | one.lines.first
    if "partition" in named and one.lines.last.get("partition", named["partition"]) != named["partition"]:
        del named["partition"]  # of several, none stands for the others
    return named


def places_named(one: Trouble) -> Iterator[str]:
    """What the lines are about, for who compares the incidents of a fleet."""
    named = all_named(one)
    number = number_of(named)
    if number is not None and number >= 0:
        yield f"broker:{number}"
    if address := address_of(named):
        host, _, resolved = address.rpartition("/")
        yield f"address:{host}:{resolved.rpartition(':')[2]}" if host else f"address:{address}"
    if topic := named.get("topic"):
        yield f"topic:{topic}"
    if transactional_id := named.get("transactional_id"):
        yield f"transactional.id:{transactional_id}"
    if instance := named.get("group_instance_id"):
        yield f"group.instance.id:{instance}"
    if group := named.get("group_id") or one.lines.group_id:
        yield f"group:{group}"


def named(some: Sequence[Trouble], who: str) -> str:
    """Lines of one class, or text, in a few words: what they say, or mean, and how often. who: whom the sentence is about,
    `it` here.
    """
    one, count = some[0], sum(one.lines.count for one in some)
    times = f" ({counted(count, 'time')})" if count > 1 else ""
    if "text" in one.lines.first and (not one.of.ends or one.of.kind == ENDED):
        return f'"{cut(one.lines.first["text"], LONGEST_TOLD)}"{times}'
    known = known_of(one, some, some)
    known.pop("times", None)
    if known["who"] == who:
        known["who"] = IT
    said = _OF_IT.sub(IT, cut(sentence(one.of.title, known), LONGEST_TITLE))
    return f"{within(said)}{times}"


def error_of(one: Trouble) -> str | None:
    """The error that its class goes by, else the innermost that its lines name, but wrappers; none where a timeout is
    carried, and no other exception is known to be within.
    """
    is_carried = "|" not in one.lines.first.get("exceptions", "") and TIMEOUT in one.words
    if one.errors[:1] == (TIMEOUT,) or is_carried:
        return None
    telling = [error for error in one.errors if error not in WRAPPERS]
    return next((error for error in telling if error in one.of.errors), next(iter(telling), None))
