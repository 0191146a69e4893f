"""`python -m lab.layouts [N] [--first SEED] [-v] [--only layouts|posts|others] [--write FILE]`: N layouts, N damaged
posts, and N of clients that are not Java's, drawn at random, read and compared."""

import argparse
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from lab.layouts.damaged import Reread, by_damage, reread_all
from lab.layouts.others import reread_others
from lab.layouts.report import page, totals, worst
from lab.layouts.score import Outcome, outcomes

SHOWN = 12


def main() -> None:
    """Read them, say the share of events that came out the same, and the worst."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("number", nargs="?", type=int, default=2000, metavar="N")
    parser.add_argument("--first", type=int, default=0, metavar="SEED")
    parser.add_argument(
        "-v", dest="is_verbose", action="store_true", help="show a piece of each of the worst"
    )
    parser.add_argument("--only", choices=("layouts", "posts", "others"))
    parser.add_argument("--write", type=Path, metavar="FILE")
    given = parser.parse_args()
    asked = (given.number, given.first)
    found = list(outcomes(*asked)) if given.only in (None, "layouts") else []
    posts = list(reread_all(*asked)) if given.only in (None, "posts") else []
    others = list(reread_others(*asked)) if given.only in (None, "others") else []
    if found:
        _say_layouts(found, is_verbose=given.is_verbose)
    for of_posts in filter(None, (posts, others)):
        _say_posts(of_posts, is_verbose=given.is_verbose)
    if given.write is not None:
        given.write.write_text(page(found, posts), encoding="utf-8")


def _say_layouts(found: Sequence[Outcome], *, is_verbose: bool) -> None:
    wanted, same = sum(one.wanted for one in found), sum(one.same for one in found)
    whole = sum(one.same == one.wanted and not one.extra for one in found)
    print(
        f"{len(found)} layouts, {whole} without a difference; {same} of {wanted} events the same: {same / wanted:.4f}; "
        f"{sum(one.extra for one in found)} others"
    )
    print(
        "by part:", *(f"\n  {share:.3f} of {count:5d} events: {part}" for part, share, count in worst(found))
    )
    if not is_verbose:
        return
    for one in sorted(found, key=lambda one: one.share)[:SHOWN]:
        print(f"\nseed {one.drawn.seed}: {one.share:.2f}: {one.drawn.named}")
        print("\n".join(line[:200] for line in one.text.split("\n")[:4]))
        for what, keys in (("missed", one.misses), ("instead", one.extras)):
            print(f"  {what}: {Counter(str(key[1]) for key in keys).most_common(3)} such as {keys[:1]}")


def _say_posts(posts: Sequence[Reread], *, is_verbose: bool) -> None:
    print(totals(posts))
    print(
        "by damage:",
        *(
            f"\n  {same / max(count, 1):.3f} of {count:5d} events: {name}"
            for name, count, same in by_damage(posts)
        ),
    )
    told = [one for one in posts if one.wanted]
    for one in sorted(told, key=lambda one: one.same / one.wanted)[:SHOWN] if is_verbose else ():
        print(f"\nseed {one.post.seed}: {one.same} of {one.wanted}: {one.post.named}")
        print("\n".join(line[:200] for line in one.post.text.split("\n")[:4]))
        print(f"  missed: {one.misses[:3]}, instead: {one.extras[:3]}")


if __name__ == "__main__":
    main()
