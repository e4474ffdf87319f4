"""Handshakes that die, at every stage: nothing is left behind in the process (spec 1.2).

The counters are reserved at admission and given back exactly once. Each test ends with the same proof:
counters at zero, no file left open, nothing traced, and a new client gets in.
"""

import asyncio
import signal
import socket
from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from tests.faults.asgi import BEFORE_ACCEPT, BEFORE_ADMISSION
from tests.faults.lines import Line
from tests.faults.torn import (
    NOTHING,
    Attempt,
    Death,
    Waits,
    attempts,
    counters,
    descriptors,
    settled,
    tear_all,
    upgrade,
)
from tests.gateway.wire.client import Browser
from tests.serving import Served

CUT = 400
SEED = 20
CROWD = 100
PATIENCE_S = 30.0
STAGED = 25
LINES_AN_ATTEMPT = 6
"""uvicorn's accepted, open and closed, the gateway's refused or closed, the shield's remark, one spare."""
OWN_FILES = 2
"""The test's own last requests may not be closed yet."""


@pytest.fixture(autouse=True)
def nothing_is_left(server: Served, browser: Browser) -> Iterator[None]:
    """What every one of these tests must leave behind: nothing."""
    browser.get("/counters")  # lazy imports open their files now
    open_before = descriptors(server)
    yield
    assert settled(browser) == NOTHING
    assert descriptors(server) <= open_before + OWN_FILES
    assert "Traceback" not in server.log
    asyncio.run(get_in(browser))


async def get_in(browser: Browser) -> None:
    """Somebody new sits down."""
    async with browser.socket() as wire:
        await wire.send("SIT", word="newcomer")
        assert (await wire.read())["type"] == "SEATED"


async def test_handshakes_cut_at_random_bytes_leave_nothing_behind(server: Served) -> None:
    """A few hundred clients die in every way there is, while they replace each other's tabs and claim one
    seat, rightly and wrongly.
    """
    browsers = [Browser(server) for _ in range(5)]
    lines = len(server.lines)
    prey = await browsers[0].open()
    await prey.send("SIT", word="prey")
    assert (await prey.read())["type"] == "SEATED"
    assert await tear_all(server.port, attempts(browsers, CUT, SEED)) == CUT
    await prey.raw.close()
    assert len(server.lines) - lines < CUT * LINES_AN_ATTEMPT


@pytest.mark.parametrize("death", [Death.FIN, Death.RST])
async def test_clients_that_die_during_the_session_lookup_leave_nothing_behind(
    server: Served, death: Death
) -> None:
    """Each has a session of its own, which a slow store looks up one by one: they are long gone when it is
    found.
    """
    strangers = [Browser(server) for _ in range(STAGED)]
    torn = [Attempt(upgrade(stranger), Waits.NOTHING, death) for stranger in strangers]
    await tear_all(server.port, torn, at_once=STAGED)


@pytest.mark.parametrize("death", [Death.FIN, Death.RST])
@pytest.mark.parametrize("stage", [BEFORE_ADMISSION, BEFORE_ACCEPT])
async def test_clients_that_are_gone_before_they_are_let_in_leave_nothing_behind(
    server: Served, browser: Browser, stage: str, death: Death
) -> None:
    """The server knows that the connection is lost, and goes on to admit it, or to accept it."""
    torn = [
        Attempt(upgrade(browser, dies=stage, clientId=f"tab-{number % 5}"), Waits.NOTHING, death)
        for number in range(STAGED)
    ]
    await tear_all(server.port, torn, at_once=STAGED)


async def test_a_crowd_that_knocks_while_the_server_stands_still_is_let_in_and_heard(
    server: Served, browser: Browser
) -> None:
    """A hundred upgrades in one poll of the loop take turns; some of their clients have left again."""
    crowd = await asyncio.gather(*[knocking(server, browser) for _ in range(CROWD)])
    leaving, staying = crowd[::5], [guest for number, guest in enumerate(crowd) if number % 5]
    server.process.send_signal(signal.SIGSTOP)
    for line, _ in crowd:
        line.asks()
    for line, _ in leaving:
        line.hangs_up()
    server.process.send_signal(signal.SIGCONT)
    async with asyncio.timeout(PATIENCE_S):
        for number, (line, seated) in enumerate(staying):
            assert await line.status == 101
            line.says(f'{{"type":"SIT","word":"guest {number}"}}'.encode())
            await seated
            line.hangs_up()


async def knocking(server: Served, browser: Browser) -> tuple["Knocking", asyncio.Future[None]]:
    """Somebody at the door, and when they sit."""
    seated: asyncio.Future[None] = asyncio.get_running_loop().create_future()
    _, line = await asyncio.get_running_loop().create_connection(
        lambda: Knocking(
            upgrade(browser), lambda text: seated.set_result(None) if b"SEATED" in text else None
        ),
        "127.0.0.1",
        server.port,
    )
    return line, seated


class Knocking(Line):
    """A connection that asks when it is told to."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def asks(self) -> None:
        """Send the upgrade request."""
        self._transport.write(self._request)


def test_between_admission_and_accept_a_slot_is_held_and_then_given_back(
    server: Served, browser: Browser
) -> None:
    """Else the test above would prove nothing: attempts that hang in the door are counted."""
    before, behind = upgrade(browser, dies=BEFORE_ADMISSION), upgrade(browser, dies=BEFORE_ACCEPT)
    with ExitStack() as hanging:
        for request in (before, before, behind):
            client = hanging.enter_context(socket.create_connection(("127.0.0.1", server.port)))
            client.sendall(request)
        counted = settled(browser, inside=3, slots=1)
        assert (counted["inside"], counted["by_session"]) == (3, [1])


@pytest.mark.parametrize("death", [Death.FIN, Death.RST])
@pytest.mark.parametrize("waits", [Waits.HEAD, Waits.GREETING])
async def test_clients_that_die_right_after_accept_leave_nothing_behind(
    server: Served, browser: Browser, waits: Waits, death: Death
) -> None:
    """With the 101 or the greeting just read."""
    torn = [Attempt(upgrade(browser), waits, death)] * STAGED
    await tear_all(server.port, torn, at_once=STAGED)


async def test_a_new_tab_that_dies_in_the_door_leaves_the_old_socket_its_place(
    server: Served, browser: Browser
) -> None:
    """A replacement that never opens replaces nobody: the old socket keeps its slot and is still heard."""
    async with browser.socket(clientId="mine") as wire:
        await wire.send("SIT", word="owner")
        await wire.read()
        for stage in (BEFORE_ADMISSION, BEFORE_ACCEPT):
            request = upgrade(browser, dies=stage, clientId="mine")
            await tear_all(server.port, [Attempt(request, Waits.NOTHING, Death.RST)] * 3)
            await asyncio.to_thread(settled, browser, 1, 1)
        await wire.send("SAY", text="still here")
        assert (await wire.read())["text"] == "still here"
        assert (await asyncio.to_thread(counters, browser))["by_session"] == [1]
