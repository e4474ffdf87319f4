"""The shell around a link, on wires made of queues (spec 6.1, 6.2): life signs, budgets, endings."""

import asyncio
import time

import pytest

from tunnel.core.codec import decode, encode
from tunnel.core.frames import (
    CHUNK_BYTES,
    Accepted,
    Data,
    Frame,
    GoAway,
    Head,
    Open,
    Ping,
    Pong,
    RequestHead,
    Reset,
    ResponseHead,
    Stop,
    WsAccept,
)
from tunnel.core.link import Link
from tunnel.core.liveness import Liveness
from tunnel.core.states import Side
from tunnel.exchange import StreamEnded
from tunnel.wire import BUDGET_BYTES, ConnectionEnded, Left, Wire


def request(stream: int, websocket: bool = False) -> Open:
    return Open(
        stream, RequestHead("GET", "/", (), "http", "a.example", "192.0.2.1", websocket), not websocket
    )


class Line:
    """A relay's wire and what the far end does on it."""

    def __init__(self, watch: Liveness | None = None) -> None:
        self.to_relay: asyncio.Queue[bytes] = asyncio.Queue()
        self.written: list[Frame] = []
        self.wire = Wire(Link(Side.RELAY), self._write, watch or Liveness.started(time.monotonic()))
        self.idle, self.wrote = asyncio.Event(), asyncio.Event()
        self.running = asyncio.ensure_future(self.wire.run(self._read))

    async def _write(self, message: bytes) -> None:
        self.written.append(decode(message))
        self.wrote.set()

    async def _read(self) -> bytes:
        if self.to_relay.empty():
            self.idle.set()
        return await self.to_relay.get()

    async def far(self, *frames: Frame) -> None:
        """The far end sends; returns when the relay has read it all."""
        self.idle.clear()
        for frame in frames:
            self.to_relay.put_nowait(encode(frame))
        await self.idle.wait()

    async def sent(self, count: int) -> list[Frame]:
        """What the relay has written, once it is so many frames."""
        while len(self.written) < count:
            self.wrote.clear()
            await self.wrote.wait()
        return self.written

    async def stop(self) -> None:
        """End it."""
        self.running.cancel()
        await asyncio.gather(self.running, return_exceptions=True)


async def test_a_ping_is_answered_and_a_pong_tells_the_round_trip() -> None:
    """With the same bytes; a pong that nobody asked for says nothing."""
    line = Line()
    await line.far(Ping(b"12345678"), Pong(b"87654321"))
    assert await line.sent(1) == [Pong(b"12345678")]
    assert line.wire.rtt_s is None
    answered = asyncio.ensure_future(line.wire.answers(30))
    asked = (await line.sent(2))[1]
    assert isinstance(asked, Ping)
    await line.far(Pong(asked.token))
    assert await answered
    assert line.wire.rtt_s is not None
    assert not await line.wire.answers(0.001)
    await line.stop()


async def test_silence_ends_the_connection_and_every_stream_with_it() -> None:
    """Whoever waits learns it at once."""
    now = time.monotonic()
    line = Line(Liveness(now, now, every_s=0.01, dead_s=0.05))
    exchange = line.wire.open(request(1))
    with pytest.raises(StreamEnded) as ended:
        await exchange.next()
    assert ended.value.why.code is Stop.GOING
    with pytest.raises(ConnectionEnded, match=r"no frame for 0\.05 s"):
        await line.running
    assert any(isinstance(frame, Ping) for frame in line.written)


async def test_a_broken_rule_ends_the_connection_by_name() -> None:
    """The other end is told what was wrong."""
    line = Line()
    line.to_relay.put_nowait(encode(Head(9, ResponseHead(200))))
    with pytest.raises(ConnectionEnded, match="stream 9 was never opened") as ended:
        await line.running
    assert ended.value.stop is Stop.PROTOCOL


async def test_a_response_that_is_all_here_outlives_its_connection() -> None:
    """A slow visitor still gets it whole; one whose response was not complete does not."""
    line = Line()
    whole, half = line.wire.open(request(1)), line.wire.open(request(2))
    await line.far(Head(1, ResponseHead(200)), Data(1, b"all of it", end=True), Head(2, ResponseHead(200)))
    await line.stop()
    assert isinstance(await whole.next(), Head)
    assert await whole.next() == Data(1, b"all of it", end=True)
    with pytest.raises(StreamEnded):
        await half.next()
    whole.close()
    half.close()
    assert line.wire.link.streams == line.wire.exchanges == {}


async def test_beyond_the_budget_the_stream_that_holds_most_goes() -> None:
    """Unfinished messages of a mebibyte each: the others can stay (spec 6.2)."""
    line = Line()
    exchanges = [line.wire.open(request(stream, websocket=True)) for stream in range(1, 36)]
    for exchange in exchanges:
        await line.far(WsAccept(exchange.id, Accepted()))
        pieces = 64 if exchange.id == 7 else 60
        await line.far(*[Data(exchange.id, bytes(CHUNK_BYTES))] * pieces)
    assert line.wire.overloads > 0
    assert line.wire.link.held <= BUDGET_BYTES
    written = await line.sent(2 * 35)
    resets = [frame for frame in written if isinstance(frame, Reset)]
    assert resets[0].stream == 7
    assert resets[0].content.code is Stop.OVERLOAD
    with pytest.raises(StreamEnded, match="overload"):
        await exchanges[6].next()
    await line.stop()


async def test_a_sender_waits_for_room_and_learns_that_its_stream_is_over() -> None:
    """It is not left waiting for a credit that never comes."""
    line = Line()
    exchange = line.wire.open(Open(1, request(1).content, end=False))
    sent = 0
    while sent < 6 and await exchange.send(Data(1, bytes(CHUNK_BYTES))):
        sent += 1
        await asyncio.sleep(0)
    waiting = asyncio.ensure_future(exchange.send(Data(1, b"more")))
    await asyncio.sleep(0)
    assert not waiting.done()
    await line.far(Head(1, ResponseHead(413), end=True))
    assert not await waiting
    await line.stop()


async def test_whoever_leaves_waits_for_the_last_byte_of_the_last_stream() -> None:
    """Also for bytes that have come and were not passed on, and for bytes that have no credit yet."""
    line = Line()
    exchange = line.wire.open(request(1))
    await line.far(Head(1, ResponseHead(200)))
    line.wire.announce(GoAway(1, Stop.GOING, "a restart"))
    line.wire.leave_when_idle("a restart")
    await line.far(Data(1, b"the rest", end=True))
    assert isinstance(await exchange.next(), Head)
    assert await exchange.next() == Data(1, b"the rest", end=True)
    assert not line.running.done()
    exchange.close()
    with pytest.raises(Left, match="a restart"):
        await line.running
    assert GoAway(1, Stop.GOING, "a restart") in line.written


async def test_whoever_leaves_with_nothing_to_do_says_so_and_goes() -> None:
    """The frame that says it is on its way before the end."""
    line = Line()
    line.wire.announce(GoAway(0, Stop.GOING))
    line.wire.leave_when_idle("")
    with pytest.raises(Left):
        await line.running
    assert line.written == [GoAway(0, Stop.GOING)]


async def test_whoever_pings_and_does_not_read_the_answers_is_put_out() -> None:
    """Credit bounds every other frame; without this a peer could fill the relay with pongs."""

    async def full(message: bytes) -> None:
        await asyncio.Event().wait()

    asked = 0

    async def pings() -> bytes:
        nonlocal asked
        asked += 1
        return encode(Ping(asked.to_bytes(8, "big")))

    wire = Wire(Link(Side.RELAY), full, Liveness.started(time.monotonic()))
    with pytest.raises(ConnectionEnded, match="65 pings, and no answer was read") as ended:
        await wire.run(pings)
    assert ended.value.stop is Stop.PROTOCOL
    assert asked == 65


async def test_pings_whose_answers_are_read_may_be_many() -> None:
    """A nervous client is no attacker."""
    line = Line()
    for number in range(200):
        await line.far(Ping(number.to_bytes(8, "big")))
        await line.sent(number + 1)
    assert not line.running.done()
    await line.stop()
