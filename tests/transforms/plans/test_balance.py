"""What was read of all sources together."""

from transforms.plans.balance import is_balanced, summed


def test_sources_that_do_not_balance_are_named():
    even = {"source": "s", "status": "complete", "dropped_by_reason": [("blank", 2)], "unparsed_by_reason": None,
            "lines_read": 5, "lines_in_records": 2, "lines_unparsed": 1, "lines_dropped": 2,
            "bytes_read": 5, "bytes_in_records": 2, "bytes_unparsed": 1, "bytes_dropped": 2}  # fmt: skip
    off = even | {"source": "off", "bytes_dropped": 1, "status": "truncated"}
    assert is_balanced(even)
    made = summed([even, off])
    assert (made.sources, made.off, made.sums["lines_read"]) == (2, ["off"], 10)
    assert (dict(made.dropped), dict(made.not_complete)) == ({"blank": 4}, {"truncated": 1})
