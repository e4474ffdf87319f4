"""The control bus over a real Redis that is killed and comes back: no socket breaks, one line tells of it.

Two processes' ends of the bus in one, each with connections of its own.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager

import pytest
from asgiref.sync import sync_to_async
from channels_redis.pubsub import RedisPubSubChannelLayer

from gateway import blocking, bus
from gateway.bus import BlocksChanged, Bus, Kick
from tests.gateway.house import ADDRESS, Client, House
from tests.redis import Redis, redis_server

WAITS = 2000
WAIT_S = 0.01


@pytest.fixture
def redis() -> Iterator[Redis]:
    """A running Redis."""
    with redis_server() as server:
        yield server


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """An outage is noticed within two pulses; a test need not wait ten seconds for that."""
    monkeypatch.setattr(bus, "PULSE_S", 0.1)


async def until(holds: Callable[[], bool]) -> None:
    """Wait for it."""
    for _ in range(WAITS):
        if holds():
            return
        await asyncio.sleep(WAIT_S)
    raise AssertionError("it never came true")


@asynccontextmanager
async def attending(redis: Redis, house: House) -> AsyncIterator[Bus]:
    """A process's end of the bus, kept as a duty is: begun anew whenever it ends."""
    layer = RedisPubSubChannelLayer(hosts=[redis.url])
    end = Bus(layer)

    async def keep() -> None:
        while True:
            await end.attend(house.runtime)
            await asyncio.sleep(WAIT_S)

    duty = asyncio.create_task(keep())
    await until(end._heard.is_set)
    try:
        yield end
    finally:
        duty.cancel()
        await asyncio.wait([duty])
        await layer.flush()


def told(caplog: pytest.LogCaptureFixture) -> list[str]:
    """The lines of outages, and anything else that is as bad."""
    return [record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING]


async def test_a_kick_crosses_processes(redis: Redis) -> None:
    """From one process's connections to another's."""
    there = House()
    client = Client(there, "rude").open()
    async with attending(redis, House()) as end, attending(redis, there):
        await end.send(Kick("session:rude"))
        await until(lambda: client.port.closed is not None)
    assert client.port.closed is not None
    assert client.port.closed.code == 4005


async def test_a_redis_that_dies_and_comes_back_costs_one_line_each_way(
    redis: Redis, caplog: pytest.LogCaptureFixture
) -> None:
    """Its clients live, nothing is thrown at a socket, and afterwards the same bus carries kicks again."""
    complaints: list[logging.LogRecord] = []
    # In front of the bus's own, which keeps the layer's complaints to itself.
    logging.getLogger("channels_redis.pubsub").filters.insert(0, lambda record: not complaints.append(record))
    there = House()
    client, late = Client(there, "rude").open(), Client(there, "late").open()
    async with attending(redis, House()) as end, attending(redis, there):
        for _ in range(2):
            caplog.clear()
            redis.kill()
            await until(lambda: len(told(caplog)) >= 2)
            assert not await end.try_to_send(Kick("session:late"))
            complaints.clear()
            await until(lambda: len(complaints) >= 4)  # the layers try again by themselves
            assert [line.partition(" (")[0] for line in told(caplog)] == [
                "the bus to other processes is down"
            ] * 2, "one line of each end"
            caplog.clear()
            redis.start()
            await until(lambda: len(told(caplog)) >= 2)
            assert told(caplog) == ["the bus to other processes works again"] * 2
        assert client.port.closed is None
        assert await end.try_to_send(Kick("session:rude"))
        await until(lambda: client.port.closed is not None)
    assert late.port.closed is None, "a kick that nobody took is not made up for: it was of the moment"


@pytest.mark.django_db(transaction=True)
async def test_what_redis_did_not_carry_the_look_at_the_list_finds(redis: Redis) -> None:
    """The bus is a messenger and no record."""
    there = House()
    client = Client(there).open()
    async with attending(redis, House()) as end, attending(redis, there):
        redis.kill()
        await sync_to_async(blocking.block)(ADDRESS, "rude")
        assert not await end.try_to_send(BlocksChanged(1))
        await blocking.watch(there.runtime)
        assert client.port.closed is not None


async def test_a_redis_that_is_not_there_at_the_start_is_found_later(
    redis: Redis, caplog: pytest.LogCaptureFixture
) -> None:
    """The server starts all the same; one line says what is missing, and nothing piles up while it is."""
    redis.kill()
    there = House()
    client = Client(there, "rude").open()
    layer = RedisPubSubChannelLayer(hosts=[redis.url])
    end = Bus(layer)
    for _ in range(3):
        await end.attend(there.runtime)
    assert [line.partition(" (")[0] for line in told(caplog)] == ["the bus to other processes is down"]
    assert layer._get_layer().channels == {}
    redis.start()
    async with attending(redis, House()) as other:
        duty = asyncio.create_task(end.attend(there.runtime))
        await until(end._heard.is_set)
        await other.send(Kick("session:rude"))
        await until(lambda: client.port.closed is not None)
        duty.cancel()
        await asyncio.wait([duty])
        await layer.flush()


async def test_a_redis_that_hangs_holds_up_nobody(redis: Redis, caplog: pytest.LogCaptureFixture) -> None:
    """It takes connections and answers nothing: a send gives up, and is not waited for by whoever kicks."""
    async with attending(redis, House()) as end:
        redis.freeze()
        try:
            assert not await end.try_to_send(Kick("session:x"))
        finally:
            redis.thaw()
        await until(lambda: "the bus to other processes works again" in told(caplog))
