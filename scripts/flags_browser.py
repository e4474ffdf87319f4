"""A Chromium page that has this folder's `flags_*.js` modules at hand, and no network.

The build uses it to minify, redraw, compare and photograph flags; a test uses it to hold the committed table
of look-alikes against the committed pictures.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, Route, sync_playwright

ORIGIN = "http://flags.invalid"  # a name that no server can have (RFC 2606)
HERE = Path(__file__).parent


@contextmanager
def flags_page(chromium: str, modules: Mapping[str, str] | None = None) -> Iterator[Page]:
    """An empty page; `modules` are further scripts by file name, beside this folder's own."""
    scripts = {file.name: file.read_text() for file in HERE.glob("flags_*.js")} | dict(modules or {})

    def answer(route: Route) -> None:
        name = route.request.url.removeprefix(f"{ORIGIN}/")
        if name in scripts:
            route.fulfill(body=scripts[name], content_type="text/javascript")
        else:
            route.fulfill(status=200 if not name else 404, body="<!doctype html>", content_type="text/html")

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        try:
            page = browser.new_page()
            page.route("**/*", answer)
            page.goto(ORIGIN)
            yield page
        finally:
            browser.close()


def call(page: Page, module: str, function: str, *arguments: Any) -> Any:
    """What `function` of `module` returns for `arguments`, all of it JSON."""
    script = "async ([module, name, args]) => (await import(`/${module}`))[name](...args)"
    return page.evaluate(script, [module, function, arguments])
