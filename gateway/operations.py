"""What operators ask over HTTP: is the process up, does it take players, what does it count (spec 4.4).

Async views on the loop: they read live state, and a loop that stands still answers nobody, which is the
answer.
"""

import hmac
import logging
from typing import Final

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.http import require_safe

from gateway import admission, live
from gateway.core.address import is_listed
from gateway.runtime import Runtime
from gateway.views import request_of

log = logging.getLogger("gateway.operations")

NO_STORE: Final = {"Cache-Control": "no-store"}
BEARER: Final = "Bearer "
NOT_YOURS: Final = (
    "The metrics are for site staff, for GATEWAY['METRICS_NETWORKS'], "
    "and for whoever sends GATEWAY['METRICS_TOKEN'] as 'Authorization: Bearer ...'.\n"
)


@require_safe
async def healthz(http: HttpRequest) -> HttpResponse:
    """The process is up and its loop turns. Restart what does not answer this."""
    return HttpResponse("ok\n", content_type="text/plain", headers=NO_STORE)


@require_safe
async def readyz(http: HttpRequest) -> HttpResponse:
    """New sockets are admitted: 200, else 503 with the reason. Send no new players to what answers 503."""
    try:
        draining = live.start().draining
    except live.NotServingError as error:
        return _ready(str(error))
    return _ready("the server is draining: it will stop within seconds" if draining else None)


@require_safe
async def metrics(http: HttpRequest) -> HttpResponse:
    """The counts of this process in Prometheus' text format, for those who may see them."""
    runtime = live.start()
    if not (_has_token(http, runtime) or _is_near(http, runtime) or await _is_staff(http)):
        return HttpResponse(NOT_YOURS, content_type="text/plain", status=403, headers=NO_STORE)
    from gateway import metrics as gathering  # prometheus-client is an extra of the gateway's

    body = gathering.exposition(runtime)
    return HttpResponse(body, content_type=gathering.CONTENT_TYPE, headers=NO_STORE)


def _ready(fault: str | None) -> HttpResponse:
    body = {"ready": True} if fault is None else {"ready": False, "reason": fault}
    return JsonResponse(body, status=200 if fault is None else 503, headers=NO_STORE)


def _has_token(http: HttpRequest, runtime: Runtime) -> bool:
    given = http.headers.get("Authorization", "")
    token = runtime.config.keys.metrics_token
    return bool(token) and hmac.compare_digest(given.encode(), f"{BEARER}{token}".encode())


def _is_near(http: HttpRequest, runtime: Runtime) -> bool:
    address = admission.client_address(request_of(http), runtime.config)
    return is_listed(address, runtime.config.scrapers)


async def _is_staff(http: HttpRequest) -> bool:
    user = await http.auser()
    return bool(user.is_active and user.is_staff)
