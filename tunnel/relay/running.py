"""The one door to the relay of this process for code on other threads (the admin).

Calls run on the relay's loop and return frozen views; there is nothing to see in a process that serves none.
"""

import asyncio
from collections.abc import Callable
from typing import Final, TypeVar

from tunnel.core.frames import Fatal
from tunnel.relay.hub import PeerView
from tunnel.relay.router import TunnelRouter

ANSWER_S: Final = 2.0
T = TypeVar("T")

_installed: list[TunnelRouter] = []


def install(router: TunnelRouter | None) -> None:
    """Make ``router`` the relay of this process; None when it has stopped."""
    _installed[:] = [] if router is None else [router]


def peers() -> list[PeerView]:
    """The live peers of this process."""
    return _call(lambda router: router.hub.views(), [])


def kick(name: str, reason: str) -> bool:
    """Send a peer away; whether there was one in this process."""

    def on_loop(router: TunnelRouter) -> bool:
        peer = router.hub.peers.get(name)
        if peer is not None:
            router.hub.kick(peer, Fatal("kicked", reason))
        return peer is not None

    return _call(on_loop, False)


def _call(ask: Callable[[TunnelRouter], T], otherwise: T) -> T:
    """``ask`` on the relay's loop; ``otherwise`` where none has run yet. Never called on that loop itself."""
    loop = _installed[0].loop if _installed else None
    if loop is None or not loop.is_running():
        return otherwise

    async def asked() -> T:
        return ask(_installed[0])

    return asyncio.run_coroutine_threadsafe(asked(), loop).result(ANSWER_S)
