"""The client's own page: what came through the tunnel, and a button to send a request again (spec 6.1).

On 127.0.0.1 alone, for this machine's browser: a foreign Host is refused (DNS rebinding), a replay needs the
key that is in the page. What is shown has no secrets; what is sent again is what came. No Django.
"""

import asyncio
import hmac
import html
import secrets
import time
from typing import Final
from urllib.parse import parse_qsl, urlencode

import h11

from tunnel.client.journal import Entry, Journal
from tunnel.client.target import READ_BYTES, Broken, Http, Target
from tunnel.core import headers as rules
from tunnel.core.frames import Headers

HOST: Final = "127.0.0.1"
SECRET_HEADERS: Final = frozenset(
    {"authorization", "proxy-authorization", "cookie", "set-cookie", "x-csrftoken", "x-api-key"}
)
MAX_FORM_BYTES: Final = 4_096
PATIENCE_S: Final = 30.0
"""How long a browser, or the target at a replay, may take."""
STYLE: Final = (
    "body{font:1rem/1.5 system-ui;margin:2rem auto;max-width:60rem;padding:0 1rem}"
    "summary{font-family:ui-monospace,monospace;cursor:pointer}pre{overflow:auto;background:#8881;padding:.5rem}"
)


class Inspector:
    """The page's server."""

    def __init__(self, journal: Journal, target: Target) -> None:
        self._journal = journal
        self._target = target
        self._key = secrets.token_urlsafe()
        self._hosts: frozenset[str] = frozenset()

    async def listen(self, port: int) -> str:
        """Serve from now on; returns the address. Raises `OSError`."""
        self._server = await asyncio.start_server(self._visited, HOST, port)
        port = self._server.sockets[0].getsockname()[1]
        self._hosts = frozenset({f"{HOST}:{port}", f"localhost:{port}"})
        return f"http://{HOST}:{port}/"

    async def _visited(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        conn = h11.Connection(h11.SERVER)
        try:
            async with asyncio.timeout(PATIENCE_S):
                status, headers, body = await self._answer(*await _request(conn, reader))
                head = h11.Response(status_code=status, headers=rules.encoded(_framed(headers, body)))
                for event in (head, h11.Data(data=body), h11.EndOfMessage()):
                    writer.write(conn.send(event) or b"")
                await writer.drain()
        except (h11.ProtocolError, OSError, TimeoutError):
            pass  # whatever it was, it was no browser that wants to see the page
        finally:
            writer.close()

    async def _answer(self, request: h11.Request, body: bytes) -> tuple[int, Headers, bytes]:
        hosts = rules.values(rules.decoded(list(request.headers)), "host")
        if not hosts or not self._hosts.issuperset(hosts):
            return 403, (), b"This page is for 127.0.0.1."
        path = request.target.decode("latin-1")
        if request.method == b"GET" and path == "/":
            return 200, (("content-type", "text/html; charset=utf-8"),), self._page().encode()
        if request.method == b"POST" and path == "/replay":
            return await self._replayed(dict(parse_qsl(body.decode("latin-1"))))
        return 404, (), b"There is nothing here."

    async def _replayed(self, form: dict[str, str]) -> tuple[int, Headers, bytes]:
        if not hmac.compare_digest(form.get("key", "").encode(), self._key.encode()):
            return 403, (), b"Reload the page, and try again."
        entry = next((entry for entry in self._journal.entries if str(entry.id) == form.get("id")), None)
        if entry is None or not replayable(entry):
            return 404, (), b"This request cannot be sent again."
        await self._replay(entry)
        return 303, (("location", "/"),), b""

    async def _replay(self, old: Entry) -> None:
        entry = self._journal.begin(old.head)
        self._journal.keep(entry, old.body)
        note = "replay"
        try:
            async with asyncio.timeout(PATIENCE_S):
                await self._send_again(old, entry)
        except (Broken, h11.ProtocolError, OSError, TimeoutError) as error:
            note = f"replay, broken: {error}"
        self._journal.end(entry, note)

    async def _send_again(self, old: Entry, entry: Entry) -> None:
        lines = [line for line in rules.to_target(old.head) if line[0] != "content-length"]
        framing = (("content-length", str(len(old.body))), ("connection", "close"))
        reader, writer = await self._target.connect()
        try:
            http = Http(reader, writer)
            head = rules.encoded((*lines, *framing))
            await http.say(h11.Request(method=old.head.method, target=old.head.target, headers=head))
            if old.body:
                await http.say(h11.Data(data=old.body))
            await http.say(h11.EndOfMessage())
            response = await http.response()
            self._journal.answered(entry, response.status_code, rules.decoded(list(response.headers)))
            while isinstance(event := await http.hear(), h11.Data):
                entry.sent += len(event.data)
        finally:
            writer.transport.abort()

    def _page(self) -> str:
        rows = "".join(self._row(entry) for entry in reversed(self._journal.entries))
        return (
            '<!doctype html><html lang="en"><meta charset="utf-8"><title>Tunnel</title>'
            f"<style>{STYLE}</style><h1>Requests</h1><p>The newest first. Secrets are not shown.</p>"
            f"{rows or '<p>None yet.</p>'}</html>"
        )

    def _row(self, entry: Entry) -> str:
        again = ""
        if replayable(entry):
            again = (
                '<form method="post" action="/replay">'
                f'<input type="hidden" name="key" value="{self._key}">'
                f'<button name="id" value="{entry.id}">Send again</button></form>'
            )
        method = "WS" if entry.head.websocket else entry.head.method
        stamp = time.strftime("%H:%M:%S", time.localtime(entry.started))
        state = "…" if entry.ended is None else f"{(entry.ended - entry.started) * 1000:.0f} ms"
        target = without_values(entry.head.target)
        line = f"{stamp} {entry.status or '---'} {method} {target} {state} {entry.note}"
        shown = "".join(
            f"<h3>{title}</h3><pre>{html.escape(redacted(lines))}</pre>"
            for title, lines in (("Request", entry.head.headers), ("Response", entry.headers))
        )
        return f"<details><summary>{html.escape(line)}</summary>{shown}{again}</details>"


def replayable(entry: Entry) -> bool:
    """Whether all of the request is known."""
    return entry.body_whole and not entry.head.websocket


def redacted(lines: Headers) -> str:
    """Header lines for people, without what logs somebody in."""
    return "\n".join(
        f"{name}: {f'({len(value)} characters)' if name.lower() in SECRET_HEADERS else value}"
        for name, value in lines
    )


def without_values(target: str) -> str:
    """A path with the names of its query alone: reconnect tokens travel there."""
    path, mark, query = target.partition("?")
    names = urlencode([(name, "") for name, _ in parse_qsl(query, keep_blank_values=True)]).replace("=", "=…")
    return f"{path}{mark}{names}"


async def _request(conn: h11.Connection, reader: asyncio.StreamReader) -> tuple[h11.Request, bytes]:
    request: h11.Request | None = None
    body = b""
    while True:
        event = conn.next_event()
        if event is h11.NEED_DATA:
            conn.receive_data(await reader.read(READ_BYTES))
        elif isinstance(event, h11.Request):
            request = event
        elif isinstance(event, h11.Data):
            body += event.data
            if len(body) > MAX_FORM_BYTES:
                raise h11.RemoteProtocolError("a form that is too long")
        elif request is not None:
            return request, body
        else:
            raise h11.RemoteProtocolError("no request")


def _framed(headers: Headers, body: bytes) -> Headers:
    return (
        *headers,
        ("content-length", str(len(body))),
        ("connection", "close"),
        ("cache-control", "no-store"),
        ("content-security-policy", "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'"),
        ("x-frame-options", "DENY"),
    )
