"""The site's pages in a real browser with a scripted server: as Django renders them, with a test's frames.

The page's own scripts run unchanged; only ``gateway/client.js`` is another one, which hands the test's frames
to the page and the page's wishes to the test. Nothing listens on a port: each request is answered from what
was rendered before the browser started (Playwright's loop and Django's database don't mix), and a request for
anything else is one of the page's ``troubles``.
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from django.conf import settings
from django.contrib.staticfiles import finders
from django.test import Client
from playwright.sync_api import Browser, BrowserContext, Page, Request, Route

ORIGIN = "http://testserver"  # plain http and no loopback: no secure context, as in a classroom
CODE = "K7QX2M"
PATHS = ("/", "/?unknown=K7QX2N", "/host", f"/play/{CODE}", f"/present/{CODE}", f"/qr/{CODE}.svg")
SETS = [
    {"id": "rivers", "title": "Rivers of Europe", "count": 24, "own": True},
    {"id": "planets", "title": "Planets", "count": 8, "own": False},
]

SCRIPTED_CLIENT = """
export class Client extends EventTarget {
  constructor(options) {
    super();
    Object.assign(this, { options, seat: window.seat ?? null });
    window.sent = [];
    window.client = this;
  }
  static resumeCard() { return window.card ?? null; }
  connect() { window.sent.push({ call: "connect" }); }
  retry() { window.sent.push({ call: "retry" }); }
  leave() { window.sent.push({ call: "leave" }); }
  send(frame) { window.sent.push(frame); return window.line !== "cut"; }
  createRoom(entry) { window.sent.push({ call: "createRoom", ...entry }); return true; }
  watchRoom(entry) { window.sent.push({ call: "watchRoom", ...entry }); return true; }
  joinRoom(entry) { window.sent.push({ call: "joinRoom", ...entry }); return true; }
}
window.receive = (type, detail) => window.client.dispatchEvent(new CustomEvent(type, { detail }));
"""


@dataclass
class Rendered:
    """The answers to all requests: path with query -> (status, headers, body)."""

    answers: dict[str, tuple[int, dict[str, str], bytes]] = field(default_factory=dict)

    @classmethod
    def by_django(
        cls, paths: Iterable[str] = PATHS, language: str = "en", host: str = "testserver"
    ) -> "Rendered":
        """``host``: the address that the pages tell people; the browser asks for them at `ORIGIN`."""
        client = Client(headers={"accept-language": language, "host": host})
        rendered = cls()
        for path in paths:
            response = client.get(path)
            rendered.answers[path] = (response.status_code, dict(response.headers), response.content)
        sets = json.dumps({"sets": SETS}).encode()  # the one answer that would need a database
        rendered.answers["/api/sets"] = (200, {"Content-Type": "application/json"}, sets)
        return rendered

    def static(self, path: str) -> tuple[int, dict[str, str], bytes] | None:
        if not path.startswith(settings.STATIC_URL):
            return None
        name = path.removeprefix(settings.STATIC_URL)
        if name == "gateway/client.js":
            return 200, {"Content-Type": "text/javascript"}, SCRIPTED_CLIENT.encode()
        found = finders.find(name)
        if found is None:
            return None
        kinds = {"css": "text/css", "js": "text/javascript", "svg": "image/svg+xml", "woff2": "font/woff2"}
        with open(found, "rb") as file:
            return 200, {"Content-Type": kinds[name.rsplit(".", 1)[-1]]}, file.read()


class Tab:
    """One open page: what it shows, what it sent, and what went wrong in it."""

    def __init__(self, context: BrowserContext, rendered: Rendered) -> None:
        self.rendered = rendered
        self.troubles: list[str] = []
        self.page: Page = context.new_page()
        self.page.set_default_timeout(5_000)
        self.page.on("pageerror", lambda error: self.troubles.append(f"error: {error}"))
        self.page.on("console", lambda message: self._heard(message.type, message.text))
        context.route("**/*", self._answer)

    def _heard(self, kind: str, text: str) -> None:
        if kind in ("error", "warning"):
            self.troubles.append(f"{kind}: {text}")

    def _answer(self, route: Route, request: Request) -> None:
        path = request.url.removeprefix(ORIGIN)
        answer = self.rendered.answers.get(path) or self.rendered.static(path)
        if not request.url.startswith(ORIGIN) or answer is None:
            self.troubles.append(f"asked for {request.url}")
            route.abort()
            return
        status, headers, body = answer
        route.fulfill(status=status, headers=headers, body=body)

    def open(self, path: str, **given: Any) -> "Tab":
        """Load a page; ``given`` are globals that it finds (the scripted client's seat or card)."""
        for name, value in given.items():
            self.page.add_init_script(f"window.{name} = {json.dumps(value)};")
        self.page.goto(ORIGIN + path)
        return self

    def receive(self, *frames: dict[str, Any]) -> "Tab":
        """The server's frames, in order, and the drawing that follows them."""
        self.page.evaluate("frames => frames.forEach((frame) => receive('message', frame))", list(frames))
        return self.settle()

    def state(self, state: str, **detail: Any) -> "Tab":
        view = {"state": state, "attempt": 0, "of": 6, **detail}
        self.page.evaluate("view => receive('state', view)", view)
        return self.settle()

    def settle(self) -> "Tab":
        self.page.evaluate(
            "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
        )
        return self

    def sent(self) -> list[dict[str, Any]]:
        sent: list[dict[str, Any]] = self.page.evaluate("() => window.sent.splice(0)")
        return sent

    @property
    def screen(self) -> str:
        name = self.page.get_attribute("[data-screen]", "data-screen")
        assert name is not None
        return name


def open_tab(
    browser: Browser, rendered: Rendered, width: int = 360, height: int = 640, **options: Any
) -> Tab:
    """A new visitor's page, on a phone unless said otherwise."""
    given = {"locale": "en-GB", **options}
    context = browser.new_context(viewport={"width": width, "height": height}, **given)
    return Tab(context, rendered)
