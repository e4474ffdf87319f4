"""The Content-Security-Policy header, from the one dict `settings.CSP_POLICY`.

Django 6.0 has its own middleware, 5.2 has none: this one serves both, and needs no nonce because no page has
an inline script or style.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from asgiref.sync import iscoroutinefunction
from django.conf import settings
from django.http import HttpRequest, HttpResponseBase
from django.utils.decorators import sync_and_async_middleware

HEADER = "Content-Security-Policy"


def header_value(policy: Mapping[str, Sequence[str]]) -> str:
    """`{"img-src": ["'self'", "data:"]}` as the header wants it: `img-src 'self' data:`."""
    return "; ".join(" ".join([directive, *sources]) for directive, sources in policy.items())


@sync_and_async_middleware
def content_security_policy(get_response: Callable[[HttpRequest], Any]) -> Callable[[HttpRequest], Any]:
    value = header_value(settings.CSP_POLICY)

    def guarded(response: HttpResponseBase) -> HttpResponseBase:
        response.headers.setdefault(HEADER, value)  # a view that needs another policy has set it itself
        return response

    async def answer_async(request: HttpRequest) -> HttpResponseBase:
        return guarded(await get_response(request))

    def answer(request: HttpRequest) -> HttpResponseBase:
        return guarded(get_response(request))

    return answer_async if iscoroutinefunction(get_response) else answer
