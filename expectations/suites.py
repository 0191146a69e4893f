"""Great Expectations suites made from the contracts, run over the rows a run wrote.

What Arrow can tell to hold (expectations.plainly) is not asked again. For the rest Great Expectations runs on pandas, over a
narrow frame: the columns that are checked for more than presence, and a boolean for each that has a null where none may
be. docs/decisions/0004-checks.md has the figures.
"""

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, reduce
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from expectations.contract import TableContract
from expectations.expect import Derived, Expectation
from expectations.plainly import holds, plain

# Rows held in memory at once: about 200 bytes each in pandas, where any may be wrong.
ROWS_AT_ONCE = 500_000
SAMPLES = 5
SAMPLE_CHARS = 1000
PRESENT = "expect_column_values_to_not_be_null"
UNIQUE = "expect_column_values_to_be_unique"


@dataclass(frozen=True, slots=True)
class CheckResult:
    """One expectation of one table: a row of gold.table_checks but for its run_id."""

    table_name: str
    expectation: str
    success: bool
    unexpected_count: int | None
    sample: str | None


def check_table(contract: TableContract, rows: pa.Table) -> list[CheckResult]:
    """Check rows of a table against all that its contract expects.

    rows: of its texts each may stand once, and numbers say where. No rows, no complaint: every expectation holds of nothing.
    Raises: ValueError where a column is lacking that is checked.
    """
    if missing := sorted(set(checked_columns(contract)) - set(rows.column_names)):
        raise ValueError(f"{contract.name}: the rows have no column {', '.join(missing)}")
    whole = _with_derived(contract, rows)
    asked = [expected for expected in contract.expectations if not holds(expected, whole)]
    found, ids = _validated(contract, asked, whole) if asked else ({}, {})
    return [
        _row(contract, expected, found[expected.title], ids)
        if expected.title in found
        else CheckResult(contract.name, expected.title, success=True, unexpected_count=0, sample=None)
        for expected in contract.expectations
    ]


def checked_columns(contract: TableContract) -> list[str]:
    """The columns check_table() looks at: who reads a table to check it needs no others."""
    sources = {column for derived in _derived(contract) for column in derived.columns}
    return sorted(_valued(contract) | set(_presence_only(contract)) | sources)


def only_to_be_there(contract: TableContract) -> frozenset[str]:
    """Of these the columns whose values nobody looks at: where they are null is enough."""
    sources = {column for derived in _derived(contract) for column in derived.columns}
    return frozenset(_presence_only(contract)) - sources - set(contract.key)


@cache
def _great_expectations() -> Any:
    # It reports its use to its maker unless told not to before it is imported; logs stay where they are.
    os.environ["GX_ANALYTICS_ENABLED"] = "false"
    import great_expectations

    return great_expectations


@cache
def _context() -> Any:
    context = _great_expectations().get_context(mode="ephemeral")
    context.variables.progress_bars = {"globally": False, "metric_calculations": False}
    return context


@cache
def _batches() -> Any:
    """One for all tables: each that is made writes all settings anew."""
    source = _context().data_sources.add_pandas("lake")
    return source.add_dataframe_asset("written").add_batch_definition_whole_dataframe("all")


def suite(contract: TableContract) -> Any:
    """The contract's expectations as a Great Expectations suite."""
    return _suite(contract.name, contract.expectations)


def _suite(name: str, expected_all: Sequence[Expectation]) -> Any:
    gx = _great_expectations()
    return gx.ExpectationSuite(name=name, expectations=[_made(gx, expected) for expected in expected_all])


def _made(gx: Any, expected: Expectation) -> Any:
    words = "".join(word.capitalize() for word in expected.type.split("_"))
    # ExpectColumnPairValuesAToBeGreaterThanB and its like are the types in camel case.
    return getattr(gx.expectations, words)(**expected.arguments, meta={"title": expected.title})


def _validated(
    contract: TableContract, asked: Sequence[Expectation], rows: pa.Table
) -> tuple[dict[str, Any], dict[str, pa.Array]]:
    """Great Expectations' results by title, and the ids that numbers stand for in them."""
    coded, ids = _coded(contract, _narrow_arrow(contract, asked, rows))
    batch = _batches().get_batch({"dataframe": coded.to_pandas(date_as_object=False)})
    expected_all = _suite(contract.name, asked)
    # What fails, and how often, is asked only where something does: it costs a third more.
    validated = batch.validate(expected_all, result_format={"result_format": "BOOLEAN_ONLY"})
    if not validated.success:
        wanted = {"result_format": "BASIC", "partial_unexpected_count": SAMPLES}
        validated = batch.validate(expected_all, result_format=wanted)
    return {result.expectation_config.meta["title"]: result for result in validated.results}, ids


def _coded(contract: TableContract, narrow: pa.Table) -> tuple[pa.Table, dict[str, pa.Array]]:
    """Ids that are only to be there and unique, as numbers, and the ids of these numbers.

    Great Expectations hashes all that it is given, twice: a column of ids took as long as all its checks.
    """
    ids: dict[str, pa.Array] = {}
    for name in _valued(contract):
        types = {expected.type for expected in contract.expectations if name in expected.about}
        if types <= {UNIQUE, PRESENT} and pa.types.is_string(narrow.schema.field(name).type):
            encoded = pa.concat_arrays(narrow[name].chunks or [pa.array([], pa.string())]).dictionary_encode()
            ids[name] = encoded.dictionary
            narrow = narrow.set_column(narrow.column_names.index(name), name, encoded.indices)
    return narrow, ids


def _row(
    contract: TableContract, expected: Expectation, result: Any, ids: Mapping[str, pa.Array]
) -> CheckResult:
    facts = result.result
    raised = _raised(result.exception_info)
    sample = raised or facts.get("partial_unexpected_list") or None
    if not raised and sample and (of := ids.get(expected.about[0])) is not None:
        # pandas makes numbers of numbers with a null among them, and the null one that equals nothing
        sample = [None if code is None or code != code else of[int(code)].as_py() for code in sample]
    return CheckResult(
        contract.name,
        expected.title,
        bool(result.success),
        None if raised else int(facts.get("unexpected_count", 0)),
        None if sample is None else json.dumps(sample, default=str)[:SAMPLE_CHARS],
    )


def _raised(info: dict[str, Any]) -> str | None:
    """What the expectation itself died of; Great Expectations nests it by metric, or doesn't."""
    nested = (
        [info] if "raised_exception" in info else [part for part in info.values() if isinstance(part, dict)]
    )
    messages = [str(part["exception_message"]) for part in nested if part.get("raised_exception")]
    return messages[0] if messages else None


def _derived(contract: TableContract) -> list[Derived]:
    return [expected.derived for expected in contract.expectations if expected.derived is not None]


def _valued(contract: TableContract) -> set[str]:
    """Columns whose values are looked at; of the others only whether they are there."""
    made = {derived.name for derived in _derived(contract)}
    named = {
        column for expected in contract.expectations if expected.type != PRESENT for column in expected.about
    }
    return named - made


def _presence_only(contract: TableContract) -> list[str]:
    valued = _valued(contract)
    return [e.about[0] for e in contract.expectations if e.type == PRESENT and e.about[0] not in valued]


def _narrow_arrow(contract: TableContract, asked: Sequence[Expectation], rows: pa.Table) -> pa.Table:
    """The columns that are checked for more than presence, and a boolean for each that is asked about and may be null."""
    names = [*sorted(_valued(contract)), *(derived.name for derived in _derived(contract))]
    columns: dict[str, Any] = {name: plain(rows[name]) for name in names}
    about = {name for expected in asked for name in expected.about}
    for name in about.intersection(_presence_only(contract)):
        columns[name] = pc.if_else(pc.is_valid(rows[name]), pa.scalar(True), pa.scalar(None, pa.bool_()))
    return pa.table(columns)


def _with_derived(contract: TableContract, rows: pa.Table) -> pa.Table:
    for derived in _derived(contract):
        first, *others = (rows[name] for name in derived.columns)
        if derived.how == "count":
            counts = [pc.fill_null(pc.list_value_length(one), 0) for one in (first, *others)]
            first = reduce(pc.add, counts)
        else:
            for other in others:
                first = pc.subtract(first, other)
        rows = rows.append_column(derived.name, first)
    return rows


def together(parts: Iterable[Sequence[CheckResult]]) -> list[CheckResult]:
    """What was found in parts of a table that share no key, as if they had been checked as one."""
    return [_together(results) for results in zip(*parts, strict=True)]


def _together(results: tuple[CheckResult, ...]) -> CheckResult:
    counts = [result.unexpected_count for result in results]
    return CheckResult(
        results[0].table_name,
        results[0].expectation,
        all(result.success for result in results),
        None if None in counts else sum(count for count in counts if count is not None),
        next((result.sample for result in results if result.sample is not None), None),
    )
