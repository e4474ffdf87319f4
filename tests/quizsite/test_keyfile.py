"""quizsite.keyfile: one secret key for the site, that only its owner reads."""

import multiprocessing
import stat
from pathlib import Path

from quizsite import keyfile


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_the_first_reader_makes_the_key_and_later_ones_get_the_same(tmp_path: Path) -> None:
    """A restart must not throw everybody out of their sessions."""
    path = tmp_path / "var" / "secret-key"
    key = keyfile.read_or_create(path)
    assert len(key) >= 50
    assert keyfile.read_or_create(path) == key


def test_only_the_owner_can_read_the_key_or_look_into_its_folder(tmp_path: Path) -> None:
    """Mode 0600 in a folder of mode 0700, and no draft is left beside it."""
    path = tmp_path / "var" / "secret-key"
    keyfile.read_or_create(path)
    assert mode(path) == 0o600
    assert mode(path.parent) == 0o700
    assert list(path.parent.iterdir()) == [path]


def test_two_sites_have_two_keys(tmp_path: Path) -> None:
    """The key is drawn, not derived."""
    assert keyfile.read_or_create(tmp_path / "a") != keyfile.read_or_create(tmp_path / "b")


def test_many_processes_that_start_at_once_agree_on_one_key(tmp_path: Path) -> None:
    """Whoever loses the race takes the winner's key, whole."""
    with multiprocessing.get_context("spawn").Pool(4) as pool:
        keys = pool.map(keyfile.read_or_create, [tmp_path / "var" / "secret-key"] * 16, chunksize=1)
    assert len(set(keys)) == 1
    assert len(keys[0]) >= 50


def test_a_loser_of_the_race_keeps_the_winners_key(tmp_path: Path) -> None:
    """The race itself, without chance: the file appears between the look and the link."""
    path = tmp_path / "secret-key"
    path.write_text("the winner's key\n")
    keyfile._create(path)
    assert keyfile.read_or_create(path) == "the winner's key"
    assert list(tmp_path.iterdir()) == [path]
