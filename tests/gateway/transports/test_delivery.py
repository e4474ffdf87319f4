"""The application's queue of events: order, waiting, and waits that are given up."""

import asyncio

from gateway.transports.delivery import Events


async def test_events_come_in_order() -> None:
    """Whether they waited or are waited for."""
    events = Events()
    events.put_nowait("one")
    events.put_nowait("two")
    assert [await events.get(), events.get_nowait()] == ["one", "two"]
    waiting = asyncio.create_task(events.get())
    await asyncio.sleep(0)
    assert not waiting.done()
    events.put_nowait("three")
    assert await waiting == "three"
    assert events.empty()


async def test_a_wait_that_was_given_up_takes_nothing() -> None:
    """An application may stop waiting: for a release, or for a deadline."""
    events = Events()
    waiting = asyncio.create_task(events.get())
    await asyncio.sleep(0)
    waiting.cancel()
    await asyncio.wait({waiting})
    events.put_nowait("one")
    assert await events.get() == "one"


async def test_two_who_wait_get_one_each() -> None:
    """Nobody waits for ever because somebody else was first."""
    events = Events()
    waiting = [asyncio.create_task(events.get()) for _ in range(2)]
    await asyncio.sleep(0)
    events.put_nowait("one")
    events.put_nowait("two")
    assert sorted(await asyncio.gather(*waiting)) == ["one", "two"]
