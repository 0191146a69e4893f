"""Lines that look like trouble and are normal: said once per client, so that nobody hunts them."""

from collections.abc import Iterator

from transforms.diagnose.incident import Incident, of_episodes
from transforms.timers.clients.benign_lines import BenignLines


def benign_incidents(lines: list[BenignLines], scope_id: str) -> Iterator[Incident]:
    """One benign incident per client and message."""
    for seen in lines:
        times = f" ({seen.count} times)" if seen.count > 1 else ""
        yield of_episodes(
            "benign_lines",
            scope_id,
            [seen],
            started_at=seen.first_at,
            ended_at=seen.last_at,
            title=f"Normal: {seen.message_id} of {seen.client_id or 'a client'}{times}",
            cause=seen.why,
            cause_confidence="proven",
            impact="none",
            advice="Nothing to do.",
            subject_ids=[seen.benign_id],
            verdict="benign",
        )
