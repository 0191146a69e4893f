"""The page of the drawn layouts: the share that came out the same, and where the rest is."""

from collections import defaultdict
from collections.abc import Sequence

from lab.layouts.damaged import Reread, by_damage
from lab.layouts.score import Outcome

FEWEST = 3  # layouts that have a part, before its share says anything
WORST = 15
INTRODUCTION = """\
Records of `tests/recordings`, a few of every sort, written anew in layouts that a seed draws (`lab/layouts`): order of time,
level, thread, logger and MDC, some sixty notations of time, separators, brackets, padding; loggers whole, shortened, cut,
behind the message or not there; in collectors' envelopes; and as a paste damages them. Read by the path of
`kipwatch explain FILE`. An event is *the same* if its kind, its family, its ids and numbers are those that the recording's
own layout gives, and its time, level and thread those that the layout shows. Made by `make score`."""

POSTS = """\
A few records of `tests/recordings` in a usual head, damaged as posts are, in one to three ways at once that a seed draws
(`lab/layouts/damage.py`, `pages.py`): cut within their context, masked, marked, glued, broken at a width, in other signs, in
objects, among prose. An event is *the same* if its kind is, and its ids, numbers, time and level are, as far as these still
stand in the text as they were written; what no longer stands may be unknown, but not another. Whether all of a post can be
read is not asked: of some combinations nobody could say what was said."""


def worst(found: Sequence[Outcome]) -> list[tuple[str, float, int]]:
    """Parts of layouts by the share of events that came out the same where they stand, the least first."""
    of_part: dict[str, list[Outcome]] = defaultdict(list)
    for one in found:
        for part in one.drawn.named.split("; "):
            of_part[part].append(one)
    shares = [
        (
            part,
            sum(one.same for one in ones) / max(1, sum(one.wanted for one in ones)),
            sum(one.wanted for one in ones),
        )
        for part, ones in of_part.items()
        if len(ones) >= FEWEST
    ]
    return sorted(shares, key=lambda row: row[1])[:WORST]


def totals(posts: Sequence[Reread]) -> str:
    """A sentence on all posts."""
    wanted, same = sum(one.wanted for one in posts), sum(one.same for one in posts)
    whole = sum(not one.misses and not one.extras for one in posts)
    return (
        f"{len(posts)} damaged posts, {whole} without a difference; {same} of {wanted} events the same: "
        f"{same / max(wanted, 1):.4f}; {sum(len(one.extras) for one in posts)} others"
    )


def _of_posts(posts: Sequence[Reread]) -> list[str]:
    """The part of the page on damaged posts: alone, a damage is told from those that stand beside it."""
    alone = {name: (count, same) for name, count, same in by_damage(posts, is_alone=True)}
    rows = [(name, count, same, alone.get(name, (0, 0))) for name, count, same in by_damage(posts)]
    return [
        "## Damaged posts",
        "",
        POSTS,
        "",
        f"**{totals(posts)}**.",
        "",
        "| damage | events | the same | alone | the same |",
        "|---|---:|---:|---:|---:|",
        *(
            f"| {name} | {count} | {same / max(count, 1):.3f} | {lone[0]} | {lone[1] / max(lone[0], 1):.3f} |"
            for name, count, same, lone in rows
            if not name.startswith("head: ")
        ),
        "",
    ]


def page(found: Sequence[Outcome], posts: Sequence[Reread]) -> str:
    """docs/layouts.md."""
    wanted, same = sum(one.wanted for one in found), sum(one.same for one in found)
    whole = sum(one.same == one.wanted and not one.extra for one in found)
    lines = [
        "# Layouts drawn at random",
        "",
        INTRODUCTION,
        "",
        f"**{same / max(wanted, 1):.4f}** of {wanted} events in {len(found)} layouts are the same; {whole} layouts have no",
        f"difference at all; {sum(one.extra for one in found)} events are there that should not be, or differ in a field",
        "(those are missed as well).",
        "",
        "## Where the rest is",
        "",
        "| part of a layout | events | the same |",
        "|---|---:|---:|",
        *(
            f"| {part.replace('|', chr(92) + '|')} | {count} | {share:.3f} |"
            for part, share, count in worst(found)
        ),
        "",
        "## The worst layouts",
        "",
        "| seed | the same | layout |",
        "|---:|---:|---|",
        *(
            f"| {one.drawn.seed} | {one.share:.2f} | {one.drawn.named.replace('|', chr(92) + '|')} |"
            for one in sorted(found, key=lambda one: (one.share, one.drawn.seed))[:WORST]
            if one.share < 1
        ),
        "",
        *_of_posts(posts),
    ]
    return "\n".join(lines)
