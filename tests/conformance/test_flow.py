"""Peers that do not read, peers that do not stop, and applications that do not keep up (spec 1.5, 1.8)."""

from tests.conformance.conftest import Server
from tests.conformance.raw import PING, TEXT, Raw, frame

CAP = 1_048_576
FRAME_BYTES = 16_384
KERNEL_BYTES = 524_288
"""What the kernel may hide of a peer that does not read: well below the cap, else the cap means nothing."""
CLOSE_TIMEOUT_S = 2.0


def stuck(server: Server, name: str) -> Raw:
    """A peer with a small receive buffer, that does not read."""
    return server.connect(receive_buffer=4096).open(f"/port?id={name}")


def test_what_waits_for_a_slow_reader_is_seen(server: Server, name: str) -> None:
    """The application counts nearly all of it, in our process and not in the kernel."""
    with stuck(server, name) as client:
        client.text("!fill")
        written, buffered = server.seen(name)["filled"]
    assert CAP < buffered <= CAP + 2 * FRAME_BYTES
    assert written - buffered < KERNEL_BYTES


def test_a_slow_reader_is_gone_two_seconds_after_its_close(server: Server, name: str) -> None:
    """Buffers, descriptor and the kernel's orphan: nothing waits for a peer that does not read."""
    with stuck(server, name) as client:
        client.text("!fill")
        assert server.seen(name)["close"] == [1013, "Backpressure", "server"]
        assert server.forgets(client, CLOSE_TIMEOUT_S)


def test_a_slow_reader_that_catches_up_in_time_reads_why(server: Server, name: str) -> None:
    """The close frame queues behind the unread data: best effort, but whole."""
    with stuck(server, name) as client:
        client.text("!fill")
        assert client.closed_with() == (1013, "Backpressure")


def test_a_slow_reader_delays_nobody(server: Server, name: str) -> None:
    """Another socket is served while one is full."""
    with stuck(server, name) as slow, server.connect() as other:
        other.open(f"/port?id={name}-other")
        slow.text("!fill")
        other.text("still there?")
        assert other.receive().payload == b"still there?"


def test_a_peer_that_sends_its_close_and_does_not_read_is_cut_off(server: Server, name: str) -> None:
    """A close frame from the peer does not mean that it has read ours."""
    with stuck(server, name) as client:
        client.text("!burst 64")
        server.ask(f"/drowned/{name}")
        client.close(1000)
        assert server.seen(name)["close"][::2] == [1000, "client"]
        assert server.forgets(client, CLOSE_TIMEOUT_S)


def test_a_peer_that_half_closes_and_does_not_read_is_cut_off(server: Server, name: str) -> None:
    """The end of its side is a drop, and what waits for it goes too."""
    with stuck(server, name) as client:
        client.text("!burst 64")
        server.ask(f"/drowned/{name}")
        client.half_close()
        assert server.seen(name)["close"] == [1006, "", "network"]
        assert server.forgets(client, CLOSE_TIMEOUT_S)


def test_an_abort_is_a_reset(server: Server, name: str) -> None:
    """At once, without a close frame, and the kernel forgets it."""
    with server.connect() as client:
        client.open(f"/port?id={name}")
        client.text("!abort")
        assert client.ending() == "rst"
        assert server.forgets(client, CLOSE_TIMEOUT_S)
    assert server.seen(name)["close"] == [1006, "", "server"]


def test_an_abort_frees_a_full_socket_at_once(server: Server, name: str) -> None:
    """What waited for the peer is gone with it."""
    with stuck(server, name) as client:
        client.text("!fill-and-abort")
        server.seen(name)
        assert server.forgets(client, CLOSE_TIMEOUT_S)


def test_a_buffer_that_has_emptied_is_reported_and_nothing_is_lost(server: Server, name: str) -> None:
    """A peer that reads again gets all of it, in order, and the application is told once it has."""
    with stuck(server, name) as client:
        client.text("!burst 40")
        server.ask(f"/drowned/{name}")
        for number in range(40):
            assert client.receive().payload[:6] == b"%06d" % number
        client.text("all read")
        assert client.receive().payload == b"all read"
        client.close(1000)
    seen = server.seen(name)
    assert seen["peak"] > 65_536
    assert seen["drained"] == 1


def test_a_buffer_that_is_just_full_is_reported_when_it_has_emptied(server: Server, name: str) -> None:
    """The outbox waits for that word from the first size that it calls full, to the byte (spec 1.5)."""
    with stuck(server, name) as client:
        client.text("!fill-exactly")
        for _ in range(server.ask(f"/drowned/{name}")["frames"]):
            client.receive()
        client.text("all read")
        assert client.receive().payload == b"all read"
        assert server.ask(f"/now/{name}")["drained"] == 1


def test_a_peer_that_closes_and_then_reads_gets_all_of_it_and_a_clean_end(server: Server, name: str) -> None:
    """What it had not read when it closed is not lost to it."""
    with stuck(server, name) as client:
        client.text("!burst 40")
        server.ask(f"/drowned/{name}")
        client.close(1000)
        for number in range(40):
            assert client.receive().payload[:6] == b"%06d" % number
        assert client.closed_with()[0] == 1000
        assert client.ending() == "fin"


def test_a_client_cannot_push_more_than_an_application_takes(server: Server, name: str) -> None:
    """Reading stops while the application is behind; afterwards it goes on, and nothing is lost."""
    piece = frame(TEXT, b"#" * 60_000)
    with server.connect() as client:
        client.open(f"/asgi?id={name}")
        client.text(f"!hold {name}")
        pushed = client.push(piece, at_most=24 * CAP)
        assert pushed < 12 * CAP
        server.ask(f"/release/{name}")
        client.send(piece[pushed % len(piece) :] + frame(TEXT, b"the end"))
        assert client.receive().payload == b"the end"
        client.close(1000)
    assert server.seen(name)["bytes"] >= pushed // len(piece) * 60_000


def test_a_flood_is_delivered_whole_while_others_are_served(server: Server, name: str) -> None:
    """The port drops nothing, limits are the application's; and a flooder does not hold the loop."""
    count = 20_000
    with server.connect() as flooder, server.connect() as other:
        other.open(f"/port?id={name}-other")
        flooder.open(f"/port?id={name}")
        flooder.send(frame(TEXT, b"#") * count)
        other.text("still there?")
        assert other.receive().payload == b"still there?"
        flooder.close(1000)
        assert server.seen(name)["messages"] == count


def test_pings_of_a_peer_that_does_not_read_end(server: Server, name: str) -> None:
    """Pongs are bounded like everything else."""
    with stuck(server, name) as client:
        client.push(frame(PING, b"p" * 125) * 1000, at_most=4 * CAP)
        assert server.seen(name)["close"] == [1008, "Ping rate exceeded", "server"]
        assert server.forgets(client, CLOSE_TIMEOUT_S)
