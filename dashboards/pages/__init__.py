"""All pages, in the order of the navigation."""

from dashboards.pages import (
    backoff,
    batches,
    incidents,
    liveness,
    now,
    quality,
    rules,
    settings,
    story,
    timers,
    unjudged,
    violations,
    what_if,
)
from dashboards.pages.page import Page

PAGES: tuple[Page, ...] = (
    now.PAGE,
    story.PAGE,
    incidents.PAGE,
    timers.PAGE,
    backoff.PAGE,
    batches.PAGE,
    liveness.PAGE,
    violations.PAGE,
    unjudged.PAGE,
    settings.PAGE,
    what_if.PAGE,
    quality.PAGE,
    rules.PAGE,
    story.FINDING_PAGE,
    story.INCIDENT_PAGE,
)
