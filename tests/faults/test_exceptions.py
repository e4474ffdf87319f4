"""Code that breaks, of the game's and of the site's: one answer, one log entry, and nobody else is harmed.

A handler that breaks on every server is ``tests/gateway/wire/test_pipeline.py``.
"""

import logging
from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families

from gateway import conf
from gateway.alarm import Clock
from gateway.contract import Figure, Sockets
from gateway.metrics import exposition
from gateway.runtime import Runtime
from gateway.testing import VirtualClock
from tests.faults.hooks import BREAKS
from tests.faults.site import Awake, site
from tests.toy_game.game import Parlour


def test_a_name_filter_that_breaks_costs_that_name_and_nothing_else(tmp_path: Path) -> None:
    """Creating and joining: `INTERNAL_ERROR` with a reference that the log has too; the socket stays open, no
    room and no seat is left behind, and the next name is welcome.
    """
    with site(tmp_path / "site", rooms={"NAME_FILTER": "tests.faults.hooks.name_filter"}) as server:
        ana, zed = Awake(server, "Ana").opens(), Awake(server, BREAKS).opens()
        zed.says("CREATE_ROOM", name=BREAKS)
        errors = [zed.hears("ERROR")]
        code = ana.creates()
        zed.says("JOIN_ROOM", roomCode=code, name=BREAKS)
        errors.append(zed.hears("ERROR"))
        zed.says("JOIN_ROOM", roomCode=code, name="Zoe")
        members = zed.hears("ROOM_JOINED")["room"]["members"]
        for player in (ana, zed):
            player.socket.close()
    assert [member["name"] for member in members] == ["Ana", "Zoe"]
    assert {(error["code"], error["statusCode"]) for error in errors} == {("INTERNAL_ERROR", 500)}
    assert "bad words" not in str(errors), "the client is told what broke inside"
    for error in errors:
        assert sum(error["details"]["reference"] in line for line in server.lines) == 1
    assert server.log.count("Traceback") == 2


class Broken(Parlour):
    """A game whose figures break for as long as ``breaks``."""

    breaks = True

    def figures(self) -> tuple[Figure, ...]:
        if self.breaks:
            raise ZeroDivisionError("no rooms to divide by")
        return super().figures()


def samples(runtime: Runtime) -> set[str]:
    """The names of one scrape."""
    families = text_string_to_metric_families(exposition(runtime).decode())
    return {sample.name for family in families for sample in family.samples}


def test_a_game_that_breaks_over_its_figures_leaves_the_gateways_own(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """A scrape every 15 s logs one line for as long as it lasts, and a new one when it begins again."""
    games: list[Broken] = []

    def make_game(sockets: Sockets, clock: Clock) -> Broken:
        games.append(Broken(sockets, clock))
        return games[0]

    runtime = Runtime(make_game, conf.build({}), VirtualClock())
    (game,) = games
    with caplog.at_level(logging.ERROR):
        for _ in range(3):
            assert "gateway_sockets" in samples(runtime)
            assert "parlour_seats" not in samples(runtime)
        assert len(caplog.records) == 1
        game.breaks = False
        assert "parlour_seats" in samples(runtime)
        game.breaks = True
        samples(runtime)
    assert len(caplog.records) == 2
