"""The application under every server of the conformance suite: it does what the test's client tells it.

A message that starts with ``!`` is a command to the application's own side of the socket, one with ``#`` is
only counted, any other is echoed. What the application saw of a socket is asked for over HTTP, by the id in
the socket's query: ``/seen/<id>`` answers once the socket is over, ``/now/<id>`` at once, others when the
application is that far.
"""

import asyncio
import json
from collections import defaultdict
from typing import Any

from gateway.core.outbox import WRITE_THROUGH_BYTES
from gateway.transports.plain import port_for
from gateway.transports.port import Port

FRAME = b"x" * 16_384
FILL_AT_MOST = 64 * 1_048_576
"""A server that hides what is waiting would be filled for ever."""
MAX_BUFFERED = 1_048_576
FRAME_HEADER_BYTES = 4
"""Of a server's frame of 126 to 65,535 bytes."""

seen: dict[str, dict[str, Any]] = {}
happened: defaultdict[tuple[str, str], asyncio.Event] = defaultdict(asyncio.Event)
"""What the test and the application wait for of each other, by the kind of event and the socket's id."""
running: set["asyncio.Task[None]"] = set()
"""Keeps tasks alive: the loop does not."""


async def application(scope: Any, receive: Any, send: Any) -> None:
    if scope["type"] == "http":
        await answer(scope["path"], receive, send)
    elif scope["type"] == "websocket":
        await socket(scope, receive, send)


async def answer(path: str, receive: Any, send: Any) -> None:
    """Tell the test what the application saw."""
    await receive()
    _, what, name = path.split("/")
    if what == "release":
        happened["release", name].set()
    elif what == "half":
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"half of ", "more_body": True})
        raise RuntimeError("the application broke in its response, as the test wanted")
    elif what == "unanswered":
        raise RuntimeError("the application broke before its response, as the test wanted")
    elif what != "now":
        await happened[what, name].wait()
    body = json.dumps(seen.get(name, {})).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": body})


async def socket(scope: Any, receive: Any, send: Any) -> None:
    name = scope["query_string"].decode().partition("id=")[2].partition("&")[0]
    headers = [[key.decode("latin-1"), value.decode("latin-1")] for key, value in scope["headers"]]
    record = seen.setdefault(name, {"id": name, "headers": headers})
    try:
        await PATHS[scope["path"]](scope, receive, send, record)
    finally:
        happened["seen", name].set()


async def refuse(scope: Any, receive: Any, send: Any, record: dict[str, Any]) -> None:
    """A refusal as the gateway's admission sends it."""
    await receive()
    if "websocket.http.response" not in (scope.get("extensions") or {}):
        await send({"type": "websocket.close"})
        return
    headers = [
        (b"content-type", b"application/json"),
        (b"x-flags-reject-reason", b"ip_connection_cap"),
        (b"retry-after", b"7"),
    ]
    await send({"type": "websocket.http.response.start", "status": 403, "headers": headers})
    await send({"type": "websocket.http.response.body", "body": b'{"ok": false, ', "more_body": True})
    await send({"type": "websocket.http.response.body", "body": b'"code": "ip_connection_cap"}'})
    record["after"] = (await receive())["type"]


async def refuse_at_length(scope: Any, receive: Any, send: Any, record: dict[str, Any]) -> None:
    """A refusal that no kernel takes at once."""
    await receive()
    if "websocket.http.response" in (scope.get("extensions") or {}):
        await send({"type": "websocket.http.response.start", "status": 403, "headers": []})
        await send({"type": "websocket.http.response.body", "body": bytes(FILL_AT_MOST // 4)})
    else:
        await send({"type": "websocket.close"})


async def by_port(scope: Any, receive: Any, send: Any, record: dict[str, Any]) -> None:
    """Accept, then everything through the port."""
    port = port_for(scope, receive, send)
    await receive()
    await send({"type": "websocket.accept", "headers": [(b"x-conformance", b"yes")]})
    record |= {"messages": 0, "bytes": 0, "drained": 0}

    def on_message(payload: bytes) -> None:
        record["messages"] += 1
        record["bytes"] += len(payload)
        if payload.startswith(b"!"):
            command, *words = payload.decode().split(" ", 2)
            COMMANDS[command](port, record, *words)
        elif not payload.startswith(b"#"):
            port.write(payload)

    def on_drain() -> None:
        record["drained"] += 1

    close = await port.run(on_message, on_drain)
    record["close"] = [close.code, close.reason, close.by.value]


def fill(port: Port, record: dict[str, Any]) -> None:
    """Write until the cap of spec 1.5 is passed, then close as the gateway does."""
    task = asyncio.create_task(_fill(port, record))
    running.add(task)
    task.add_done_callback(running.discard)


async def _fill(port: Port, record: dict[str, Any]) -> None:
    written = 0
    while port.buffered() <= MAX_BUFFERED and written < FILL_AT_MOST:
        port.write(FRAME)
        written += len(FRAME)
        await asyncio.sleep(0)  # some servers hand the kernel nothing before the next turn
    record["filled"] = [written, port.buffered()]
    port.close(1013, "Backpressure")


def fill_only(port: Port, record: dict[str, Any]) -> int:
    written = 0
    while port.buffered() <= MAX_BUFFERED and written < FILL_AT_MOST:
        port.write(FRAME)
        written += len(FRAME)
    return written


def fill_exactly(port: Port, record: dict[str, Any]) -> None:
    """Fill the write buffer to the first size that counts as full, to the byte."""
    written = 0
    while port.buffered() == 0 and written < FILL_AT_MOST:
        port.write(FRAME)
        written += len(FRAME)
    port.write(b"x" * (WRITE_THROUGH_BYTES - port.buffered() - FRAME_HEADER_BYTES))
    record["frames"] = written // len(FRAME) + 1
    happened["drowned", record["id"]].set()


def burst(port: Port, record: dict[str, Any], count: str) -> None:
    for number in range(int(count)):
        port.write(b"%06d" % number + FRAME)
    record["peak"] = port.buffered()
    happened["drowned", record["id"]].set()


def fail(port: Port, record: dict[str, Any]) -> None:
    raise RuntimeError("the application broke, as the test wanted")


COMMANDS: dict[str, Any] = {
    "!close": lambda port, record, code, reason="": port.close(int(code), reason),
    "!abort": lambda port, record: port.abort(),
    "!fill": fill,
    "!fill-and-abort": lambda port, record: (fill_only(port, record), port.abort()),
    "!burst": burst,
    "!fill-exactly": fill_exactly,
    "!raise": fail,
}


async def by_asgi(scope: Any, receive: Any, send: Any, record: dict[str, Any]) -> None:
    """An application that has never heard of ports."""
    await receive()
    await send({"type": "websocket.accept"})
    record["bytes"] = 0
    while True:
        message = await receive()
        if message["type"] == "websocket.disconnect":
            record["close"] = [message.get("code"), message.get("reason"), ""]
            return
        text = message.get("text") or ""
        record["bytes"] += len(text)
        match text.split(" ", 1):
            case ["!close", code]:
                await send({"type": "websocket.close", "code": int(code), "reason": "as told"})
            case ["!raise"]:
                raise RuntimeError("the application broke, as the test wanted")
            case ["!return"]:
                return
            case ["!write-on"]:
                for _ in range(500):  # a server may take it all, although nobody is there
                    await send({"type": "websocket.send", "text": "more"})
                    await asyncio.sleep(0.002)
            case ["!hold", name]:
                await happened["release", name].wait()
            case _ if not text.startswith("#"):
                await send({"type": "websocket.send", "text": text})


async def late(scope: Any, receive: Any, send: Any, record: dict[str, Any]) -> None:
    """An admission that takes its time: until it is released, or the client leaves."""
    name = record["id"]
    await receive()
    happened["asked", name].set()
    release = asyncio.create_task(happened["release", name].wait())
    leaving = asyncio.create_task(receive())
    await asyncio.wait({release, leaving}, return_when=asyncio.FIRST_COMPLETED)
    release.cancel()
    if leaving.done() and leaving.result()["type"] == "websocket.disconnect":
        happened["left", name].set()
        return
    leaving.cancel()
    await by_port(scope, _with_connect(receive), send, record)


def _with_connect(receive: Any) -> Any:
    """``receive`` as `by_port` expects it, from the connect event on."""
    first = [{"type": "websocket.connect"}]

    async def receive_again() -> Any:
        return first.pop() if first else await receive()

    return receive_again


async def raises_early(scope: Any, receive: Any, send: Any, record: dict[str, Any]) -> None:
    raise RuntimeError("the application broke before its answer, as the test wanted")


PATHS: dict[str, Any] = {
    "/port": by_port,
    "/asgi": by_asgi,
    "/refuse": refuse,
    "/refuse-at-length": refuse_at_length,
    "/broken": raises_early,
    "/late": late,
}
