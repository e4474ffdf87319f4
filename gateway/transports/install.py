"""Gives the stock ``daphne`` command and ``runserver`` the adapter, and loads Twisted for nobody else."""

import sys


def install_if_daphne() -> bool:
    """Put `GatewayServer` where Daphne looks for its server, if Daphne is loaded. Harmless twice.

    Called from ``asgi.py``, which the ``daphne`` command imports before it makes its server, and from an
    app's ``ready``, which runs before ``runserver`` is imported.
    """
    server = sys.modules.get("daphne.server")
    if server is None:
        return False
    from gateway.transports.daphne import GatewayServer

    server.Server = GatewayServer  # type: ignore[attr-defined]
    command = sys.modules.get("daphne.cli")
    if command is not None:
        command.CommandLineInterface.server_class = GatewayServer
    return True
