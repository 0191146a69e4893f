"""Where notices go: Alertmanager by its own API, everything else by apprise.

Sources: Alertmanager, api/v2/openapi.yaml (postAlerts); apprise's notification services.
"""

import json
import time
import urllib.error
import urllib.request
from dataclasses import dataclass
from urllib.parse import urlsplit

from transforms.diagnose.fleets.notices import FIRING, PAGE, Notice
from transforms.errors import BadInput
from transforms.explain.alerts import KEYED, alerts_of, keyed_url

ANSWER_SECONDS = 5.0
ALERTMANAGER = ("alertmanager+http", "alertmanager+https")


class NotSentError(Exception):
    """A target did not take a notice; the text says why, without its address."""


def target_of(name: str, url: str) -> "Target":
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
    """Prometheus' Alertmanager, by POST /api/v2/alerts. name: as settings call it. url: never shown.

    has_keys: whether it shows what comes under a known key as the same alert.
    """

    name: str
    url: str
    has_keys: bool = True

    def send(self, notice: Notice, links: str) -> str:
        """Send one notice; what was answered. links: lines that say where more is told.

        Raises: NotSentError.
        """
        alerts = alerts_of(notice, links, time.time())
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
    """Any service that apprise knows, by its address: as Alertmanager has it."""

    name: str
    url: str

    @property
    def has_keys(self) -> bool:
        """See Alertmanager."""
        return urlsplit(self.url).scheme in KEYED

    def send(self, notice: Notice, links: str) -> str:
        """See Alertmanager."""
        import apprise

        service = apprise.Apprise.instantiate(keyed_url(self.url, notice.key))
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


Target = Alertmanager | Apprise
