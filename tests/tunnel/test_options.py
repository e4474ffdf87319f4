"""The client's command line (spec 6.5): what it dials, what it refuses, and where a token may not be."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.serving import ROOT
from tunnel.client.main import main
from tunnel.client.options import OptionError, Options, options_parser, read_options

TOKEN = f"tnl_abcdefghi123_{'x' * 43}"
RELAY = ("--relay", "wss://relay.example")


def read(*arguments: str, token: str = TOKEN) -> Options:
    """The options of a command line."""
    return read_options(options_parser("tunnel").parse_args(arguments), {"TUNNEL_TOKEN": token})


def test_a_name_and_a_relay_are_enough() -> None:
    """The rest has defaults; the relay's path is known."""
    options = read("preview", *RELAY)
    assert (options.name, options.target, options.relay) == (
        "preview",
        "http://127.0.0.1:8000",
        "wss://relay.example/_tunnel",
    )
    assert TOKEN not in repr(options)


@pytest.mark.parametrize(
    ("relay", "dialled"),
    [
        ("https://relay.example/", "wss://relay.example/_tunnel"),
        ("wss://relay.example:8443/other", "wss://relay.example:8443/other"),
        ("ws://127.0.0.1:8000", "ws://127.0.0.1:8000/_tunnel"),
        ("http://localhost:8000", "ws://localhost:8000/_tunnel"),
        ("ws://[::1]:8000", "ws://[::1]:8000/_tunnel"),
    ],
)
def test_the_relay_is_dialled_with_tls_unless_it_is_this_machine(relay: str, dialled: str) -> None:
    """An address of a browser will do."""
    assert read("preview", "--relay", relay).relay == dialled


@pytest.mark.parametrize(
    "arguments",
    [
        ("Preview", *RELAY),
        ("a.b", *RELAY),
        ("a", "--relay", "ws://relay.example"),
        ("a", "--relay", "relay.example"),
        ("a", "--relay", "wss://user:pass@relay.example"),
        ("a", "--relay", "wss://relay.example:99999"),
        ("a", *RELAY, "--to", "http://192.0.2.1:80"),
        ("a", *RELAY, "--to", "http://localhost.evil.example"),
        ("a", *RELAY, "--to", "https://127.0.0.1"),
        ("a", *RELAY, "--to", "http://127.0.0.1/path"),
        ("a", *RELAY, "--token-file", "/nonexistent"),
    ],
)
def test_what_would_be_wrong_or_unsafe_is_refused_before_it_dials(arguments: tuple[str, ...]) -> None:
    """With exit code 2 and the value that offends."""
    with pytest.raises(OptionError):
        read(*arguments)


def test_another_machine_is_shown_only_on_purpose() -> None:
    """A typing slip must not publish somebody else's server."""
    options = read("a", *RELAY, "--to", "http://192.0.2.1", "--allow-remote")
    assert (options.target_host, options.target_port) == ("192.0.2.1", 80)


def test_a_token_comes_from_the_environment_or_a_file_and_never_from_the_command_line(tmp_path: Path) -> None:
    """Every user of a machine can read command lines."""
    file = tmp_path / "token"
    file.write_text(f"{TOKEN}\n")
    assert read("a", *RELAY, "--token-file", str(file), token="").token == TOKEN
    for text, told in (("", "set TUNNEL_TOKEN"), ("tnl_no", "no token like")):
        with pytest.raises(OptionError, match=told):
            read("a", *RELAY, token=text)
    assert "--token " not in options_parser("tunnel").format_help().replace("--token-file", "")


def test_wrong_usage_exits_with_2(capsys: pytest.CaptureFixture[str]) -> None:
    """As any program does."""
    assert main(["Not.A.Name", *RELAY], "tunnel") == 2
    assert "'Not.A.Name'" in capsys.readouterr().err


@pytest.mark.parametrize("program", [["-m", "tunnel"], ["manage.py", "tunnel"]], ids=" ".join)
def test_both_ways_to_start_it_have_the_same_command_line(program: list[str], tmp_path: Path) -> None:
    """``python -m tunnel`` where there is no Django project; neither touches a database."""
    environment = {"DATABASE_URL": "sqlite:////nonexistent/none.sqlite3", "DATA_DIR": str(tmp_path)}
    ran = subprocess.run(
        [sys.executable, *program, "a", *RELAY],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert ran.returncode == 2
    assert "no token: set TUNNEL_TOKEN" in ran.stderr


def test_the_client_needs_no_django() -> None:
    """It runs beside any site that speaks HTTP."""
    script = "import sys, tunnel.client.main; print([m for m in sys.modules if 'django' in m])"
    ran = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert ran.stdout == "[]\n"
