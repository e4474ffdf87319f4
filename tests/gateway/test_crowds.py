"""The warning that a proxy is not known: once, for a crowd behind a local or an unknown address."""

import logging

import pytest

from gateway.crowds import CROWD, Crowds


def warnings(caplog: pytest.LogCaptureFixture, *noticed: tuple[str, int]) -> list[str]:
    """What is logged when these are noticed in turn."""
    caplog.set_level(logging.WARNING)
    crowds = Crowds()
    for address, sockets in noticed:
        crowds.notice(address, sockets)
    return [record.getMessage() for record in caplog.records]


@pytest.mark.parametrize("address", ["127.0.0.1", "10.0.0.7", "192.168.1.1", "unknown", "::1"])
def test_a_crowd_at_a_local_or_unknown_address_names_the_missing_setting(
    caplog: pytest.LogCaptureFixture, address: str
) -> None:
    """The operator reads which setting it is, and where."""
    said = warnings(caplog, (address, CROWD))
    assert len(said) == 1
    assert "TRUSTED_PROXIES" in said[0]
    assert address in said[0]


def test_it_is_said_once(caplog: pytest.LogCaptureFixture) -> None:
    """A thousand players must not make a thousand lines."""
    assert len(warnings(caplog, ("127.0.0.1", CROWD), ("127.0.0.1", CROWD + 1), ("10.0.0.7", CROWD))) == 1


def test_a_few_tabs_and_a_classroom_at_a_public_address_are_no_news(caplog: pytest.LogCaptureFixture) -> None:
    """A developer's machine, or a school whose address we do know."""
    assert warnings(caplog, ("127.0.0.1", CROWD - 1), ("203.0.113.9", 50)) == []
