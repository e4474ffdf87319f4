"""The port's promises on virtual time: when it returns, what it delivers, how long anything may take."""

import asyncio

import pytest
from websockets.frames import Opcode

from gateway.core import closing
from gateway.core.closing import By
from gateway.transports.delivery import ClientGone
from gateway.transports.framed import TURN_PAUSE_S
from gateway.transports.intake import EARLY_BYTES, FRAMES_PER_TURN
from gateway.transports.phase import Phase
from gateway.transports.watch import WireLimits
from tests.conformance.raw import BINARY, CLOSE, CONT, PING, TEXT, frame
from tests.gateway.transports.wired import Wired, close_frame


def end_of(close: object) -> tuple[int, str, By]:
    """Code, reason and hand of a `PeerClose`."""
    return close.code, close.reason, close.by  # type: ignore[attr-defined]


async def test_messages_before_run_are_delivered_first() -> None:
    """In order, text and binary alike."""
    it = Wired()
    it.sends(Opcode.TEXT, b"one")
    it.sends(Opcode.BINARY, b"two")
    task = await it.running()
    it.sends(Opcode.TEXT, b"three")
    assert it.messages == [b"one", b"two", b"three"]
    it.port.abort()
    await task


async def test_a_socket_that_ended_before_run_still_delivers() -> None:
    """Its last words, then its end."""
    it = Wired()
    it.sends(Opcode.TEXT, b"last words")
    it.closes(1001)
    it.port.received(b"")
    task = await it.running()
    assert it.messages == [b"last words"]
    assert end_of(await task) == (1001, "", By.CLIENT)


async def test_run_returns_at_a_close_of_our_own_without_waiting_for_the_peer() -> None:
    """With our own code, whatever the peer answers."""
    it = Wired()
    task = await it.running()
    it.port.close(4005, "Kicked")
    assert end_of(await task) == (4005, "Kicked", By.SERVER)
    assert it.carrier.written == [close_frame(4005, "Kicked")]
    it.closes(1000)
    assert it.carrier.ends == ["finish"]
    it.port.ended_by_peer()
    assert it.carrier.ends == ["finish", "close"]


async def test_a_close_without_an_answer_is_a_reset_after_two_seconds() -> None:
    """To the millisecond; not if the connection goes before."""
    it = Wired()
    it.port.close(1013, "Backpressure")
    it.clock.advance(1.999)
    assert it.carrier.ends == []
    it.clock.advance(0.001)
    assert it.carrier.ends == ["reset"]


async def test_a_connection_that_goes_in_time_is_not_reset() -> None:
    """Nothing is done to it afterwards."""
    it = Wired()
    it.port.close(1000, "")
    it.port.lost()
    it.clock.advance(10.0)
    assert it.carrier.ends == []
    assert it.port.buffered() == 0


async def test_a_peer_that_closes_and_does_not_read_is_reset_after_two_seconds() -> None:
    """The same for its close as for ours."""
    it = Wired()
    it.closes(1000)
    assert it.carrier.ends == ["finish"]
    it.clock.advance(2.0)
    assert it.carrier.ends == ["finish", "reset"]


async def test_a_peer_that_only_ends_its_side_is_reset() -> None:
    """A drop, without anything left to deliver; before accept too."""
    for opened in (True, False):
        it = Wired(opened=opened)
        it.port.ended_by_peer()
        assert it.carrier.ends == ["reset"]
        task = await it.running()
        assert end_of(await task) == (1006, "", By.NETWORK)


async def test_nothing_is_written_or_delivered_after_the_end() -> None:
    """Every method may still be called, and does nothing."""
    it = Wired()
    task = await it.running()
    it.port.close(1000, "Bye")
    it.sends(Opcode.TEXT, b"too late")
    it.sends(Opcode.PING, b"too late")
    it.port.write(b"too late")
    it.port.close(1011, "too late")
    it.port.stop()
    await task
    assert it.messages == []
    assert it.carrier.written == [close_frame(1000, "Bye")]


async def test_nothing_is_delivered_after_the_message_that_made_us_close() -> None:
    """Not even what was in the same packet."""
    it = Wired()
    task = asyncio.create_task(it.port.run(lambda data: it.port.close(1000, data.decode()), lambda: None))
    await asyncio.sleep(0)
    it.port.received(b"\x81\x81\0\0\0\0a" * 3)
    assert end_of(await task) == (1000, "a", By.SERVER)
    assert len(it.carrier.written) == 1


async def test_messages_that_waited_are_not_delivered_past_our_close_either() -> None:
    """The same for what came before run."""
    it = Wired()
    it.port.received(b"\x81\x81\0\0\0\0a" * 3)

    def close_at_once(data: bytes) -> None:
        it.messages.append(data)
        it.port.close(1000, "")

    await it.port.run(close_at_once, lambda: None)
    assert it.messages == [b"a"]


async def test_a_close_of_ours_may_meet_one_of_the_peer_in_the_same_packet() -> None:
    """Ours goes out, and theirs is its answer."""
    it = Wired()
    task = asyncio.create_task(it.port.run(lambda _: it.port.close(4005, "Kicked"), lambda: None))
    await asyncio.sleep(0)
    it.port.received(b"\x81\x81\0\0\0\0a" + b"\x88\x82\0\0\0\0\x03\xe9")
    assert end_of(await task) == (4005, "Kicked", By.SERVER)
    assert it.carrier.written == [close_frame(4005, "Kicked")]
    assert it.carrier.ends == ["finish"]


async def test_a_close_reads_on_for_the_answer() -> None:
    """Also if the application was behind: it will take nothing more."""
    it = Wired()
    it.sends(Opcode.TEXT, b"not taken")
    assert not it.carrier.reading
    it.port.close(1000, "")
    assert it.carrier.reading


async def test_nothing_is_asked_of_a_connection_after_its_reset() -> None:
    """Not even to stop reading what a flooder has sent."""
    it = Wired()
    task = asyncio.create_task(it.port.run(lambda _: it.port.abort(), lambda: None))
    await asyncio.sleep(0)
    it.port.received(b"\x82\x80\0\0\0\0" * 1000)
    assert it.carrier.ends == ["reset"]
    assert it.carrier.reading
    await task


async def test_pings_after_the_end_pile_up_nothing() -> None:
    """Their pongs are thrown away."""
    it = Wired()
    it.port.close(1000, "")
    for _ in range(100):
        it.sends(Opcode.PING, b"still there?")
    assert it.port._intake.conn.data_to_send() == []


async def test_an_exception_after_the_end_is_the_callers() -> None:
    """Nobody waits in run for it any more, and it must not be lost."""
    it = Wired()

    def closes_and_breaks(data: bytes) -> None:
        it.port.close(1000, "")
        raise LookupError(data)

    task = asyncio.create_task(it.port.run(closes_and_breaks, lambda: None))
    await asyncio.sleep(0)
    with pytest.raises(LookupError):
        it.sends(Opcode.TEXT, b"a")
    await task


async def test_an_exception_of_the_application_comes_out_of_run_and_the_socket_can_still_be_closed() -> None:
    """1011 is the caller's to send."""
    it = Wired()

    def broken(data: bytes) -> None:
        raise LookupError(data)

    task = asyncio.create_task(it.port.run(broken, lambda: None))
    await asyncio.sleep(0)
    it.sends(Opcode.TEXT, b"a")
    it.sends(Opcode.TEXT, b"b")
    with pytest.raises(LookupError, match="b'a'"):
        await task
    it.port.close_with(closing.INTERNAL_ERROR)
    assert it.carrier.written == [close_frame(1011, "Internal error")]


async def test_an_exception_for_a_message_that_waited_comes_out_of_run_too() -> None:
    """Whether it came before run or after makes no difference."""
    it = Wired()
    it.sends(Opcode.TEXT, b"1/0")
    with pytest.raises(ZeroDivisionError):
        await it.port.run(lambda _: print(1 / 0), lambda: None)


async def test_a_cancelled_run_leaves_the_socket_as_it_is() -> None:
    """Delivery stops; what comes waits."""
    it = Wired()
    task = await it.running()
    task.cancel()
    await asyncio.wait({task})
    it.sends(Opcode.TEXT, b"waits")
    assert it.port.phase is Phase.OPEN
    assert (await it.port.receive())["text"] == "waits"


async def test_the_application_is_told_when_the_buffer_has_emptied() -> None:
    """Once each time, and only while it runs the port."""
    it = Wired()
    it.port.drained()
    await it.running()
    it.port.full()
    it.port.drained()
    assert it.drains == 1
    it.port.abort()


async def test_an_application_that_is_behind_stops_the_reading() -> None:
    """Plain ASGI: one message is out, the rest waits in the kernel."""
    it = Wired()
    it.sends(Opcode.TEXT, b"one")
    assert not it.carrier.reading
    await it.port.receive()
    assert it.carrier.reading


async def test_a_send_waits_for_a_full_buffer_and_fails_once_the_socket_is_over() -> None:
    """Backpressure for applications without port, and no wait for ever."""
    it = Wired()
    it.port.full()
    sending = asyncio.create_task(it.port.send({"type": "websocket.send", "text": "a"}))
    await asyncio.sleep(0)
    assert not sending.done()
    it.port.lost()
    with pytest.raises(ClientGone):
        await sending


async def test_a_send_goes_on_when_the_buffer_has_emptied() -> None:
    """In the order of the calls."""
    it = Wired()
    it.port.full()
    sending = asyncio.create_task(it.port.send({"type": "websocket.send", "bytes": b"a"}))
    await asyncio.sleep(0)
    assert it.carrier.written == []
    it.port.drained()
    await sending
    assert it.carrier.written == [b"\x82\x01a"]


@pytest.mark.parametrize("size", [1, 2, 3, 7, 64, 4096])
async def test_bytes_may_come_in_any_pieces(size: int) -> None:
    """Plain messages, fragments, pings: what they say does not depend on where a packet ends."""
    stream = (
        frame(TEXT, b"one", mask=b"mask")
        + frame(PING, b"p")
        + frame(TEXT, "zwölf".encode()[:3], fin=False)
        + frame(PING, b"q", mask=b"mask")
        + frame(CONT, "zwölf".encode()[3:], mask=b"mask")
        + frame(BINARY, b"\xff" * 300, mask=b"mask")
        + frame(TEXT, b"")
        + frame(CLOSE, b"\x03\xe8bye")
    )
    it = Wired()
    task = await it.running()
    for at in range(0, len(stream), size):
        it.port.received(stream[at : at + size])
    assert end_of(await task) == (1000, "bye", By.CLIENT)
    assert it.messages == [b"one", "zwölf".encode(), b"\xff" * 300, b""]
    assert b"".join(it.carrier.written) == b"\x8a\x01p\x8a\x01q" + close_frame(1000, "bye")


async def test_a_packet_that_looks_like_a_message_is_the_rest_of_what_came_before() -> None:
    """Half a frame takes it for its payload, fragments take it for what it is: a fault."""
    packet = frame(TEXT, b"short", mask=b"mask")
    it = Wired()
    task = await it.running()
    long = frame(BINARY, packet)
    it.port.received(long[: -len(packet)])
    it.port.received(packet)
    assert it.messages == [packet]
    it.port.received(frame(TEXT, b"begin", fin=False))
    it.port.received(packet)
    assert (await task).code == 1002
    assert it.messages == [packet]


async def test_short_messages_in_packets_of_their_own_wait_for_an_application_that_is_behind() -> None:
    """It is read on when the application has taken the last one, and nothing is delivered after the end."""
    it = Wired()
    for word in (b"one", b"two"):
        it.port.received(frame(TEXT, word))
        assert not it.carrier.reading
    assert [(await it.port.receive())["text"] for _ in "12"] == ["one", "two"]
    assert it.carrier.reading
    it.port.close(1000, "")
    it.port.received(frame(TEXT, b"late"))
    assert (await it.port.receive())["type"] == "websocket.disconnect"


async def test_a_text_that_is_no_text_in_the_middle_of_a_packet_is_a_fault_there() -> None:
    """What came before it is delivered, what comes behind it is thrown away, however much."""
    it = Wired()
    task = await it.running()
    it.port.received(frame(TEXT, b"good") + frame(TEXT, b"\xff") + frame(TEXT, b"late") * 1000)
    assert end_of(await task) == (1007, "Invalid UTF-8", By.SERVER)
    assert it.messages == [b"good"]
    it.clock.advance(1.0)
    assert it.carrier.reading


async def test_half_a_header_is_half_a_message() -> None:
    """Two bytes that nothing follows are waited for as long as any other part."""
    it = Wired(WireLimits(ping_interval_s=None))
    task = await it.running()
    it.port.received(frame(TEXT, b"whole") + frame(TEXT, b"abcd")[:2])
    it.clock.advance(30.0)
    assert end_of(await task) == (1008, "Unfinished message", By.SERVER)


async def test_a_flooder_gets_one_turn_at_a_time() -> None:
    """And is not read until it has had the turns for what it has sent."""
    it = Wired()
    await it.running()
    it.port.received(b"\x82\x80\0\0\0\0" * 1000)
    first = len(it.messages)
    assert FRAMES_PER_TURN <= first < 2 * FRAMES_PER_TURN + 85
    assert not it.carrier.reading
    it.clock.advance(TURN_PAUSE_S)
    assert first < len(it.messages) < 1000
    it.clock.advance(1.0)
    assert len(it.messages) == 1000
    assert it.carrier.reading
    it.port.abort()


async def test_a_client_is_not_read_for_ever_before_it_is_let_in() -> None:
    """What is early is kept, within bounds."""
    it = Wired(opened=False)
    it.port.received(b"\x82\x80\0\0\0\0" * (EARLY_BYTES // 6))
    assert it.carrier.reading
    it.port.received(b"\x82\x80\0\0\0\0")
    assert not it.carrier.reading
    assert it.events.empty()


async def test_before_accept_a_close_does_nothing_and_an_abort_cuts() -> None:
    """A handshake is refused by a response."""
    it = Wired(opened=False)
    it.port.close(1000, "")
    assert it.carrier.written == []
    it.port.abort()
    assert it.carrier.ends == ["reset"]


async def test_our_ping_goes_out_after_two_minutes_and_its_pong_keeps_the_socket() -> None:
    """Only the pong to that very ping counts."""
    it = Wired()
    it.clock.advance(120.0)
    (ping,) = it.carrier.written
    assert ping[:2] == b"\x89\x04"
    it.sends(Opcode.PONG, ping[2:])
    it.clock.advance(100.0)
    assert it.port.phase is Phase.OPEN


async def test_a_peer_that_does_not_answer_our_ping_is_reset() -> None:
    """At once: a peer that reads nothing reads no close frame."""
    it = Wired()
    task = await it.running()
    it.clock.advance(120.0)
    it.sends(Opcode.PONG, b"none")
    it.clock.advance(20.0)
    assert it.carrier.ends == ["reset"]
    assert end_of(await task) == (1006, "", By.NETWORK)


async def test_silence_while_the_application_is_behind_is_not_the_peers() -> None:
    """Its pong may be in the kernel, unread."""
    it = Wired()
    it.sends(Opcode.TEXT, b"not taken")
    it.clock.advance(1000.0)
    assert it.port.phase is Phase.OPEN


async def test_a_message_without_end_is_closed_after_thirty_seconds() -> None:
    """Half a message may not stay."""
    it = Wired(WireLimits(ping_interval_s=None))
    task = await it.running()
    it.sends(Opcode.TEXT, b"begun", fin=False)
    it.clock.advance(29.999)
    it.sends(Opcode.CONT, b"and goes on", fin=False)
    assert it.port.phase is Phase.OPEN
    it.clock.advance(0.002)
    assert end_of(await task) == (1008, "Unfinished message", By.SERVER)


async def test_a_fault_of_the_peer_ends_our_side_only() -> None:
    """So the close frame arrives although bytes of the peer are unread; those are thrown away for 2 s."""
    it = Wired()
    task = await it.running()
    it.sends(Opcode.TEXT, b"\xff")
    assert end_of(await task) == (1007, "Invalid UTF-8", By.SERVER)
    assert it.carrier.ends == ["finish"]
    it.port.received(b"anything" * 1000)
    it.clock.advance(2.0)
    assert it.carrier.ends == ["finish", "reset"]
    assert it.messages == []


async def test_a_fault_before_the_peers_close_in_the_same_packet_is_ours_to_name() -> None:
    """A peer must not pass its own code off as one of ours: 1012 by the server would keep its seat."""
    it = Wired()
    task = await it.running()
    it.port.received(b"\x81\x81\0\0\0\0\xff" + b"\x88\x82\0\0\0\0\x03\xf4")
    assert end_of(await task) == (1007, "Invalid UTF-8", By.SERVER)


async def test_an_abort_is_one_reset() -> None:
    """Also after a close: a heartbeat that failed does both."""
    it = Wired()
    it.port.close(4002, "Heartbeat timeout")
    it.port.abort()
    assert it.carrier.ends == ["reset"]
    it.port.lost()
    it.port.abort()
    it.clock.advance(10.0)
    assert it.carrier.ends == ["reset"]


async def test_a_close_code_that_no_server_may_send_changes_nothing() -> None:
    """It is an error of ours, and the socket is still there to be closed."""
    it = Wired()
    with pytest.raises(Exception, match="invalid status code"):
        it.port.close(1006, "")
    assert it.port.phase is Phase.OPEN
    it.port.close(1000, "")
    assert it.carrier.written == [close_frame(1000, "")]
