"""How a process that stops ends its sockets: some at a time, so that the close frames leave in between.

What is said before that and kept after it is in ``gateway.runtime``, who waits for the end in
``gateway.server`` and ``gateway.daphne_server``.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from gateway.core import closing

if TYPE_CHECKING:
    from gateway.runtime import Runtime

AT_ONCE: Final = 100
"""Sockets of one turn: it takes a few milliseconds."""
PAUSE_S: Final = 0.02
"""Seconds to the next turn: 10,000 sockets are told within 2 s, of the 10 that a stop may take (spec 4.4)."""


def end_all(runtime: "Runtime", done: Callable[[], None]) -> None:
    """End every socket, and every handshake that would become one, with 1012; then call ``done``."""
    speaking = [admission for admission in runtime.admitted.values() if admission.doomed is None]
    for admission in speaking[:AT_ONCE]:
        runtime.end(admission, closing.SERVICE_RESTART)
    if len(speaking) > AT_ONCE:
        runtime.clock.call_later(PAUSE_S, lambda: end_all(runtime, done))
    else:
        done()
