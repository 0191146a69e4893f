"""What holds plainly: told by Arrow in one look, so that Great Expectations is asked only where something may be wrong."""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from expectations.expect import Expectation

# Codes are numbers of 64 bits.
MOST_CODES = 1 << 62


def holds(expected: Expectation, rows: pa.Table) -> bool:
    """Whether it surely holds of these rows. False where that takes more than a look, or where it does not.

    rows: with the columns that are derived for checking.
    """
    if not rows.num_rows:
        return True
    given = expected.arguments
    if expected.type == "expect_column_values_to_not_be_null":
        return not rows[expected.about[0]].null_count
    column = plain(rows[expected.about[0]])
    match expected.type:
        case "expect_column_values_to_be_unique":
            known = column.drop_null()
            return bool(pc.count_distinct(known).as_py() == len(known))
        case "expect_compound_columns_to_be_unique":
            return bool(_distinct(rows.select(given["column_list"])) == rows.num_rows)
        case "expect_column_values_to_be_in_set":
            return _all(pc.is_in(column.drop_null(), value_set=pa.array(given["value_set"], column.type)))
        case "expect_column_values_to_be_between" if set(given) == {"column", "min_value"}:
            return pa.types.is_integer(column.type) and _all(pc.greater_equal(column, given["min_value"]))
        case "expect_column_pair_values_a_to_be_greater_than_b" if given["or_equal"]:
            later, earlier = (rows[given[name]].cast(pa.int64()) for name in ("column_A", "column_B"))
            return _all(pc.greater_equal(later, earlier))
        case "expect_column_values_to_match_regex":
            return _all(pc.match_substring_regex(column, given["regex"]))
        case "expect_column_values_to_not_match_regex":
            return not pc.any(pc.match_substring_regex(column, given["regex"])).as_py()
    return False


def plain(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """The values of a column whose texts may stand once each."""
    return column.cast(column.type.value_type) if pa.types.is_dictionary(column.type) else column


def _distinct(rows: pa.Table) -> int:
    """How many different rows there are. Each is a number that the numbers of its values make: groups of texts take ten
    times as much memory."""
    codes, most = np.zeros(rows.num_rows, np.int64), 1
    for column in rows.columns:
        is_coded = pa.types.is_dictionary(column.type)
        chunks = (column if is_coded else column.dictionary_encode()).unify_dictionaries().chunks
        values = len(chunks[0].dictionary) + 1  # the last number is null's
        if most * values >= MOST_CODES:
            different, codes = np.unique(codes, return_inverse=True)
            most = len(different)
        codes *= values
        codes += np.concatenate([pc.fill_null(chunk.indices, values - 1).to_numpy() for chunk in chunks])
        most *= values
    codes.sort()
    return 1 + int(np.count_nonzero(codes[1:] != codes[:-1]))


def _all(is_so: pa.ChunkedArray) -> bool:
    """Of those that are not null; of none, too."""
    return bool(pc.all(is_so, min_count=0).as_py())
