"""Posts drawn at random: usual records, damaged in one to three ways at once, read and compared with what they said.

An event is the same if its kind is, if its ids and numbers are those that still stand in its text as they were
written, and if its time and level are, where these do. What no longer stands may be unknown.
"""

import random
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from lab.layouts.damage import DAMAGES, Damage
from lab.layouts.pages import PAGES, Page
from lab.layouts.posts import HEADS, drawn_post, said
from lab.layouts.records import Entry
from lab.layouts.score import COMPARED, read_events
from transforms.events import ClientEvent

# Of the context, they stand where it says them; a number or an id of the message, where it is written at all.
OF_CONTEXT = {"client_id": "clientId=", "group_id": "groupId=", "group_instance_id": "instanceId="}
Told = tuple[Entry, ClientEvent]
_CLOCK = re.compile(r"\d\d:\d\d:\d\d")


@dataclass
class Post:
    """What a seed draws. heads, texts: of its records, before the page; a head is what is left of it."""

    seed: int
    head: str
    damages: list[Damage]
    page: Page | None
    told: Sequence[Told]
    heads: Sequence[str]
    texts: Sequence[str]
    text: str

    @property
    def named(self) -> str:
        """It in words."""
        of_page = [self.page.name] if self.page else []
        return "; ".join((f"head: {self.head}", *(one.name for one in self.damages), *of_page))

    @property
    def data(self) -> bytes:
        """The file; none is in a code page that lacks its signs."""
        try:
            return self.text.encode(self.page.encoding if self.page else "utf-8")
        except UnicodeEncodeError:
            return self.text.encode()


@dataclass
class Reread:
    """How many events a post tells, how many came out the same, and which did not."""

    post: Post
    wanted: int
    misses: list[str] = field(default_factory=list)
    extras: list[str] = field(default_factory=list)

    @property
    def same(self) -> int:
        """Events that came out the same."""
        return self.wanted - len(self.misses)


def drawn_damaged(seed: int, logs: tuple[Path, ...] | None = None) -> Post:
    """The post of a seed, the same for ever."""
    draw = random.Random(f"post {seed}")
    name = draw.choice(list(HEADS))
    count = draw.choices((1, 2, 3), (5, 3, 2))[0]
    page = draw.choice(PAGES) if draw.random() < 0.4 else None
    damages = draw.sample(DAMAGES, count - 1 if page else count)
    damages.sort(key=DAMAGES.index)
    told = list(drawn_post(draw, logs))
    if any(one.needs_context for one in damages) or name == "a level":
        told = [one for one in told if said(one[0], HEADS[name]).context] or told[:1]
    heads, texts = zip(*(_damaged(entry, name, damages, draw) for entry, _ in told), strict=True)
    text = page.make(texts, draw) if page else "\n".join(texts)
    return Post(seed, name, damages, page, told, heads, texts, text + "\n")


def _damaged(entry: Entry, head: str, damages: Sequence[Damage], draw: random.Random) -> tuple[str, str]:
    """A record's head, and its text."""
    one = said(entry, HEADS[head])
    for damage in damages:
        one = damage.parted(one, draw)
    text = one.text
    for damage in damages:
        text = damage.of_text(text, draw) if damage.of_text else text
    return " ".join(one.head), text


def reread(post: Post) -> Reread:
    """Read a post, and compare."""
    got = [event for event in read_events(post.data) if event.kind != "other_kafka"]
    result = Reread(post, len(post.told))
    left = []
    for (entry, event), of_head, text in zip(post.told, post.heads, post.texts, strict=True):
        wanted = _standing(entry, event, of_head, text, post)
        found = next((one for one in got if _fits(one, wanted)), None)
        if found is None:
            left.append((event.kind, wanted))
        else:
            got.remove(found)
    for kind, wanted in left:
        near = next((one for one in got if one.kind == kind), None)
        if near is None:
            result.misses.append(kind)
            continue
        differ = [name for name, value in wanted.items() if not _is_same(getattr(near, name), value)]
        result.misses.append(f"{kind}: {', '.join(differ)}")
        got.remove(near)
    result.extras = [f"{event.kind} ({event.message_id})" for event in got]
    return result


def _standing(entry: Entry, event: ClientEvent, of_head: str, text: str, post: Post) -> dict[str, object]:
    """What of an event still stands in the text, and its time, which may be unknown where it does not.

    of_head: what is left of its head; a level that its message names is none.
    """
    wanted: dict[str, object] = {"kind": event.kind}
    for name in COMPARED:
        value = getattr(event, name)
        written = OF_CONTEXT.get(name, "") + str(value)
        if name in ("topic", "partition") and (both := f"{event.topic}-{event.partition}") in entry.message:
            written = both
        alone = re.compile(rf"(?<![\w.\-]){re.escape(written)}(?![\w\-])")  # no piece of another number or id
        if value is not None and name != "client_kind" and alone.search(text) and alone.search(post.text):
            wanted[name] = value
    head = said(entry, HEADS[post.head]).head
    stands = [part for part in head if all(part.strip("[]") in of for of in (of_head, text, post.text))]
    at = next((part for part in head if _CLOCK.search(part)), None)
    wanted["happened_at"] = (entry.at,) if at in stands else (entry.at, None)
    if any(part.strip() == entry.level for part in stands):
        wanted["level"] = entry.level
    return wanted


def _fits(event: ClientEvent, wanted: dict[str, object]) -> bool:
    return all(_is_same(getattr(event, name), value) for name, value in wanted.items())


def _is_same(got: object, wanted: object) -> bool:
    return got in wanted if isinstance(wanted, tuple) else got == wanted


def reread_all(number: int, first: int = 0) -> Iterator[Reread]:
    """Of so many posts."""
    for seed in range(first, first + number):
        yield reread(drawn_damaged(seed))


def by_damage(found: Sequence[Reread], *, is_alone: bool = False) -> list[tuple[str, int, int]]:
    """Each damage with the events of the posts that have it (alone), and how many of these came out the same; the worst
    first."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for one in found:
        names = one.post.named.split("; ")
        for name in names if not is_alone or len(names) == 2 else ():
            counts[name].update(events=one.wanted, same=one.same)
    rows = [(name, count["events"], count["same"]) for name, count in counts.items()]
    return sorted(rows, key=lambda row: row[2] / max(row[1], 1))
