"""From one serving process to the next: what the command is told while a server lives, and a listening socket
that the parent keeps, so that no connection is refused in between (systemd's socket activation).

How a process waits for the one before it is in ``gateway.lock``; what it leaves behind is for the game.
"""

import os
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Final

from msgspec import Struct

ENVIRONMENT: Final = Path("/proc/self/environ")
FIRST_DESCRIPTOR: Final = 3
"""Where sd_listen_fds(3) says that the parent's sockets begin."""


class Moments(Struct, frozen=True):
    """What a server tells, each once and in this order. ``inherited`` says whose its listening socket is.

    ``drained``: everybody is told, the game has kept what it must, and nobody is let in here any more.
    """

    listening: Callable[[], None]
    draining: Callable[[], None]
    drained: Callable[[], None]
    inherited: bool = False


def inherited() -> socket.socket | None:
    """The listening socket that the parent handed over, None if it has none for us; ask once.

    Raises `ValueError` if what it handed over can't be served.
    """
    began_with = _began_with()
    meant_for, count = (began_with.get(name) for name in ("LISTEN_PID", "LISTEN_FDS"))
    for name in ("LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"):
        os.environ.pop(name, None)  # they are not for our own children
    if count is None or meant_for != str(os.getpid()):
        return None
    if count != "1":
        raise ValueError(f"LISTEN_FDS hands over {count} sockets, and one is served.")
    os.set_inheritable(FIRST_DESCRIPTOR, False)
    listener = socket.socket(fileno=FIRST_DESCRIPTOR)
    is_tcp = listener.family in (socket.AF_INET, socket.AF_INET6) and listener.type == socket.SOCK_STREAM
    if not is_tcp or not listener.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN):
        listener.close()
        raise ValueError("LISTEN_FDS hands over a socket that does not listen for TCP.")
    return listener


def _began_with() -> dict[str, str]:
    """The environment with which the process began.

    Twisted, which the app ``daphne`` imports, takes these two variables out of ``os.environ`` for endpoints
    of its own, long before anybody else is asked.
    """
    try:
        pairs = ENVIRONMENT.read_bytes().decode(errors="replace").split("\0")
    except OSError:
        return dict(os.environ)  # no Linux, no systemd
    return dict(pair.split("=", 1) for pair in pairs if "=" in pair)
