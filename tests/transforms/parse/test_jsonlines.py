"""Fields of JSON loggers under the names that each gives them."""

import pytest

from transforms.parse.jsonlines import records_of


@pytest.mark.parametrize(
    ("value", "level", "message"),
    [
        ({"level": 50, "time": 1700000000000, "msg": "away"}, "ERROR", "away"),
        ({"level": 20, "time": 1700000000000, "msg": "there"}, "DEBUG", "there"),
        ({"severity": 4, "message": "slow"}, "WARN", "slow"),
        ({"@t": "2026-01-05T10:00:00Z", "@l": "Warning", "@m": "slow"}, "WARN", "slow"),
        ({"level": "WARN", "fields": {"message": "slow"}, "target": "pay::consumer"}, "WARN", "slow"),
        ({"@t": "2026-01-05T10:00:00Z", "@mt": "there", "SourceContext": "Orders.Worker"}, None, "there"),
    ],
    ids=["pino", "bunyan", "syslog", "Serilog", "Rust's tracing", "Serilog at its usual level"],
)
def test_level_and_message_are_found(value, level, message):
    (record,) = records_of(value)
    assert (record.level, record.message) == (level, message)
