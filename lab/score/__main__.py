"""Score kipwatch on the recordings.

python -m lab.score --lake DIR             a lake made by `kipwatch run --logs tests/recordings --lake DIR`
python -m lab.score --pure [-v] [NAME...]  here, without Spark; NAME: a recording's name or its beginning

--at FOLDER: other recordings than those of tests/recordings
"""

import argparse
import sys
from pathlib import Path

from lab.corpus import ROOT, recordings
from lab.score.report import as_json, markdown, totals, verbose
from lab.score.scoring import Score, score_recording


def main() -> int:
    """Print the totals, write the page where one is wanted; 1 where a recording failed."""
    options = _options()
    score = Score()
    chosen = recordings(*options.names, root=options.at)
    if options.lake:
        from lab.score.lake import of_recording, tables_of

        tables = tables_of(options.lake)
        for recording in chosen:
            score.add(score_recording(recording, of_recording(tables, recording)))
    else:
        from lab.score.pure import score_purely

        for recording in chosen:
            score.add(score_purely(recording, has_samples=not options.logs_only))
    if options.json:
        print(as_json(score))
    else:
        if options.verbose:
            print("\n".join(verbose(score)))
        print(totals(score))
    if options.write:
        options.write.write_text(markdown(score), encoding="utf-8")
    return 1 if score.failures else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m lab.score",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    where = parser.add_mutually_exclusive_group(required=True)
    where.add_argument("--lake", type=Path)
    where.add_argument("--pure", action="store_true")
    parser.add_argument("--logs-only", action="store_true", help="with --pure: leave the metrics out")
    parser.add_argument("--at", type=Path, default=ROOT, metavar="FOLDER")
    parser.add_argument("--json", action="store_true", help="everything as JSON")
    parser.add_argument("--write", type=Path, metavar="FILE", help="write the page, such as docs/score.md")
    parser.add_argument("-v", "--verbose", action="store_true", help="each miss, false fact and rule beside")
    parser.add_argument("names", nargs="*", metavar="NAME")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
