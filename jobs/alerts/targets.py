"""Where notices go: Alertmanager by its own API, everything else by apprise.

Sources: Alertmanager, api/v2/openapi.yaml (postAlerts); apprise's notification services.
"""

import json
import urllib.error
import urllib.request
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Protocol
from urllib.parse import urlencode, urlsplit, urlunsplit

from transforms.diagnose.notices import FIRING, PAGE, Notice
from transforms.errors import BadInput

ANSWER_SECONDS = 5.0
# An alert that nobody resolves stands so long: Alertmanager would drop it after five minutes.
STANDS_HOURS = 24
ALERTMANAGER = ("alertmanager+http", "alertmanager+https")
# Services of apprise that take a key and know that an alert is over: their parameters.
KEYED = {
    "pagerduty": lambda key: {"dedup": key, "action": "map"},
    "opsgenie": lambda key: {"alias": key, "action": "map"},
}


class NotSentError(Exception):
    """A target did not take a notice; the text says why, without its address."""


class Target(Protocol):
    """One place that notices go to. name: as settings call it; its address may hold secrets, and is never shown."""

    @property
    def name(self) -> str:
        """As settings call it."""

    @property
    def has_keys(self) -> bool:
        """Whether it shows what comes under a known key as the same alert."""

    def send(self, notice: Notice, links: str) -> str:
        """Send one notice; what was answered. links: lines that say where more is told.

        Raises: NotSentError.
        """


def target_of(name: str, url: str) -> Target:
    """The target of an address: `alertmanager+http(s)://host:port`, or any of apprise's.

    Raises: BadInput for an address that nothing knows.
    """
    if urlsplit(url).scheme in ALERTMANAGER:
        return Alertmanager(name, url.removeprefix("alertmanager+").rstrip("/"))
    import apprise  # slow to load, and most runs alert nobody

    if apprise.Apprise.instantiate(url) is None:
        raise BadInput(
            "its address is none of Alertmanager's nor of apprise's",
            where=f"alerts.targets.{name}",
            todo="give alertmanager+http://host:9093, or an address of apprise such as pagerduty://KEY@SERVICE",
        )
    return Apprise(name, url)


@dataclass(frozen=True, slots=True)
class Alertmanager:
    """Prometheus' Alertmanager, by POST /api/v2/alerts."""

    name: str
    url: str
    has_keys: bool = True

    def send(self, notice: Notice, links: str) -> str:
        """See Target."""
        now = datetime.now(UTC).timestamp()
        ends = now + STANDS_HOURS * 3600 if notice.state == FIRING else now
        alerts = [_alert(notice, notice.severity, links, now, ends)]
        if notice.was is not None:
            alerts.append(_alert(notice, notice.was, links, now, now))
        request = urllib.request.Request(
            f"{self.url}/api/v2/alerts",
            data=json.dumps(alerts).encode(),
            headers={"Content-Type": "application/json"},
            method="POST",
        )
        try:
            with urllib.request.urlopen(request, timeout=ANSWER_SECONDS) as answer:
                return f"HTTP {answer.status}"
        except urllib.error.HTTPError as error:
            raise NotSentError(f"HTTP {error.code}") from None
        except (OSError, ValueError) as error:
            raise NotSentError(type(error).__name__) from None


@dataclass(frozen=True, slots=True)
class Apprise:
    """Any service that apprise knows, by its address."""

    name: str
    url: str

    @property
    def has_keys(self) -> bool:
        """See Target."""
        return urlsplit(self.url).scheme in KEYED

    def send(self, notice: Notice, links: str) -> str:
        """See Target."""
        import apprise

        service = apprise.Apprise.instantiate(_keyed(self.url, notice.key))
        if service is None:
            raise NotSentError("its address is not understood")
        kind = apprise.NotifyType.SUCCESS
        if notice.state == FIRING:
            kind = apprise.NotifyType.FAILURE if notice.severity == PAGE else apprise.NotifyType.WARNING
        title = f"[{notice.state}] {notice.title}"
        try:
            is_sent = service.notify(title=title, body=notice.body(links), notify_type=kind)
        except Exception as error:  # a plugin may raise whatever its service's client does
            raise NotSentError(type(error).__name__) from None
        if not is_sent:
            raise NotSentError("the service refused it, or nobody answered")
        return "sent"


def _alert(notice: Notice, severity: str, links: str, now: float, ends: float) -> dict[str, object]:
    """Alertmanager tells an alert by its labels: one of another severity is another alert, and the former one ends."""
    return {
        "labels": {
            "alertname": "KafkaClientIncident",
            "incident_id": notice.key,
            "service": notice.service,
            "severity": severity,
        },
        "annotations": {"title": notice.title, "description": notice.body(links)},
        "startsAt": _iso(now if notice.started_at is None else notice.started_at / 1000),
        "endsAt": _iso(ends),
    }


def _keyed(url: str, key: str) -> str:
    parts = urlsplit(url)
    known = KEYED.get(parts.scheme)
    if known is None:
        return url
    query = "&".join(text for text in (parts.query, urlencode(known(key))) if text)
    return urlunsplit(parts._replace(query=query))


def _iso(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat()
