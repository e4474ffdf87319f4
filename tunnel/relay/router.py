"""The outermost ASGI application: peers' hosts to peers, everything else to the site (spec 6.6).

A tunnel host never reaches the site, the site's host never a peer (but for ``PATH_ROUTING``). State is per
process; the hub is made with the router and used on the loop alone.
"""

import asyncio
import logging
import time
from typing import Any, Final

from tunnel.conf import Config
from tunnel.core import headers as rules
from tunnel.core import tokens
from tunnel.core.frames import Fatal
from tunnel.core.headers import BadHeadError
from tunnel.core.hosts import Bad, Peer, by_path, whose
from tunnel.relay import peer as live
from tunnel.relay.answers import Answer, send_http, send_websocket
from tunnel.relay.endpoint import Endpoint, Store
from tunnel.relay.hub import Hub
from tunnel.relay.pages import PageVisit
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
            await self._page(visit, peer, scope, receive, _without(send, self._own_cookies, on_the_site))
        else:
            await self._socket(visit, peer, scope, receive, _without(send, self._own_cookies, on_the_site))

    async def _page(self, visit: Visit, peer: live.Peer, scope: Any, receive: Any, send: Any) -> None:
        keys = self.config.keys
        if peer.requests >= keys.max_requests:
            await self._answer(Answer.QUEUE_FULL, scope, receive, send)
            return
        peer.requests += 1
        try:
            await PageVisit(
                visit, peer, receive, send, keys.head_timeout_ms / 1000, keys.max_body_bytes
            ).serve()
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


def _without(send: Any, cookies: frozenset[str], on_the_site: bool) -> Any:
    """On path routing a peer shares the site's origin: it may not set the site's own cookies."""
    if not on_the_site:
        return send

    async def stripped(message: Any) -> None:
        if message.get("headers"):
            kept = rules.without_cookies(rules.decoded(message["headers"]), cookies)
            message = {**message, "headers": rules.encoded(kept)}
        await send(message)

    stripped.__self__ = getattr(send, "__self__", None)  # type: ignore[attr-defined]  # for tunnel.relay.abort
    return stripped
