"""The one door to the live state of this process.

Live state is read and written only on the loop's thread. Code on the loop (consumer, middleware, async views)
takes `runtime`; code on other threads (the admin, signals) will go through the same module, never around it.
"""

from gateway.runtime import Runtime

_installed: list[Runtime] = []


class NotServingError(RuntimeError):
    """No gateway runs in this process: it is a management command, or the server has not started yet."""


def install(runtime: Runtime | None) -> None:
    """Make ``runtime`` the gateway of this process; None when it has stopped."""
    _installed[:] = [] if runtime is None else [runtime]


def runtime() -> Runtime:
    """The gateway of this process; raises `NotServingError` if there is none."""
    if not _installed:
        raise NotServingError("no gateway runs in this process: start it with 'manage.py serve'")
    return _installed[0]
