"""Who gets which server, in processes of their own: imports can't be undone in this one."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]


def said_by(program: str) -> str:
    """What a fresh Python prints."""
    return subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, check=True, capture_output=True, text=True, timeout=60
    ).stdout.strip()


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


@pytest.mark.parametrize(
    ("given", "kept"), [("", -1), ("websocket_timeout=86400", -1), ("websocket_timeout=60", 60)]
)
def test_daphnes_daily_end_of_every_socket_is_off_unless_somebody_chose_a_time(given: str, kept: int) -> None:
    """86 400 s is only its default."""
    program = (
        "from gateway.transports.daphne import GatewayServer\n"
        f"print(GatewayServer(None, ['tcp:port=0'], {given}).websocket_timeout)"
    )
    assert said_by(program) == str(kept)
