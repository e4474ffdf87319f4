"""The bytes of a refusal on servers that can't write one."""

import pytest

from gateway.transports.responses import response


def test_a_response_says_how_long_it_is_and_that_it_is_the_last() -> None:
    """Whatever else it says, in the order given."""
    assert response(403, [(b"retry-after", b"7")], b"{}") == (
        b"HTTP/1.1 403 Forbidden\r\nretry-after: 7\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}"
    )


def test_a_length_that_is_given_is_kept() -> None:
    """In any case of letters, and once."""
    assert response(200, [(b"Content-Length", b"0")], b"").lower().count(b"content-length") == 1


def test_a_status_without_a_name_has_none() -> None:
    """It is still a status."""
    assert response(499, [], b"").startswith(b"HTTP/1.1 499 \r\n")


@pytest.mark.parametrize("value", [b"a\r\nx-evil: 1", b"a\nx-evil: 1", b"a\rx-evil: 1"])
def test_a_line_break_in_a_header_is_an_error(value: bytes) -> None:
    """Before anything is written."""
    with pytest.raises(ValueError, match="line break"):
        response(403, [(b"x-flags-reject-reason", value)], b"")
