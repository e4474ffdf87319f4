"""What reached the server of a request, told to the doctor alone: the one view behind ``gateway_doctor``.

Only who holds the site's secret key can ask (the command signs a fresh note); to everybody else the address
does not exist.
"""

from typing import Final

import msgspec
from django.core import signing
from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.http import require_GET

from gateway import admission, live
from gateway.core.address import is_listed
from gateway.core.diagnosis import Seen
from gateway.views import request_of

NOTE_HEADER: Final = "X-Gateway-Doctor"
SALT: Final = "gateway.doctor"
NOTE_MAX_AGE_S: Final = 60


def note() -> str:
    """What the doctor shows at the door."""
    return signing.dumps("examine", salt=SALT)


@require_GET
async def mirror(http: HttpRequest) -> HttpResponse:
    """The request as the server sees it, as JSON."""
    try:
        signing.loads(http.headers.get(NOTE_HEADER, ""), salt=SALT, max_age=NOTE_MAX_AGE_S)
    except signing.BadSignature:
        raise Http404 from None
    body = msgspec.json.encode(_seen(http))
    return HttpResponse(body, content_type="application/json", headers={"Cache-Control": "no-store"})


def _seen(http: HttpRequest) -> Seen:
    config = live.start().config
    request = request_of(http)
    peer, port = getattr(http, "scope", {}).get("client") or ("", 0)
    address = admission.client_address(request, config)
    return Seen(
        peer=peer,
        peer_port=port,
        host=" ".join(request.lines("host")),
        forwarded_for=request.lines("x-forwarded-for"),
        forwarded_proto=request.lines("x-forwarded-proto"),
        trusted=is_listed(peer, config.trusted),
        address=address,
        https_known=admission.own_scheme(request, config) == "https",
    )
