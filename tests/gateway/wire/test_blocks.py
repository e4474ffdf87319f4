"""Blocks as clients see them: a command in one process closes and refuses in another (spec 1.7, 4.3)."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.gateway.wire.client import Browser
from tests.redis import redis_server
from tests.serving import Served, manage, serving

LISTED = "tests.gateway.wire.listed_settings"
RUDE, RUDER, KIND = "203.0.113.9", "203.0.113.10", "198.51.100.1"
NEVER_S = "3600"


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A migrated database."""
    folder = tmp_path_factory.mktemp("listed")
    migrated = manage(LISTED, folder, "migrate")
    assert migrated.returncode == 0, migrated.stderr
    return folder


@pytest.fixture
def _unblocked(data: Path) -> Iterator[None]:
    """Leaves the list as if nobody were blocked."""
    yield
    manage(LISTED, data, "unblock_ip", RUDE)


def coming_from(browser: Browser, address: str) -> dict[str, str]:
    """The headers of an upgrade that a proxy passes on."""
    return browser.headers(**{"X-Forwarded-For": address})


def does(data: Path, command: str, value: str, **environment: str) -> str:
    """Run a command in a process of its own; what it wrote to its log."""
    done = manage(LISTED, data, command, value, **environment)
    assert done.returncode == 0, done.stderr
    return done.stderr


async def assert_shut_out(server: Served, data: Path, **environment: str) -> None:
    """Block a player's address elsewhere: he is closed and refused, and nobody else."""
    browser = Browser(server)
    rude = await browser.open(coming_from(browser, RUDE))
    kind = await browser.open(coming_from(browser, KIND))
    does(data, "block_ip", f"::ffff:{RUDE}", **environment)
    assert await rude.closed() == (4004, "Blocked")
    refused = await browser.refused(coming_from(browser, RUDE))
    assert (refused.status, refused.code) == (403, "blocked_ip")
    asked = browser.get("/api/ws/preflight", **{"X-Forwarded-For": RUDE})
    assert (asked.status, asked.headers["X-Flags-Reject-Reason"]) == (403, "blocked_ip")
    assert browser.get("/api/ws/preflight", **{"X-Forwarded-For": KIND}).status == 200
    await kind.send("SIT", word="kind")
    assert (await kind.read())["type"] == "SEATED"
    await kind.raw.close()


@pytest.mark.usefixtures("_unblocked")
@pytest.mark.parametrize("kind", ["uvicorn", "daphne"])
async def test_a_block_by_another_process_closes_and_refuses(data: Path, kind: str) -> None:
    """Each process looks at the list's version once a second; a block that ends lets in again."""
    with serving(LISTED, data, "--server", kind) as server:
        await assert_shut_out(server, data)
        does(data, "unblock_ip", RUDE)
        await until_let_in(server)
        assert server.stop() == 0
        assert "Traceback" not in server.log


async def until_let_in(server: Served) -> None:
    """An upgrade from the address that was blocked succeeds, after a few that don't."""
    browser = Browser(server)
    asked = (browser.get("/api/ws/preflight", **{"X-Forwarded-For": RUDE}).status for _ in range(2000))
    assert 200 in asked
    async with browser.socket(coming_from(browser, RUDE)):
        pass


@pytest.mark.usefixtures("_unblocked")
async def test_the_bus_brings_the_news_to_a_process_that_does_not_look(data: Path) -> None:
    """Over a real Redis, from a command that ends right after."""
    with (
        redis_server() as redis,
        serving(LISTED, data, REDIS_URL=redis.url, LOOK_S=NEVER_S) as server,
    ):
        await assert_shut_out(server, data, REDIS_URL=redis.url)


@pytest.mark.usefixtures("_unblocked")
async def test_while_redis_is_down_the_look_carries_the_blocks(data: Path) -> None:
    """The server says so once, plays on and finds the block in the database; so does the command."""
    with redis_server() as redis, serving(LISTED, data, REDIS_URL=redis.url) as server:
        redis.kill()
        assert server.logged("the bus to other processes is down")
        browser = Browser(server)
        async with browser.socket(coming_from(browser, KIND)):
            said = manage(LISTED, data, "block_ip", RUDER, REDIS_URL=redis.url)
            assert said.returncode == 0
            assert "the bus to other processes is down" in said.stderr
            assert "Traceback" not in said.stderr
            await assert_shut_out(server, data, REDIS_URL=redis.url)
        redis.start()
        assert server.logged("the bus to other processes works again")
        assert server.log.count("the bus to other processes is down") == 1
        assert "Traceback" not in server.log
