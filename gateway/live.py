"""The one door to the live state of this process.

Live state is read and written only on the loop's thread. Code on the loop (consumer, middleware, async views)
takes `runtime`; code on other threads (the admin, signals, sync views) has `call`, which runs a function on
the loop and hands back what it returns: frozen values, never live objects.
"""

import asyncio
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from typing import Final, TypeVar

from gateway.duties import Duties, Duty
from gateway.runtime import Runtime

CALL_TIMEOUT_S: Final = 2.0
"""A loop that needs longer to come to a call is stuck, and a page of the admin must not hang with it."""

T = TypeVar("T")


class NotServingError(RuntimeError):
    """No gateway runs in this process: it is a management command, or the server has not started yet."""


class LoopStuckError(RuntimeError):
    """The loop did not come to a call in time. The call was taken back: nothing was done."""


class _Serving:
    """The gateway of this process and, once it runs, its loop."""

    def __init__(self, runtime: Runtime, duties: Iterable[Duty]) -> None:
        self.runtime = runtime
        self.duties = Duties(duties)
        self.loop: asyncio.AbstractEventLoop | None = None


_serving: _Serving | None = None


def install(runtime: Runtime | None, duties: Iterable[Duty] = ()) -> None:
    """Make ``runtime`` the gateway of this process; None when it has stopped."""
    global _serving
    _serving = None if runtime is None else _Serving(runtime, duties)


def runtime() -> Runtime:
    """The gateway of this process, for code on its loop; raises `NotServingError` if there is none."""
    return _required().runtime


def start() -> Runtime:
    """The running loop is the one that serves: the door opens, the duties begin. More calls are harmless.

    ``serve`` does this before it listens; under the stock commands the first request does.
    """
    serving = _required()
    loop = asyncio.get_running_loop()
    if serving.loop is not loop:
        serving.loop = loop
        serving.duties.start(serving.runtime)
    return serving.runtime


def stop() -> None:
    """The server is going down: the door closes, the duties end."""
    if _serving is not None and _serving.loop is not None:
        _serving.duties.stop()
        _serving.loop = None


def call(do: Callable[[Runtime], T]) -> T:
    """Run ``do`` on the server's loop and wait for what it returns or raises.

    For sync code on any thread; on the loop itself it is a plain call. Raises `NotServingError` or, after
    two seconds, `LoopStuckError`.
    """
    serving = _required()
    loop = serving.loop
    if loop is None or loop.is_closed():
        raise NotServingError("the gateway of this process does not serve: its server has not started yet")
    if _running_loop() is loop:
        return do(serving.runtime)
    future: Future[T] = Future()
    loop.call_soon_threadsafe(_answer, future, do, serving.runtime)
    try:
        return future.result(CALL_TIMEOUT_S)
    except TimeoutError:
        if future.cancel():
            raise LoopStuckError(f"the server's loop did not answer within {CALL_TIMEOUT_S:g} s") from None
        return future.result()  # it had begun, and nothing on the loop waits; or the call raised this itself


def _answer(future: "Future[T]", do: Callable[[Runtime], T], runtime: Runtime) -> None:
    if not future.set_running_or_notify_cancel():
        return
    try:
        future.set_result(do(runtime))
    except Exception as error:
        future.set_exception(error)


def _running_loop() -> asyncio.AbstractEventLoop | None:
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None


def _required() -> _Serving:
    if _serving is None:
        raise NotServingError("no gateway runs in this process: start it with 'manage.py serve'")
    return _serving
