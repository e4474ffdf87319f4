"""A visit through the front door, as a browser makes it: pages, an upgrade, a quiet socket. Collects facts.

Decides nothing (``gateway.core.diagnosis`` does). Blocking and on its own connections: this is a command's
code, never a server's.
"""

import http.client
import socket
import ssl
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final
from urllib.parse import SplitResult, urlsplit

import msgspec
from msgspec import Struct
from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidStatus
from websockets.sync.client import ClientConnection, connect

from gateway.admission import REASON_HEADER
from gateway.core.diagnosis import Facts, Seen, Upgrade
from gateway.doctor.mirror import NOTE_HEADER

ANSWER_S: Final = 10.0
"""A door that takes longer to answer is shut."""
SLACK_S: Final = 3.0
"""Beyond the second heartbeat, for networks that are slow."""
AGENT: Final = "Mozilla/5.0 (compatible; gateway_doctor)"
MIRROR_PATH: Final = "/api/ws/mirror"


class Visitor(Struct, frozen=True):
    """Who visits: the address of the site, a session of its own, and the note that opens the mirror."""

    url: str
    cookie: str
    note: str
    interval_s: float

    @property
    def door(self) -> SplitResult:
        """The address in parts."""
        return urlsplit(self.url)


def visit(visitor: Visitor) -> Facts:
    """Go as far as one gets; what was not reached stays None."""
    facts = Facts(visitor.door.scheme == "https", visitor.door.netloc, 0, visitor.interval_s)
    try:
        health, _, _ = _get(visitor, "/healthz")
        facts = msgspec.structs.replace(facts, health=health)
        if health == http.client.OK:
            facts = _look_into_the_mirror(visitor, facts)
            facts = facts if facts.redirect else _open_a_socket(visitor, facts)
    except (OSError, http.client.HTTPException, InvalidHandshake, ConnectionClosed) as error:
        facts = msgspec.structs.replace(facts, unreachable=_worded(error))
    return facts


def _look_into_the_mirror(visitor: Visitor, facts: Facts) -> Facts:
    status, response, port = _get(visitor, MIRROR_PATH)
    if status in (301, 302, 307, 308):
        return msgspec.structs.replace(facts, redirect=response["location"] or "?")
    if status != http.client.OK:
        return facts
    return msgspec.structs.replace(
        facts, own_port=port, seen=msgspec.json.decode(response["body"], type=Seen)
    )


def _get(visitor: Visitor, path: str) -> tuple[int, dict[str, Any], int]:
    """Status, what is wanted of the response, and the port that we came from."""
    door = visitor.door
    kind = http.client.HTTPSConnection if door.scheme == "https" else http.client.HTTPConnection
    connection = kind(door.hostname or "", door.port, timeout=ANSWER_S)
    try:
        connection.request("GET", path, headers={NOTE_HEADER: visitor.note, "User-Agent": AGENT})
        port = int(connection.sock.getsockname()[1])
        response = connection.getresponse()
        return response.status, {"body": response.read(), "location": response.headers["Location"]}, port
    finally:
        connection.close()


def _open_a_socket(visitor: Visitor, facts: Facts) -> Facts:
    try:
        with _socket(visitor) as opened:
            extensions = (
                opened.response.headers.get("Sec-WebSocket-Extensions", "") if opened.response else ""
            )
            facts = msgspec.structs.replace(facts, upgrade=Upgrade(101, extensions=extensions))
            return _listen(opened, facts)
    except InvalidStatus as error:
        refused = Upgrade(error.response.status_code, error.response.headers.get(REASON_HEADER))
        return msgspec.structs.replace(facts, upgrade=refused)


@contextmanager
def _socket(visitor: Visitor) -> Iterator[ClientConnection]:
    door = visitor.door
    scheme = "wss" if door.scheme == "https" else "ws"
    with connect(
        f"{scheme}://{door.netloc}/ws",
        origin=f"{door.scheme}://{door.netloc}",  # type: ignore[arg-type]  # a NewType of str
        additional_headers={"Cookie": visitor.cookie},
        user_agent_header=AGENT,
        open_timeout=ANSWER_S,
        ping_interval=None,  # a quiet socket is what is examined
    ) as opened:
        yield opened


def _listen(opened: ClientConnection, facts: Facts) -> Facts:
    """Sit still for two heartbeats: what cuts sockets that are quiet for longer, cuts none of ours."""
    began = time.monotonic()
    beats = 0
    until = began + 2 * facts.interval_s + SLACK_S
    try:
        while beats < 2 and (left := until - time.monotonic()) > 0:
            frame = msgspec.json.decode(opened.recv(timeout=left))
            facts = msgspec.structs.replace(facts, greeted=facts.greeted or frame["type"] == "CONNECTED")
            if frame["type"] == "HEARTBEAT":
                beats += 1
                opened.send(f'{{"type":"HEARTBEAT_RESPONSE","timestamp":{frame["timestamp"]}}}')
    except TimeoutError:
        pass  # quiet to the end of our patience, and alive
    except ConnectionClosed as error:
        lived = time.monotonic() - began
        return msgspec.structs.replace(facts, lived_s=lived, cut=error.rcvd is None)
    return msgspec.structs.replace(facts, lived_s=time.monotonic() - began)


def _worded(error: Exception) -> str:
    match error:
        case socket.gaierror():
            return "there is no such name"
        case ConnectionRefusedError():
            return "nothing listens there"
        case TimeoutError():
            return f"no answer within {ANSWER_S:g} s"
        case ssl.SSLCertVerificationError():
            return f"its certificate is not valid ({error.verify_message})"
        case ssl.SSLError():
            return "it does not speak TLS"
        case _:
            return str(error) or type(error).__name__
