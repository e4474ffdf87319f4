"""The client's command line: what it takes, and what it refuses before it dials (spec 6.5).

The token comes from the environment or from a file, never from the command line, which every user of the
machine can read. No Django.
"""

import argparse
import ipaddress
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from msgspec import Struct

from tunnel.core import tokens
from tunnel.core.hosts import name_fault

TOKEN_VARIABLE: Final = "TUNNEL_TOKEN"
RELAY_PATH: Final = "/_tunnel"
WEB_TO_SOCKET: Final = {"http": "ws", "https": "wss", "ws": "ws", "wss": "wss"}


class OptionError(ValueError):
    """The command line, or what it points to, can't be used."""


class Options(Struct, frozen=True):
    """What the client is to do."""

    name: str
    target_host: str
    target_port: int
    relay: str
    token: str
    force: bool = False
    inspect_port: int | None = None

    @property
    def target(self) -> str:
        """The target's address for people."""
        host = f"[{self.target_host}]" if ":" in self.target_host else self.target_host
        return f"http://{host}:{self.target_port}"

    def __repr__(self) -> str:
        return f"Options({self.name!r}, {self.target!r}, {self.relay!r})"  # without the token


def options_parser(program: str) -> argparse.ArgumentParser:
    """The command line."""
    parser = argparse.ArgumentParser(
        prog=program,
        description="Make a site on this machine reachable under a name of a tunnel relay.",
        epilog=f"The token is read from the environment ({TOKEN_VARIABLE}) or from --token-file. "
        "Exit codes: 0 stopped, 2 wrong usage, 3 rejected by the relay.",
    )
    add = parser.add_argument
    add("name", help="the name to serve: NAME.<the relay's domain>")
    add("--to", default="http://127.0.0.1:8000", help="the site to show (default: %(default)s)")
    add("--relay", required=True, help="the relay, as wss://host")
    add("--token-file", type=Path, help="a file that holds the token and nothing else")
    add("--allow-remote", action="store_true", help="let --to be another machine")
    add("--force", action="store_true", help="take the name from another client of the same token")
    add("--inspect", type=int, metavar="PORT", help="show the requests on a page at this port of 127.0.0.1")
    return parser


def read_options(given: argparse.Namespace, environment: Mapping[str, str]) -> Options:
    """The options; raises `OptionError`."""
    fault = name_fault(given.name)
    if fault:
        raise OptionError(f"NAME is {fault}")
    host, port = _target(given.to, given.allow_remote)
    token = _token(given.token_file, environment)
    return Options(given.name, host, port, _relay(given.relay), token, given.force, given.inspect)


def from_environment() -> Mapping[str, str]:
    """The environment of this process."""
    return os.environ


def _target(text: str, allow_remote: bool) -> tuple[str, int]:
    parts = urlsplit(text)
    if parts.scheme != "http" or not parts.hostname or parts.path not in ("", "/") or parts.query:
        raise OptionError(f"--to must be http://host:port, not {text!r}")
    if not allow_remote and not _is_loopback(parts.hostname):
        raise OptionError(f"--to {text!r} is another machine; add --allow-remote if you mean it")
    return parts.hostname, _port(parts.netloc, text) or 80


def _relay(text: str) -> str:
    parts = urlsplit(text)
    scheme = WEB_TO_SOCKET.get(parts.scheme)
    if scheme is None or not parts.hostname or parts.username or parts.query or parts.fragment:
        raise OptionError(f"--relay must be wss://host, not {text!r}")
    if scheme == "ws" and not _is_loopback(parts.hostname):
        raise OptionError(f"--relay {text!r} would send the token in clear; use wss://")
    _port(parts.netloc, text)
    return f"{scheme}://{parts.netloc}{parts.path.rstrip('/') or RELAY_PATH}"


def _port(netloc: str, text: str) -> int | None:
    try:
        return urlsplit(f"//{netloc}").port
    except ValueError as error:
        raise OptionError(f"{text!r}: {error}") from error


def _is_loopback(host: str) -> bool:
    if host == "localhost" or host.endswith(".localhost"):  # RFC 6761
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _token(file: Path | None, environment: Mapping[str, str]) -> str:
    if file is not None:
        try:
            text = file.read_text(encoding="ascii").strip()
        except (OSError, UnicodeDecodeError) as error:
            raise OptionError(f"the token cannot be read from {str(file)!r}: {error}") from error
        source = str(file)
    else:
        text, source = environment.get(TOKEN_VARIABLE, "").strip(), TOKEN_VARIABLE
    if tokens.parse(text) is None:
        raise OptionError(
            f"{source} holds no token like tnl_…_…" if text else f"no token: set {TOKEN_VARIABLE}"
        )
    return text
