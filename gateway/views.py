"""The gateway's HTTP side: the preflight, which tells a browser in words why its upgrade would be refused
(spec 1.2).

Browsers can't read the body of a failed upgrade, so the web client asks here first. Async, on the loop: it
reads live state.
"""

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.http import require_http_methods

from gateway import admission, live
from gateway.admission import Attempt, Request
from gateway.core.admission import INVALID_ORIGIN, Refusal, early_refusal
from gateway.judging import early_facts_of
from gateway.middleware import log_refusal


@require_http_methods(["GET", "OPTIONS"])
async def preflight(http: HttpRequest) -> HttpResponse:
    """Takes the query of ``/ws``: 200 ``{"ok": true}``, or the refusal that the upgrade would get.

    Runs the checks and consumes nothing. ``OPTIONS`` answers CORS for the origins that may open sockets, with
    credentials, never ``*``.
    """
    runtime = live.start()
    request = request_of(http)
    address = admission.client_address(request, runtime.config)
    asking = admission.with_own_origin(request, runtime.config)
    facts = early_facts_of(runtime, asking, address)
    if http.method == "OPTIONS":
        return _with_cors(_options(facts.origin_allowed), request, facts.origin_allowed)
    refusal = early_refusal(facts)
    if refusal is None:
        refusal = runtime.judge(await _attempt(http, request, address)).refusal
    if refusal is not None:
        log_refusal(refusal, address, list(request.headers), http.path)
    return _with_cors(_answer(refusal), request, facts.origin_allowed)


def _options(allowed: bool) -> HttpResponse:
    response = HttpResponse(status=204 if allowed else INVALID_ORIGIN.status)
    response["Access-Control-Allow-Methods"] = "GET"
    return response


def _answer(refusal: Refusal | None) -> HttpResponse:
    if refusal is None:
        return JsonResponse({"ok": True}, headers={"Cache-Control": "no-store"})
    body = admission.refusal_body(refusal)
    headers = dict(admission.refusal_headers(refusal))
    return _logged(
        HttpResponse(body, content_type="application/json", status=refusal.status, headers=headers)
    )


def _logged(response: HttpResponse) -> HttpResponse:
    """A refusal has its one line (spec 1.2). Django logs any 4xx and 5xx, and looks for this mark first."""
    response._has_been_logged = True  # type: ignore[attr-defined]
    return response


def _with_cors(response: HttpResponse, request: Request, allowed: bool) -> HttpResponse:
    """Let the page of an allowed origin read the answer, refusals included; nobody else's."""
    response["Vary"] = "Origin, Cookie"
    origins = request.lines("origin")
    if allowed and len(origins) == 1:
        response["Access-Control-Allow-Origin"] = origins[0]
        response["Access-Control-Allow-Credentials"] = "true"
        response["Access-Control-Expose-Headers"] = f"Retry-After, {admission.REASON_HEADER}"
    return response


def request_of(http: HttpRequest) -> Request:
    """The request as the gateway's rules read one, header lines in order."""
    scope = getattr(http, "scope", None)
    headers = (
        admission.decoded(scope["headers"]) if scope else [(k.lower(), v) for k, v in http.headers.items()]
    )
    return Request(
        headers, http.META.get("QUERY_STRING", ""), http.META.get("REMOTE_ADDR"), http.scheme or "http"
    )


async def _attempt(http: HttpRequest, request: Request, address: str) -> Attempt:
    await http.session.aget("_")  # loads the session: only then is its key known to exist
    user = await http.auser()
    user_pk = user.pk if user.is_authenticated else None
    return admission.attempt_by(user_pk, http.session.session_key, address, request)
