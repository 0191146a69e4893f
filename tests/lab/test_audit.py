"""What an audit says: faults, nothing, or that it could not look."""

import hashlib

import pytest

from lab.audit import CHECKSUMS, changed, told

SAFE = {"name": "a", "version": "1", "vulns": []}
FAULTY = {"name": "b", "version": "2", "vulns": [{"id": "PYSEC-1"}]}
UNKNOWN = {"name": "c", "skip_reason": "not found"}


@pytest.mark.parametrize(
    ("packages", "said", "is_well"),
    [
        (None, "skipped", True),
        ([UNKNOWN], "skipped", True),
        ([SAFE], "1 looked at, no fault known", True),
        ([SAFE, UNKNOWN], "1 were not found there", True),
        ([SAFE, FAULTY], "b 2 (PYSEC-1)", False),
    ],
)
def test_an_audit_says_what_it_found_or_that_it_could_not_look(packages, said, is_well):
    sentence, well = told(None if packages is None else {"dependencies": packages})
    assert said in sentence
    assert well is is_well


def test_a_jar_that_is_another_is_named(tmp_path):
    jar = tmp_path / "a.jar"
    jar.write_bytes(b"one")
    listed = f"{hashlib.sha256(b'one').hexdigest()}  a.jar\n"
    assert changed([jar], listed) == ("jars: 1 of 1 are here, as they were", True)
    jar.write_bytes(b"two")
    assert changed([jar], listed) == ("jars: a.jar are not what they were", False)


def test_checksums_are_a_digest_and_a_name_each():
    assert all(len(line.split()[0]) == 64 for line in CHECKSUMS.read_text().splitlines())
