"""Where clients come in: one WebSocket a peer, logged in, served until it ends (spec 6.1, 6.4, 6.5).

A plain ASGI application. A refusal is told as a FATAL frame and close 1008, for a WebSocket library hides the
body of a refused upgrade. One ``try/finally`` owns the name.
"""

import asyncio
import logging
import secrets
import time
from collections.abc import Callable, Collection
from typing import Any, Final, Protocol

from gateway.transports.port import EXTENSION
from tunnel.conf import Config
from tunnel.core import headers as rules
from tunnel.core import tokens
from tunnel.core.claims import PROBE_S, Claim, Verdict, judge
from tunnel.core.codec import decode, encode
from tunnel.core.frames import (
    VERSION,
    ConnectionFrame,
    Fatal,
    GoAway,
    Headers,
    Hello,
    ProtocolError,
    Ready,
    Stop,
)
from tunnel.core.hosts import name_fault
from tunnel.core.link import Link
from tunnel.core.liveness import Liveness
from tunnel.core.states import Side
from tunnel.core.tokens import Grant
from tunnel.relay.answers import Answer, send_http, send_websocket
from tunnel.relay.hub import Hub
from tunnel.relay.peer import Peer
from tunnel.relay.visit import address_of, scheme_of
from tunnel.wire import ConnectionEnded, Left, Wire

log = logging.getLogger("tunnel.relay")

HELLO_S: Final = 10.0
FAREWELL_S: Final = 1.0
"""How long a FATAL may wait for a client that does not read."""
DRAIN_S: Final = 5.0
"""How long streams that are open when the relay stops may go on; supervisors kill after ten seconds."""
STOPPING: Final = Fatal("going", "the relay stops", retry=True)
POLICY_VIOLATION: Final = 1008
TRY_AGAIN_LATER: Final = 1013


class Store(Protocol):
    """Where tokens are looked up."""

    def fault(self) -> str:
        """Why this process cannot be the relay; empty if it can."""

    async def grants(self, token_ids: Collection[str]) -> dict[str, Grant]:
        """What is known of these tokens, by id."""

    async def banned(self, names: Collection[str]) -> set[str]:
        """Those of the names that nobody may have."""

    async def used(self, token_id: str) -> None:
        """A client has logged in with it."""


class RefusedError(Exception):
    """The client may not serve."""

    def __init__(self, code: str, reason: str, retry: bool = False) -> None:
        super().__init__(reason)
        self.fatal = Fatal(code, reason, retry)


class Endpoint:
    """The clients' WebSocket."""

    def __init__(self, config: Config, hub: Hub, store: Store) -> None:
        self.config = config
        self.hub = hub
        self.store = store

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """One connection."""
        headers = rules.decoded(scope["headers"])
        if scope["type"] != "websocket":
            await send_http(Answer.UPGRADE_REQUIRED, headers, receive, send)
            return
        address = address_of(scope, headers, self.config)
        if not self.config.serves or self.hub.failures.blocked(address, time.monotonic()):
            answer = Answer.TOO_MANY_TRIES if self.config.serves else Answer.NO_PEER
            await send_websocket(answer, scope, headers, send)
            return
        if (await receive())["type"] != "websocket.connect":
            return
        await send({"type": "websocket.accept"})
        client = _Client(scope, receive, send)
        try:
            await self._serve(client, headers, address)
        except RefusedError as refused:
            log.info("refused", extra={"code": refused.fatal.code, "address": address})
            await client.farewell(refused.fatal)
        except (ProtocolError, TimeoutError) as error:
            await client.farewell(Fatal("protocol", str(error) or "no HELLO"))
        except (_ClientGone, OSError):
            pass  # it left before it was let in

    async def _serve(self, client: "_Client", headers: Headers, address: str) -> None:
        grant = await self._log_in(headers, address)
        if fault := self.store.fault():
            log.error("cannot be the relay", extra={"reason": fault})
            raise RefusedError("second_relay", fault, retry=True)
        async with asyncio.timeout(HELLO_S):
            hello = decode(await client.read())
        if not isinstance(hello, Hello):
            raise ProtocolError(f"a {type(hello).__name__} before HELLO")
        self._admit(hello, grant)
        if await self.store.banned([hello.name]):
            raise RefusedError("invalid_name", f"the name {hello.name!r} is banned")
        claim = Claim(grant.id, hello.instance, hello.force)
        await self.store.used(grant.id)
        await self._make_room(hello.name, claim)
        # Nothing is awaited between a name that is free and its being taken: two would get it.
        await self._be_peer(client, hello, Peer(hello.name, claim, grant, self._wire(client, hello)), headers)

    async def _log_in(self, headers: Headers, address: str) -> Grant:
        given = rules.values(headers, "authorization")
        scheme, _, text = given[0].partition(" ") if len(given) == 1 else ("", "", "")
        token = tokens.parse(text) if scheme.lower() == "bearer" else None
        grant = None if token is None else (await self.store.grants([token.id])).get(token.id)
        if token is None or not tokens.authentic(token, grant) or grant is None:
            self.hub.failures.count(address, time.monotonic())
            raise RefusedError("unauthorized", "unauthorized")
        return grant

    def _admit(self, hello: Hello, grant: Grant) -> None:
        if VERSION not in hello.versions:
            raise RefusedError(
                "version", f"this relay speaks {VERSION}, not {', '.join(hello.versions)[:80]}"
            )
        fault = name_fault(hello.name, self.config.hosts.reserved)
        if fault:
            raise RefusedError("invalid_name", fault)
        fault = tokens.fault(grant, hello.name, time.time())
        if fault:
            raise RefusedError("unauthorized", fault)

    async def _make_room(self, name: str, claim: Claim) -> None:
        """Get the name free, or raise."""
        while (holder := self.hub.peers.get(name)) is not None:
            verdict = judge(claim, holder.claim)
            if verdict is Verdict.PROBE:
                verdict = Verdict.REFUSE if await holder.wire.answers(PROBE_S) else Verdict.REPLACE
            if verdict is Verdict.REFUSE:
                raise RefusedError("name_taken", f"{name!r} is served by another client")
            if self.hub.peers.get(name) is holder:
                # Told not to come back: two clients that take the name from each other would never stop.
                self.hub.kick(holder, Fatal("replaced", f"{name!r} is served by a newer client now"))
                self.hub.leave(holder)

    def _wire(self, client: "_Client", hello: Hello) -> Wire:
        keys = self.config.keys
        link = Link(Side.RELAY)
        link.far_window = hello.window
        watch = Liveness.started(time.monotonic(), keys.ping_interval_ms / 1000, keys.dead_after_ms / 1000)
        return Wire(link, client.write, watch)

    async def _be_peer(self, client: "_Client", hello: Hello, peer: Peer, headers: Headers) -> None:
        peer.wire.on_frame = lambda frame: _connection_frame(peer, frame)
        peer.wire.on_growth = self.hub.relieve
        self.hub.join(peer)
        ready = self._ready(client.scope, hello.name, peer, headers)
        log.info("peer joined", extra={"peer": peer.name, "token": peer.grant.id})
        running: asyncio.Future[Any] = asyncio.ensure_future(peer.wire.run(client.read))
        peer.wire.announce(ready)
        client.on_stop(lambda: self._drain(peer))
        try:
            ends: list[asyncio.Future[Any]] = [running, peer.sent_away]
            await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
        finally:
            self.hub.leave(peer)
            running.cancel()
            reason = (await asyncio.gather(running, return_exceptions=True))[0]
            log.info("peer left", extra={"peer": peer.name, "reason": str(reason)})
        if peer.sent_away.done():
            await client.farewell(peer.sent_away.result())
        elif isinstance(reason, Left):
            await client.farewell(STOPPING)
        elif isinstance(reason, ConnectionEnded):
            await self._end(client, reason)

    def _drain(self, peer: Peer) -> None:
        """The server stops. Visitors that are being served may be served to their end, within bounds."""
        log.info("draining", extra={"peer": peer.name, "streams": len(peer.wire.link.streams)})
        peer.go_away(STOPPING.reason)
        asyncio.get_running_loop().call_later(DRAIN_S, self.hub.kick, peer, STOPPING)

    async def _end(self, client: "_Client", reason: ConnectionEnded) -> None:
        if reason.stop is Stop.PROTOCOL:
            await client.farewell(Fatal("protocol", str(reason)))
        else:
            client.abort()

    def _ready(self, scope: Any, name: str, peer: Peer, headers: Headers) -> Ready:
        keys = self.config.keys
        expires_at = peer.grant.expires_at
        scheme, host = scheme_of(scope, headers, self.config), rules.values(headers, "host")[0]
        _, colon, port = host.rpartition(":")
        own = f"{keys.base_domain}{colon}{port}" if colon and port.isdigit() else keys.base_domain
        url = f"{scheme}://{name}.{own}/" if keys.base_domain else f"{scheme}://{host}/_bifrost/{name}/"
        return Ready(
            secrets.token_hex(8),
            url,
            keys.max_requests,
            keys.max_body_bytes,
            None if expires_at is None else max(0.0, expires_at - time.time()),
        )


def _connection_frame(peer: Peer, frame: ConnectionFrame) -> None:
    if not isinstance(frame, GoAway):
        raise ProtocolError(f"a {type(frame).__name__} from a client that is let in")
    peer.going = True


class _ClientGone(Exception):
    """The client's socket has ended."""


class _Client:
    """The client's socket, in bytes."""

    def __init__(self, scope: Any, receive: Any, send: Any) -> None:
        self.scope = scope
        self._port = (scope.get("extensions") or {}).get(EXTENSION)
        self._receive = receive
        self._send = send

    async def read(self) -> bytes:
        """The next message."""
        event = await self._receive()
        if event["type"] != "websocket.receive":
            raise _ClientGone(f"closed with {event.get('code')}")
        message: bytes | None = event.get("bytes")
        if message is None:
            raise ProtocolError("a text message")
        return message

    async def write(self, message: bytes) -> None:
        """Send a message; waits while the socket is full."""
        await self._send({"type": "websocket.send", "bytes": message})

    async def farewell(self, fatal: Fatal) -> None:
        """Say why, and close."""
        try:
            async with asyncio.timeout(FAREWELL_S):
                await self.write(encode(fatal))
                code = TRY_AGAIN_LATER if fatal.retry else POLICY_VIOLATION
                await self._send({"type": "websocket.close", "code": code, "reason": fatal.reason})
        except (TimeoutError, OSError):
            self.abort()

    def abort(self) -> None:
        """End the connection without a word: nobody listens."""
        if self._port is not None:
            self._port.abort()

    def on_stop(self, stop: Callable[[], None]) -> None:
        """What to do when the server stops, instead of closing at once; only our own ports tell."""
        if self._port is not None:
            self._port.on_stop = stop
