"""All pages, in the order of the navigation."""

from dashboards.pages import incidents, now, story, unjudged, violations
from dashboards.pages.page import Page

PAGES: tuple[Page, ...] = (
    now.PAGE,
    story.PAGE,
    incidents.PAGE,
    violations.PAGE,
    unjudged.PAGE,
    story.FINDING_PAGE,
    story.INCIDENT_PAGE,
)
