"""Questions' pictures over HTTP. The address is a secret that a question gives away when it is asked."""

from typing import Final

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.views.decorators.http import require_safe

from rooms.questions.models import Picture

FOR_EVER: Final = "private, max-age=31536000, immutable"
"""A changed picture has another address; private, for a class's pictures are its own."""


@require_safe
def picture(request: HttpRequest, name: str) -> HttpResponse:
    """The picture as this site encoded it, as the type it was encoded in and no other."""
    found = get_object_or_404(Picture, name=name)
    headers = {
        "X-Content-Type-Options": "nosniff",
        "Cache-Control": FOR_EVER,
        "Content-Disposition": "inline",
        "Content-Security-Policy": "default-src 'none'; sandbox",
        "Cross-Origin-Resource-Policy": "same-origin",
    }
    return HttpResponse(bytes(found.data), content_type=found.mime, headers=headers)
