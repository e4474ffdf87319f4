"""scripts.network: which addresses the phones use, and which ports are free."""

import socket

import pytest

from scripts import network
from scripts.missing import Missing

LINUX = """\
1: lo: <LOOPBACK,UP,LOWER_UP> mtu 65536 qdisc noqueue state UNKNOWN group default qlen 1000
    inet 127.0.0.1/8 scope host lo
       valid_lft forever preferred_lft forever
2: wlan0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc mq state UP group default qlen 1000
    inet 192.168.1.20/24 brd 192.168.1.255 scope global dynamic wlan0
"""
MACOS = """\
lo0: flags=8049<UP,LOOPBACK,RUNNING,MULTICAST> mtu 16384
	inet 127.0.0.1 netmask 0xff000000
	inet6 ::1 prefixlen 128
en0: flags=8863<UP,BROADCAST,SMART,RUNNING,SIMPLEX,MULTICAST> mtu 1500
	inet6 fe80::1c2d:3e4f%en0 prefixlen 64 secured scopeid 0x4
	inet 10.0.0.7 netmask 0xffffff00 broadcast 10.0.0.255
"""


@pytest.mark.parametrize(("listing", "address"), [(LINUX, "192.168.1.20"), (MACOS, "10.0.0.7"), ("", None)])
def test_addresses_are_read_from_what_linux_and_macos_list(listing: str, address: str | None) -> None:
    """Of a machine's own addresses and netmasks, those remain that another machine can use."""
    assert network.reachable(network.addresses_in(listing)) == ([address] if address else [])


def test_an_address_that_means_this_machine_alone_is_no_address_for_a_phone() -> None:
    """Debian maps the host's name to 127.0.1.1; a cable without a network gives 169.254."""
    assert network.reachable(["127.0.1.1", "0.0.0.0", "169.254.3.4", "172.16.0.9"]) == ["172.16.0.9"]


def test_this_machine_lists_no_address_twice_and_its_outward_one_first() -> None:
    """The first is the one that the phones are told."""
    addresses = network.all_addresses()
    assert len(addresses) == len(set(addresses))
    outward = network.outward_address()
    assert outward is None or addresses[0] == outward


@pytest.mark.parametrize(("text", "port"), [("", 8000), ("1", 1), ("65535", 65535)])
def test_a_port_is_a_number_and_has_a_default(text: str, port: int) -> None:
    """`make run` alone takes the default."""
    assert network.port_from(text, 8000) == port


@pytest.mark.parametrize("text", ["0", "65536", "-1", "abc", "80.5", "８０８０"])
def test_what_is_no_port_is_refused_with_its_text(text: str) -> None:
    """The sentence has what was typed and a command that works."""
    with pytest.raises(Missing, match=f"PORT must be from 1 to 65535, not '{text}'; say: make run PORT=8001"):
        network.port_from(text, 8000)


@pytest.mark.parametrize("host", ["0.0.0.0", "127.0.0.1"])
def test_a_port_in_use_is_refused_and_a_free_one_offered(host: str) -> None:
    """Whether the other program took all addresses or loopback alone; the offered port can be opened."""
    with socket.create_server((host, 0)) as other:
        port = other.getsockname()[1]
        with pytest.raises(Missing, match=f"Port {port} is in use by another program") as refused:
            network.require_free(port)
    command, _, offered = str(refused.value).rpartition("=")
    assert command.endswith("make run PORT")
    network.require_free(int(offered))


def test_a_port_that_was_just_left_is_free() -> None:
    """A restart within seconds of a stop must not be refused for connections that linger."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        client = socket.create_connection(("127.0.0.1", port))
        server.accept()[0].close()  # the server's side closes first, and lingers in TIME_WAIT
        client.close()
    network.require_free(port)
