"""Makes docs/images anew: `python -m tests.dashboards.images LAKE`, a lake of all recordings, logs and metrics."""

import argparse
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

from dashboards.queries import LakeReader
from tests.dashboards.site import CHROMIUM, Site

FOLDER = Path(__file__).parents[2] / "docs" / "images"
SLOW_POLL, LOST = "p62-slow-poll-42", "p91-blackhole-inflight-42"
SETTLED_MS = 1500
# name: height; a name with `-small` is a phone's, with `-dark` is dark.
IMAGES = {
    "now": 900, "now-dark": 900, "now-small": 844,
    "story": 900, "story-small": 844, "story-dark": 900, "timers-dark": 700, "backoff": 900, "batches": 900,
    "liveness": 900, "liveness-small": 1100, "violations": 700,
}  # fmt: skip


def main() -> None:
    """Draw and keep every image."""
    parser = argparse.ArgumentParser(prog="python -m tests.dashboards.images", description=__doc__)
    parser.add_argument("lake", type=Path)
    recorded = parser.parse_args().lake
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        _draw(recorded, browser, _addresses(LakeReader(recorded)))
        browser.close()


def _addresses(lake: LakeReader) -> dict[str, str]:
    slow, lost = (_worst_incident(lake, name) for name in (SLOW_POLL, LOST))
    return {
        "now": "/",
        "story": f"/incident/{slow}",
        "story-dark": f"/incident/{lost}",
        "timers": "/timers?service=p572-commit-idle-expire-42",
        "backoff": "/backoff?service=p580-exp-42",
        "batches": f"/batches?service={LOST}",
        "liveness": f"/liveness?service={SLOW_POLL}",
        "violations": "/violations",
    }


def _worst_incident(lake: LakeReader, service: str) -> str:
    where = [("service", "=", service), ("verdict", "!=", "benign")]
    found = lake.read("gold.incidents", where=where, order=[("observed_ms", "descending")], limit=1)
    return str(found.rows[0]["incident_id"])


def _draw(lake: Path, browser: Browser, addresses: dict[str, str]) -> None:
    site = Site(lake, browser, zone="UTC")
    for name, height in IMAGES.items():
        page_name = name.removesuffix("-small")
        address = addresses.get(page_name) or addresses[page_name.removesuffix("-dark")]
        width = 390 if name.endswith("-small") else 1280
        site.page.set_viewport_size({"width": width, "height": height})
        site.page.emulate_media(color_scheme="dark" if page_name.endswith("-dark") else "light")
        site.open(address).wait_for_timeout(SETTLED_MS)
        site.page.screenshot(path=str(FOLDER / f"{name}.png"))
    site.close()


if __name__ == "__main__":
    main()
