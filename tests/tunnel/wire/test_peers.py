"""Clients that come, go, die and quarrel about a name (spec 6.1, 6.4, 6.5)."""

import signal
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from websockets.exceptions import InvalidStatus

from tests.tunnel.kit import Client, RawPeer, SiteBehind, Visitor, hello, serving_client
from tests.tunnel.wire.conftest import Relay
from tunnel.core.codec import encode
from tunnel.core.frames import Fatal, Head, Hello, Open, Pong, Ready, ResponseHead

OTHER = f"tnl_abcdefghi123_{'x' * 43}"


def refused(peer: RawPeer, code: str, reason: str) -> None:
    """The relay says why, in a frame and in the close."""
    fatal = peer.next_of(Fatal)
    assert (fatal.code, fatal.retry) == (code, False)
    assert reason in fatal.reason
    close = peer.ended().rcvd
    assert close is not None
    assert close.code == 1008
    assert reason in close.reason


@pytest.mark.parametrize("token", [OTHER, "", "tnl_x", OTHER.upper()])
def test_a_wrong_token_is_told_so_by_a_socket_that_opens(relay: Relay, token: str) -> None:
    """A WebSocket library would hide the body of a refused upgrade."""
    with RawPeer(relay.port, token, None, "127.0.0.3") as peer:
        refused(peer, "unauthorized", "unauthorized")


def test_ten_wrong_tokens_in_a_minute_close_the_door_for_that_address(relay: Relay) -> None:
    """Before the upgrade, with 429; from elsewhere it stays open."""
    for _ in range(10):
        with RawPeer(relay.port, OTHER, None, "127.0.0.2") as peer:
            peer.ended()
    with pytest.raises(InvalidStatus) as closed:
        RawPeer(relay.port, relay.token, hello("late"), "127.0.0.2")
    assert closed.value.response.status_code == 429
    assert closed.value.response.headers["x-tunnel-error"] == "too_many_tries"
    with RawPeer(relay.port, relay.token, hello("early")) as peer:
        peer.ready()


def test_a_token_is_for_its_own_name(relay: Relay) -> None:
    """One for ``mine`` cannot be ``api``."""
    token = relay.issue("mine")
    with RawPeer(relay.port, token, hello("api")) as peer:
        refused(peer, "unauthorized", "'mine', not 'api'")
    with RawPeer(relay.port, token, hello("mine")) as peer:
        ready = peer.next_of(Ready)
        assert ready.url == f"http://mine.tunnel.localhost:{relay.port}/"
        assert (ready.max_requests, ready.max_body_bytes) == (256, 10_485_760)


@pytest.mark.parametrize("name", ["www", "Preview", "a.b", "", "-a", "ä", "x" * 64])
def test_some_names_are_nobodys(relay: Relay, name: str) -> None:
    """Reserved ones, and what is no label: the same name in another spelling is no second name."""
    with RawPeer(relay.port, relay.token, hello(name)) as peer:
        refused(peer, "invalid_name", "name")


def test_another_version_is_refused_by_name(relay: Relay) -> None:
    """A newer client learns what the relay speaks."""
    with RawPeer(relay.port, relay.token, Hello(("tunnel.v9",), "a", "i")) as peer:
        refused(peer, "version", "tunnel.v1")


@pytest.mark.parametrize("first", [b"", b"\x99" * 20, encode(Pong(b"12345678")), "text"])
def test_what_is_no_hello_is_no_client(relay: Relay, first: bytes | str) -> None:
    """Hostile from the first byte."""
    with RawPeer(relay.port, relay.token, None) as peer:
        peer.socket.send(first)
        assert peer.next_of(Fatal).code == "protocol"


@pytest.mark.parametrize(
    "message", [b"", b"\x99" * 20, encode(Head(7, ResponseHead(200))), encode(hello("x")), "t"]
)
def test_a_peer_that_breaks_the_rules_loses_its_name(relay: Relay, message: bytes | str) -> None:
    """And nobody else does."""
    with RawPeer(relay.port, relay.token, hello("rude")) as peer:
        peer.ready()
        peer.socket.send(message)
        assert peer.next_of(Fatal).code == "protocol"
        assert peer.ended().rcvd.code == 1008  # type: ignore[union-attr]


# A name that is taken


def test_another_token_never_gets_a_name_that_is_served(relay: Relay, client: Client) -> None:
    """Not even by force."""
    with RawPeer(relay.port, relay.issue("preview"), hello("preview", force=True)) as peer:
        refused(peer, "name_taken", "'preview'")


def test_the_same_instance_takes_its_name_back_at_once_and_its_old_end_changes_nothing(relay: Relay) -> None:
    """It has lost a connection that the relay still believes in."""
    with RawPeer(relay.port, relay.token, hello("mobile", "phone")) as old:
        old.ready()
        with RawPeer(relay.port, relay.token, hello("mobile", "phone")) as new:
            new.ready()
            old.ended()
            with Visitor(relay.port, "mobile") as visitor:
                visitor.ask("/")
                new.send(Head(new.next_of(Open).stream, ResponseHead(204), end=True))
                assert visitor.reply().status == 204


def test_a_living_client_keeps_its_name_unless_it_is_taken_by_force(relay: Relay, behind: SiteBehind) -> None:
    """Then it is told not to come back: two that take turns would never stop."""
    with serving_client(relay.port, "desk", behind.port, relay.token) as holder:
        with RawPeer(relay.port, relay.token, hello("desk", "laptop")) as peer:
            refused(peer, "name_taken", "'desk'")
        with RawPeer(relay.port, relay.token, hello("desk", "laptop", force=True)) as peer:
            peer.ready()
            assert holder.wait() == 3
            assert "rejected: 'desk' is served by a newer client now" in holder.log


def test_a_client_that_does_not_answer_loses_its_name_to_its_owner(relay: Relay, behind: SiteBehind) -> None:
    """Within seconds, not after the silence that would end it anyway."""
    with serving_client(relay.port, "frozen", behind.port, relay.token) as holder:
        holder.send(signal.SIGSTOP)
        with RawPeer(relay.port, relay.token, hello("frozen", "laptop")) as peer:
            peer.ready()


# Endings


def test_a_killed_client_fails_its_own_visitors_at_once_and_nobody_elses(
    relay: Relay, client: Client, behind: SiteBehind
) -> None:
    """502 before any timeout; what had begun is seen to break off."""

    async def half(head: bytes, reader: object, writer: object) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\n\r\nhalf")  # type: ignore[attr-defined]
        await reader.read()  # type: ignore[attr-defined]

    async def never(head: bytes, reader: object, writer: object) -> None:
        asked.release()
        await reader.read()  # type: ignore[attr-defined]

    asked = threading.Semaphore(0)
    behind.on("/half", half)
    behind.on("/never", never)
    with (
        serving_client(relay.port, "victim", behind.port, relay.token) as victim,
        Visitor(relay.port, "victim") as begun,
        Visitor(relay.port, "victim") as waiting,
    ):
        begun.ask("/half").head()
        assert begun.chunk() == b"half"
        waiting.ask("/never")
        assert asked.acquire(timeout=20)
        victim.send(signal.SIGKILL)
        reply = waiting.reply()
        assert (reply.status, reply.error) == (502, "peer_gone")
        assert begun.chunk() is None
        with Visitor(relay.port, "preview") as other:
            assert other.ask("/").reply().status == 200


def test_a_visitor_waits_for_a_client_that_has_just_gone(relay: Relay) -> None:
    """A reconnect is no error page."""
    leave(relay, "flaky")
    with Visitor(relay.port, "flaky") as visitor:
        visitor.ask("/")
        with RawPeer(relay.port, relay.token, hello("flaky")) as again:
            again.ready()
            again.send(Head(again.next_of(Open).stream, ResponseHead(204), end=True))
            assert visitor.reply().status == 204


def test_a_visitor_does_not_wait_for_ever(relay: Relay) -> None:
    """503 after three seconds: whoever was known is told apart from whoever never was."""
    leave(relay, "away")
    with Visitor(relay.port, "away") as visitor:
        reply = visitor.ask("/").reply()
        assert (reply.status, reply.error) == (503, "peer_away")


def leave(relay: Relay, name: str) -> None:
    """Serve a name and leave it; returns when the relay has noticed."""
    with RawPeer(relay.port, relay.token, hello(name)) as peer:
        peer.ready()
    assert relay.served.logged(f"peer left peer={name} ")


def test_a_silent_client_is_dropped_without_a_farewell(relay: Relay) -> None:
    """Pinged, then given up; nobody reads a close frame there."""
    with RawPeer(relay.port, relay.token, hello("silent")) as peer:
        peer.ready()
        assert peer.ended().rcvd is None


@pytest.mark.parametrize("change", ["revoke", "rotate"])
def test_a_token_that_is_revoked_or_rotated_ends_its_live_client(relay: Relay, change: str) -> None:
    """By a command in another process, while a request runs."""
    token = relay.issue("gone")
    with (
        RawPeer(relay.port, token, hello("gone")) as peer,
        Visitor(relay.port, "gone") as visitor,
        ThreadPoolExecutor(1) as elsewhere,
    ):
        peer.ready()
        visitor.ask("/")
        peer.next_of(Open)
        elsewhere.submit(relay.manage, "tunnel_token", change, token.split("_")[1])
        refused(peer, "unauthorized", "token")
        assert visitor.reply().status in (502, 504)  # it may have waited longer than these tests allow
    with RawPeer(relay.port, token, hello("gone")) as peer:
        refused(peer, "unauthorized", "")


def test_a_rejected_client_says_why_and_exits_with_3(relay: Relay, client: Client) -> None:
    """No script should go on trying with a token that is no good."""
    for token, reason in (
        (OTHER, "unauthorized"),
        (relay.issue("mine"), "the token is for 'mine', not 'preview'"),
    ):
        rejected = Client(["preview", "--relay", f"ws://127.0.0.1:{relay.port}"], token)
        assert rejected.wait() == 3
        assert f"rejected: {reason}" in rejected.log


def test_a_client_that_is_stopped_leaves_and_exits_with_0(relay: Relay, behind: SiteBehind) -> None:
    """Ctrl-C is no error."""
    with serving_client(relay.port, "short", behind.port, relay.token) as short:
        assert short.stop() == 0
        assert short.lines[-1] == "stopped\n"


def test_a_client_says_each_request_and_once_how_to_mend_a_refused_host(
    relay: Relay, behind: SiteBehind
) -> None:
    """The exact lines for the settings; a query, which may hold a secret, is not shown."""
    behind.says("/refused", b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
    with serving_client(relay.port, "log", behind.port, relay.token) as logged:
        for _ in range(2):
            with Visitor(relay.port, "log") as visitor:
                visitor.ask("/refused?token=secret").reply()
        assert logged.says(r" 400 GET  /refused ", 2)
        assert "secret" not in logged.log
        assert logged.log.count('ALLOWED_HOSTS += ["log.tunnel.localhost"]') == 1
        for line in (
            f'CSRF_TRUSTED_ORIGINS = ["http://log.tunnel.localhost:{relay.port}"]',
            'SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")',
            "TRUSTED_PROXIES",
        ):
            assert line in logged.log
