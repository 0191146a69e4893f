"""Metrics from a real topic: the tables that the same documents in a file give."""

import gzip
import random
from dataclasses import replace

from deltalake import DeltaTable

from conf.settings import SourceHint
from jobs.pipeline import Input, open_lake, run
from jobs.progress import Progress
from jobs.streaming.stream import Stream
from lab.corpus import ROOT as RECORDINGS
from lab.soak.rows import differences

QUIET = Progress(is_shown=False)
SAMPLES = "silver.metric_samples"


def samples(lake):
    table = DeltaTable(lake / "silver" / "metric_samples").to_pyarrow_table()
    names = ("unit_id", "sampled_at", "mbean", "attribute", "value", "text_value", "clock", "client_id")
    return sorted(str(row) for row in table.select(list(names)).to_pylist())


def test_a_topic_of_samples_gives_what_a_file_gives(engines, conf, broker, producer, tmp_path):
    """Of two partitions, shuffled, some twice, in two triggers: read by Spark's source with keys and headers."""
    scenario = RECORDINGS / "p62-slow-poll-42"
    logs, file = str(scenario / "consumer-a.app.log.gz"), scenario / "consumer-a.metrics.jsonl.gz"
    url = f"kafka://{broker.address}/jmx"
    matched = (logs, str(file), f"{url}#pay-1")
    hints = tuple(SourceHint(one, service="pay", instance="pay-1") for one in matched)
    conf = replace(conf, sources=hints)
    run(engines, tmp_path / "file", [logs], [str(file)], conf, QUIET)

    documents = gzip.decompress(file.read_bytes()).decode().splitlines()
    chance = random.Random(1)
    documents += chance.sample(documents, 3)
    chance.shuffle(documents)
    sent = [(number % 2, document) for number, document in enumerate(documents)]
    producer.anew("jmx", 2)
    lake = tmp_path / "topic"
    with open_lake(lake, conf) as opened:
        stream = Stream(engines, opened, Input.given([logs], [url], may_vanish=True), conf, QUIET)
        for some in (sent[:20], sent[20:]):
            producer.write("jmx", *some, key="pay-1")
            assert stream.once().read
        assert stream.once().read == 0
    assert differences(tmp_path / "file", lake).keys() <= {SAMPLES}  # where they stood
    assert samples(lake) == samples(tmp_path / "file")
    accounts = DeltaTable(lake / "bronze" / "accounting").to_pyarrow_table().to_pylist()
    of_topic = [row for row in accounts if row["source"].startswith(url)]
    assert sum(row["lines_read"] for row in of_topic) == len(documents)
    assert {row["layout"] for row in of_topic} == {None, "jolokia"}
