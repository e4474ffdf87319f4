"""A well-behaved client beside the bad ones: it says something four times a second and hears itself."""

import json
import threading

from tests.conformance.raw import CLOSE, TEXT, Frame, Headers, Raw
from tests.faults.strict import strictly
from tests.gateway.wire.client import AGENT, Browser

PAUSE_S = 0.25
"""Four a second: 40 in the 10 s in which the toy's limit allows 50."""


def knock(browser: Browser) -> Raw:
    """An open socket, past its greeting, in the hands of somebody who writes their own bytes."""
    raw = Raw(browser.server.port).open("/ws", headers(browser))
    assert strictly(raw.receive().payload)["type"] == "CONNECTED"
    return raw


def headers(browser: Browser) -> Headers:
    """What a browser adds to the upgrade; `Raw` itself says that its host is ``localhost``."""
    return [("Cookie", browser.cookie), ("Origin", "http://localhost"), ("User-Agent", AGENT)]


class Neighbour:
    """Runs in a thread for the length of a ``with``; leaving it raises what went wrong."""

    def __init__(self, browser: Browser) -> None:
        self.heard = 0
        self._browser = browser
        self._stopping = threading.Event()
        self._trouble: Exception | None = None
        self._thread = threading.Thread(target=self._live)

    def __enter__(self) -> "Neighbour":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopping.set()
        self._thread.join()
        if self._trouble is not None:
            raise AssertionError(f"the neighbour was disturbed after {self.heard} echoes") from self._trouble
        assert self.heard > 0

    def _live(self) -> None:
        try:
            with knock(self._browser) as raw:
                raw.text('{"type":"SIT","word":"the neighbour"}')
                while not self._stopping.is_set():
                    self._echo(raw, f"echo {self.heard}")
                    self.heard += 1
                    self._stopping.wait(PAUSE_S)
                raw.close(1000)
        except Exception as trouble:
            self._trouble = trouble

    def _echo(self, raw: Raw, text: str) -> None:
        """Say it and hear it; whatever others said in between must at least be JSON."""
        raw.text(json.dumps({"type": "SAY", "text": text}))
        while self._read(raw.receive()) != {"type": "SAID", "seat": "seat-the neighbour", "text": text}:
            pass

    def _read(self, frame: Frame) -> object:
        assert frame.opcode != CLOSE, f"closed: {frame.payload!r}"
        assert frame.opcode == TEXT
        return strictly(frame.payload)
