"""Work beside the loop: it never holds the loop up, its answer comes back on it, a failure is None and a line
of the log.
"""

import asyncio
import threading
from typing import Any

import pytest

from rooms.aside import Threads
from rooms.questions.models import QuestionSet


async def done(aside: Threads, work: Any) -> Any:
    """What the work's answer is."""
    answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
    aside(work, answer.set_result)
    assert not answer.done()
    return await asyncio.wait_for(answer, 10)


async def test_work_is_done_in_a_thread_and_answered_on_the_loop() -> None:
    """Whoever asks is never answered before it has finished asking."""
    loop_thread = threading.get_ident()
    where: list[int] = []
    answered = asyncio.Event()

    def then(result: int | None) -> None:
        where.extend((result or 0, threading.get_ident()))
        answered.set()

    Threads()(threading.get_ident, then)
    assert where == []
    await asyncio.wait_for(answered.wait(), 10)
    assert where[0] != loop_thread
    assert where[1] == loop_thread


@pytest.mark.django_db(transaction=True)
async def test_the_database_is_asked_on_a_connection_of_the_threads_own() -> None:
    """And it is closed or kept as Django's settings say, as after a request."""
    await QuestionSet.objects.acreate(title="Rivers", public=True)
    assert await done(Threads(), lambda: [found.title for found in QuestionSet.objects.all()]) == ["Rivers"]


async def test_a_failure_is_answered_by_none_and_logged(caplog: pytest.LogCaptureFixture) -> None:
    assert await done(Threads(), lambda: 1 / 0) is None
    assert "ZeroDivisionError" in caplog.text


async def test_work_that_takes_too_long_is_answered_by_none() -> None:
    """A database that hangs must not leave a room waiting for its questions."""
    let_go = threading.Event()
    try:
        assert await done(Threads(patience_s=0.01), let_go.wait) is None
    finally:
        let_go.set()


async def test_an_answer_that_breaks_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    """Nobody awaits it, so nobody else would say so."""
    broke = asyncio.Event()

    def then(_result: object) -> None:
        broke.set()
        raise ZeroDivisionError

    Threads()(int, then)
    await asyncio.wait_for(broke.wait(), 10)
    await asyncio.sleep(0)
    assert "ZeroDivisionError" in caplog.text
