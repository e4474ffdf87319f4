"""One relay per database (spec 6.6)."""

from pathlib import Path

from tunnel.lock import RelayLock, lock_path


def test_a_second_relay_is_refused_by_the_process_id_of_the_first(tmp_path: Path) -> None:
    """A crash leaves nothing to clean up: the lock is the open file, not its being there."""
    first, second = RelayLock(tmp_path / "lock"), RelayLock(tmp_path / "lock")
    assert first.acquire() == first.acquire() == ""
    assert "is the relay" in second.acquire()
    first.release()
    first.release()
    assert second.acquire() == ""
    second.release()


def test_the_lock_belongs_to_the_database() -> None:
    """Two sites on one machine do not know each other."""
    paths = {
        lock_path({"ENGINE": f"django.db.backends.{engine}", "NAME": name})
        for name, engine in (("/a", "sqlite3"), ("/b", "sqlite3"), ("a", "postgresql"), ("b", "postgresql"))
    }
    assert len(paths) == 4
    assert Path("/a.relay.lock") in paths
