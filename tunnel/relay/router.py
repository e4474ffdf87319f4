"""The outermost ASGI application: peers' hosts to peers, everything else to the site (spec 6.6).

A tunnel host never reaches the site, the site's host never a peer (but for ``PATH_ROUTING``). State is per
process; the hub is made with the router and used on the loop alone.
"""

import asyncio
import logging
import time
from collections.abc import Iterable
from typing import Any, Final

from gateway.transports.bodies import BodyLimit, Refusal, unlimited
from tunnel.conf import Config
from tunnel.core import headers as rules
from tunnel.core import tokens
from tunnel.core.frames import Fatal
from tunnel.core.headers import BadHeadError
from tunnel.core.hosts import Bad, Peer, Site, by_path, whose
from tunnel.relay import peer as live
from tunnel.relay.abort import VisitorConnection
from tunnel.relay.answers import Answer, message, send_http, send_websocket, wants_json
from tunnel.relay.endpoint import Endpoint, Store
from tunnel.relay.hub import Hub
from tunnel.relay.pages import Bounds, PageVisit, Visitor
from tunnel.relay.sockets import SocketVisit
from tunnel.relay.visit import Visit, raw_path, read

log = logging.getLogger("tunnel.relay")

ENDPOINT_PATH: Final = "/_tunnel"
RECHECK_S: Final = 0.5
"""How often the tokens of live peers are looked at: one query, and none while no peer is live."""


class TunnelRouter:
    """``site`` with the tunnel around it. ``own_cookies`` are the site's, which no peer may see."""

    def __init__(self, site: Any, config: Config, store: Store, own_cookies: tuple[str, ...] = ()) -> None:
        self.site = site
        self.config = config
        self.hub = Hub(self._keep_rechecking)
        self.store = store
        self._endpoint = Endpoint(config, self.hub, store)
        self._own_cookies = frozenset(own_cookies)
        self._rechecking: asyncio.Task[None] | None = None
        self.loop: asyncio.AbstractEventLoop | None = None
        """Where the peers are, once there was one."""

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """One connection."""
        if scope["type"] not in ("http", "websocket"):
            await self.site(scope, receive, send)
            return
        hosts = [value.decode("latin-1") for name, value in scope["headers"] if name == b"host"]
        match whose(hosts, self.config.hosts):
            case Bad():
                await self._answer(Answer.BAD_HOST, scope, receive, send)
            case Peer(name):
                await self._visit(name, raw_path(scope), scope, receive, send)
            case _:
                await self._on_the_site(scope, receive, send)

    def body_limit(self, lines: Iterable[tuple[bytes, bytes]], target: bytes) -> BodyLimit | None:
        """For a server that keeps bodies whole (`gateway.transports.bodies`); the site speaks for itself."""
        headers = rules.decoded(lines)
        path = target.partition(b"?")[0].decode("latin-1")
        whom = whose(rules.values(headers, "host"), self.config.hosts)
        if isinstance(whom, Site) and not (self.config.keys.path_routing and by_path(path)):
            limit: BodyLimit | None = getattr(self.site, "body_limit", unlimited)(lines, target)
            return limit
        keys, as_json = self.config.keys, wants_json(headers)
        return BodyLimit(
            keys.max_body_bytes,
            _refusal(Answer.TOO_LARGE, as_json),
            keys.head_timeout_ms / 1000,
            _refusal(Answer.BODY_STALLED, as_json),
        )

    async def _on_the_site(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["path"] == ENDPOINT_PATH:
            await self._endpoint(scope, receive, send)
            return
        found = by_path(raw_path(scope)) if self.config.keys.path_routing else None
        if found is None:
            await self.site(scope, receive, send)
        else:
            await self._visit(*found, scope, receive, send)

    async def _visit(self, name: str, path: str, scope: Any, receive: Any, send: Any) -> None:
        on_the_site = path != raw_path(scope)
        try:
            visit = read(scope, self.config, path, self._own_cookies if on_the_site else ())
        except BadHeadError:
            await self._answer(Answer.BAD_REQUEST, scope, receive, send)
            return
        peer = await self.hub.find(name)
        if peer is None:
            answer = Answer.AWAY if self.hub.is_away(name) or name in self.hub.peers else Answer.NO_PEER
            await self._answer(answer, scope, receive, send)
            return
        if not self.hub.has_room(peer):
            await self._answer(Answer.BUSY, scope, receive, send)
        elif scope["type"] == "http":
            answering = _without(send, self._own_cookies) if on_the_site else send
            visitor = Visitor(receive, answering, VisitorConnection(scope, send))
            await self._page(visit, peer, scope, visitor)
        else:
            await self._socket(
                visit, peer, scope, receive, _without(send, self._own_cookies) if on_the_site else send
            )

    async def _page(self, visit: Visit, peer: live.Peer, scope: Any, visitor: Visitor) -> None:
        keys = self.config.keys
        if peer.requests >= keys.max_requests:
            await self._answer(Answer.QUEUE_FULL, scope, visitor.receive, visitor.send)
            return
        peer.requests += 1
        try:
            bounds = Bounds(keys.head_timeout_ms / 1000, keys.max_body_bytes)
            await PageVisit(visit, peer, visitor, bounds).serve()
        finally:
            peer.requests -= 1

    async def _socket(self, visit: Visit, peer: live.Peer, scope: Any, receive: Any, send: Any) -> None:
        if peer.sockets >= self.config.keys.max_sockets:
            await self._answer(Answer.QUEUE_FULL, scope, receive, send)
            return
        peer.sockets += 1
        try:
            await SocketVisit(visit, peer, scope, receive, send).serve(
                self.config.keys.head_timeout_ms / 1000
            )
        finally:
            peer.sockets -= 1

    async def _answer(self, answer: Answer, scope: Any, receive: Any, send: Any) -> None:
        headers = rules.decoded(scope["headers"])
        if scope["type"] == "websocket":
            await send_websocket(answer, scope, headers, send)
            return
        framed = {"content-length", "transfer-encoding"} & {name for name, _ in headers}
        await send_http(answer, headers, receive, send, body_open=bool(framed))

    # Tokens that change while they are in use

    def _keep_rechecking(self) -> None:
        if self._rechecking is None or self._rechecking.done():
            self.loop = asyncio.get_running_loop()
            self._rechecking = self.loop.create_task(self._recheck())

    async def _recheck(self) -> None:
        """Send away the peers whose token allows them no more; runs while there are peers."""
        while peers := list(self.hub.peers.values()):
            await asyncio.sleep(RECHECK_S)
            try:
                grants = await self.store.grants({peer.grant.id for peer in peers})
                banned = await self.store.banned({peer.name for peer in peers})
            except Exception:
                log.exception("the tokens of live peers cannot be looked up")
                continue
            for peer in peers:
                fault = f"the name {peer.name!r} is banned" if peer.name in banned else ""
                fault = fault or _fault(grants.get(peer.grant.id), peer)
                if fault:
                    self.hub.kick(peer, Fatal("unauthorized", fault))


def _fault(grant: tokens.Grant | None, peer: live.Peer) -> str:
    if grant is None or grant.secret_hash != peer.grant.secret_hash:
        return "the token is not valid any more"
    return tokens.fault(grant, peer.name, time.time())


def _refusal(answer: Answer, as_json: bool) -> Refusal:
    own, body = message(answer, as_json)
    return Refusal(answer.status, rules.encoded(own), body)


def _without(send: Any, cookies: frozenset[str]) -> Any:
    """On path routing a peer shares the site's origin: it may not set the site's own cookies."""

    async def stripped(message: Any) -> None:
        if message.get("headers"):
            kept = rules.without_cookies(rules.decoded(message["headers"]), cookies)
            message = {**message, "headers": rules.encoded(kept)}
        await send(message)

    return stripped
