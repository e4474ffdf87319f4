"""The stores of snapshots: what each of them must do, and what is special to one (spec 2.3)."""

import os
import resource
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest
import redis

from rooms.core.snapshot import UnreadableError
from rooms.snapshots import Store, store_at
from rooms.snapshots.files import FileStore
from rooms.snapshots.redis import RedisStore
from tests.redis import Redis, redis_server

MAX_AGE_S = 600


@pytest.fixture(scope="module")
def server() -> Iterator[Redis]:
    """A Redis for the module."""
    with redis_server() as running:
        yield running


@pytest.fixture
def in_redis(server: Redis) -> Iterator["redis.Redis"]:
    """An empty one, to be looked into."""
    with redis.Redis.from_url(server.url) as client:
        client.flushall()
        yield client


@pytest.fixture(params=["file", "redis"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Each kind of place in turn, with nothing in it."""
    if request.param == "file":
        return f"file:{tmp_path}"
    request.getfixturevalue("in_redis")
    return str(request.getfixturevalue("server").url)


@pytest.fixture
def store(place: str) -> Store:
    return store_at(place, "site", MAX_AGE_S)


# ---------- every store


def test_nothing_is_read_where_nothing_was_written(store: Store) -> None:
    """The first start of a site."""
    assert store.read() is None


def test_what_was_written_is_read_by_the_next_process(store: Store, place: str) -> None:
    """Bytes of any kind and size."""
    rooms = {"a": b"\x00\xff", "b": b"", "c": b"x" * 1_000_000}
    store.write(b"head", rooms)
    assert store_at(place, "site", MAX_AGE_S).read() == (b"head", rooms)


def test_a_newer_snapshot_takes_the_place_of_the_older_one(store: Store) -> None:
    """Rooms come, change, stay as they are, and go."""
    kept = b"kept"
    store.write(b"1", {"gone": b"x", "changed": b"old", "kept": kept})
    store.write(b"2", {"changed": b"new", "kept": kept, "come": b"y"})
    assert store.read() == (b"2", {"changed": b"new", "kept": kept, "come": b"y"})


def test_without_rooms_nothing_is_left(store: Store) -> None:
    """Names and scores of a room do not outlive it."""
    store.write(b"1", {"a": b"x"})
    store.write(b"2", {})
    assert store.read() is None
    store.write(b"3", {})
    assert store.read() is None
    store.write(b"4", {"a": b"y"})
    assert store.read() == (b"4", {"a": b"y"})


def test_two_sites_in_one_place_do_not_see_each_other(store: Store, place: str) -> None:
    """Each has its own database, and its own rooms."""
    other = store_at(place, "other", MAX_AGE_S)
    store.write(b"1", {"a": b"x"})
    assert other.read() is None
    other.write(b"2", {"b": b"y"})
    assert store.read() == (b"1", {"a": b"x"})


def test_a_process_that_takes_over_replaces_all_rooms_of_the_one_before(store: Store, place: str) -> None:
    """Also those that it does not know: they were refused, or lost."""
    store.write(b"1", {"a": b"x", "b": b"y"})
    after = store_at(place, "site", MAX_AGE_S)
    after.write(b"2", {"a": b"z"})
    assert after.read() == (b"2", {"a": b"z"})


def test_what_is_set_aside_is_read_no_more_and_kept_under_the_name_that_is_told(store: Store) -> None:
    """For whoever goes back to the program that wrote it."""
    store.write(b"1", {"a": b"x"})
    aside = store.set_aside()
    assert store.read() is None
    assert aside not in ("", store.name)
    store.write(b"2", {"b": b"y"})
    assert store.read() == (b"2", {"b": b"y"})


def test_a_store_says_where_it_is(store: Store) -> None:
    """An operator who reads its name in the log finds it."""
    assert "site" in store.name


# ---------- the file


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "rooms-site.snapshot"


def test_the_file_is_for_its_owner_alone_whatever_was_there_before(path: Path) -> None:
    """Even if a crash left a half-written one that others may read."""
    leftover = path.with_name(f"{path.name}.new")
    leftover.write_bytes(b"half")
    leftover.chmod(0o666)
    FileStore(path).write(b"1", {"a": b"x"})
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert not leftover.exists()


def test_a_folder_that_is_not_there_is_made(tmp_path: Path) -> None:
    """A site with a database and a key of its own has written nothing yet."""
    path = tmp_path / "data" / "rooms-site.snapshot"
    FileStore(path).write(b"1", {"a": b"x"})
    assert FileStore(path).read() == (b"1", {"a": b"x"})
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_a_link_in_the_files_place_is_not_followed(path: Path, tmp_path: Path) -> None:
    """It is replaced: nobody can have us write elsewhere."""
    target = tmp_path / "target"
    path.symlink_to(target)
    path.with_name(f"{path.name}.new").symlink_to(target)
    FileStore(path).write(b"1", {"a": b"x"})
    assert not target.exists()
    assert not path.is_symlink()


def test_a_write_that_fails_leaves_the_old_snapshot_whole(path: Path) -> None:
    """A full disk: here the process may write no file of more than a few bytes."""
    store = FileStore(path)
    store.write(b"1", {"a": b"x"})
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, before[1]))
    try:
        with pytest.raises(OSError, match="File too large"):
            store.write(b"2", {"a": b"y" * 1000})
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert store.read() == (b"1", {"a": b"x"})
    assert os.listdir(path.parent) == [path.name]


@pytest.mark.parametrize("content", [b"", b"nonsense", b"\x92\xc4\x01"])
def test_a_file_that_is_no_snapshot_is_said_to_be_damaged(path: Path, content: bytes) -> None:
    """By the store, which alone knows its form."""
    path.write_bytes(content)
    with pytest.raises(UnreadableError, match="it is damaged"):
        FileStore(path).read()


# ---------- Redis


def test_a_snapshot_in_redis_expires_by_itself(server: Redis, in_redis: "redis.Redis") -> None:
    """Also one that was set aside, and if no process ever comes to look."""
    store = RedisStore(server.url, "rooms", MAX_AGE_S)
    store.write(b"1", {"a": b"x"})
    assert 0 < in_redis.ttl("rooms") <= MAX_AGE_S
    store.set_aside()
    assert 0 < in_redis.ttl("rooms:refused") <= MAX_AGE_S


def test_only_rooms_that_changed_are_sent(server: Redis, in_redis: "redis.Redis") -> None:
    """A round costs what happened in it."""
    store = RedisStore(server.url, "rooms", MAX_AGE_S)
    big = b"x" * 1_000_000
    store.write(b"1", {"a": big, "b": b"y"})
    before = in_redis.info("stats")["total_net_input_bytes"]
    store.write(b"2", {"a": big, "b": b"z"})
    assert in_redis.info("stats")["total_net_input_bytes"] - before < 10_000
    assert store.read() == (b"2", {"a": big, "b": b"z"})


def test_a_redis_that_lost_its_rooms_gets_all_of_them_again(server: Redis, in_redis: "redis.Redis") -> None:
    """It was restarted, or somebody emptied it: the next round is whole."""
    store = RedisStore(server.url, "rooms", MAX_AGE_S)
    rooms = {"a": b"x", "b": b"y"}
    store.write(b"1", rooms)
    in_redis.flushall()
    store.write(b"2", rooms)
    assert store.read() == (b"2", rooms)


def test_a_redis_that_goes_and_comes_back_is_written_again() -> None:
    """While it is gone a write fails with its error; nothing else happens."""
    with redis_server() as gone:
        store = RedisStore(gone.url, "rooms", MAX_AGE_S)
        rooms = {"a": b"x"}
        store.write(b"1", rooms)
        gone.kill()
        with pytest.raises(redis.ConnectionError):
            store.write(b"2", rooms)
        gone.start()
        store.write(b"3", rooms)
        assert store.read() == (b"3", rooms)


def test_something_else_under_our_key_is_no_snapshot(server: Redis, in_redis: "redis.Redis") -> None:
    """It has no head."""
    in_redis.hset("rooms", "a", "x")
    with pytest.raises(UnreadableError, match="it has no head"):
        RedisStore(server.url, "rooms", MAX_AGE_S).read()


def test_a_password_is_in_no_name() -> None:
    """Names are for logs."""
    store = RedisStore("redis://site:secret@redis.example:6379/1?password=secret", "rooms", MAX_AGE_S)
    assert store.name == "redis://redis.example:6379/1 rooms"


def test_a_place_that_names_no_store_is_refused_with_what_there_is() -> None:
    """The system check says it first; this is for whoever passes it by."""
    with pytest.raises(ValueError, match="'s3://bucket' names no store: it must begin with one of file:"):
        store_at("s3://bucket", "site", MAX_AGE_S)
