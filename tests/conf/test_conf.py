"""Settings: what kipwatch ships is right, and each wrong value is one sentence with file, key and what is allowed."""

import subprocess
import sys
from pathlib import Path

import pytest

from conf.settings import DATABRICKS_MARK, conf_folder, load_conf
from transforms.errors import BadInput


def refusal(tmp_path: Path, text: str) -> str:
    path = tmp_path / "own.yaml"
    path.write_text(text)
    with pytest.raises(BadInput) as refused:
        load_conf(path)
    assert refused.value.exit_code == 2
    assert refused.value.sentence.startswith(f"{path}: ")
    return refused.value.sentence.removeprefix(f"{path}: ")


@pytest.mark.parametrize("is_databricks", [False, True])
def test_the_shipped_settings_are_right(monkeypatch, is_databricks):
    if is_databricks:
        monkeypatch.setenv(DATABRICKS_MARK, "17.3")
    assert load_conf() == load_conf(checks=False)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("stream: {every: 10}", "stream.every is 10; give a whole number of s, m or h, such as 10s"),
        ("stream: {every: 0s}", "stream.every is '0s'; give a whole number of s, m or h, such as 10s"),
        ("stream: {attempts: 0}", "stream.attempts is 0; give a whole number, 1 or more"),
        (
            "stream: {max_bytes: 1.5e6}",
            "stream.max_bytes is '1.5e6'; give a whole number of bytes, 65536 or more",
        ),
        ("stream:", "stream is None; give a mapping of settings"),
        ("lake: {lease_seconds: 0}", "lake.lease_seconds is 0; give a whole number, 1 or more"),
        ("lake: {lease_seconds: true}", "lake.lease_seconds is True; give a whole number, 1 or more"),
        ("lake: {most_rows: -5}", "lake.most_rows is -5; give a whole number, 0 or more"),
        ("lake: {most_row: 5}", "lake.most_row is no setting; use one of lease_seconds, "),
        ("health: {silent_minutes: soon}", "health.silent_minutes is 'soon'; give a whole number, 1 or more"),
        (
            "kafka: {options: null}",
            "kafka.options is None; give a mapping of names to texts or numbers, {} for none",
        ),
        (
            "spark: {options: null}",
            "spark.options is None; give a mapping of names to texts or numbers, {} for none",
        ),
        (
            "spark: {options: [a]}",
            "spark.options is ['a']; give a mapping of names to texts or numbers, {} for none",
        ),
        (
            "spark: {shuffle_partitions: '8'}",
            "spark.shuffle_partitions is '8'; give a whole number, 1 or more",
        ),
        ("reader: {keep: some}", "reader.keep is 'some'; give kafka or all"),
        ("reader: {head_bytes: 10}", "reader.head_bytes is 10; give a whole number of bytes, 1024 or more"),
        ("dashboard: {auth: all}", "dashboard.auth is 'all'; give none or basic or proxy"),
        ("dashboard: {proxies: 10.0.0.7}", "dashboard.proxies is '10.0.0.7'; give a list of texts"),
        ("sources: {match: a}", "sources is {'match': 'a'}; give a list of entries, [] for none"),
        ("sources: [a]", "sources.0 is 'a'; give a mapping of settings"),
        ("sources: [{time_zone: UTC}]", "sources.0.match is missing; give a text"),
        (
            "sources: [{match: a, time_zone: Mars/Phobos}]",
            "sources.0.time_zone is 'Mars/Phobos'; give a zone of the IANA database, such as Europe/Berlin",
        ),
        ("sources: [{match: a, zone: UTC}]", "sources.0.zone is no setting; use one of match, layout, "),
        (
            "sources: [{match: a, settings: [acks]}]",
            "sources.0.settings is 'acks'; give a list of mappings, each with name and value",
        ),
        ("defaults: {}", "defaults is no setting; use one of reader, stream, "),
        ("streams: {}", "streams is no setting; use one of reader, stream, "),
        ("[]", "is no mapping of settings; see conf/base.yaml for its shape"),
        ("lake: [", "can't be read as YAML"),
    ],
)
def test_a_wrong_value_is_one_sentence(tmp_path, text, sentence):
    assert refusal(tmp_path, text).startswith(sentence)


def test_a_wrong_option_of_kafka_is_not_repeated(tmp_path):
    told = refusal(tmp_path, "kafka: {options: {sasl.jaas.config: [s3cret]}}")
    assert told == "kafka.options is no such list; give a mapping of names to texts or numbers, {} for none"


def test_numbers_and_switches_are_taken_as_the_texts_they_are(tmp_path):
    path = tmp_path / "own.yaml"
    path.write_text(
        "kafka: {options: {a: 1, b: true}}\nspark: {options: {c: 2}}\n"
        "sources: [{match: x, settings: [{name: acks, value: 1}]}]\nstream: {every: 1m}\n"
    )
    conf = load_conf(path)
    assert conf.kafka.options == {"a": "1", "b": "true"}
    assert conf.spark.options["c"] == "2"
    assert conf.sources[0].settings == ({"name": "acks", "value": "1"},)
    assert conf.stream.every == "1m"


def test_an_option_may_name_what_the_environment_holds(tmp_path, monkeypatch):
    path = tmp_path / "own.yaml"
    named = "{ssl.key.password: 'x${KEY_WORD}'}"
    path.write_text(f"kafka: {{options: {named}, asking: {named}}}")
    monkeypatch.setenv("KEY_WORD", "y")
    kafka = load_conf(path).kafka
    assert kafka.options == kafka.asking == {"ssl.key.password": "xy"}
    assert "xy" not in repr(kafka)
    monkeypatch.delenv("KEY_WORD")
    with pytest.raises(BadInput, match=r"names \$\{KEY_WORD\}; set it in the environment"):
        load_conf(path)


def test_what_is_shipped_is_not_looked_at_again_by_explain():
    """Its answer comes in a second; the library that checks takes a tenth of it to load."""
    code = "import sys; from conf.settings import load_conf; load_conf(checks=False); sys.exit('pydantic' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=conf_folder().parent, check=False).returncode == 0
