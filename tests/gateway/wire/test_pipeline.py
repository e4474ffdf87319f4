"""The inbound pipeline, as a client sees it (spec 1.3): each fault has its answer and costs only what the
table says.
"""

import asyncio
import json
import time
from collections import Counter

import pytest

from tests.gateway.wire.client import READ_S, Browser, Wire
from tests.gateway.wire.test_admission import ticket
from tests.serving import Served

WINDOW_S = 10.0
AN_INSTANT_S = 4.0
"""What a burst may take on a loaded machine."""


@pytest.mark.parametrize(
    "garbage",
    [
        "",
        " ",
        "{",
        "[]",
        "5",
        "null",
        '{"type":5}',
        '{"type":"NOPE"}',
        '{"type":"SAID","seat":"x","text":"y"}',
        '{"type":"SAY","text":"a","text":"b"}',
        '{"type":"SAY","text":NaN}',
        '{"type":"SAY","text":"\\ud800"}',
        "\ufeff{}",
        b"\xff\xfe",
        "[" * 5000,
    ],
)
async def test_garbage_is_a_validation_error_and_the_socket_lives(
    browser: Browser, garbage: str | bytes
) -> None:
    """Whatever it is, text or binary: one error, nothing else, and the next command works."""
    async with browser.socket() as wire:
        await wire.raw.send(garbage)
        error = await wire.read()
        assert (error["type"], error["code"], error["statusCode"]) == ("ERROR", "VALIDATION_ERROR", 400)
        await wire.send("SIT", word="garbage")
        assert (await wire.read())["type"] == "SEATED"


async def test_an_unknown_field_is_named(browser: Browser) -> None:
    """``details.path`` tells a program which field it was."""
    async with browser.socket() as wire:
        await wire.send("SAY", text="a", colour="red")
        error = await wire.read()
        assert error["details"] == {"path": "$.colour", "action": "SAY"}


async def test_a_binary_frame_is_treated_like_a_text_frame(browser: Browser) -> None:
    """The same bytes mean the same."""
    async with browser.socket() as wire:
        await wire.raw.send(b'{"type":"SIT","word":"binary"}')
        assert (await wire.read())["seat"] == "seat-binary"


async def test_a_broken_handler_is_our_fault_and_keeps_the_socket(browser: Browser, server: Served) -> None:
    """500 with a reference that the log has too."""
    async with browser.socket() as wire:
        await wire.send("BREAK")
        error = await wire.read()
        assert (error["code"], error["statusCode"], error["details"]["action"]) == (
            "INTERNAL_ERROR",
            500,
            "BREAK",
        )
        await wire.send("SIT", word="survivor")
        assert (await wire.read())["type"] == "SEATED"
    assert server.logged(error["details"]["reference"])


async def test_a_message_over_10_000_bytes_is_not_parsed(browser: Browser) -> None:
    """413 and the socket lives; the client broke a rule, not the house."""
    async with browser.socket() as wire:
        await wire.raw.send(json.dumps({"type": "SAY", "text": "x" * 10_000}))
        error = await wire.read()
        assert (error["code"], error["statusCode"]) == ("MESSAGE_TOO_LARGE", 413)
        await wire.send("SIT", word="lengthy")
        assert (await wire.read())["type"] == "SEATED"


async def test_a_message_over_128_kib_is_answered_and_closed_1009(browser: Browser) -> None:
    """The error comes first, then the close with its reason."""
    async with browser.socket() as wire:
        await wire.raw.send("x" * 131_073)
        assert (await wire.read())["code"] == "MESSAGE_TOO_LARGE"
        assert await wire.closed() == (1009, "Message too large")


async def test_160_frames_at_one_instant_are_counted_as_the_table_says(browser: Browser) -> None:
    """150 pass the global budget, 50 of those the action's limit, 10 are told that it is too much."""
    await an_instant_of_one_window()
    async with browser.socket() as wire:
        await wire.send("SIT", word="busy")
        await wire.read()
        frames = await burst(wire, 159)
        assert Counter(frames) == {"SAID": 50, "SAY": 99, "GLOBAL_WS_MESSAGE": 10}


async def test_a_flood_is_answered_ten_times_and_then_only_counted(browser: Browser) -> None:
    """Replies to a flood are bounded, else the flood is ours; a single burst costs no session."""
    await an_instant_of_one_window()
    async with browser.socket() as wire:
        await wire.send("SIT", word="flooder")
        await wire.read()
        frames = await burst(wire, 600)
        assert Counter(frames)["GLOBAL_WS_MESSAGE"] == 10


async def test_the_wait_that_an_error_names_is_long_enough(browser: Browser) -> None:
    """``retryAfter`` is in seconds and exact: positive and within one window."""
    async with browser.socket() as wire:
        for _ in range(51):
            await wire.send("SAY", text="x")
        refused = [frame for frame in await errors(wire, 51) if frame["code"] == "RATE_LIMIT_EXCEEDED"]
        assert len(refused) == 1
        assert 0 < refused[0]["details"]["retryAfter"] <= 20


async def test_wrong_guesses_are_limited_for_the_whole_address(server: Served) -> None:
    """Budgets that count failures are spent by failing, from whatever browser behind the address."""
    codes = []
    for _ in range(3):
        async with Browser(server).socket() as wire:
            await wire.send("GUESS")
            codes.append((await wire.read())["code"])
    assert codes == ["WRONG", "WRONG", "RATE_LIMIT_EXCEEDED"]


async def test_reconnecting_renews_no_budget(browser: Browser) -> None:
    """Per-user budgets follow the account, and the seat once one is held."""
    for _ in range(2):
        async with browser.socket() as wire:
            for _ in range(25):
                await wire.send("SAY", text="x")
            await errors(wire, 25)
    async with browser.socket() as wire:
        await wire.send("SAY", text="x")
        assert (await wire.read())["code"] == "RATE_LIMIT_EXCEEDED"


async def test_a_seat_taken_back_closes_the_old_socket_1000(browser: Browser) -> None:
    """The claim attaches first; the socket that had the seat is told why it ends."""
    old = await browser.open(clientId="tab-1")
    await old.send("SIT", word="moving")
    await old.read()
    async with browser.socket(clientId="tab-1", **ticket("moving")) as new:
        assert (await new.read())["type"] == "SEATED"
        assert await old.closed() == (1000, "Seat attached elsewhere")
        await new.send("SAY", text="hello")
        assert (await new.read())["seat"] == "seat-moving"


async def test_a_second_socket_of_the_same_tab_closes_the_first_4000(browser: Browser) -> None:
    """Without a claim it is a new session of the tab: the seat of the old one is not freed but awaited."""
    async with browser.socket(clientId="other") as witness:
        await witness.send("SIT", word="witness")
        await witness.read()
        old = await browser.open(clientId="tab-2")
        await old.send("SIT", word="twice")
        await old.read()
        async with browser.socket(clientId="tab-2"):
            assert await old.closed() == (4000, "New session opened")
            gone = await witness.read_until("GONE")
            assert gone == {"type": "GONE", "seat": "seat-twice", "treatment": "successor"}


async def test_the_client_learns_why_its_last_socket_ended(browser: Browser) -> None:
    """A close frame may never arrive; the next greeting repeats it, for the same tab of the same account."""
    wire = await browser.open(clientId="tab-3")
    await wire.send("EJECT")
    assert await wire.closed() == (4005, "Kicked")
    async with browser.socket(clientId="tab-3") as again:
        assert again.greeting["lastClose"] == {"code": 4005, "reason": "Kicked"}


async def test_each_close_of_a_client_means_what_the_table_says(browser: Browser) -> None:
    """1000 and 1001 are intended, 4000 awaits a successor, everything else is a disconnect."""
    async with browser.socket() as witness:
        await witness.send("SIT", word="judge")
        await witness.read()
        for code, treatment in (
            (1000, "evict"),
            (1001, "evict"),
            (4000, "successor"),
            (4005, "grace"),
            (3999, "grace"),
        ):
            wire = await browser.open()
            await wire.send("SIT", word=f"closer{code}")
            await wire.read()
            await wire.raw.close(code, "bye")
            gone = await witness.read_until("GONE")
            assert (gone["seat"], gone["treatment"]) == (f"seat-closer{code}", treatment)


async def test_a_client_that_stops_reading_is_closed_and_costs_the_others_nothing(browser: Browser) -> None:
    """Over 1 MiB unread the slow one goes (1013), while the reader next to it gets every frame."""
    slow, reader = await browser.open(), await browser.open()
    for wire, word in ((slow, "slow"), (reader, "reader")):
        await wire.send("SIT", word=word)
        await wire.read()
    slow.raw.transport.pause_reading()
    for _ in range(8):
        await reader.send("FLOOD", size=1000)
        for _ in range(1000):
            frame = await reader.read()
            if frame["type"] == "GONE":
                break
        if frame["type"] == "GONE":
            break
    assert frame == {"type": "GONE", "seat": "seat-slow", "treatment": "grace"}
    await reader.raw.close()
    slow.raw.transport.abort()


async def an_instant_of_one_window() -> None:
    """Budgets count in windows of the machine's monotonic clock: nothing may begin at the end of one."""
    left = WINDOW_S - time.monotonic() % WINDOW_S
    if left < AN_INSTANT_S:
        await asyncio.sleep(left)


async def burst(wire: Wire, count: int) -> list[str]:
    """Send so many SAY at once; what came back, events by type and errors by the action that was refused.

    The pong to a ping behind the burst comes after every answer to it, so what is not there by then does not
    come.
    """
    await asyncio.gather(*(wire.send("SAY", text="x") for _ in range(count)))
    await asyncio.wait_for(await wire.raw.ping(), READ_S)
    told = []
    while (frame := await wire.read_at_hand()) is not None:
        told.append(frame["details"]["action"] if frame["type"] == "ERROR" else frame["type"])
    return told


async def errors(wire: Wire, count: int) -> list[dict[str, object]]:
    """The next frames, all of which must be errors."""
    frames = [await wire.read() for _ in range(count)]
    assert {frame["type"] for frame in frames} == {"ERROR"}
    return frames
