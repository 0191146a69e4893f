"""`python -m lab.layouts [N] [--first SEED] [-v] [--write FILE]`: N layouts drawn at random, read and compared."""

import argparse
from collections import Counter
from pathlib import Path

from lab.layouts.report import page, worst
from lab.layouts.score import outcomes


def main() -> None:
    """Read them, say the share of events that came out the same, and the worst."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("number", nargs="?", type=int, default=2000, metavar="N")
    parser.add_argument("--first", type=int, default=0, metavar="SEED")
    parser.add_argument(
        "-v", dest="is_verbose", action="store_true", help="show a piece of each of the worst"
    )
    parser.add_argument("--write", type=Path, metavar="FILE")
    given = parser.parse_args()
    found = list(outcomes(given.number, given.first))
    wanted, same = sum(one.wanted for one in found), sum(one.same for one in found)
    whole = sum(one.same == one.wanted and not one.extra for one in found)
    print(
        f"{len(found)} layouts, {whole} without a difference; {same} of {wanted} events the same: {same / wanted:.4f}; "
        f"{sum(one.extra for one in found)} others"
    )
    print(
        "by part:", *(f"\n  {share:.3f} of {count:5d} events: {part}" for part, share, count in worst(found))
    )
    if given.is_verbose:
        for one in sorted(found, key=lambda one: one.share)[:12]:
            print(f"\nseed {one.drawn.seed}: {one.share:.2f}: {one.drawn.named}")
            print("\n".join(line[:200] for line in one.text.split("\n")[:4]))
            for what, keys in (("missed", one.misses), ("instead", one.extras)):
                print(f"  {what}: {Counter(str(key[1]) for key in keys).most_common(3)} such as {keys[:1]}")
    if given.write is not None:
        given.write.write_text(page(found), encoding="utf-8")


if __name__ == "__main__":
    main()
