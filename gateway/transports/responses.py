"""The bytes of an HTTP response that answers an upgrade and ends the connection, where a server has none."""

from collections.abc import Iterable
from http.client import responses

Headers = Iterable[tuple[bytes, bytes]]


def response(status: int, headers: Headers, body: bytes) -> bytes:
    """The whole response. Its length and that it is the last are added; a line break in a header raises."""
    fields = list(headers)
    if b"content-length" not in {name.lower() for name, _ in fields}:
        fields.append((b"content-length", b"%d" % len(body)))
    lines = [b"%s: %s" % field for field in (*fields, (b"connection", b"close"))]
    if any(b"\r" in line or b"\n" in line for line in lines):
        raise ValueError(f"a header of the response to an upgrade holds a line break: {lines!r}")
    first = b"HTTP/1.1 %d %s" % (status, responses.get(status, "").encode())
    return b"\r\n".join([first, *lines, b"", body])
