"""What a site vouches for: a signed token that says who a client is beyond its session (spec 3,
SESSION_TRUST_CONTEXT).

The site signs with `issue` when it renders a page, the client sends the token over its socket, the gateway
verifies it and offers the result to the game. Signed with Django's own signing: no key of ours, no new
secret.
"""

from typing import Final

import msgspec
from django.core import signing

from gateway.contract import ClientError, TrustContext

SALT: Final = "gateway.trust"
MAX_AGE_S: Final = 12 * 3600
"""A page may stay open for a school day."""


def issue(context: TrustContext) -> str:
    """A token for ``context`` to put into the page of the signed-in user."""
    return signing.dumps(msgspec.to_builtins(context), salt=SALT, compress=True)


def verify(token: str, account: str) -> TrustContext:
    """What the token vouches for; raises `ClientError` if it is bad, expired or another account's."""
    try:
        context = msgspec.convert(signing.loads(token, salt=SALT, max_age=MAX_AGE_S), TrustContext)
    except (signing.BadSignature, msgspec.ValidationError):
        raise _refused("The trust token is not valid any more. Reload the page.") from None
    if context.account != account:
        raise _refused("The trust token belongs to another account. Reload the page.")
    return context


def _refused(message: str) -> ClientError:
    return ClientError("VALIDATION_ERROR", message, 400, {"path": "$.token"})
