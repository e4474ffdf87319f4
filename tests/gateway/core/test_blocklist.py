"""The picture of the block list: one spelling for each value, look-ups by prefix length, blocks that end."""

import ipaddress
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.core.blocklist import Block, Blocklist, Hits, Kind, canonical

NOW = 1000.0


@pytest.mark.parametrize(
    ("typed", "kind", "value"),
    [
        (" 192.0.2.7 ", Kind.ADDRESS, "192.0.2.7"),
        ("192.0.2.7/32", Kind.ADDRESS, "192.0.2.7"),
        ("::ffff:192.0.2.7", Kind.ADDRESS, "192.0.2.7"),
        ("::ffff:c000:207", Kind.ADDRESS, "192.0.2.7"),
        ("2001:DB8:0:0::1", Kind.ADDRESS, "2001:db8::1"),
        ("2001:db8::1/128", Kind.ADDRESS, "2001:db8::1"),
        ("[2001:db8::1]:443", Kind.ADDRESS, "2001:db8::1"),
        ("192.0.2.9/24", Kind.NETWORK, "192.0.2.0/24"),
        ("192.0.2.0/255.255.255.0", Kind.NETWORK, "192.0.2.0/24"),
        ("::ffff:192.0.2.0/120", Kind.NETWORK, "192.0.2.0/24"),
        ("2001:db8::1:2:3:4/64", Kind.NETWORK, "2001:db8::/64"),
        ("user:7", Kind.ACCOUNT, "user:7"),
        ("User:7", Kind.ACCOUNT, "user:7"),
        ("session:" + "AB" * 16, Kind.ACCOUNT, "session:" + "ab" * 16),
    ],
)
def test_every_spelling_of_one_thing_becomes_the_same(typed: str, kind: Kind, value: str) -> None:
    """Else an address would be blocked twice, or unblocked once and still shut out."""
    assert canonical(typed) == (kind, value)
    assert canonical(value) == (kind, value)


@pytest.mark.parametrize(
    "typed",
    ["", "a", "192.0.2", "192.0.2.256", "192.0.2.0/33", "192.0.2.7:8/24", "user:", "session:x", "::/129"],
)
def test_what_names_nobody_is_refused_with_the_offending_text(typed: str) -> None:
    """And with what to write instead."""
    with pytest.raises(ValueError, match=r"neither|no session") as refused:
        canonical(typed)
    assert typed in str(refused.value)


def listed(*values: str, until: float | None = None) -> Blocklist:
    """A picture of these, numbered from 1."""
    spelled = [canonical(value) for value in values]
    return Blocklist.of(1, [Block(number, *one, until) for number, one in enumerate(spelled, 1)], NOW)


def ids(blocklist: Blocklist, address: str, now: float = NOW) -> list[int]:
    """The blocks of an address."""
    return [block.id for block in blocklist.of_address(address, now)]


def test_the_narrowest_block_comes_first() -> None:
    """Its hits are the ones that tell the operator something."""
    blocklist = listed("192.0.0.0/16", "192.0.2.7", "192.0.2.0/24", "2001:db8::/32")
    assert ids(blocklist, "192.0.2.7") == [2, 3, 1]
    assert ids(blocklist, "::ffff:192.0.2.8") == [3, 1]
    assert ids(blocklist, "2001:db8::7") == [4]
    assert ids(blocklist, "198.51.100.1") == []


def test_an_address_that_is_not_known_is_in_no_block() -> None:
    """Not even in one of everything: half a school may share it."""
    assert ids(listed("0.0.0.0/0", "::/0"), "unknown") == []


def test_a_block_is_over_at_its_end_without_anybody_telling() -> None:
    """The picture holds the instant, on the clock that nobody can set."""
    blocklist = listed("192.0.2.7", "user:7", until=NOW + 5)
    assert ids(blocklist, "192.0.2.7", NOW + 4.9) == [1]
    assert ids(blocklist, "192.0.2.7", NOW + 5) == []
    assert [block.id for block in blocklist.of_account("user:7", NOW + 4.9)] == [2]
    assert list(blocklist.of_account("user:7", NOW + 5)) == []


def test_an_account_is_that_account_and_no_other() -> None:
    """Keys that begin alike are strangers."""
    blocklist = listed("user:7")
    assert list(blocklist.of_account("user:71", NOW)) == []
    assert list(blocklist.of_account("session:7", NOW)) == []


@given(st.integers(0, 2**32 - 1))
def test_look_ups_find_what_a_search_through_all_finds(seed: int) -> None:
    """Whatever the list: the tables by prefix length are only faster."""
    draw = random.Random(seed)
    networks = {
        ipaddress.ip_network((draw.getrandbits(32) & 0xC0030301, draw.randint(0, 32)), strict=False)
        for _ in range(30)
    } | {
        ipaddress.ip_network((draw.getrandbits(4) << 124, draw.randint(0, 128)), strict=False)
        for _ in range(5)
    }
    blocklist = listed(*map(str, networks))
    for _ in range(20):
        version = draw.choice((4, 6))
        number = draw.getrandbits(32) & 0xC0030301 if version == 4 else draw.getrandbits(4) << 124
        address = ipaddress.IPv4Address(number) if version == 4 else ipaddress.IPv6Address(number)
        holding = {str(one) for one in networks if one.version == version and address in one}
        found = [block.value for block in blocklist.of_address(str(address), NOW)]
        assert {str(ipaddress.ip_network(value)) for value in found} == holding


def test_hits_that_could_not_be_stored_are_counted_on() -> None:
    """A database that is down loses none, and the last one stays the last."""
    hits = Hits()
    hits.note(1, NOW)
    hits.note(1, NOW + 2)
    taken = hits.take()
    hits.note(1, NOW + 1)
    hits.note(2, NOW + 3)
    hits.give_back(taken)
    assert {pk: (hit.count, hit.last) for pk, hit in hits.take().items()} == {
        1: (3, NOW + 2),
        2: (1, NOW + 3),
    }
    assert hits.take() == {}
