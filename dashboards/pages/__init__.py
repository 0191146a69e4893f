"""All pages, in the order of the navigation."""

from dashboards.pages import finding, incidents, now, unjudged, violations
from dashboards.pages.page import Page

PAGES: tuple[Page, ...] = (
    now.PAGE,
    incidents.PAGE,
    violations.PAGE,
    unjudged.PAGE,
    finding.PAGE,
    finding.INCIDENT_PAGE,
)
