"""conf/lnav: what lnav is told of Kafka's logs reads the lines of real clients."""

import gzip
import json
import re
from pathlib import Path

import pytest

from lab.corpus import ROOT as RECORDINGS

FORMAT = Path(__file__).parents[1] / "conf" / "lnav" / "kipwatch_kafka_log.json"
(NAME,) = [name for name in json.loads(FORMAT.read_text(encoding="utf-8")) if name[0] != "$"]
TOLD = json.loads(FORMAT.read_text(encoding="utf-8"))[NAME]
# PCRE's way to name a group, and Python's.
PATTERNS = {name: re.compile(one["pattern"].replace("(?<", "(?P<")) for name, one in TOLD["regex"].items()}


def read(line: str) -> dict[str, str | None]:
    """As lnav does: the first pattern that matches."""
    return next((found.groupdict() for one in PATTERNS.values() if (found := one.match(line))), {})


@pytest.mark.parametrize("sample", TOLD["sample"], ids=lambda one: one["line"][26:60])
def test_its_samples_are_read(sample):
    found = read(sample["line"])
    assert TOLD["level"][sample["level"]] == found["level"]
    assert "clientId" not in (found["body"] or "")


def test_every_record_of_a_real_client_is_read_and_clients_are_known():
    log = gzip.decompress((RECORDINGS / "p62-slow-poll-42/consumer-a.app.log.gz").read_bytes()).decode()
    records = [line for line in log.splitlines() if re.match(r"\[\d{4}-", line)]
    found = [read(line) for line in records]
    assert len(records) > 100
    assert all(found)
    told = {(one.get("client_id"), one.get("group_id")) for one in found if one.get("client_id")}
    assert ("consumer-a", "order-service") in told
    named = [line for line in records if re.search(r"\] \w+ \[\w+ clientId=", line)]
    assert len(named) == sum("client_id" in one for one in found)


def test_values_are_groups_of_a_pattern():
    groups = {name for pattern in PATTERNS.values() for name in pattern.groupindex}
    assert set(TOLD["value"]) | {TOLD["level-field"], TOLD["opid-field"], "timestamp", "body"} == groups
