"""A gateway on a loop of its own, in a thread beside the test: pages are asked for as under a server."""

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.contrib.auth import get_user_model
from django.contrib.auth.models import Permission
from django.test import Client

from gateway import live
from gateway.runtime import Runtime

WAIT_S = 5.0


@contextmanager
def hosted(runtime: Runtime) -> Iterator[None]:
    """Serve on another thread's loop; everything that touches the runtime goes through `live.call`."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    live.install(runtime)
    asyncio.run_coroutine_threadsafe(_start(), loop).result(WAIT_S)
    try:
        yield
    finally:
        live.install(None)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(WAIT_S)
        loop.close()


async def _start() -> None:
    live.start()


def staff(*permissions: str) -> Client:
    """A browser of staff with these permissions (codenames) and no others."""
    user = get_user_model().objects.create_user("staff", is_staff=True)
    found = Permission.objects.filter(codename__in=permissions)
    assert {permission.codename for permission in found} == set(permissions)
    user.user_permissions.add(*found)
    client = Client()
    client.force_login(user)
    return client


def text(response: Any) -> str:
    """What the page says."""
    return str(response.content.decode())
