"""The door between threads and the loop (``gateway.live``), with real threads and a real loop."""

import asyncio
import threading
from collections.abc import Iterator

import pytest

from gateway import conf, live
from gateway.duties import Duty
from gateway.runtime import Runtime
from gateway.testing import SeededDraw, VirtualClock
from tests.toy_game.game import Parlour


@pytest.fixture
def runtime() -> Iterator[Runtime]:
    made = Runtime(Parlour, conf.config(), VirtualClock(), SeededDraw(1))
    live.install(made)
    yield made
    live.install(None)


def test_without_a_gateway_a_call_says_how_to_start_one() -> None:
    """The admin of a project that is not served tells its staff what to do."""
    with pytest.raises(live.NotServingError, match="no gateway runs"):
        live.call(lambda runtime: runtime)


def test_before_its_loop_runs_a_gateway_answers_no_thread(runtime: Runtime) -> None:
    """A management command imports the application and serves nothing."""
    with pytest.raises(live.NotServingError, match="has not started"):
        live.call(lambda runtime: runtime)


async def test_a_call_from_a_thread_runs_on_the_loop_and_brings_its_result(runtime: Runtime) -> None:
    """The function sees the loop's own thread."""
    live.start()
    ran_on, same = await asyncio.to_thread(
        live.call, lambda seen: (threading.current_thread(), seen is runtime)
    )
    assert ran_on is threading.current_thread()
    assert same


async def test_a_call_on_the_loop_itself_is_a_plain_call(runtime: Runtime) -> None:
    """It would wait for itself else."""
    live.start()
    assert live.call(lambda seen: seen) is runtime


async def test_what_a_call_raises_comes_back_to_the_caller(runtime: Runtime) -> None:
    """Errors do not stay on the loop, where nobody would read them."""
    live.start()
    with pytest.raises(ZeroDivisionError):
        await asyncio.to_thread(live.call, lambda _: 1 // 0)
    with pytest.raises(TimeoutError, match="its own"):
        await asyncio.to_thread(live.call, _too_late)


def _too_late(_: Runtime) -> None:
    raise TimeoutError("its own")


async def test_a_call_that_a_stuck_loop_does_not_come_to_is_taken_back(
    runtime: Runtime, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the caller was told did not happen does not happen later either."""
    monkeypatch.setattr(live, "CALL_TIMEOUT_S", 0.01)
    live.start()
    done: list[int] = []
    failed = threading.Event()

    def ask() -> None:
        try:
            live.call(lambda _: done.append(1))
        except live.LoopStuckError:
            failed.set()

    thread = threading.Thread(target=ask)
    thread.start()
    assert failed.wait(5), "the call waits for a loop that stands still"
    await asyncio.to_thread(thread.join)
    await asyncio.sleep(0)
    assert done == []


async def test_threads_read_a_table_that_changes_all_the_time(runtime: Runtime) -> None:
    """Listing a live table from threads breaks within seconds; through the door it never does."""
    live.start()
    over = threading.Event()
    table: dict[int, int] = {}
    faults: list[BaseException] = []

    def read() -> None:
        try:
            for _ in range(150):
                assert live.call(lambda _: tuple(table.items())) is not None
        except BaseException as fault:
            faults.append(fault)

    readers = [threading.Thread(target=read) for _ in range(8)]
    for reader in readers:
        reader.start()
    waiting = asyncio.create_task(asyncio.to_thread(_join, readers, over))
    turn = 0
    while not over.is_set():
        turn += 1
        table[turn] = turn
        table.pop(turn - 50, None)
        await asyncio.sleep(0)
    await waiting
    assert faults == []


def _join(threads: list[threading.Thread], over: threading.Event) -> None:
    for thread in threads:
        thread.join()
    over.set()


async def test_after_the_server_has_stopped_the_door_is_shut(runtime: Runtime) -> None:
    """A thread that comes too late hears so at once."""
    live.start()
    live.stop()
    with pytest.raises(live.NotServingError):
        await asyncio.to_thread(live.call, lambda seen: seen)


async def test_a_duty_that_fails_is_logged_once_and_tried_again(caplog: pytest.LogCaptureFixture) -> None:
    """One line when it begins to fail, one when it works again, and the other duty has its turns."""
    turns: list[str] = []
    recovered, other = asyncio.Event(), asyncio.Event()

    async def shaky(_: Runtime) -> None:
        turns.append("shaky")
        if len(turns) < 4:
            raise OSError("no database")
        if len(turns) > 4:
            recovered.set()  # the turn before was the first good one, and has been told

    async def steady(_: Runtime) -> None:
        other.set()

    live.install(
        Runtime(Parlour, conf.config(), VirtualClock(), SeededDraw(1)),
        [Duty("shaky", 0.0, shaky), Duty("steady", 0.0, steady)],
    )
    live.start()
    live.start()
    async with asyncio.timeout(5):
        await recovered.wait()
        await other.wait()
    live.stop()
    live.install(None)
    said = [record.getMessage() for record in caplog.records if record.name == "gateway.duties"]
    assert said == ["shaky fails; trying again every 0 s", "shaky works again"]
