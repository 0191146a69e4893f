"""Lines of clients that are not Java's in their own usual heads, damaged as posts are: the same kinds must come out.

A text is drawn from its family's pattern, and what its whole line says is the truth: of texts that are read as none by
themselves nothing is asked.
"""

import json
import random
from collections.abc import Callable, Iterator

from lab.drawn_texts import drawer
from lab.layouts.damage import DAMAGES
from lab.layouts.damaged import Post, Reread
from lab.layouts.pages import PAGES
from lab.layouts.posts import Said
from lab.layouts.render import ISO, SPACE, stamp
from lab.layouts.score import read_events
from transforms.events import JAVA, ClientEvent
from transforms.parse.catalogue.form import Form
from transforms.parse.catalogue.forms import families, said_by

BEGIN = 1_795_358_477_114  # ms
MOST_LINES = 6
Head = Callable[[int, str, Form], tuple[str, str, str]]
PYTHONS = {"FATAL": "CRITICAL", "ERROR": "ERROR", "WARN": "WARNING", "INFO": "INFO", "DEBUG": "DEBUG"}
SEVERITIES = {"FATAL": 1, "ERROR": 3, "WARN": 4, "INFO": 6, "DEBUG": 7, "TRACE": 7}


def _go(at: int) -> str:
    return stamp(at, SPACE)[:19].replace("-", "/")


def _object(**fields: str) -> tuple[str, str, str]:
    """What stands before and behind the message, which a string of JSON holds."""
    before, _, behind = json.dumps({**fields, "message": "\0"}).partition("\\u0000")
    return "", before, behind


def _logger(form: Form) -> str:
    return min(form.family.loggers, default="kafka.client")


def _facility(form: Form) -> str:
    return min(form.family.loggers, default="FAIL")


HEADS: dict[str, tuple[Head, ...]] = {
    "librdkafka": (
        lambda at, level, f: (f"%{SEVERITIES[level]}|{at / 1000:.3f}|{_facility(f)}"
                              "|orders#consumer-1|", "[thrd:127.0.0.1:9092/1]: ", ""),
        lambda at, level, f: (f"{_facility(f)} [orders#consumer-1]", "[thrd:127.0.0.1:9092/1]: ", ""),
    ),
    "python": (
        lambda at, level, f: (f"{stamp(at, SPACE)} - {_logger(f)} - {PYTHONS[level]} -", "", ""),
        lambda at, level, f: (f"{PYTHONS[level]}:{_logger(f)}:", "", ""),
    ),
    "kafkajs": (
        lambda at, level, f: _object(level=level, timestamp=stamp(at, ISO, mark=".") + "Z", logger="kafkajs"),
    ),
    "go": (
        lambda at, level, f: (f"[sarama] {_go(at)}" if f.family.library == "sarama" else f"{_go(at)}", "", ""),
        lambda at, level, f: (f"time=\"{stamp(at, ISO, mark='.')}Z\" level={level.lower()}", "msg=\"", "\""),
    ),
    "ruby-kafka": (
        lambda at, level, f: (f"{level[0]}, [{stamp(at, ISO, mark='.')}456 #7] {level:>5} -- :", "", ""),
    ),
    "brod": (
        lambda at, level, f: (f"{stamp(at, SPACE, mark='.')} [{level.lower()}]", "", ""),
    ),
}  # fmt: skip
SAME = {
    "kafka-python": "python",
    "aiokafka": "python",
    "kafka-node": "kafkajs",
    "sarama": "go",
    "franz-go": "go",
    "kafka-go": "go",
    "kafka_ex": "brod",
    "wolff": "brod",
    "lua-resty-kafka": "go",
    "phpkafka": "ruby-kafka",
    "rskafka": "go",
    "kafka-rust": "go",
    "no-kafka": "kafkajs",
    "platformatic-kafka": "kafkajs",
    "pykafka": "python",
    "unnamed": "python",
}


def _line(form: Form, at: int, draw: random.Random) -> Said:
    library = form.family.library
    head, before, behind = draw.choice(HEADS[SAME.get(library, library)])(
        at, form.family.levels[0] if form.family.levels else "ERROR", form
    )
    text = drawer(form.regex.pattern, form.literal)(draw)
    if before.startswith("{"):
        text = json.dumps(text)[1:-1]
    return Said((head,) if head else (), "", before + text, behind)


def _told(said: Said) -> ClientEvent | None:
    """The one event of a whole line; None where there is none, or several."""
    found = [one for one in read_events((said.text + "\n").encode()) if one.kind != "other_kafka"]
    return found[0] if len(found) == 1 else None


def drawn_other(seed: int) -> tuple[Post, list[ClientEvent]]:
    """A post of a seed, of one client, and what its lines say."""
    draw = random.Random(f"other {seed}")
    library = draw.choice(sorted({one.library for one in families().values()} - {JAVA}))
    forms = said_by(library)
    lines = [_line(draw.choice(forms), BEGIN + 1370 * number, draw) for number in range(MOST_LINES)]
    told = [(said, event) for said in lines if (event := _told(said)) is not None]
    page = draw.choice(PAGES) if draw.random() < 0.5 else None
    damages = [] if page else draw.sample([one for one in DAMAGES if not one.needs_context], 1)
    texts = []
    for said, _ in told:
        for damage in damages:
            said = damage.parted(said, draw)
        text = said.text
        for damage in damages:
            text = damage.of_text(text, draw) if damage.of_text else text
        texts.append(text)
    text = page.make(texts, draw) if page and texts else "\n".join(texts)
    post = Post(seed, library, damages, page, [], [], texts, text + "\n")
    return post, [event for _, event in told]


def reread_others(number: int, first: int = 0) -> Iterator[Reread]:
    """Of so many posts: kinds, and their times where they have one."""
    for seed in range(first, first + number):
        post, told = drawn_other(seed)
        got = [event for event in read_events(post.data) if event.kind != "other_kafka"] if told else []
        result = Reread(post, len(told))
        for event in told:
            found = next(
                (one for one in got if (one.kind, one.message_id) == (event.kind, event.message_id)), None
            )
            found = found or next((one for one in got if one.kind == event.kind), None)
            if found is None:
                result.misses.append(f"{event.kind} ({event.message_id})")
            else:
                got.remove(found)
        result.extras = [f"{event.kind} ({event.message_id})" for event in got]
        yield result
