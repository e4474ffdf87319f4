"""The block list between the database and the sockets: one spelling, one version, no block by accident."""

import asyncio
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.core.exceptions import ValidationError
from django.core.management import CommandError, call_command
from django.db import DatabaseError, connection, transaction
from django.test import override_settings
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from gateway import blocking, live
from gateway.core.strikes import LIMIT, SENTENCE_S
from gateway.models import Block, BlocklistVersion
from gateway.runtime import Runtime
from tests.gateway.house import ADDRESS, Client, House, attempt

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def house() -> Iterator[House]:
    """A gateway whose loop the test's own is."""
    made = House()
    live.install(made.runtime)
    yield made
    live.install(None)


def values(runtime: Runtime) -> set[str]:
    """Everything in the picture."""
    blocklist = runtime.guard.blocklist
    networks = {block.value for table in blocklist.networks.values() for block in table.values()}
    return networks | set(blocklist.accounts)


# ---------- what is stored


@pytest.mark.parametrize("again", ["::ffff:203.0.113.9", "203.0.113.9/32", " 203.0.113.9"])
def test_a_second_entry_in_another_spelling_is_refused_in_words(again: str) -> None:
    """The form says so; the database would, too."""
    blocking.block("203.0.113.9", "first")
    with pytest.raises(ValidationError, match="in the list already"):
        Block(value=again, reason="second").full_clean()


@pytest.mark.parametrize(("typed", "stored"), [("user:007", "user:7"), ("USER: 7", None), ("user:x", None)])
def test_a_users_key_is_spelled_as_the_user_model_spells_it(typed: str, stored: str | None) -> None:
    """Else one account could be blocked twice; a key that no user can have is refused."""
    if stored is None:
        with pytest.raises(ValidationError):
            blocking.block(typed, "rude")
    else:
        assert blocking.block(typed, "rude").value == stored
        assert blocking.unblock("user:07")


def test_blocking_again_renews_the_entry_and_keeps_its_history() -> None:
    """With the new reason and end; hits and evidence stay."""
    first = blocking.block("203.0.113.9", "first")
    Block.objects.count_hits(hits=7)
    again = blocking.block("::ffff:203.0.113.9", "second", timezone.now() + timedelta(hours=1))
    assert again.pk == first.pk
    stored = Block.objects.get()
    assert (stored.value, stored.kind, stored.reason, stored.hits) == ("203.0.113.9", "address", "second", 7)


@pytest.mark.parametrize(
    "value", ["127.0.0.1", "127.0.0.0/8", "::1", "0.0.0.0/0", "::/0", "10.0.0.7", "10.0.0.0/24"]
)
def test_nobody_blocks_the_site_itself(value: str) -> None:
    """Loopback and trusted proxies, and networks that hold them: everybody would be shut out."""
    with (
        override_settings(GATEWAY={"TRUSTED_PROXIES": ["10.0.0.7/32"]}),
        pytest.raises(ValidationError, match=r"loopback|trusted proxy 10.0.0.7/32"),
    ):
        blocking.block(value, "mine")
    assert not Block.objects.exists()


def test_a_value_that_names_nobody_is_refused_with_its_text() -> None:
    """And the reason may not be empty: the next operator will ask."""
    with pytest.raises(ValidationError, match="'unknown' is neither"):
        blocking.block("unknown", "why not")
    with pytest.raises(ValidationError, match="blank"):
        blocking.block("203.0.113.9", "")


ROADS: dict[str, Callable[[Block], object]] = {
    "save": lambda block: block.save(),
    "delete": lambda block: block.delete(),
    "update": lambda _: Block.objects.update(reason="new"),
    "delete of many": lambda _: Block.objects.all().delete(),
    "create of many": lambda _: Block.objects.bulk_create([Block(value="::ffff:198.51.100.1", reason="new")]),
    "update of many": lambda block: Block.objects.bulk_update([block], ["reason"]),
    "unblock": lambda block: blocking.unblock(block.value),
    "extend": lambda block: blocking.extend(block, timedelta(days=1)),
}


@pytest.mark.parametrize("road", ROADS)
def test_every_road_to_a_change_bumps_the_version(road: str) -> None:
    """The admin's actions and deletions included: other processes look at nothing else."""
    block = blocking.block("203.0.113.9", "first", timezone.now() + timedelta(hours=1))
    before = BlocklistVersion.now()
    ROADS[road](block)
    assert BlocklistVersion.now() > before
    assert all(one.value in {"203.0.113.9", "198.51.100.1"} for one in Block.objects.all())


def test_a_change_that_is_rolled_back_bumps_nothing() -> None:
    """One transaction holds both."""
    before = BlocklistVersion.now()
    with transaction.atomic():
        blocking.block("203.0.113.9", "first")
        transaction.set_rollback(True)
    assert BlocklistVersion.now() == before


def test_hits_bump_nothing_and_take_one_statement() -> None:
    """Ten thousand refusals of fifty blocks are one write, and no process loads the list for them."""
    Block.objects.bulk_create([Block(value=f"203.0.113.{number}", reason="x") for number in range(50)])
    house = House()
    blocking.swap(house.runtime, blocking.load(house.clock.now()))
    for number in range(10_000):
        house.runtime.guard.refuses_address(f"203.0.113.{number % 50}", house.clock.now())
    before = BlocklistVersion.now()
    with CaptureQueriesContext(connection) as captured:
        blocking._add_hits(house.runtime.guard.hits.take(), house.clock.now())
    assert len(captured) == 1
    assert set(Block.objects.values_list("hits", flat=True)) == {200}
    assert BlocklistVersion.now() == before
    assert abs(Block.objects.first().last_hit - timezone.now()) < timedelta(seconds=30)


# ---------- how it comes to the loop


async def test_a_block_of_this_process_counts_before_its_maker_goes_on(house: House) -> None:
    """The page that the admin sees next is true; no look, no bus."""
    live.start()
    client = Client(house).open()
    await asyncio.to_thread(blocking.block, ADDRESS, "rude")
    assert client.port.closed is not None
    assert client.port.closed.code == 4004
    await asyncio.to_thread(blocking.unblock, ADDRESS)
    assert not house.runtime.guard.refuses_address(ADDRESS, house.clock.now())


async def test_many_changes_of_one_transaction_are_one_for_the_sockets(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every row tells of itself; the list is loaded, and all sockets are looked through, once."""
    live.start()
    loaded: list[float] = []
    load = blocking.load
    monkeypatch.setattr(blocking, "load", lambda now: (loaded.append(now), load(now))[1])

    def block_many() -> None:
        with transaction.atomic():
            for number in range(20):
                blocking.block(f"203.0.113.{number}", "rude")

    await asyncio.to_thread(block_many)
    assert len(loaded) == 1
    assert house.runtime.guard.refuses_address("203.0.113.19", house.clock.now())


async def test_a_change_by_another_process_is_found_by_the_look(house: House) -> None:
    """A row that this process knows nothing of."""
    client = Client(house).open()
    await blocking.watch(house.runtime)
    assert client.port.closed is None
    await sync_to_async(blocking.block)(ADDRESS, "rude")
    assert client.port.closed is None, "no gateway serves in that thread's process"
    await blocking.watch(house.runtime)
    assert client.port.closed is not None


async def test_a_look_that_finds_nothing_new_is_one_query_and_loads_nothing(house: House) -> None:
    """Each second, for ever: it must cost nothing."""
    await sync_to_async(blocking.block)(ADDRESS, "rude")
    await blocking.watch(house.runtime)
    known = house.runtime.guard.blocklist

    def look() -> int:
        with CaptureQueriesContext(connection) as captured:
            assert blocking._store_and_load((), known.version, house.clock.now()) is None
        return len(captured)

    assert await sync_to_async(look)() == 1
    await blocking.watch(house.runtime)
    assert house.runtime.guard.blocklist is known


async def test_a_list_that_did_not_change_is_read_again_after_a_minute(house: House) -> None:
    """Ends are by the wall clock, which may have been set meanwhile."""
    await sync_to_async(blocking.block)(ADDRESS, "rude")
    await blocking.watch(house.runtime)
    known = house.runtime.guard.blocklist
    house.clock.advance(blocking.REFRESH_S)
    await blocking.watch(house.runtime)
    assert house.runtime.guard.blocklist is not known


async def test_a_list_that_was_restored_from_a_backup_counts(house: House) -> None:
    """Its version is lower than the one that is loaded."""
    await sync_to_async(blocking.block)(ADDRESS, "rude")
    await blocking.watch(house.runtime)
    await Block.objects.all().adelete()
    await BlocklistVersion.objects.aupdate(version=0)
    house.clock.advance(1)
    await blocking.watch(house.runtime)
    assert not house.runtime.guard.refuses_address(ADDRESS, house.clock.now())


async def test_a_block_ends_by_itself_in_a_process_that_hears_of_nothing(house: House) -> None:
    """The picture knows when."""
    await sync_to_async(blocking.block)(ADDRESS, "rude", timezone.now() + timedelta(minutes=5))
    await blocking.watch(house.runtime)
    house.clock.advance(290)
    assert house.runtime.guard.refuses_address(ADDRESS, house.clock.now())
    house.clock.advance(15)
    assert not house.runtime.guard.refuses_address(ADDRESS, house.clock.now())


async def test_hits_that_the_database_does_not_take_are_kept(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The duty fails, is logged by whoever runs it, and the next one stores them."""
    await sync_to_async(blocking.block)(ADDRESS, "rude")
    await blocking.watch(house.runtime)
    house.runtime.guard.refuses_address(ADDRESS, house.clock.now())
    with monkeypatch.context() as broken:
        broken.setattr(blocking, "_add_hits", _fails)
        with pytest.raises(DatabaseError):
            await blocking.store_hits(house.runtime)
    await blocking.store_hits(house.runtime)
    assert await Block.objects.values_list("hits", flat=True).aget() == 1


def _fails(*_: Any) -> None:
    raise DatabaseError("down")


# ---------- automatic blocks


def strike_out(house: House, session: str = "thief") -> None:
    """Twenty wrong tokens for a seat that exists."""
    Client(house, "owner", address="198.51.100.1").open().says("SIT", word="theirs")
    for _ in range(LIMIT):
        house.runtime.admit(attempt(session, "roomId=parlour&playerSeatId=seat-theirs&reconnectToken=guess"))


async def test_an_automatic_block_is_stored_with_its_evidence_and_its_end(house: House) -> None:
    """For the staff to judge; it is over by itself."""
    thief = "ab" * 16
    strike_out(house, thief)
    seated = Client(house, "neighbour").open()
    await blocking.watch(house.runtime)
    entry = await Block.objects.aget()
    assert (entry.value, entry.automatic, entry.created_by_id) == (f"session:{thief}", True, None)
    assert entry.until is not None
    assert abs(entry.until - timezone.now() - timedelta(seconds=SENTENCE_S)) < timedelta(seconds=30)
    assert len(entry.evidence) == LIMIT
    assert entry.evidence[0] == {
        "seconds before": 0.0,
        "what": "wrong token",
        "account": f"session:{thief}",
        "address": ADDRESS,
    }
    assert house.runtime.guard.sentences == {}
    assert house.runtime.guard.refuses_account(entry.value, house.clock.now())
    assert seated.port.closed is None
    house.clock.advance(SENTENCE_S + 1)
    assert not house.runtime.guard.refuses_account(entry.value, house.clock.now())


async def test_staff_can_end_an_automatic_block(house: House) -> None:
    """What this process remembers of the sentence does not hold on to it."""
    thief = f"session:{'ab' * 16}"
    strike_out(house, "ab" * 16)
    await blocking.watch(house.runtime)
    assert await sync_to_async(blocking.unblock)(thief)
    await blocking.watch(house.runtime)
    assert not house.runtime.guard.refuses_account(thief, house.clock.now())


async def test_a_block_by_hand_is_not_made_an_automatic_one(house: House) -> None:
    """Nor shortened to 15 minutes."""
    thief = f"session:{'ab' * 16}"
    strike_out(house, "ab" * 16)
    await sync_to_async(blocking.block)(thief, "for good")
    await blocking.watch(house.runtime)
    entry = await Block.objects.aget()
    assert (entry.automatic, entry.until, entry.reason) == (False, None, "for good")
    assert house.runtime.guard.sentences == {}


async def test_while_the_database_is_down_a_sentence_is_served_from_memory(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And stored as soon as it is back."""
    thief = f"session:{'ab' * 16}"
    strike_out(house, "ab" * 16)
    with monkeypatch.context() as broken:
        broken.setattr(blocking, "_store", _fails)
        with pytest.raises(DatabaseError):
            await blocking.watch(house.runtime)
    assert house.runtime.guard.refuses_account(thief, house.clock.now())
    await blocking.watch(house.runtime)
    assert await Block.objects.filter(value=thief).aexists()


async def test_old_automatic_blocks_make_room_for_new_ones(house: House) -> None:
    """A month after their end; what was blocked by hand stays."""
    long_ago = timezone.now() - timedelta(days=blocking.KEPT_DAYS + 1)
    await sync_to_async(Block.objects.bulk_create)(
        [
            Block(value="198.51.100.1", reason="strikes", automatic=True, until=long_ago),
            Block(value="198.51.100.2", reason="by hand", until=long_ago),
        ]
    )
    strike_out(house, "ab" * 16)
    await blocking.watch(house.runtime)
    assert {block.value async for block in Block.objects.all()} == {"198.51.100.2", f"session:{'ab' * 16}"}


# ---------- commands


def test_operators_block_and_unblock_without_the_admin(capsys: pytest.CaptureFixture[str]) -> None:
    """Whoever has shut himself out needs a way back in."""
    call_command("block_ip", "::ffff:203.0.113.9", "--reason", "rude", "--minutes", "5")
    entry = Block.objects.get()
    assert (entry.value, entry.reason) == ("203.0.113.9", "rude")
    assert entry.until is not None
    call_command("unblock_ip", "203.0.113.9/32")
    assert Block.objects.get().is_over
    said = capsys.readouterr().out
    assert "203.0.113.9 is blocked until" in said
    assert "is not blocked any more" in said


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (("block_ip", "127.0.0.1"), "loopback"),
        (("block_ip", "nobody"), "'nobody' is neither"),
        (("block_ip", "203.0.113.9", "--minutes", "0"), "0"),
        (("unblock_ip", "nobody"), "'nobody' is neither"),
        (("unblock_ip", "203.0.113.9"), "Nothing in the list"),
    ],
)
def test_a_command_that_cannot_do_it_says_why(command: tuple[str, ...], words: str) -> None:
    """In one sentence."""
    with pytest.raises(CommandError, match=words):
        call_command(*command)
