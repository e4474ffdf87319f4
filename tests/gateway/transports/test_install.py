"""Who gets which server, in processes of their own: imports can't be undone in this one."""

from tests.gateway.transports.fresh import said_by


def test_uvicorn_never_loads_twisted() -> None:
    """The hook in ``asgi.py`` costs it nothing."""
    assert (
        said_by(
            "import sys, gateway.transports.uvicorn\n"
            "from gateway.transports.install import install_if_daphne\n"
            "print(install_if_daphne(), 'twisted' in sys.modules)"
        )
        == "False False"
    )


def test_the_stock_daphne_command_gets_the_adapter() -> None:
    """``asgi.py`` is imported by the command before it makes its server."""
    assert (
        said_by(
            "from daphne.cli import CommandLineInterface\n"
            "from gateway.transports.install import install_if_daphne\n"
            "print(install_if_daphne(), install_if_daphne(), CommandLineInterface().server_class.__name__)"
        )
        == "True True GatewayServer"
    )


def test_runserver_gets_the_adapter() -> None:
    """Daphne's app loads its server when Django starts; ``runserver`` is imported once all apps are ready."""
    assert (
        said_by(
            "import django\nfrom django.conf import settings\n"
            "settings.configure(INSTALLED_APPS=['daphne'], ASGI_APPLICATION='x.y')\ndjango.setup()\n"
            "from gateway.transports.install import install_if_daphne\ninstall_if_daphne()\n"
            "from daphne.management.commands.runserver import Command\nprint(Command.server_cls.__name__)"
        )
        == "GatewayServer"
    )
