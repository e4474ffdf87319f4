"""A listening socket from the parent, as systemd hands it over: what is taken, and what is refused."""

import json
import socket
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

import pytest

SCRIPT = 'exec 3<&"$0"; {variables} exec "$@"'
CODE = """
import json, os
{before}
from gateway.handover import inherited
try:
    found = inherited()
    said = None if found is None else found.getsockname()[1]
except ValueError as error:
    said = str(error)
print(json.dumps([said, sorted(name for name in os.environ if name.startswith("LISTEN_"))]))
"""
OURS = "LISTEN_PID=$$ LISTEN_FDS=1 LISTEN_FDNAMES=web"


def asked(handed: socket.socket, variables: str = OURS, before: str = "") -> list[object]:
    """What a child with this socket says: its port, or why not; what is left of the variables."""
    command = [sys.executable, "-c", CODE.format(before=before)]
    done = subprocess.run(
        ["bash", "-c", SCRIPT.format(variables=variables), str(handed.fileno()), *command],
        pass_fds=[handed.fileno()],
        capture_output=True,
        text=True,
        check=True,
    )
    said: list[object] = json.loads(done.stdout)
    return said


def test_the_parents_socket_is_served_and_the_variables_are_gone() -> None:
    """They are not for our own children."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        assert asked(listener) == [listener.getsockname()[1], []]


def test_twisted_that_takes_the_variables_for_itself_takes_nothing_from_us() -> None:
    """The app ``daphne`` imports it before any command runs."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        before = "import twisted.internet.endpoints; assert 'LISTEN_FDS' not in os.environ"
        assert asked(listener, before=before) == [listener.getsockname()[1], []]


@pytest.mark.parametrize("variables", ["", "LISTEN_PID=1 LISTEN_FDS=1", "LISTEN_FDS=1", "LISTEN_PID=$$"])
def test_a_socket_that_is_not_meant_for_us_is_left_alone(variables: str) -> None:
    """Another process of the same parent has it, or nobody."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        assert asked(listener, variables)[0] is None


def test_several_sockets_are_refused() -> None:
    """Serving one of them in silence would leave the others without an answer."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        said = asked(listener, "LISTEN_PID=$$ LISTEN_FDS=2")[0]
    assert said == "LISTEN_FDS hands over 2 sockets, and one is served."


@pytest.mark.parametrize("kind", ["bound", "datagram", "unix"])
def test_a_socket_that_does_not_listen_for_tcp_is_refused(kind: str, tmp_path: Path) -> None:
    """With one sentence instead of a server that never answers."""
    with ExitStack() as stack:
        if kind == "unix":
            listener = stack.enter_context(socket.socket(socket.AF_UNIX))
            listener.bind(str(tmp_path / "socket"))
            listener.listen()
        else:
            family = socket.SOCK_DGRAM if kind == "datagram" else socket.SOCK_STREAM
            listener = stack.enter_context(socket.socket(socket.AF_INET, family))
            listener.bind(("127.0.0.1", 0))
        assert asked(listener)[0] == "LISTEN_FDS hands over a socket that does not listen for TCP."
