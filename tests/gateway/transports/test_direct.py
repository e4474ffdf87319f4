"""The carrier that writes past the loop, on real sockets: order, turns, full and empty, ends."""

import asyncio
import socket
from collections.abc import AsyncIterator, Callable

import pytest

from gateway.transports.direct import DirectCarrier, Turn, turn_of

FULL_BYTES = 65_536
BLOCK = b"b" * 16_384
DEADLINE_S = 5.0


class Wire(asyncio.Protocol):
    """A connection with the carrier at this end and a bare socket, ``peer``, at the other."""

    carrier: DirectCarrier
    transport: asyncio.Transport

    def __init__(self, peer: socket.socket) -> None:
        self.peer = peer
        self.told: list[str] = []
        self.empty = asyncio.Event()
        self.lost = asyncio.Event()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        turn = turn_of(asyncio.get_running_loop())
        self.carrier = DirectCarrier(
            transport, FULL_BYTES, turn, lambda: self.told.append("full"), self.on_drain
        )

    def connection_lost(self, exc: Exception | None) -> None:
        self.carrier.let_go()
        self.lost.set()

    def pause_writing(self) -> None:
        self.carrier.holds()

    def resume_writing(self) -> None:
        self.carrier.emptied()

    def on_drain(self) -> None:
        """The carrier's word."""
        self.told.append("drained")
        self.empty.set()

    def here(self) -> bytes:
        """What has arrived at the peer by now."""
        try:
            return self.peer.recv(1 << 20)
        except BlockingIOError:
            return b""

    async def read(self, size: int) -> bytes:
        """So many bytes at the peer, however they come."""
        data = b""
        async with asyncio.timeout(DEADLINE_S):
            while len(data) < size:
                data += await asyncio.get_running_loop().sock_recv(self.peer, 1 << 20)
        return data

    async def drained(self) -> None:
        """Wait for the word that it is, once."""
        async with asyncio.timeout(DEADLINE_S):
            await self.empty.wait()
        assert self.told == ["full", "drained"]

    def fill(self) -> int:
        """Write until the kernel takes no more; how much."""
        written = 0
        while self.transport.get_write_buffer_size() == 0:
            self.carrier.write(BLOCK)
            self.carrier.send()
            written += len(BLOCK)
        return written


@pytest.fixture
async def wire() -> AsyncIterator[Wire]:
    """Connected over TCP on the loopback."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        peer = socket.create_connection(listener.getsockname())
        ours, _ = listener.accept()
    peer.setblocking(False)
    _, made = await asyncio.get_running_loop().create_connection(lambda: Wire(peer), sock=ours)
    yield made
    peer.close()
    made.transport.abort()
    await made.lost.wait()


async def turn_over() -> None:
    """Let this turn of the loop end."""
    await asyncio.sleep(0)


async def test_what_is_written_in_one_turn_leaves_together_at_its_end(wire: Wire) -> None:
    """One packet, one system call."""
    for data in (b"one ", b"two ", b"three"):
        wire.carrier.write(data)
    assert wire.here() == b""
    assert wire.carrier.buffered() == 13
    await turn_over()
    assert wire.here() == b"one two three"
    assert wire.carrier.buffered() == 0


async def test_a_turn_ends_once_for_all_who_wrote_in_it(wire: Wire) -> None:
    """Nothing is asked of the loop for the second."""
    calls: list[object] = []
    turn = Turn(calls.append)
    turn.add(wire.carrier)
    turn.add(wire.carrier)
    assert len(calls) == 1


async def test_an_application_that_breaks_when_it_is_told_keeps_nobody_waiting(wire: Wire) -> None:
    """The others of that turn are sent in the next."""

    def breaks() -> None:
        raise LookupError("as the test wanted")

    calls: list[Callable[[], None]] = []
    turn = Turn(calls.append)
    below = wire.transport
    broken = DirectCarrier(below, 1, turn, lambda: None, breaks)
    broken.write(b"broken")
    behind = DirectCarrier(below, FULL_BYTES, turn, lambda: None, lambda: None)
    behind.write(b" behind")
    with pytest.raises(LookupError):
        calls[0]()
    calls[1]()
    assert await wire.read(13) == b"broken behind"
    for carrier in (broken, behind):
        carrier.let_go()


async def test_what_the_kernel_does_not_take_comes_later_in_order_and_whole(wire: Wire) -> None:
    """Through the transport, and so does all that is written until that has emptied."""
    written = wire.fill()
    wire.carrier.write(b"behind")
    assert wire.carrier.buffered() == wire.transport.get_write_buffer_size() + 6
    await turn_over()
    wire.carrier.write(b" all")
    got = await wire.read(written + 10)
    assert got[written:] == b"behind all"
    wire.carrier.write(b"direct again")
    await turn_over()
    assert await wire.read(12) == b"direct again"


async def test_full_and_drained_are_told_once_each(wire: Wire) -> None:
    """At the first byte that makes it full, and when nothing waits any more."""
    written = wire.fill()
    rest = FULL_BYTES - wire.carrier.buffered()
    wire.carrier.write(bytes(rest - 1))
    assert wire.told == []
    wire.carrier.write(b"1")
    wire.carrier.write(b"2")
    assert wire.told == ["full"]
    await wire.read(written + rest + 1)
    await wire.drained()


async def test_a_turn_that_was_full_and_is_taken_whole_is_drained_too(wire: Wire) -> None:
    """Whoever saw it full waits for that word."""
    wire.carrier.write(bytes(FULL_BYTES))
    assert wire.told == ["full"]
    await wire.read(FULL_BYTES)
    await wire.drained()


async def test_an_end_of_our_side_comes_behind_what_waits(wire: Wire) -> None:
    """In the same turn too."""
    wire.carrier.write(b"last words")
    wire.carrier.finish()
    assert await wire.read(10) == b"last words"
    assert await asyncio.get_running_loop().sock_recv(wire.peer, 1) == b""


async def test_a_close_sends_what_waits(wire: Wire) -> None:
    """And ends the connection."""
    wire.carrier.write(b"last words")
    wire.carrier.close()
    assert await wire.read(10) == b"last words"
    await wire.lost.wait()


async def test_a_close_frame_leaves_in_front_of_the_reset_of_the_same_turn(wire: Wire) -> None:
    """A socket that is given up says why, and is gone: its last words have left when the reset comes."""
    wire.carrier.write(b"why")
    wire.carrier.reset()
    assert wire.here() == b"why"
    async with asyncio.timeout(DEADLINE_S):
        await wire.lost.wait()


async def test_a_reset_drops_what_the_kernel_does_not_take(wire: Wire) -> None:
    """It waits for nobody: what the peer never read is gone with the connection."""
    wire.fill()
    wire.carrier.write(b"late")
    wire.carrier.reset()
    async with asyncio.timeout(DEADLINE_S):
        await wire.lost.wait()
    assert not wire.here().endswith(b"late")


async def test_a_descriptor_that_was_let_go_is_not_written_to(wire: Wire) -> None:
    """Its number may be another connection's by then."""
    wire.carrier.write(b"too late")
    wire.carrier.let_go()
    await turn_over()
    assert wire.here() == b""


async def test_a_peer_that_is_gone_is_the_transports_to_notice(wire: Wire) -> None:
    """A write to it raises nothing; the connection is lost as any other."""
    wire.peer.close()
    async with asyncio.timeout(DEADLINE_S):
        while not wire.lost.is_set():
            wire.carrier.write(b"to nobody")
            await turn_over()


async def test_a_pause_is_the_transports(wire: Wire) -> None:
    """Reading is not the carrier's business beyond that."""
    wire.carrier.pause()
    assert not wire.transport.is_reading()
    wire.carrier.resume()
    assert wire.transport.is_reading()
