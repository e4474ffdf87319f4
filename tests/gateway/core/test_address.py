"""Client addresses: the walk over trusted hops, forged and odd headers, what caps count by (spec 1.2)."""

import ipaddress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.core.address import (
    LOCAL,
    UNKNOWN,
    bucket,
    client_address,
    is_in,
    is_local,
    parse_address,
    parse_networks,
)

PROXY = "10.0.0.2"
TRUSTED = parse_networks(["10.0.0.0/24", "2001:db8:ffff::/48"])
ADDRESSES = st.ip_addresses().map(str)


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("203.0.113.7", "203.0.113.7"),
        (" 203.0.113.7\t", "203.0.113.7"),
        ("203.0.113.7:51234", "203.0.113.7"),
        ("2001:db8::7", "2001:db8::7"),
        ("2001:DB8:0::7", "2001:db8::7"),
        ("[2001:db8::7]", "2001:db8::7"),
        ("[2001:db8::7]:443", "2001:db8::7"),
        ("fe80::1%eth0", "fe80::1"),
        ("[fe80::1%25eth0]:1", "fe80::1"),
        ("::ffff:203.0.113.7", "203.0.113.7"),
        ("[::ffff:203.0.113.7]:9", "203.0.113.7"),
    ],
)
def test_an_address_is_read_as_proxies_write_it(text: str, address: str) -> None:
    """With a port, in brackets, with a zone, IPv4 in IPv6: one spelling, so that a block matches."""
    assert str(parse_address(text)) == address


@pytest.mark.parametrize(
    "text",
    [
        *("", " ", "unknown", "_hidden", "a,", "1.2.3", "1.2.3.4.5", "010.0.0.1", "127.1", "1.2.3.256", "🙂"),
        *("::1::", "[::1", "2001:db8::7:443:x", ":" * 4096, "1" * 4096, "1.2.3.4/8", "0x7f000001"),
    ],
)
def test_what_is_no_address_is_none(text: str) -> None:
    """Known failures A07 and A08: junk is never an exception and never a key."""
    assert parse_address(text) is None


@pytest.mark.parametrize(
    "forwarded", [[], ["203.0.113.9"], ["203.0.113.9", "198.51.100.1"], ["a, b, c"], [""]]
)
def test_a_peer_that_is_not_trusted_is_who_it_is(forwarded: list[str]) -> None:
    """Known failure A03: rotating the header gets nobody round blocks and caps."""
    assert client_address("198.51.100.7", forwarded, TRUSTED) == "198.51.100.7"
    assert client_address("198.51.100.7", forwarded, ()) == "198.51.100.7"


@pytest.mark.parametrize(
    ("forwarded", "address"),
    [
        (["203.0.113.9"], "203.0.113.9"),
        (["6.6.6.6, 203.0.113.9"], "203.0.113.9"),
        (["6.6.6.6", "203.0.113.9"], "203.0.113.9"),
        (["203.0.113.9, 10.0.0.3"], "203.0.113.9"),
        (["203.0.113.9", "10.0.0.3, 10.0.0.4"], "203.0.113.9"),
        (["203.0.113.9, 2001:db8:ffff::1"], "203.0.113.9"),
        (["203.0.113.9:51234"], "203.0.113.9"),
        (["[2001:db8::7]:443"], "2001:db8::7"),
        (["10.0.1.9"], "10.0.1.9"),
        (["6.6.6.6, unknown"], UNKNOWN),
        (["6.6.6.6,"], UNKNOWN),
        (["10.0.0.3, 10.0.0.4"], UNKNOWN),
        (["a," * 2048], UNKNOWN),
        ([""], UNKNOWN),
        ([], UNKNOWN),
    ],
)
def test_through_a_trusted_proxy_the_rightmost_untrusted_hop_counts(
    forwarded: list[str], address: str
) -> None:
    """What stands left of it is whatever the client typed; garbage or nothing left is unknown."""
    assert client_address(PROXY, forwarded, TRUSTED) == address


@pytest.mark.parametrize(
    "peer", ["127.0.0.1", "::1", "10.9.9.9", "192.168.1.1", "::ffff:127.0.0.1", "fd00::1"]
)
def test_a_local_peer_that_forwards_while_nothing_is_trusted_is_unknown(peer: str) -> None:
    """A proxy that nobody configured: its clients share the larger pool instead of its own address."""
    assert client_address(peer, ["203.0.113.9"], ()) == UNKNOWN
    assert client_address(peer, [], ()) == str(parse_address(peer))


def test_a_local_peer_that_forwards_beside_the_trusted_ones_is_itself() -> None:
    """Once proxies are configured, others are peers like any."""
    assert client_address("192.168.1.1", ["203.0.113.9"], TRUSTED) == "192.168.1.1"


@pytest.mark.parametrize("peer", [None, "", "unix:", "/run/halyard.sock"])
def test_a_peer_without_an_address_is_unknown(peer: str | None) -> None:
    """On a Unix socket there is none."""
    assert client_address(peer, ["203.0.113.9"], TRUSTED) == UNKNOWN


@pytest.mark.parametrize(
    ("address", "key"),
    [
        ("203.0.113.7", "203.0.113.7"),
        ("::ffff:203.0.113.7", "203.0.113.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2:ffff::", "2001:db8:1:2::/64"),
        ("2001:db8:1:3::", "2001:db8:1:3::/64"),
        (UNKNOWN, UNKNOWN),
        ("junk", UNKNOWN),
    ],
)
def test_a_household_counts_as_one(address: str, key: str) -> None:
    """Known failure A06: a /64 is what one IPv6 subscriber owns."""
    assert bucket(address) == key


@pytest.mark.parametrize(
    ("address", "local"),
    [
        *(
            (text, True)
            for text in ("127.8.8.8", "10.255.0.1", "172.16.0.1", "172.31.255.255", "192.168.0.0")
        ),
        *((text, True) for text in ("169.254.1.1", "::1", "fd12::1", "fc00::", "fe80::1")),
        *(
            (text, False)
            for text in ("126.255.255.255", "11.0.0.0", "172.15.0.1", "172.32.0.0", "192.169.0.1")
        ),
        *(
            (text, False)
            for text in ("203.0.113.9", "198.18.0.1", "100.64.0.1", "::2", "2001:db8::1", "fec0::1")
        ),
    ],
)
def test_local_is_loopback_private_and_link_local_and_no_more(address: str, local: bool) -> None:
    """Not what a version of Python holds for private: documentation networks are somebody far away."""
    assert is_local(ipaddress.ip_address(address)) is local


def test_networks_of_one_version_never_hold_addresses_of_the_other() -> None:
    """0.0.0.0/0 is not everything."""
    everything_v4 = parse_networks(["0.0.0.0/0"])
    assert is_in(ipaddress.ip_address("203.0.113.7"), everything_v4)
    assert not is_in(ipaddress.ip_address("2001:db8::7"), everything_v4)
    assert not is_in(ipaddress.ip_address("203.0.113.7"), ())


@pytest.mark.parametrize("text", ["10.0.0.0/33", "10.0.0.1/24", "010.0.0.0/8", "proxy", ""])
def test_a_network_that_can_not_be_read_is_named(text: str) -> None:
    """The settings check shows it to the person who wrote it."""
    with pytest.raises(ValueError) as refused:
        parse_networks(["10.0.0.0/8", text])
    assert repr(text)[1:-1] in str(refused.value)


def test_all_networks_are_kept_in_order() -> None:
    """The first local network is loopback, the last link-local."""
    assert [str(LOCAL[0]), str(LOCAL[-1]), len(LOCAL)] == ["127.0.0.0/8", "fe80::/10", 8]


@given(ADDRESSES, st.lists(st.text(max_size=20), max_size=3))
def test_nothing_a_client_types_changes_the_address_that_its_proxy_saw(seen: str, typed: list[str]) -> None:
    """The proxy appends; whatever was there before is never looked at."""
    address = ipaddress.ip_address(seen)
    expected = client_address(PROXY, [seen], TRUSTED)
    if not is_in(parse_address(seen) or address, TRUSTED):
        assert client_address(PROXY, [*typed, seen], TRUSTED) == expected != UNKNOWN


@given(st.none() | st.text(), st.lists(st.text(), max_size=3), st.booleans())
def test_no_header_raises_and_every_answer_is_an_address_or_unknown(
    peer: str | None, forwarded: list[str], trusting: bool
) -> None:
    """And what it counts by is canonical: asked twice, it is the same."""
    address = client_address(peer, forwarded, TRUSTED if trusting else ())
    assert address == UNKNOWN or str(parse_address(address)) == address
    assert bucket(bucket(address).removesuffix("/64")) == bucket(address)
