"""uvicorn's configuration for this project."""

import pytest

from gateway.transports.uvicorn import GatewayWebSocketProtocol, uvicorn_config
from gateway.transports.uvicorn_requests import GatewayHttpProtocol


async def application(scope: object, receive: object, send: object) -> None:
    """Never called."""


def test_the_options_are_the_gateways() -> None:
    """Its WebSocket class, no compression, 1 MiB, no proxy headers (the gateway walks them), no banner."""
    config = uvicorn_config(application, "127.0.0.1", 0, log_config=None)
    assert config.ws is GatewayWebSocketProtocol
    assert config.ws_max_size == 1_048_576
    assert not config.ws_per_message_deflate
    assert not config.proxy_headers
    assert not config.server_header
    assert (config.loop, config.http) == ("uvloop", GatewayHttpProtocol)


def test_an_option_of_the_caller_wins() -> None:
    """It is uvicorn's own."""
    assert (
        uvicorn_config(application, "127.0.0.1", 0, log_config=None, backlog=7, loop="asyncio").backlog == 7
    )


def test_a_log_level_that_shows_whole_scopes_is_refused() -> None:
    """They hold cookies and reconnect tokens."""
    with pytest.raises(ValueError, match="use 'debug'"):
        uvicorn_config(application, "127.0.0.1", 0, log_config=None, log_level="trace")
