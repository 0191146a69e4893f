"""Sends what is due after a run or trigger, and notes in gold.notifications what was sent.

A notice is noted once it was taken: what a crash interrupts goes out again, under the same key. A target that is down is
asked again after a wait that grows as KIP-580 has it, and loses nothing. The job's clock rules here.
"""

import random
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from conf.settings import AlertsConf, with_environment
from expectations import TABLES
from jobs.alerts.targets import NotSentError, Target, target_of
from jobs.storage.lake import LakeWriter
from jobs.storage.lake_reads import read_arrow
from transforms.arrow_rows import dicts_of
from transforms.diagnose.fleets.notices import SEND, UPDATE, Notice, Sent, due, selftest_notice
from transforms.errors import BadInput

INCIDENTS, NOTIFICATIONS = "gold.incidents", "gold.notifications"
COLUMNS = (
    "incident_id", "kind", "started_at", "ended_at", "title", "cause", "verdict", "impact", "advice", "service",
    "parent_incident_id", "places",
)  # fmt: skip
# What gold.notifications has of a notice.
NOTED = ("incident_id", "target", "state", "severity", "service", "key", "title")
# Seconds: KIP-580's formula with these in place of retry.backoff.ms and retry.backoff.max.ms.
FIRST_WAIT, LONGEST_WAIT, JITTER = 1.0, 300.0, 0.2


@dataclass(slots=True)
class Waiting:
    """A target that did not answer: how often in a row, and when it is asked again, by the monotonic clock."""

    failures: int = 0
    until: float = 0.0

    def failed(self, now: float) -> None:
        """Wait longer than the last time."""
        self.failures += 1
        wait = min(LONGEST_WAIT, FIRST_WAIT * 2.0 ** (self.failures - 1))
        self.until = now + wait * random.uniform(1 - JITTER, 1 + JITTER)


@dataclass(slots=True)
class Sender:
    """Alerts of one lake. dashboard_url: what the address of an incident's page begins with; None where none is named."""

    lake: LakeWriter
    targets: Sequence[Target]
    max_age_ms: int
    dashboard_url: str | None = None
    _waiting: dict[str, Waiting] = field(default_factory=dict)

    def send(self) -> list[str]:
        """Send what is due; a sentence for each target that did not take its notices."""
        if not self.targets:
            return []
        names, now = [target.name for target in self.targets], int(time.time() * 1000)
        notices = due(self._incidents(), self._sent(), names, now, self.max_age_ms)
        return [
            sentence
            for target in self.targets
            if (sentence := self._to(target, [one for one in notices if one.target == target.name]))
        ]

    def _to(self, target: Target, notices: Sequence[Notice]) -> str | None:
        waiting = self._waiting.setdefault(target.name, Waiting())
        if not notices or time.monotonic() < waiting.until:
            return None
        for number, notice in enumerate(notices):
            try:
                is_sent = notice.how == SEND or (notice.how == UPDATE and target.has_keys)
                answer = (
                    target.send(notice, self._links(notice.incident_id))
                    if is_sent
                    else "told before, under its key"
                )
            except NotSentError as refused:
                waiting.failed(time.monotonic())
                left = len(notices) - number
                return f"alerts.targets.{target.name} did not take {left} alerts ({refused}); they are sent again later"
            self._note(notice, waiting.failures + 1, answer)
            waiting.failures = 0
        return None

    def _links(self, incident_id: str) -> str:
        command = f"kipwatch explain {incident_id[:12]} --lake {self.lake.root}"
        if self.dashboard_url is None:
            return command
        return f"{self.dashboard_url.rstrip('/')}/incident/{incident_id}\n{command}"

    def _incidents(self) -> list[dict[str, object]]:
        rows = read_arrow(self.lake.path(INCIDENTS), COLUMNS, [("verdict", "!=", "benign")])
        return list(dicts_of(rows.to_batches()))

    def _sent(self) -> dict[tuple[str, str], Sent]:
        columns = ["incident_id", "target", "state", "severity", "service", "key", "sent_at"]
        rows = read_arrow(self.lake.path(NOTIFICATIONS), columns).sort_by("sent_at")
        return {
            (row["incident_id"], row["target"]): Sent(
                row["state"], row["severity"], row["service"] or "", row["key"]
            )
            for row in rows.to_pylist()
        }

    def _note(self, notice: Notice, attempts: int, answer: str) -> None:
        row = {name: getattr(notice, name) for name in NOTED}
        row |= {"sent_at": int(time.time() * 1000), "attempts": attempts, "answer": answer}
        self.lake.add(TABLES[NOTIFICATIONS].arrow_table([row]), NOTIFICATIONS)


def sender_of(lake: LakeWriter, conf: AlertsConf) -> Sender:
    """The sender of a lake by its settings.

    Raises: BadInput for an address that nothing knows, or that names a variable that is not set.
    """
    return Sender(lake, targets_of(conf), conf.max_age_hours * 3_600_000, conf.dashboard_url)


def targets_of(conf: AlertsConf) -> list[Target]:
    """The targets that settings name.

    Raises: BadInput for an address that nothing knows, or that names a variable that is not set.
    """
    addresses = with_environment(conf.targets, "alerts.targets")
    return [target_of(name, address) for name, address in addresses.items()]


def send_tests(conf: AlertsConf) -> dict[str, str]:
    """`kipwatch selftest`: one labelled test alert through every target, so that a wrong address is found by day. Gives what
    each target answered, by its name.

    Raises: BadInput where there is no target, or one of them did not take the alert.
    """
    targets = targets_of(conf)
    if not targets:
        raise BadInput("is empty", where="alerts.targets", todo="name a target in your settings (--conf)")
    answers = {}
    for target in targets:
        try:
            answers[target.name] = target.send(selftest_notice(target.name, int(time.time() * 1000)), "")
        except NotSentError as refused:
            raise BadInput(
                f"did not take the test alert ({refused})",
                where=f"alerts.targets.{target.name}",
                todo="mend its address, or see what it logs",
            ) from None
    return answers
