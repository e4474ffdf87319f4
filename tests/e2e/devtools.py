"""A Chromium driven by its own protocol alone, for what Playwright keeps from happening.

Under Playwright every page counts as visible and focused for ever, and the back/forward cache is off. Here a
tab that another one covers is hidden, may be frozen, and goes into the cache as on a phone.
"""

import itertools
import json
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from websockets.sync.client import ClientConnection, connect

from tests.e2e.conftest import CHROME
from tests.e2e.witness import LISTEN

ANSWER_S = 10
PATIENCE_S = 25
LOOK_S = 0.05
ARGUMENTS = (
    *("--headless=new", "--no-sandbox", "--no-first-run", "--disable-quic", "--disable-sync"),
    *("--disable-component-update", "--disable-background-networking", "--remote-debugging-port=0"),
)
LISTENING = "DevTools listening on "


class Wire:
    """Commands and their answers; events are passed over."""

    def __init__(self, socket: ClientConnection) -> None:
        self._socket = socket
        self._ids = itertools.count(1)

    def call(self, method: str, **params: Any) -> dict[str, Any]:
        """One command; raises what the browser says is wrong with it."""
        id = next(self._ids)
        self._socket.send(json.dumps({"id": id, "method": method, "params": params}))
        while (answer := json.loads(self._socket.recv(timeout=ANSWER_S))).get("id") != id:
            pass
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']}")
        result: dict[str, Any] = answer["result"]
        return result


class Tab:
    """One tab, from ``about:blank`` on; the notes of `tests.e2e.witness` are taken in it."""

    def __init__(self, browser: Wire, wire: Wire, id: str) -> None:
        self._browser = browser
        self.wire = wire
        self.id = id
        wire.call("Page.enable")
        wire.call("Page.addScriptToEvaluateOnNewDocument", source=LISTEN)

    def goto(self, url: str) -> None:
        """Follow a link to somewhere."""
        self.wire.call("Page.navigate", url=url)

    def js(self, expression: str) -> Any:
        """The value of an expression, or of the promise that it makes; by a person's hand."""
        answer = self.wire.call(
            "Runtime.evaluate",
            expression=expression,
            awaitPromise=True,
            returnByValue=True,
            userGesture=True,
        )
        if "exceptionDetails" in answer:
            raise RuntimeError(f"{expression}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def sees(self, expression: str) -> None:
        """Wait until it is true, through loads of the page if need be."""
        until = time.monotonic() + PATIENCE_S
        while not self._true(expression):
            assert time.monotonic() < until, f"never so: {expression}\n{self.js('document.body.innerText')}"
            time.sleep(LOOK_S)

    def cover(self) -> None:
        """Another tab comes to the front: this one is hidden."""
        self._browser.call("Target.createTarget", url="about:blank")
        self.sees("document.hidden")

    def uncover(self) -> None:
        """Back to the front."""
        self._browser.call("Target.activateTarget", targetId=self.id)
        self.sees("!document.hidden")

    def freeze(self) -> None:
        """Stop all of the page's own doing, as phones do to pages in the background."""
        self.wire.call("Page.setWebLifecycleState", state="frozen")

    def resume(self) -> None:
        """Let it live again."""
        self.wire.call("Page.setWebLifecycleState", state="active")

    def close(self) -> None:
        """End the tab."""
        self._browser.call("Target.closeTarget", targetId=self.id)

    def _true(self, expression: str) -> bool:
        try:
            return bool(self.js(f"!!({expression})"))
        except RuntimeError:
            return False  # between two pages


class Phone:
    """The browser and its tabs."""

    def __init__(self, base: str, sockets: ExitStack) -> None:
        self._base = base
        self._sockets = sockets
        self._browser = Wire(sockets.enter_context(connect(base, compression=None, max_size=None)))

    def tab(self) -> Tab:
        """A new one, in front."""
        id = self._browser.call("Target.createTarget", url="about:blank")["targetId"]
        return self._attach(id)

    def opened_by(self, tab: Tab, expression: str) -> Tab:
        """The tab that this expression opens from another one."""
        known = self._tabs()
        tab.js(expression)
        until = time.monotonic() + PATIENCE_S
        while not (new := self._tabs() - known):
            assert time.monotonic() < until, f"nothing was opened by {expression}"
            time.sleep(LOOK_S)
        return self._attach(new.pop())

    def _tabs(self) -> set[str]:
        targets = self._browser.call("Target.getTargets")["targetInfos"]
        return {target["targetId"] for target in targets if target["type"] == "page"}

    def _attach(self, id: str) -> Tab:
        url = self._base.partition("/devtools/")[0] + f"/devtools/page/{id}"
        wire = Wire(self._sockets.enter_context(connect(url, compression=None, max_size=None)))
        return Tab(self._browser, wire, id)


@contextmanager
def phone(chromium: str, profile: Path) -> Iterator[Phone]:
    """A browser of its own, with an empty profile."""
    command = [chromium, *ARGUMENTS, f"--user-agent={CHROME}", f"--user-data-dir={profile}", "about:blank"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    try:
        assert process.stderr is not None
        base = next(line for line in process.stderr if LISTENING in line).partition(LISTENING)[2].strip()
        with ExitStack() as sockets:
            yield Phone(base, sockets)
    finally:
        process.terminate()
        process.communicate()
