"""A small swarm against the real site: whole games over real sockets, every view checked."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.serving import Served, manage, serving

SITE = "quizsite.settings"


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A migrated database."""
    assert manage(SITE, tmp_path, "migrate", "--no-input").returncode == 0
    return tmp_path


@pytest.fixture
def site(data: Path) -> Iterator[Served]:
    """The site on it."""
    with serving(SITE, data) as served:
        yield served


def test_bots_play_whole_games_and_every_view_agrees_with_the_records(site: Served, data: Path) -> None:
    """Two rooms of four: what each bot believes, from its frames alone, is what the server stored."""
    played = manage(
        SITE,
        data,
        "play_bots",
        f"--url={site.http}",
        "--rooms=2",
        "--players=4",
        "--questions=2",
        "--slowest=0.2",
    )
    assert played.returncode == 0, played.stderr
    assert "2 games, 8 bots, 16 results" in played.stdout
    assert "0 disagreements" in played.stdout
    assert "Traceback" not in site.log


def test_a_site_that_is_not_there_is_a_failure(data: Path) -> None:
    """Nothing played must not look like nothing wrong."""
    played = manage(SITE, data, "play_bots", "--url=http://127.0.0.1:9", "--rooms=1", "--players=2")
    assert played.returncode == 1
    assert "http://127.0.0.1:9 cannot be reached" in played.stderr
    assert "Traceback" not in played.stderr
