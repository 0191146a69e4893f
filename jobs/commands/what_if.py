"""`kipwatch what-if SETTING=MS... --lake DIR`: what another limit would have kept, and what it would have cost; no Spark."""

import json
from collections.abc import Sequence

from dashboards.queries.base import LakeReader
from dashboards.queries.what_if import margins_of
from expectations.place import LakePlace
from transforms.diagnose.reports.margins import NOUNS, Margin
from transforms.diagnose.reports.what_if import SETTINGS, costs, least_limit, sentence, what_if
from transforms.diagnose.wording.words import span
from transforms.errors import BadInput

WHERE = "what-if"
MOST = 500_000  # episodes of a kind, the latest: what a laptop holds


def ask(lake: LakePlace, given: Sequence[str], service: str | None, group: str | None, as_json: bool) -> None:
    """Print what each given limit comes to; without any, the least limit of each setting that keeps all that can be kept.

    Raises: BadInput for a setting that no rebuilt timer has, a value that is no time, or tables that can't be read.
    """
    tables = LakeReader(lake)
    limits = [_limit(one) for one in given]
    if not limits:
        least = {name: least_limit(_margins(tables, lake, name, service, group), name) for name in SETTINGS}
        print(json.dumps(least) if as_json else "\n".join(_least(name, ms) for name, ms in least.items()))
        return
    found = [what_if(_margins(tables, lake, name, service, group), name, ms) for name, ms in limits]
    if as_json:
        print(json.dumps([one.as_dict() for one in found]))
        return
    for one in found:
        print("\n".join([sentence(one), *(f"  {cost}" for cost in costs(one))]))


def _limit(given: str) -> tuple[str, int]:
    name, _, value = given.partition("=")
    if name not in NOUNS:
        raise BadInput(
            f"{name!r} has no rebuilt timer", where=WHERE, todo=f"use one of {', '.join(SETTINGS)}"
        )
    if not (value.isascii() and value.isdecimal() and len(value) < 16):
        raise BadInput(f"{given!r} gives no time", where=WHERE, todo=f"give ms, such as {name}=600000")
    return name, int(value)


def _margins(
    tables: LakeReader, lake: LakePlace, name: str, service: str | None, group: str | None
) -> Sequence[Margin]:
    found, margins = margins_of(tables, name, service, group, MOST)
    if found.state not in ("ok", "missing"):
        raise BadInput(found.problem or "can't be read", where=str(lake), todo="look at the lake's files")
    return margins


def _least(name: str, ms: int | None) -> str:
    if ms is None:
        return f"{name}: no line tells what would have kept a {NOUNS[name]}"
    return f"{name}={ms} ({span(ms)}) would have kept every {NOUNS[name]} of which lines tell it"
