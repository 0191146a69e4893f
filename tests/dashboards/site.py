"""A lake served to one page of a browser, for tests that look at pages as a person does."""

import os
import shutil
import threading
from pathlib import Path
from typing import ClassVar

from playwright.sync_api import Browser, Page
from werkzeug.serving import make_server

from dashboards.app import create_app

# The one without a window's parts first: the same pages for three quarters of the work.
CHROMIUMS = ("chromium-headless-shell", "chromium", "chromium-browser")
CHROMIUM = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, CHROMIUMS)), None)
# The width and height of a screen, by the scheme that pages are looked at in there.
VIEWS = {"light": (1280, 900), "dark": (390, 844)}
STILL, STILL_MS = 5, 400
QUIET = "/assets/scheme.js"
DRAGS = 5
# What dcc.Link does.
FOLLOW = """path => {
  history.pushState({}, '', path);
  dispatchEvent(new CustomEvent('_dashprivate_pushstate'));
}"""


def look_as(page: Page, scheme: str) -> None:
    """In a scheme and its width."""
    width, height = VIEWS[scheme]
    page.set_viewport_size({"width": width, "height": height})
    page.emulate_media(color_scheme=scheme)


def wider_by(page: Page) -> int:
    """How many px of a page lie beside the screen; none where it is not positive."""
    return page.evaluate("document.documentElement.scrollWidth - innerWidth")


class Site:
    """A served lake and one page of a browser on it; what the browser complains of is kept."""

    all: ClassVar[list["Site"]] = []

    def __init__(self, lake: Path, browser: Browser, zone: str = "Asia/Kolkata") -> None:
        self.lake = lake
        self.server = make_server("127.0.0.1", 0, create_app(lake).server, threaded=True)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.page: Page = browser.new_page(viewport={"width": 1440, "height": 900}, timezone_id=zone)
        self.complaints: list[str] = []
        self.page.on("console", lambda said: self._complain(said.text) if said.type == "error" else None)
        self.page.on("pageerror", lambda error: self._complain(str(error)))
        self.page.on("dialog", lambda dialog: self._complain(f"dialog: {dialog.message}"))
        self.page.on("request", self._only_here)
        self.waited_for = 0
        self.page.on("request", lambda asked: self._count(asked, 1))
        for ended in ("requestfinished", "requestfailed"):
            self.page.on(ended, lambda asked: self._count(asked, -1))
        Site.all.append(self)

    def _complain(self, text: str) -> None:
        self.complaints.append(text)

    def _only_here(self, request) -> None:
        if not request.url.startswith((self.address, "data:", "blob:")):
            self._complain(f"asked elsewhere: {request.url}")

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server.server_port}"

    def open(self, path: str) -> Page:
        self.page.goto(self.address + path)
        self.page.wait_for_selector("#app-page > :not(#state-loading)")
        return self.page

    def follow(self, path: str) -> Page:
        """As a link of the page that is open leads there: the app stays, and a page changes in it."""
        self.page.evaluate(FOLLOW, path)
        self.settle()
        return self.page

    def _count(self, asked, more: int) -> None:
        self.waited_for += more * asked.url.startswith(f"{self.address}/_dash-update-component")

    def settle(self) -> None:
        """Wait until the page has asked for nothing for a while: a busy machine answers late, and a person waits too."""
        still = 0
        while still < STILL:
            self.page.wait_for_timeout(STILL_MS / STILL)
            still = 0 if self.waited_for > 0 else still + 1

    def zoom(self, begins: float, ends: float) -> None:
        """Drag over the first drawing, from one part of its width to another, once it takes the drag up.

        A drawing that is drawn anew between a press and the first move forgets the press: then a person drags again.
        """
        self.page.locator(".drawn .nsewdrag").first.wait_for()
        for _ in range(DRAGS):
            self.settle()
            box = self.page.locator(".drawn .nsewdrag").first.bounding_box()
            assert box is not None
            middle = box["y"] + box["height"] / 2
            self.page.mouse.move(box["x"] + box["width"] * begins, middle)
            self.page.mouse.down()
            self.page.mouse.move(box["x"] + box["width"] * ends, middle, steps=4)
            is_taken = self.page.locator(".drawn .zoombox").count() > 0
            self.page.mouse.up()
            if is_taken:
                return
        raise AssertionError(f"the drawing took up none of {DRAGS} drags")

    def rest(self) -> None:
        """Leave the app: a page that stays open would ask for news during all tests that follow.

        A file of the same server keeps the browser's process, and with it what that has compiled of the app.
        """
        if self.page.url not in ("about:blank", self.address + QUIET):
            self.page.goto(self.address + QUIET)

    def close(self) -> None:
        Site.all.remove(self)
        self.page.close()
        self.server.shutdown()
