"""A client that is as rude as a test wants: bytes on a TCP socket, frames by hand, and a look into the
kernel's table.

Everything waits for something to happen, with a deadline; a deadline that passes is `TimeoutError`.
"""

import base64
import os
import socket
import struct
import time
from dataclasses import dataclass, field
from pathlib import Path

CONT, TEXT, BINARY, CLOSE, PING, PONG = 0x0, 0x1, 0x2, 0x8, 0x9, 0xA

Headers = list[tuple[str, str]]


@dataclass
class Answer:
    """The response to an upgrade or a request."""

    status: int
    headers: Headers
    body: bytes = b""

    def header(self, name: str) -> str | None:
        return next((value for known, value in self.headers if known.lower() == name), None)


@dataclass
class Frame:
    opcode: int
    payload: bytes
    fin: bool = True


NO_MASK = b"\0\0\0\0"
"""A mask of zeros is a mask, and saves the client the exclusive or."""


def frame(
    opcode: int,
    payload: bytes = b"",
    *,
    fin: bool = True,
    masked: bool = True,
    rsv: int = 0,
    mask: bytes = NO_MASK,
) -> bytes:
    """A client's frame, or what passes for one."""
    head = bytes([(0x80 if fin else 0) | rsv << 4 | opcode])
    size = len(payload)
    bit = 0x80 if masked else 0
    if size < 126:
        head += bytes([bit | size])
    elif size < 65_536:
        head += bytes([bit | 126]) + struct.pack("!H", size)
    else:
        head += bytes([bit | 127]) + struct.pack("!Q", size)
    if mask != NO_MASK:
        payload = bytes(byte ^ mask[at % 4] for at, byte in enumerate(payload))
    return head + (mask if masked else b"") + payload


@dataclass
class Raw:
    """One TCP connection to the server under test."""

    port: int
    receive_buffer: int | None = None
    deadline_s: float = 10.0
    sock: socket.socket = field(init=False)
    data: bytes = b""

    def __post_init__(self) -> None:
        self.sock = socket.socket()
        if self.receive_buffer:
            self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, self.receive_buffer)
        self.sock.settimeout(self.deadline_s)
        self.sock.connect(("127.0.0.1", self.port))
        self.local_port: int = self.sock.getsockname()[1]

    def __enter__(self) -> "Raw":
        return self

    def __exit__(self, *_: object) -> None:
        self.sock.close()

    # The handshake

    def ask(self, target: str, headers: Headers | None = None, *, more: bytes = b"") -> None:
        """Send an upgrade request, and ``more`` right behind it."""
        key = base64.b64encode(os.urandom(16)).decode()
        lines = [f"GET {target} HTTP/1.1", "Host: localhost", "Connection: Upgrade", "Upgrade: websocket"]
        lines += ["Sec-WebSocket-Version: 13", f"Sec-WebSocket-Key: {key}"]
        lines += [f"{name}: {value}" for name, value in headers or []]
        self.send("\r\n".join([*lines, "", ""]).encode("latin-1") + more)

    def answer(self) -> Answer:
        """Read the response, the body too if there is one."""
        while b"\r\n\r\n" not in self.data:
            self._read()
        head, self.data = self.data.split(b"\r\n\r\n", 1)
        first, *lines = head.decode("latin-1").split("\r\n")
        fields = [(name, value.strip()) for name, _, value in (line.partition(":") for line in lines)]
        answer = Answer(int(first.split(" ")[1]), fields)
        if answer.status != 101:
            size = int(answer.header("content-length") or 0)
            while len(self.data) < size:
                self._read()
            answer.body, self.data = self.data[:size], self.data[size:]
        return answer

    def open(self, target: str, headers: Headers | None = None) -> "Raw":
        """Shake hands; anything but 101 is a failure."""
        self.ask(target, headers)
        answer = self.answer()
        assert answer.status == 101, answer
        return self

    # Frames

    def send(self, data: bytes) -> None:
        self.sock.sendall(data)

    def text(self, payload: bytes | str) -> None:
        self.send(frame(TEXT, payload.encode() if isinstance(payload, str) else payload))

    def close(self, code: int | None, reason: str = "") -> None:
        self.send(frame(CLOSE, b"" if code is None else struct.pack("!H", code) + reason.encode()))

    def receive(self) -> Frame:
        """The next frame; `EOFError` when the server has ended the connection."""
        while (found := self._cut()) is None:
            self._read()
        return found

    def closed_with(self) -> tuple[int, str]:
        """Skip to the server's close frame: its code and reason; 1006 if the connection ends without one."""
        try:
            while (got := self.receive()).opcode != CLOSE:
                pass
        except (EOFError, ConnectionResetError, BrokenPipeError):
            return 1006, ""
        return (
            (struct.unpack("!H", got.payload[:2])[0], got.payload[2:].decode()) if got.payload else (1005, "")
        )

    def ending(self) -> str:
        """How the server ends TCP: ``fin`` or ``rst``. Whatever still comes before is thrown away."""
        try:
            while self.sock.recv(1 << 20):
                pass
        except ConnectionResetError:
            return "rst"
        return "fin"

    def reset(self) -> None:
        """Vanish with a RST."""
        self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.sock.close()

    def half_close(self) -> None:
        self.sock.shutdown(socket.SHUT_WR)

    def push(self, data: bytes, *, at_most: int, idle_s: float = 0.3) -> int:
        """Send ``data`` again and again until the server takes nothing for ``idle_s``; how much it took."""
        self.sock.settimeout(idle_s)
        taken = 0
        try:
            while taken < at_most:
                taken += self.sock.send(data)
        except (TimeoutError, ConnectionError):
            pass
        self.sock.settimeout(self.deadline_s)
        return taken

    def _read(self) -> None:
        got = self.sock.recv(1 << 18)
        if not got:
            raise EOFError("the server ended the connection")
        self.data += got

    def _cut(self) -> Frame | None:
        data = self.data
        if len(data) < 2:
            return None
        size, start = data[1] & 0x7F, 2
        if size == 126:
            size, start = struct.unpack("!H", data[2:4].ljust(2, b"\xff"))[0], 4
        elif size == 127:
            size, start = struct.unpack("!Q", data[2:10].ljust(8, b"\xff"))[0], 10
        if len(data) < start + size:
            return None
        self.data = data[start + size :]
        return Frame(data[0] & 0x0F, data[start : start + size], bool(data[0] & 0x80))


def kernel_state(server_port: int, client_port: int) -> str | None:
    """The state of the server's end of a connection in the kernel; None when it has been forgotten."""
    wanted = (f":{server_port:04X}", f":{client_port:04X}")
    for line in Path("/proc/net/tcp").read_text().splitlines()[1:]:
        local, remote, state = line.split()[1:4]
        if local.endswith(wanted[0]) and remote.endswith(wanted[1]):
            return state
    return None


def gone_from_kernel(server_port: int, client_port: int, within_s: float) -> bool:
    """Whether the server's end has left the kernel ``within_s`` from now; looks every 20 ms."""
    end = time.monotonic() + within_s
    while time.monotonic() < end:
        if kernel_state(server_port, client_port) is None:
            return True
        time.sleep(0.02)
    return False
