"""The relay's watch over tokens that are in use (spec 6.1), its memory of who just left (spec 6.3)."""

import asyncio
import time
from collections.abc import Collection
from typing import Any

import msgspec
import pytest

from tunnel import conf
from tunnel.core.claims import Claim
from tunnel.core.codec import decode
from tunnel.core.frames import CHUNK_BYTES, Data, Fatal, RequestHead
from tunnel.core.link import Link
from tunnel.core.liveness import Liveness
from tunnel.core.states import Side
from tunnel.core.tokens import Grant, secret_hash
from tunnel.exchange import StreamEnded
from tunnel.relay.endpoint import Endpoint
from tunnel.relay.hub import PROCESS_BUDGET_BYTES, Hub
from tunnel.relay.peer import Peer
from tunnel.relay.router import TunnelRouter
from tunnel.wire import BUDGET_BYTES, Wire

SECRET = "s" * 43
GRANT = Grant("abcdefghi123", secret_hash(SECRET), "*")
HEAD = RequestHead("POST", "/", (), "http", "preview.t.example", "192.0.2.1")


class FixedStore:
    """A store with one token and some banned names."""

    def __init__(self) -> None:
        self.token: Grant | None = GRANT
        self.banned_names: set[str] = set()
        self.broken = False
        self.looks = 0
        self.elsewhere = ""

    def fault(self) -> str:
        return self.elsewhere

    async def grants(self, token_ids: Collection[str]) -> dict[str, Grant]:
        self.looks += 1
        if self.broken:
            self.broken = False
            raise OSError("the database is away for a moment")
        return {} if self.token is None else {self.token.id: self.token}

    async def banned(self, names: Collection[str]) -> set[str]:
        return self.banned_names & set(names)

    async def used(self, token_id: str) -> None:
        pass


async def nobody(message: bytes) -> None:
    """A client that reads all and says nothing."""


def peer(name: str = "preview", grant: Grant = GRANT) -> Peer:
    wire = Wire(Link(Side.RELAY), nobody, Liveness.started(time.monotonic()))
    return Peer(name, Claim(grant.id, "here"), grant, wire)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"secret_hash": "new"}, "not valid"),
        ({"scope": "api"}, "'api'"),
        ({"revoked": True}, "revoked"),
        ({"expires_at": 1.0}, "expired"),
        ("deleted", "not valid"),
        ("banned", "banned"),
    ],
)
async def test_a_token_that_allows_no_more_ends_its_live_peer(change: Any, reason: str) -> None:
    """Deleted, rotated, narrowed, revoked or expired, and a name that was banned; whenever the peer came."""
    store = FixedStore()
    router = TunnelRouter(None, conf.build({"BASE_DOMAIN": "t.example"}), store)
    served = peer()
    router.hub.join(served)
    if change == "banned":
        store.banned_names.add("preview")
    else:
        store.token = None if change == "deleted" else msgspec.structs.replace(GRANT, **change)
    fatal = await asyncio.wait_for(served.sent_away, 20)
    assert reason in fatal.reason
    router.hub.leave(served)


async def test_a_database_that_is_away_for_a_moment_ends_nobody() -> None:
    """The next look decides."""
    store = FixedStore()
    store.broken = True
    router = TunnelRouter(None, conf.build({"BASE_DOMAIN": "t.example"}), store)
    served, gone = peer(), peer("other")
    router.hub.join(served)
    router.hub.join(gone)
    store.banned_names.add("other")
    await asyncio.wait_for(gone.sent_away, 20)
    assert store.looks == 2
    assert not served.sent_away.done()
    router.hub.leave(served)
    router.hub.leave(gone)


async def test_the_late_end_of_a_replaced_peer_leaves_its_successor_alone() -> None:
    """Names are given back by identity (spec 6.4)."""
    hub = Hub()
    old, new = peer(), peer()
    hub.join(old)
    hub.leave(old)
    hub.join(new)
    hub.leave(old)
    assert hub.peers == {"preview": new}
    assert not hub.is_away("preview")


async def test_visitors_wait_for_a_peer_that_was_lost_but_for_none_that_was_sent_away() -> None:
    """The one is expected back."""
    hub = Hub()
    lost, kicked = peer("lost"), peer("kicked")
    for one in (lost, kicked):
        hub.join(one)
    hub.kick(kicked, Any)  # type: ignore[arg-type]
    for one in (lost, kicked):
        hub.leave(one)
    assert await hub.find("kicked") is None
    waiting = asyncio.ensure_future(hub.find("lost"))
    await asyncio.sleep(0)
    assert not waiting.done()
    again = peer("lost")
    hub.join(again)
    assert await waiting is again
    assert await hub.find("never-there") is None


async def test_beyond_the_budgets_no_new_request_comes_in() -> None:
    """32 MiB wait for one peer, or 128 MiB for all of them: the others of one that is full are served."""
    hub = Hub()
    peers = [peer(name) for name in "abcde"]
    for one in peers:
        hub.join(one)
    peers[0].wire.link.held = BUDGET_BYTES
    assert [hub.has_room(one) for one in peers[:2]] == [False, True]
    for one in peers:
        one.wire.link.held = PROCESS_BUDGET_BYTES // len(peers) + 1
    assert not any(hub.has_room(one) for one in peers)


async def test_beyond_the_process_budget_the_heaviest_stream_of_the_heaviest_peer_goes() -> None:
    """Each peer may be within its own bounds, and all together too much (spec 6.2)."""
    hub = Hub()
    peers = [peer(name) for name in "abcde"]
    for one in peers:
        hub.join(one)
        one.wire.link.held = PROCESS_BUDGET_BYTES // len(peers)
    hub.relieve()
    light, heavy = (peers[3].open(HEAD, False) for _ in range(2))
    await heavy.send(Data(heavy.id, bytes(CHUNK_BYTES)))
    hub.relieve()
    with pytest.raises(StreamEnded, match="overload"):
        await heavy.next()
    assert await light.send(Data(light.id, b"goes on"))
    assert [one.wire.overloads for one in peers] == [0, 0, 0, 1, 0]


async def test_a_view_of_the_peers_is_a_copy() -> None:
    """What the admin's thread gets does not change under its hands."""
    hub = Hub()
    for name in ("b", "a"):
        hub.join(peer(name))
    views = hub.views()
    assert [view.name for view in views] == ["a", "b"]
    hub.peers["a"].requests = 5
    assert views[0].requests == 0


async def told(raw: dict[str, Any], store: FixedStore) -> list[Any]:
    """What the clients' endpoint sends to a client with a good token."""
    sent: list[Any] = []

    async def receive() -> Any:
        return {"type": "websocket.connect"}

    async def send(message: Any) -> None:
        sent.append(message)

    scope = {
        "type": "websocket",
        "headers": [(b"host", b"t.example"), (b"authorization", f"Bearer tnl_{GRANT.id}_{SECRET}".encode())],
        "extensions": {"websocket.http.response": {}},
    }
    await Endpoint(conf.build(raw), Hub(), store)(scope, receive, send)
    return sent


async def test_a_relay_that_could_serve_nobody_lets_nobody_in() -> None:
    """No base domain and no path routing: it fails closed, before the upgrade and whatever the token."""
    first, *_ = await told({}, FixedStore())
    assert (first["type"], first["status"]) == ("websocket.http.response.start", 404)
    assert (b"x-tunnel-error", b"no_peer") in first["headers"]


async def test_a_relay_without_tokens_lets_nobody_in() -> None:
    """The token may have the right form; there is none that it could be (spec 6.5)."""
    store = FixedStore()
    store.token = None
    _, fatal, close = await told({"BASE_DOMAIN": "t.example"}, store)
    assert decode(fatal["bytes"]) == Fatal("unauthorized", "unauthorized")
    assert close["code"] == 1008


async def test_a_second_relay_of_one_database_sends_clients_away_with_a_clear_word() -> None:
    """They try again: the first may be on its way out (spec 6.6)."""
    store = FixedStore()
    store.elsewhere = "another process of this site (pid 7) is the relay; run the site in one process"
    _, fatal, close = await told({"BASE_DOMAIN": "t.example"}, store)
    assert decode(fatal["bytes"]) == Fatal("second_relay", store.elsewhere, retry=True)
    assert close["code"] == 1013
