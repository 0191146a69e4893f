"""What a notice is to those who take it: to Alertmanager, and to services of apprise that know a key.

Source: Alertmanager, api/v2/openapi.yaml (postAlerts).
"""

from datetime import UTC, datetime
from urllib.parse import urlencode, urlsplit, urlunsplit

from transforms.diagnose.fleets.notices import FIRING, Notice

# An alert that nobody resolves stands so long: Alertmanager would drop it after five minutes.
STANDS_HOURS = 24
# Services of apprise that take a key and know that an alert is over: their parameters.
KEYED = {
    "pagerduty": lambda key: {"dedup": key, "action": "map"},
    "opsgenie": lambda key: {"alias": key, "action": "map"},
}


def alerts_of(notice: Notice, links: str, now: float) -> list[dict[str, object]]:
    """The notice as Alertmanager takes it; and the end of the alert that it was. now: s since the epoch."""
    ends = now + STANDS_HOURS * 3600 if notice.state == FIRING else now
    alerts = [_alert(notice, notice.severity, links, now, ends)]
    if notice.was is not None:
        alerts.append(_alert(notice, notice.was, links, now, now))
    return alerts


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


def keyed_url(url: str, key: str) -> str:
    """The address with the key of an alert, where its service takes one."""
    parts = urlsplit(url)
    known = KEYED.get(parts.scheme)
    if known is None:
        return url
    query = "&".join(text for text in (parts.query, urlencode(known(key))) if text)
    return urlunsplit(parts._replace(query=query))


def _iso(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat()
