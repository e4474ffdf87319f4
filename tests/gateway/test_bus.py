"""The control bus on a layer in memory: what is said, who obeys it, and what is not understood.

A real Redis, and one that dies, are in ``tests/faults/test_redis.py``.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import Any, ClassVar

import msgspec
import pytest
from asgiref.sync import sync_to_async
from channels.layers import InMemoryChannelLayer
from django.test import override_settings

from gateway import blocking, bus, live
from gateway.bus import GROUP, TYPE, BlocksChanged, Bus, Kick
from tests.gateway.house import ADDRESS, Client, House

WAIT_S = 5.0
WAITS = 5000
"""Of a thousandth of a second each."""


async def until(holds: Any) -> None:
    """Give the loop its turns until this holds."""
    for _ in range(WAITS):
        if holds():
            return
        await asyncio.sleep(0.001)
    raise AssertionError("it never came true")


@asynccontextmanager
async def attending(layer: Any, house: House) -> AsyncIterator[Bus]:
    """A process of its own: a gateway and its end of the bus, which works."""
    end = Bus(layer)
    duty = asyncio.create_task(end.attend(house.runtime))
    await until(end._heard.is_set)
    try:
        yield end
    finally:
        duty.cancel()
        await asyncio.wait([duty])


@pytest.fixture
def layer() -> InMemoryChannelLayer:
    """Carries messages between all that share it."""
    return InMemoryChannelLayer()


async def test_a_kick_reaches_every_process_and_only_the_account(layer: Any) -> None:
    """4005; nothing keeps it from coming back."""
    here, there = House(), House()
    kicked, other = Client(there, "rude").open(), Client(there, "kind").open()
    async with attending(layer, here) as end, attending(layer, there):
        await end.send(Kick("session:rude"))
        await until(lambda: kicked.port.closed is not None)
    assert kicked.port.closed is not None
    assert kicked.port.closed.code == 4005
    assert other.port.closed is None


async def test_a_process_does_not_obey_itself(layer: Any) -> None:
    """It has done so already, through the door; what came back would be done twice."""
    here, there = House(), House()
    mine, theirs = Client(here, "rude").open(), Client(there, "rude").open()
    async with attending(layer, here) as end, attending(layer, there):
        await end.send(Kick("session:rude"))
        await until(lambda: theirs.port.closed is not None)
        assert mine.port.closed is None


@pytest.mark.django_db(transaction=True)
async def test_news_of_the_block_list_makes_the_others_look_at_once(layer: Any) -> None:
    """Without waiting for their own look; older news than what is loaded costs nothing."""
    here, there = House(), House()
    client = Client(there).open()
    async with attending(layer, here) as end, attending(layer, there):
        await sync_to_async(blocking.block)(ADDRESS, "rude")
        await end.send(BlocksChanged(1))
        await until(lambda: client.port.closed is not None)
        known = there.runtime.guard.blocklist
        await end.send(BlocksChanged(1))
        await end.send(Kick("session:nobody"))
        fresh = Client(there, address="198.51.100.1").open()
        await end.send(Kick("session:s"))
        await until(lambda: fresh.port.closed is not None)
        assert there.runtime.guard.blocklist is known


@pytest.mark.parametrize(
    "said",
    [
        {"type": TYPE, "body": '{"v":1,"sender":"x","message":{"type":"dance"}}'},
        {"type": TYPE, "body": '{"v":2,"sender":"x","message":{"type":"kick","account":"session:s"}}'},
        {"type": TYPE, "body": "not json"},
        {"type": TYPE},
        {"type": TYPE, "body": 7},
    ],
    ids=["unknown message", "newer version", "no json", "no body", "no text"],
)
async def test_what_is_not_understood_is_ignored_with_one_line(
    layer: Any, said: dict[str, Any], caplog: pytest.LogCaptureFixture
) -> None:
    """A newer process of the same site may say more; it must neither break nor be misread here."""
    house = House()
    client = Client(house).open()
    other = Client(house, "other").open()
    async with attending(layer, House()) as end, attending(layer, house):
        for _ in range(3):
            await layer.group_send(GROUP, said)
        await end.send(Kick("session:other"))
        await until(lambda: other.port.closed is not None)
    assert client.port.closed is None
    lines = [record for record in caplog.records if "does not know" in record.getMessage()]
    assert len(lines) == 2, "one line of each of the two processes"


async def test_a_message_that_fails_does_not_end_the_bus(
    layer: Any, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """The database may be down when the news come; the next message is obeyed."""

    async def fails(_: Any) -> None:
        raise OSError("no database")

    monkeypatch.setattr(blocking, "watch", fails)
    house = House()
    client = Client(house).open()
    async with attending(layer, House()) as end, attending(layer, house):
        await end.send(BlocksChanged(7))
        await end.send(Kick("session:s"))
        await until(lambda: client.port.closed is not None)
    assert [record.getMessage() for record in caplog.records if record.levelno >= logging.ERROR] == [
        "a message of the bus was not obeyed"
    ]


async def test_a_subscription_that_is_lost_in_silence_is_made_anew(
    layer: Any, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """The layer takes everything and brings nothing: only the pulse shows it."""
    monkeypatch.setattr(bus, "PULSE_S", 0.01)
    monkeypatch.setattr(bus, "PATIENCE_S", 0.05)
    house = House()
    client = Client(house).open()
    end = Bus(layer)
    async with attending(layer, House()) as other:
        duty = asyncio.create_task(end.attend(house.runtime))
        await until(end._heard.is_set)
        for group in layer.groups.values():
            group.clear()
        await asyncio.wait([duty], timeout=WAIT_S)
        assert duty.done()
        duty = asyncio.create_task(end.attend(house.runtime))
        await until(end._heard.is_set)
        await other.send(Kick("session:s"))
        await until(lambda: client.port.closed is not None)
        duty.cancel()
        await asyncio.wait([duty])
    said = [record.getMessage() for record in caplog.records if "the bus to other" in record.getMessage()]
    assert len([line for line in said if "is down" in line]) <= 2
    assert said[-1] == "the bus to other processes works again"


# ---------- the door


@pytest.fixture
def house() -> Iterator[House]:
    """A gateway whose loop the test's own is."""
    made = House()
    live.install(made.runtime)
    bus.this_bus.cache_clear()
    yield made
    live.install(None)
    bus.this_bus.cache_clear()


async def test_a_kick_from_a_thread_counts_here_before_it_returns(house: House) -> None:
    """Through the door; on a layer that reaches nobody else nothing is published."""
    live.start()
    client = Client(house, "rude").open()
    assert await asyncio.to_thread(bus.kick, "session:rude") == 1
    assert client.port.closed is not None
    assert client.port.closed.code == 4005
    assert bus.this_bus() is None
    assert bus.duties() == ()


class Carrier:
    """A layer that reaches other processes, as far as this one can tell."""

    said: ClassVar[list[dict[str, Any]]] = []

    async def group_send(self, group: str, message: dict[str, Any]) -> None:
        assert group == GROUP
        self.said.append(msgspec.json.decode(message["body"])["message"])


@override_settings(CHANNEL_LAYERS={"default": {"BACKEND": "tests.gateway.test_bus.Carrier"}})
async def test_a_layer_that_reaches_others_is_told_after_the_deed(house: House) -> None:
    """On the loop that serves; a process that serves nothing tells from where it is."""
    Carrier.said.clear()
    live.start()
    client = Client(house, "rude").open()
    assert await asyncio.to_thread(bus.kick, "session:rude") == 1
    assert client.port.closed is not None
    await until(lambda: Carrier.said == [{"type": "kick", "account": "session:rude"}])
    live.stop()
    assert await asyncio.to_thread(bus.kick, "session:rude") == 0
    assert Carrier.said == [{"type": "kick", "account": "session:rude"}] * 2
