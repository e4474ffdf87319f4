"""Puts the relay around a site's ASGI application: ``application = tunnel.asgi.around(application)``."""

from typing import Any

from django.conf import settings

from tunnel import conf
from tunnel.lock import RelayLock, lock_path
from tunnel.relay import running
from tunnel.relay.router import TunnelRouter
from tunnel.store import DatabaseStore


def around(site: Any) -> TunnelRouter:
    """``site`` with the relay of ``settings.TUNNEL``, from now on this process's (`tunnel.relay.running`)."""
    cookies = (settings.SESSION_COOKIE_NAME, settings.CSRF_COOKIE_NAME)
    lock = RelayLock(lock_path())
    router = TunnelRouter(site, conf.config(), DatabaseStore(lock.acquire), cookies)
    running.install(router)
    return router
