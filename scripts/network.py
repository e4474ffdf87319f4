"""Under which addresses the phones in the same network reach this machine, and whether a port is free."""

from __future__ import annotations

import errno
import ipaddress
import re
import shutil
import socket
import subprocess

from scripts.missing import Missing

LOOPBACK = ["localhost", "127.0.0.1", "[::1]"]
PORTS = range(1, 65536)
UNPRIVILEGED = 1024  # the first port that needs no rights

# An address of the documentation's network (RFC 5737): nobody has it, so the route to it is the default one.
FAR_AWAY = ("192.0.2.1", 9)

# What lists a machine's addresses: Linux's command, and macOS's.
LISTINGS = (["ip", "-4", "addr"], ["ifconfig"])


def outward_address() -> str | None:
    """The address that others see: the one this machine would send from. Nothing is sent to find out."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(FAR_AWAY)
        except OSError:  # no route: no network
            return None
        return next(iter(reachable([probe.getsockname()[0]])), None)


def all_addresses() -> list[str]:
    """Every address that another machine may know this one by, the outward one first."""
    outward = outward_address()
    listed = [address for listing in LISTINGS for address in addresses_in(output_of(listing))]
    return list(dict.fromkeys(([outward] if outward else []) + reachable(listed)))


def output_of(listing: list[str]) -> str:
    if shutil.which(listing[0]) is None:
        return ""
    return subprocess.run(listing, capture_output=True, text=True).stdout


def addresses_in(listing: str) -> list[str]:
    return re.findall(r"\binet (?:addr:)?(\d+\.\d+\.\d+\.\d+)", listing)


def reachable(addresses: list[str]) -> list[str]:
    """Without those that mean this machine alone, or nothing."""
    parsed = [(address, ipaddress.ip_address(address)) for address in addresses]
    return [text for text, ip in parsed if not (ip.is_loopback or ip.is_unspecified or ip.is_link_local)]


def names() -> list[str]:
    """This machine's name, and the name by which Apple's and most phones find it (multicast DNS)."""
    name = socket.gethostname().split(".")[0].lower()
    return [name, f"{name}.local"] if name and name != "localhost" else []


def port_from(text: str, default: int) -> int:
    if not text:
        return default
    if not (text.isascii() and text.isdigit() and int(text) in PORTS):
        raise Missing(f"PORT must be from {PORTS[0]} to {PORTS[-1]}, not {text!r}; say", "make run PORT=8001")
    return int(text)


def require_free(port: int) -> None:
    """Refuse a port that another program listens on, or that only the system's owner may open."""
    reason = why_not(port)
    if reason == errno.EADDRINUSE:
        others = (*PORTS[port:], *PORTS[UNPRIVILEGED:])
        free = next(other for other in others if why_not(other) is None)
        raise Missing(f"Port {port} is in use by another program; take another", f"make run PORT={free}")
    if reason is not None:
        name = errno.errorcode[reason]
        raise Missing(f"Port {port} cannot be opened here ({name}); take another", "make run PORT=8000")


def why_not(port: int) -> int | None:
    """The error that opening `port` on all addresses gives, or None."""
    # macOS lets one program take all addresses and another 127.0.0.1 of the same port: both are asked.
    for host in ("0.0.0.0", "127.0.0.1"):
        with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
            # As the server does: a connection that lingers in TIME_WAIT is no other program.
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind((host, port))
            except OSError as error:
                return error.errno
    return None
