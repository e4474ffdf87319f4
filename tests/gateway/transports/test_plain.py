"""The port on plain ASGI: order, waiting, ends (spec 1.8).

The server is a script here; real ones run in conformance.
"""

import asyncio
from typing import Any

import pytest

from gateway.core.closing import By
from gateway.transports import plain
from gateway.transports.framed import FramedPort
from gateway.transports.plain import PlainPort, port_for
from gateway.transports.port import EXTENSION


class Server:
    """An ASGI server that takes what is sent while it is ``open``."""

    def __init__(self) -> None:
        self.events: asyncio.Queue[Any] = asyncio.Queue()
        self.sent: list[Any] = []
        self.open = asyncio.Event()
        self.open.set()
        self.error: Exception | None = None

    async def receive(self) -> Any:
        return await self.events.get()

    async def send(self, message: Any) -> None:
        if not self.open.is_set():
            await self.open.wait()
        if self.error is not None:
            raise self.error
        self.sent.append(message.get("text", message["type"]))

    def says(self, **event: Any) -> None:
        """An event for the application."""
        self.events.put_nowait({"type": "websocket.receive", **event})

    def disconnects(self, code: int | None) -> None:
        """The client is gone."""
        self.events.put_nowait({"type": "websocket.disconnect", "code": code})


async def turns(count: int = 5) -> None:
    """Let everybody who can go on do so."""
    for _ in range(count):
        await asyncio.sleep(0)


async def test_the_servers_own_port_wins() -> None:
    """Where there is none, one is made."""
    server = Server()
    mine: Any = object.__new__(FramedPort)
    assert port_for({"extensions": {EXTENSION: mine}}, server.receive, server.send) is mine
    for scope in ({"extensions": {}}, {"extensions": None}, {}):
        assert isinstance(port_for(scope, server.receive, server.send), PlainPort)


async def test_a_server_without_an_adapter_is_named_once(caplog: pytest.LogCaptureFixture) -> None:
    """The operator learns what is lost, not once for each socket."""
    plain._warn.cache_clear()
    server = Server()
    for _ in range(3):
        port_for({}, server.receive, server.send)
    assert [record.levelname for record in caplog.records] == ["WARNING"]
    assert "manage.py serve" in caplog.text


async def test_a_send_that_does_not_wait_is_done_when_write_returns() -> None:
    """Without a task."""
    server = Server()
    port = PlainPort(server.receive, server.send)
    tasks = len(asyncio.all_tasks())
    port.write(b"one")
    assert server.sent == ["one"]
    assert len(asyncio.all_tasks()) == tasks


async def test_what_is_written_while_a_send_waits_queues_in_order() -> None:
    """And is counted until the server has taken it."""
    server = Server()
    port = PlainPort(server.receive, server.send)
    drained: list[int] = []
    task = asyncio.create_task(port.run(lambda _: None, lambda: drained.append(port.buffered())))
    await turns()
    server.open.clear()
    for payload in (b"one", b"three", b"five!"):
        port.write(payload)
    assert port.buffered() == 13
    assert server.sent == []
    server.open.set()
    await turns()
    assert server.sent == ["one", "three", "five!"]
    assert drained == [0]
    port.write(b"direct again")
    assert server.sent[-1] == "direct again"
    port.abort()
    await task


async def test_a_close_does_not_queue_behind_what_waits() -> None:
    """What waits is dropped; the close frame goes as soon as the server lets it."""
    server = Server()
    port = PlainPort(server.receive, server.send)
    task = asyncio.create_task(port.run(lambda _: None, lambda: None))
    await turns()
    server.open.clear()
    port.write(b"stuck")
    port.write(b"waiting")
    port.close(1013, "Backpressure")
    await turns()
    assert port.buffered() == 0
    server.open.set()
    close = await task
    assert server.sent == ["websocket.close"]
    assert (close.code, close.reason, close.by) == (1013, "Backpressure", By.SERVER)


async def test_a_close_that_the_server_never_takes_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """The application returns, and the server does what it then does."""
    monkeypatch.setattr("gateway.transports.plain.CLOSE_TIMEOUT_S", 0.0)
    server = Server()
    server.open.clear()
    port = PlainPort(server.receive, server.send)
    port.close(1013, "Backpressure")
    assert (await port.run(lambda _: None, lambda: None)).code == 1013


@pytest.mark.parametrize(
    ("said", "code", "by"), [(4000, 4000, By.CLIENT), (None, 1005, By.CLIENT), (1006, 1006, By.NETWORK)]
)
async def test_the_servers_word_for_the_end_is_taken(said: int | None, code: int, by: By) -> None:
    """There is no other."""
    server = Server()
    server.says(text="Zürich")
    server.says(bytes=b"\xff")
    server.disconnects(said)
    got: list[bytes] = []
    close = await PlainPort(server.receive, server.send).run(got.append, lambda: None)
    assert got == ["Zürich".encode(), b"\xff"]
    assert (close.code, close.by) == (code, by)


async def test_a_client_that_is_gone_is_no_error_and_its_last_words_are_heard() -> None:
    """An ``OSError`` from send says only that it is gone; the event that follows says how."""
    server = Server()
    port = PlainPort(server.receive, server.send)
    got: list[bytes] = []
    task = asyncio.create_task(port.run(got.append, lambda: None))
    await turns()
    server.error = ConnectionError()
    port.write(b"to nobody")
    server.error = None
    port.write(b"to nobody either")
    assert server.sent == []
    server.says(text="last words")
    server.disconnects(1001)
    assert (await task).code == 1001
    assert got == [b"last words"]


async def test_any_other_error_of_the_server_comes_out_of_run() -> None:
    """Not out of write: a broadcast goes on."""
    server = Server()
    port = PlainPort(server.receive, server.send)
    server.error = RuntimeError("send after close")
    port.write(b"a")
    with pytest.raises(RuntimeError, match="send after close"):
        await port.run(lambda _: None, lambda: None)


async def test_an_exception_of_the_application_comes_out_of_run() -> None:
    """1011 is the caller's to send."""
    server = Server()
    server.says(text="a")
    with pytest.raises(ZeroDivisionError):
        await PlainPort(server.receive, server.send).run(lambda _: print(1 / 0), lambda: None)
