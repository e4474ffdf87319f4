"""Who may open a socket, as a client sees it: real upgrades over TCP (spec 1.2)."""

import json

import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus

from tests.gateway.wire.client import Browser
from tests.serving import Served


async def test_a_page_of_the_site_with_a_session_is_let_in_and_greeted(browser: Browser) -> None:
    """The first frame is CONNECTED with the numbers that the client must keep to."""
    async with browser.socket() as wire:
        assert wire.greeting["type"] == "CONNECTED"
        assert wire.greeting["userId"] == wire.greeting["connectionId"]
        assert wire.greeting["protocolVersion"] == 1
        assert wire.greeting["heartbeat"] == {"intervalMs": 7000, "timeoutMs": 4000}
        assert wire.greeting["limits"]["GLOBAL"] == {"limit": 150, "windowMs": 10000}
        assert wire.greeting["limits"]["SAY"] == {"limit": 50, "windowMs": 10000}
        assert "lastClose" not in wire.greeting


async def test_a_refusal_is_a_real_response_with_body_and_header(browser: Browser) -> None:
    """Programs read the code, people the text; a foreign page is refused before anything else."""
    refused = await browser.refused({**browser.headers(), "Origin": "https://evil.example"})
    assert (refused.status, refused.code) == (403, "invalid_origin")
    assert refused.body["ok"] is False
    assert refused.body["error"].endswith(".")


async def test_an_upgrade_without_origin_is_refused(browser: Browser) -> None:
    """Every browser sends one; what does not is no page of ours."""
    refused = await browser.refused({"Cookie": browser.cookie})
    assert refused.code == "invalid_origin"


async def test_a_cookie_of_no_session_is_a_missing_session(browser: Browser) -> None:
    """A made-up key never becomes a shared counter of strangers."""
    for cookie in ("", "sessionid=abcdefghijklmnopqrstuvwxyz012345"):
        refused = await browser.refused({**browser.headers(), "Cookie": cookie})
        assert (refused.status, refused.code) == (403, "missing_session")


async def test_the_fourth_socket_of_a_session_is_refused_until_one_closes(browser: Browser) -> None:
    """Three tabs a browser; the slot of a closed one is free at once."""
    wires = [await browser.open() for _ in range(3)]
    refused = await browser.refused()
    assert (refused.status, refused.code) == (403, "session_connection_cap")
    assert int(refused.headers["Retry-After"]) > 0
    await wires.pop().raw.close()
    wires.append(await browser.open())
    for wire in wires:
        await wire.raw.close()


async def test_an_address_over_its_cap_is_refused_but_not_a_proven_seat(server: Served) -> None:
    """The cap of this server is 20 sockets an address; a ticket is proof enough to come back."""
    browsers = [Browser(server) for _ in range(7)]
    owner = browsers[0]
    seated = await owner.open()
    await seated.send("SIT", word="returning")
    await seated.read()
    others = [await browsers[index // 3].open() for index in range(1, 20)]
    refused = await browsers[-1].refused()
    assert (refused.status, refused.code) == (403, "ip_connection_cap")
    back = await owner.open(**ticket("returning"))
    assert back.greeting["userId"] == "seat-returning"
    for wire in [back, *others]:
        await wire.raw.close()


async def test_a_wrong_token_is_forbidden_and_disturbs_nobody(browser: Browser, server: Served) -> None:
    """Seat ids are public: without token and account a claim touches nothing."""
    async with browser.socket() as owner:
        await owner.send("SIT", word="mine")
        await owner.read()
        wrong = {**ticket("mine"), "reconnectToken": "guess"}
        assert (await browser.refused(**wrong)).code == "forbidden"
        assert (await Browser(server).refused(**ticket("mine"))).code == "forbidden"
        await owner.send("SAY", text="still here")
        assert (await owner.read())["text"] == "still here"


async def test_a_ticket_in_part_is_forbidden(browser: Browser) -> None:
    """The three fields go together; an empty or partial claim is no anonymous visit."""
    refused = await browser.refused(roomId="parlour")
    assert (refused.status, refused.code) == (403, "forbidden")


async def test_the_preflight_says_what_the_upgrade_would(browser: Browser) -> None:
    """Browsers can't read the body of a failed upgrade, so they ask here first; a missing Origin counts as
    the site's own.
    """
    assert browser.get("/api/ws/preflight").status == 200
    answer = browser.get("/api/ws/preflight?roomId=parlour")
    assert answer.status == 403
    assert json.loads(answer.body)["code"] == "forbidden"  # type: ignore[attr-defined]
    assert answer.headers["X-Flags-Reject-Reason"] == "forbidden"
    foreign = browser.get("/api/ws/preflight", Origin="https://evil.example")
    assert (foreign.status, foreign.headers["X-Flags-Reject-Reason"]) == (403, "invalid_origin")
    assert foreign.headers["Access-Control-Allow-Origin"] is None


async def test_a_refused_preflight_is_logged_once(browser: Browser, server: Served) -> None:
    """Django's own warning about every 403 says nothing more (spec 1.2)."""
    before = server.log.count("\n")
    browser.get("/api/ws/preflight", Origin="https://once.example")
    assert server.logged("origin=https://once.example")
    lines = server.log.splitlines()[before:]
    assert [line for line in lines if "django.request" in line] == []
    assert sum("refused invalid_origin" in line for line in lines) == 1


async def test_the_preflight_consumes_nothing_and_makes_no_session(server: Served) -> None:
    """Asking a hundred times costs no slot; without a cookie it says so and sets none."""
    browser = Browser(server)
    assert {browser.get("/api/ws/preflight").status for _ in range(100)} == {200}
    browser.cookie = ""
    answer = browser.get("/api/ws/preflight")
    assert answer.headers["X-Flags-Reject-Reason"] == "missing_session"
    assert answer.headers["Set-Cookie"] is None


async def test_no_secret_of_the_query_string_reaches_the_log(browser: Browser, server: Served) -> None:
    """Accepted or refused, at the gateway or in the server's own access lines."""
    async with browser.socket() as owner:
        await owner.send("SIT", word="tokenthatmustnotbelogged")
        await owner.read()
        back = await browser.open(**ticket("tokenthatmustnotbelogged"))
        await back.raw.close()
    await browser.refused(roomId="parlour", playerSeatId="x", reconnectToken="tokenthatmustnotbelogged")
    browser.get("/api/ws/preflight?roomId=a&playerSeatId=b&reconnectToken=tokenthatmustnotbelogged")
    assert server.logged("refused forbidden")
    assert server.logged("GET /api/ws/preflight")
    assert "tokenthatmustnotbelogged" not in server.log
    assert "reconnectToken" not in server.log


async def test_other_paths_are_a_plain_404(browser: Browser, server: Served) -> None:
    """A scanner costs no traceback."""
    with pytest.raises(InvalidStatus) as refused:
        await connect(server.ws.replace("/ws", "/elsewhere"), additional_headers=browser.headers())
    assert refused.value.response.status_code == 404
    assert "Traceback" not in server.log


def ticket(word: str) -> dict[str, str]:
    """The query of a claim on a toy seat."""
    return {"roomId": "parlour", "playerSeatId": f"seat-{word}", "reconnectToken": word}
