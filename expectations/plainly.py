"""What holds plainly: told by Arrow in one look, so that Great Expectations is asked only where something may be wrong."""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from expectations.expect import Expectation


def holds(expected: Expectation, rows: pa.Table) -> bool:
    """Whether it surely holds of these rows. False where that takes more than a look, or where it does not.

    rows: with the columns that are derived for checking.
    """
    if not rows.num_rows:
        return True
    given = expected.arguments
    column = rows[expected.about[0]]
    match expected.type:
        case "expect_column_values_to_not_be_null":
            return not column.null_count
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


def _distinct(rows: pa.Table) -> int:
    """How many different rows there are. Each is a number that its columns' numbers make: a group of texts takes five times
    as much memory."""
    codes, different = np.zeros(rows.num_rows, np.int64), 1
    for column in rows.columns:
        of_column = column.combine_chunks().dictionary_encode(null_encoding="encode")
        codes *= len(of_column.dictionary)
        codes += of_column.indices.to_numpy()
        again = pa.array(codes).dictionary_encode()
        codes, different = again.indices.to_numpy().astype(np.int64), len(again.dictionary)
    return different


def _all(is_so: pa.ChunkedArray) -> bool:
    """Of those that are not null; of none, too."""
    return bool(pc.all(is_so, min_count=0).as_py())
