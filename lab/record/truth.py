"""The truth of a recording, from what the proxy and the code around the clients noted, never from logs."""

import json
import re
from collections import defaultdict
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any, Protocol

from lab.corpus import ms
from lab.record.broker import Broker
from lab.record.scenario import Client, Scenario

NOTED = (
    "FindCoordinator", "OffsetCommit", "JoinGroup", "SyncGroup", "LeaveGroup", "InitProducerId", "EndTxn",
    "ConsumerGroupHeartbeat", "ShareGroupHeartbeat", "StreamsGroupHeartbeat",
)  # fmt: skip
AT_ONCE_MS = 5  # callbacks of one batch come in one go
_EXPIRED = re.compile(r"Expiring (\d+) record")
LONG_GAP_MS = 2000


class Ran(Protocol):
    """A client that ran."""

    client: Client
    started: str
    log: Path
    config: dict[str, Any]
    process: Any


def truth_of(
    scenario: Scenario,
    folder: Path,
    running: list[Any],
    faults: list[dict[str, Any]],
    recorded: dict[str, str],
    broker: Broker,
    broker_version: str,
) -> dict[str, Any]:
    """truth.json, but for what befell the broker."""
    wire = list(_lines(folder / "wire.jsonl"))
    settings = {
        name: str(value).replace(str(folder / "broker" / "data"), "/var/lib/kafka/data")
        for name, value in broker.settings.items()
    }
    versions = sorted({one.client.version for one in running})
    return {
        "scenario": scenario.name,
        "kips": scenario.kips,
        "description": scenario.description,
        "kafka_version": {"broker": broker_version, "clients": versions},
        "recorded": recorded,
        "broker_config": settings,
        "clients": [_client(one) for one in running],
        "injected_faults": faults,
        "expected": {
            "semantics": [
                {
                    name: list(value) if isinstance(value, tuple) else value
                    for name, value in vars(said).items()
                    if value not in (None, ()) or name == "rules"
                }
                for said in scenario.semantics
            ],
            "facts": {one.client.name: _facts(one, wire, folder) for one in running},
        },
    }


def _client(ran: Ran) -> dict[str, Any]:
    client = ran.client
    layout = "kafka" if client.library == "java" else "python" if client.app.get("logger") else "librdkafka"
    return {
        "name": client.name,
        "mode": client.mode,
        "library": client.library,
        "kafka_version": client.version,
        "log_file": ran.log.name,
        "layout": layout,
        "log_timezone": "UTC",
        "root_level": client.root_level,
        "debug_loggers": list(client.debug_loggers),
        "started": ran.started,
        "exit_code": ran.process.returncode,
        "config": {name: str(value) for name, value in ran.config.items()},
        "app": dict(client.app),
    }


def _facts(ran: Ran, wire: list[dict[str, Any]], folder: Path) -> dict[str, Any]:
    client_id = ran.config["client.id"]
    own = [one for one in wire if (one.get("client") or "").startswith(client_id) or one["ev"] == "dropped"]
    facts: dict[str, Any] = {"wire": _of_wire(own)}
    if ran.client.mode == "streams":  # by each of the clients inside
        ids = sorted({one["client"] for one in own if one.get("client")})
        facts["wire"] = {one: _of_wire([said for said in own if said.get("client") == one]) for one in ids}
    events = list(_lines(folder / f"{ran.client.name}.events.jsonl"))
    callbacks = [event for event in events if event["event"] == "callback"]
    if callbacks:
        facts["records"] = len(callbacks)
        facts["failed"] = sum(event["outcome"] == "failed" for event in callbacks)
        facts["completions"] = list(completions_of(callbacks))
    gaps = [
        {"t": event["t"], "gap_ms": event["gap_ms"]}
        for event in events
        if event["event"] == "poll_gap" and event["gap_ms"] > LONG_GAP_MS
    ]
    if gaps:
        facts["poll_gaps_over_2s"] = gaps
    return facts


def _of_wire(own: list[dict[str, Any]]) -> dict[str, Any]:
    answers = {(one["conn"], one["corr"]): one for one in own if one["ev"] == "resp"}
    found: dict[str, Any] = defaultdict(list)
    batches: dict[tuple[int, int], list[tuple[dict[str, Any], dict[str, Any]]]] = defaultdict(list)
    for one in own:
        if one["ev"] != "req":
            continue
        answer = answers.get((one["conn"], one["corr"]), {})
        if one["api"] in NOTED:
            found[one["api"]].append(
                {"t": one["t"], "corr": one["corr"], "resp_t": answer.get("t"), "error": answer.get("error")}
            )
        for batch in one.get("batches") or ():
            if "crc" in batch:
                batches[batch["partition"], batch["crc"]].append((one | {"batch": batch}, answer))
    if batches:
        found["produce_requests"] = sum(one["ev"] == "req" and one["api"] == "Produce" for one in own)
        found["batches_on_wire"] = {
            "total": len(batches),
            "retried_or_failed": [_batch(*item) for item in batches.items() if _is_told(*item)],
        }
    return dict(found)


def _error_of(partition: int, answer: dict[str, Any]) -> str | None:
    return next((error for where, error in answer.get("partitions") or () if where == partition), None)


def _is_told(key: tuple[int, int], sends: list[tuple[dict[str, Any], dict[str, Any]]]) -> bool:
    return len(sends) > 1 or _error_of(key[0], sends[0][1]) != "NONE"


def _batch(key: tuple[int, int], sends: list[tuple[dict[str, Any], dict[str, Any]]]) -> dict[str, Any]:
    partition, crc = key
    waits = [
        ms(after["t"]) - ms(answer["t"])
        for (_, answer), (after, _) in pairwise(sends)
        if answer.get("t") is not None
    ]
    return {
        "partition": partition,
        "crc": crc,
        "created_ms": sends[0][0]["batch"]["created_ms"],
        "base_seq": sends[0][0]["batch"]["base_seq"],
        "records": sends[0][0]["batch"]["records"],
        "attempts": [
            {
                "sent": sent["t"],
                "corr": sent["corr"],
                "resp": answer.get("t"),
                "error": _error_of(partition, answer),
            }
            for sent, answer in sends
        ],
        "backoff_observed_ms": waits,
    }


def completions_of(callbacks: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    batch: list[dict[str, Any]] = []
    places = sorted({(event["topic"], event["partition"]) for event in callbacks})
    for place in places:
        for event in [event for event in callbacks if (event["topic"], event["partition"]) == place]:
            if batch and not _is_of(batch, event):
                yield _completion(batch)
                batch = []
            batch.append(event)
        if batch:
            yield _completion(batch)
        batch = []


def _is_of(batch: list[dict[str, Any]], event: dict[str, Any]) -> bool:
    """An expiry says how many records its batch had; what else ends together is of one batch."""
    last = batch[-1]
    if (last["outcome"], last["exc"]) != (event["outcome"], event["exc"]):
        return False
    expired = _EXPIRED.search(event["exc"] or "")
    return len(batch) < int(expired[1]) if expired else ms(event["t"]) - ms(last["t"]) <= AT_ONCE_MS


def _completion(batch: list[dict[str, Any]]) -> dict[str, Any]:
    first, last = batch[0], batch[-1]
    return {
        "topic": first["topic"],
        "partition": first["partition"],
        "records": len(batch),
        "first_seq": first["seq"],
        "oldest_send_ms": first["send_ms"],
        "completed": last["t"],
        "lifetime_ms_upper": ms(last["t"]) - first["send_ms"],
        "outcome": first["outcome"],
        "exc": first["exc"],
    }


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    if path.exists():
        for line in path.read_text(encoding="utf-8").splitlines():
            yield json.loads(line)
