"""Rooms of one process in the next, on a virtual clock: rounds, the last round, what is restored (spec 2.3).

Two processes are two `Site`s with one store between them. The writer's thread is tested alone.
"""

import logging
import threading
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.test import override_settings

from gateway import conf
from gateway.admission import Attempt, parse_query
from gateway.core import closing
from gateway.runtime import Runtime
from gateway.testing import RecordingPort, VirtualClock
from rooms import conf as rooms_conf
from rooms.core import snapshot
from rooms.core.recording import Recorder
from rooms.core.saving import QUIET_S, ROUND_S, STAMP_S
from rooms.service import QuizGame
from rooms.snapshots import Store
from rooms.snapshots.files import FileStore
from rooms.snapshots.keeper import LAST_ROOMS_A_TURN, LAST_ROUND_S, ROOMS_A_TURN, Keeper, keeper
from rooms.snapshots.writer import Counts, Writer
from tests.rooms.test_recorder import AMPLE
from tests.rooms.test_service import Site, Tab, answer_heartbeats, ticket

MAX_AGE_S = 600.0
Snapshot = tuple[bytes, Mapping[str, bytes]]


class MemoryStore:
    """A store that outlives a process; ``trouble`` is what it raises."""

    name = "memory"

    def __init__(self) -> None:
        self.kept: Snapshot | None = None
        self.aside: Snapshot | None = None
        self.rounds = 0
        self.trouble: Exception | None = None

    def read(self) -> Snapshot | None:
        if self.trouble is not None:
            raise self.trouble
        return self.kept

    def write(self, head: bytes, rooms: Mapping[str, bytes]) -> None:
        if self.trouble is not None:
            raise self.trouble
        self.rounds += 1
        self.kept = (head, dict(rooms)) if rooms else None

    def set_aside(self) -> str:
        self.aside, self.kept = self.kept, None
        return "memory aside"


class Hand:
    """A writer that writes when a test lets it, or at once."""

    def __init__(self, store: Store, at_once: bool = True) -> None:
        self.counts = Counts()
        self.failing = False
        self.at_once = at_once
        self._store = store
        self._round: Snapshot | None = None

    @property
    def busy(self) -> bool:
        return self._round is not None

    def write(self, head: bytes, rooms: Mapping[str, bytes]) -> None:
        assert not self.busy, "two rounds at once"
        self._round = head, rooms
        if self.at_once:
            self.finish()

    def finish(self) -> None:
        assert self._round is not None
        try:
            self._store.write(*self._round)
            self.failing = False
            self.counts.written += 1
        except OSError:
            self.failing = True
            self.counts.failures += 1
        self._round = None


class Process(Site):
    """A site whose rooms are kept. ``wall`` is the time of day."""

    def __init__(self, store: MemoryStore, now: float = 1000.0, wall: float = 1.7e9) -> None:
        self.clock = VirtualClock(now)
        self.wall = wall
        self.store = store
        self.hand = Hand(store)
        self.recorder = Recorder(AMPLE)
        self.keeper = Keeper(store, self.clock, MAX_AGE_S, self.hand, lambda: self.wall)
        make_game = partial(QuizGame, recorder=self.recorder, keeper=self.keeper)
        self.runtime = Runtime(make_game, conf.build({"SESSION_CAP": 50, "IP_CAP": 500}), self.clock)
        self.runtime.start()
        self.drained = False

    @property
    def game(self) -> QuizGame:
        assert isinstance(self.runtime.game, QuizGame)
        return self.runtime.game

    def passes(self, seconds: float, *tabs: Tab) -> None:
        for _ in range(int(seconds * 2)):
            self.clock.advance(0.5)
            for tab in tabs:
                answer_heartbeats(tab)

    def drains(self) -> None:
        self.runtime.drain(self._done)

    def _done(self) -> None:
        assert not self.drained, "told twice"
        self.drained = True


@pytest.fixture
def store() -> MemoryStore:
    return MemoryStore()


@pytest.fixture
def first(store: MemoryStore) -> Process:
    return Process(store)


def question(tab: Tab, site: Process) -> dict[str, Any]:
    """The tab's host starts; the question."""
    tab.says("START_GAME")
    site.clock.advance(3.2)
    return tab.last("NEW_QUESTION")


def answers(tab: Tab, asked: dict[str, Any]) -> None:
    tab.says("SUBMIT_ANSWER", questionId=asked["questionId"], choices=[asked["choices"][0]["id"]])


def saved_rooms(store: MemoryStore) -> int:
    return len(store.kept[1]) if store.kept is not None else 0


# ---------- rounds


def test_a_new_room_is_saved_in_the_next_round(store: MemoryStore, first: Process) -> None:
    """And nothing is written while there is none."""
    first.clock.advance(60)
    assert store.rounds == 0
    first.opens().creates()
    first.clock.advance(ROUND_S)
    assert saved_rooms(store) == 1


def test_a_crash_in_a_game_loses_no_answer_that_a_round_has_seen(store: MemoryStore, first: Process) -> None:
    """Kill -9: no goodbye. The player is told what counted, and gives the lost answer again."""
    ana, ben = first.opens("a"), first.opens("b")
    joined = ana.creates()
    code = joined["room"]["roomCode"]
    other = ben.says("JOIN_ROOM", roomCode=code, name="Ben").last("ROOM_JOINED")
    asked = question(ana, first)
    answers(ana, asked)
    first.clock.advance(ROUND_S)
    ben.says("SEND_REACTION", reaction="heart")
    second = Process(store, now=40.0)
    back = second.opens("a", ticket(joined))
    assert back.last("ROOM_STATE")["you"]["answered"]["questionId"] == asked["questionId"]
    answers(back, asked)
    assert back.last("ERROR")["code"] == "ALREADY_ANSWERED"
    again = second.opens("b", ticket(other))
    assert "answered" not in again.last("ROOM_STATE")["you"]
    answers(again, asked)
    assert again.last("ANSWER_ACCEPTED")["questionId"] == asked["questionId"]


def test_what_is_left_of_a_question_goes_on_although_nothing_happens(
    store: MemoryStore, first: Process
) -> None:
    """The room is not packed again; the head says until when it is good."""
    ana = first.opens()
    joined = ana.creates(secondsPerQuestion=30)
    question(ana, first)
    first.passes(12, ana)
    second = Process(store, now=9.0)
    left = second.opens(query=ticket(joined)).last("ROOM_STATE")["room"]["question"]["remainingMs"]
    assert 30_000 - 12_200 <= left <= 30_000 - 12_200 + ROUND_S * 1000


def test_a_lobby_is_written_when_it_changes_and_once_a_minute(store: MemoryStore, first: Process) -> None:
    """At most every 10 s for what happens in it."""
    ana = first.opens()
    ana.creates()
    first.passes(2, ana)
    before = store.rounds
    for _ in range(int(QUIET_S)):
        ana.says("SEND_REACTION", reaction="heart")
        first.passes(1, ana)
    assert store.rounds - before <= 1
    first.passes(QUIET_S * 2, ana)
    before = store.rounds
    first.passes(STAMP_S * 3, ana)
    assert 2 <= store.rounds - before <= 4


def test_a_room_that_is_over_is_not_kept(store: MemoryStore, first: Process) -> None:
    """With the last one nothing is."""
    ana, ben = first.opens("a"), first.opens("b")
    ana.creates()
    ben.creates()
    first.clock.advance(ROUND_S)
    assert saved_rooms(store) == 2
    ana.says("LEAVE_ROOM")
    first.clock.advance(ROUND_S)
    assert saved_rooms(store) == 1
    ben.says("LEAVE_ROOM")
    first.clock.advance(ROUND_S)
    assert store.kept is None


def test_many_rooms_are_packed_a_few_a_turn(store: MemoryStore, first: Process) -> None:
    """So that frames do not wait for all of them; the round is written when the last one is packed."""
    turns: list[float] = []
    later = first.clock.call_later

    def watched(delay: float, call: Callable[[], None]) -> Any:
        turns.append(delay)
        return later(delay, call)

    for number in range(ROOMS_A_TURN * 3):
        first.opens(f"s{number}").creates()
    first.clock.call_later = watched  # type: ignore[method-assign]
    first.clock.advance(ROUND_S)
    assert turns.count(0.0) == 2
    assert (saved_rooms(store), store.rounds) == (ROOMS_A_TURN * 3, 1)


def test_a_store_that_is_slow_is_not_handed_a_second_round(store: MemoryStore, first: Process) -> None:
    """What happened meanwhile is in the round after."""
    first.hand.at_once = False
    ana = first.opens("a")
    ana.creates()
    first.clock.advance(ROUND_S)
    first.opens("b").creates()
    first.clock.advance(ROUND_S * 4)
    first.hand.finish()
    assert saved_rooms(store) == 1
    first.clock.advance(ROUND_S)
    first.hand.finish()
    assert saved_rooms(store) == 2


def test_a_round_that_failed_is_tried_again_although_nothing_changed(
    store: MemoryStore, first: Process
) -> None:
    """The disk is full for a while: the game goes on, and is saved as soon as that works."""
    ana = first.opens()
    ana.creates()
    store.trouble = OSError("No space left on device")
    first.passes(3, ana)
    store.trouble = None
    first.clock.advance(ROUND_S)
    assert saved_rooms(store) == 1


# ---------- the last round


def test_a_planned_stop_saves_every_room_as_it_is_then(store: MemoryStore, first: Process) -> None:
    """Also what the rounds had not seen: nothing at all is lost."""
    ana, ben = first.opens("a"), first.opens("b")
    joined = ana.creates()
    asked = question(ana, first)
    ben.creates()
    answers(ana, asked)
    first.drains()
    first.clock.advance(0.1)
    assert first.drained
    assert ana.port.closed is not None
    assert ana.port.closed.code == closing.SERVICE_RESTART.code
    second = Process(store)
    assert len(second.game.lobby.rooms) == 2
    back = second.opens("a", ticket(joined))
    assert back.last("ROOM_STATE")["room"]["phase"] == "results"
    answers(back, asked)
    assert back.last("ERROR")["code"] == "ALREADY_ANSWERED"


def test_the_last_round_takes_a_few_rooms_a_turn(store: MemoryStore, first: Process) -> None:
    """Others wait no longer for a full process that stops than for one room; nothing is written half."""
    for number in range(LAST_ROOMS_A_TURN + 1):
        first.opens(f"a{number}").creates()
    first.drains()
    assert not first.drained
    assert store.rounds == 0
    first.clock.advance(0.1)
    assert first.drained
    assert len(Process(store).game.lobby.rooms) == LAST_ROOMS_A_TURN + 1


def test_rooms_stand_still_after_the_last_round(store: MemoryStore, first: Process) -> None:
    """The process may live on for seconds: what happens in it now happens again in the next one."""
    ana = first.opens("a")
    ana.creates(secondsPerQuestion=10)
    question(ana, first)
    first.drains()
    first.clock.advance(0.1)
    before = store.kept
    ana.gone(closing.SERVICE_RESTART)
    first.clock.advance(60)
    assert store.kept == before
    (room,) = first.game.lobby.rooms.values()
    assert room.phase.value == "question"


def test_sockets_are_ended_some_at_a_time(first: Process) -> None:
    """A loop that ends thousands in one turn answers nobody meanwhile, nor do the close frames leave."""
    tabs = [first.opens(f"s{number}") for number in range(250)]
    first.drains()
    closed = []
    for _ in range(3):
        closed.append(sum(tab.port.closed is not None for tab in tabs))
        first.clock.advance(0.02)
    assert closed == [100, 200, 250]


def test_a_handshake_that_completes_while_the_process_drains_gets_the_same_goodbye(first: Process) -> None:
    """It was admitted before: it is closed 1012 as soon as it is open, and the game never hears of it."""
    attempt = Attempt("late", "session:late", "203.0.113.9", "Firefox", parse_query(""))
    admission: Any = first.runtime.admit(attempt)
    first.drains()
    port = RecordingPort()
    socket = first.runtime.accept(admission, port)
    first.runtime.open(admission, socket)
    assert port.closed is not None
    assert port.closed.code == 1012
    assert port.sent == []


def test_a_store_that_hangs_does_not_hold_up_the_stop(
    store: MemoryStore, first: Process, caplog: pytest.LogCaptureFixture
) -> None:
    """After some seconds the process goes all the same, and says what that costs."""
    first.opens().creates()
    first.hand.at_once = False
    first.drains()
    first.clock.advance(LAST_ROUND_S - 0.1)
    assert not first.drained
    first.clock.advance(0.2)
    assert first.drained
    assert "live rooms were not saved in time to memory" in caplog.text


def test_a_round_on_its_way_is_waited_for_and_does_not_win(store: MemoryStore, first: Process) -> None:
    """The last round comes after it, whole."""
    ana = first.opens()
    joined = ana.creates()
    first.hand.at_once = False
    first.clock.advance(ROUND_S)
    asked = question(ana, first)
    first.hand.finish()
    first.clock.advance(ROUND_S)
    answers(ana, asked)
    first.drains()
    first.clock.advance(0.1)
    assert first.hand.busy
    assert not first.drained
    first.hand.at_once = True
    first.hand.finish()
    first.clock.advance(0.1)
    assert first.drained
    back = Process(store).opens(query=ticket(joined))
    answers(back, asked)
    assert back.last("ERROR")["code"] == "ALREADY_ANSWERED"


def test_without_a_keeper_rooms_end_with_the_process() -> None:
    """A stop is a stop, at once."""
    site = Site()
    site.opens().creates()
    site.runtime.start()
    told: list[bool] = []
    site.runtime.drain(lambda: told.append(True))
    assert told == [True]


# ---------- what is restored


def test_a_restored_room_is_found_by_its_code_and_runs_its_clock(store: MemoryStore, first: Process) -> None:
    """It is a room like any other: its alarm is set, people may join, its game comes to its end."""
    ana = first.opens("a")
    joined = ana.creates(questionCount=1, secondsPerQuestion=10)
    question(ana, first)
    first.drains()
    first.clock.advance(0.1)
    second = Process(store, now=5.0)
    back = second.opens("a", ticket(joined))
    ben = second.opens("b").says("JOIN_ROOM", roomCode=joined["room"]["roomCode"], name="Ben")
    assert ben.last("ROOM_JOINED")["you"]["waits"] is True
    second.passes(20, back, ben)
    assert back.last("GAME_FINISHED")["leaderboard"]


def test_rooms_that_are_restored_are_saved_again(store: MemoryStore, first: Process) -> None:
    """A crash right after a restart loses nothing of what the restart brought."""
    first.opens("a").creates()
    first.drains()
    first.clock.advance(0.1)
    second = Process(store, now=5.0)
    second.clock.advance(ROUND_S)
    assert store.rounds == 2
    assert len(Process(store).game.lobby.rooms) == 1


def test_a_recording_goes_on_after_a_planned_restart_and_begins_anew_after_a_crash(
    store: MemoryStore, first: Process
) -> None:
    """The debugger shows one story; periodic rounds carry no recordings, for they would cost too much."""
    ana = first.opens("a")
    room_id = ana.creates()["room"]["roomId"]
    first.passes(12, ana)
    crashed = Process(store)
    tape = crashed.recorder.take(room_id)
    assert tape is not None
    assert tape.began == crashed.clock.now()
    first.drains()
    first.clock.advance(0.1)
    second = Process(store)
    tape = second.recorder.take(room_id)
    assert tape is not None
    assert second.clock.now() - tape.began > 11


def test_a_game_that_ends_in_both_processes_has_one_id(store: MemoryStore) -> None:
    """A crash after the podium and before the next round: the record is stored once, by its id
    (`tests.rooms.test_records`).
    """
    ids: list[str] = []

    class Ids:
        def keep(self, report: Any) -> None:
            ids.append(report.game_id)

    def with_archive(now: float) -> Process:
        site = Process(store, now)
        site.game._keeping.archive = Ids()  # type: ignore[assignment]
        return site

    first = with_archive(1000.0)
    ana = first.opens("a")
    joined = ana.creates(questionCount=1)
    answers(ana, question(ana, first))
    first.clock.advance(ROUND_S)
    kept = store.kept
    ana.says("NEXT_QUESTION")
    assert len(ids) == 1
    store.kept = kept
    second = with_archive(7.0)
    second.opens("a", ticket(joined)).says("NEXT_QUESTION")
    assert len(ids) == 2
    assert len(set(ids)) == 1


def test_an_unknown_version_is_refused_by_name_and_set_aside(
    store: MemoryStore, first: Process, caplog: pytest.LogCaptureFixture
) -> None:
    """The site starts without rooms; the rounds do not write over what another version may want."""
    first.opens().creates()
    first.clock.advance(ROUND_S)
    assert store.kept is not None
    other = b"\x81\xa7version\x63"  # {"version": 99}
    store.kept = (other, store.kept[1])
    second = Process(store)
    assert second.game.lobby.rooms == {}
    assert (
        "saved rooms are refused: memory: it has version 99, and this program reads version "
        f"{snapshot.VERSION}; kept as memory aside" in caplog.text
    )
    second.opens().creates()
    second.clock.advance(ROUND_S)
    assert store.aside is not None
    assert store.aside[0] == other


def test_rooms_that_are_too_old_are_not_restored_and_go(
    store: MemoryStore, first: Process, caplog: pytest.LogCaptureFixture
) -> None:
    """By the time of day: the site was off for longer than the setting says."""
    first.opens().creates()
    first.clock.advance(ROUND_S)
    late = Process(store, wall=first.wall + MAX_AGE_S + 1)
    assert late.game.lobby.rooms == {}
    assert store.kept is None
    assert "saved rooms are too old: memory is of 601 s ago" in caplog.text


@pytest.mark.parametrize("step", [MAX_AGE_S - 1, -3600.0])
def test_rooms_that_are_young_or_from_the_future_are_restored(
    store: MemoryStore, first: Process, step: float
) -> None:
    """A clock that was set back by an hour makes nobody older."""
    first.opens().creates()
    first.clock.advance(ROUND_S)
    assert len(Process(store, wall=first.wall + step).game.lobby.rooms) == 1


def test_one_damaged_room_costs_no_other(
    store: MemoryStore, first: Process, caplog: pytest.LogCaptureFixture
) -> None:
    """It is named in the log."""
    for name in ("a", "b"):
        first.opens(name).creates()
    first.clock.advance(ROUND_S)
    assert store.kept is not None
    head, rooms = store.kept
    broken = next(iter(rooms))
    store.kept = (head, {**rooms, broken: b"\xc1"})
    second = Process(store)
    assert list(second.game.lobby.rooms) == [room_id for room_id in rooms if room_id != broken]
    assert "a saved room is lost" in caplog.text


def test_a_store_that_cannot_be_read_does_not_keep_the_site_from_starting(
    store: MemoryStore, caplog: pytest.LogCaptureFixture
) -> None:
    """Redis is away: the log says so, and people may open new rooms."""
    store.trouble = OSError("Connection refused")
    site = Process(store)
    assert "saved rooms can't be read from memory" in caplog.text
    store.trouble = None
    assert site.opens().creates()


# ---------- the writer's thread


class Gated:
    """A store whose writes wait at a gate, and fail while ``trouble`` is set."""

    name = "gated"

    def __init__(self) -> None:
        self.gate = threading.Event()
        self.gate.set()
        self.written: list[Snapshot] = []
        self.done = threading.Semaphore(0)
        self.trouble: Exception | None = None

    def read(self) -> Snapshot | None:
        return None

    def write(self, head: bytes, rooms: Mapping[str, bytes]) -> None:
        assert self.gate.wait(5)
        try:
            if self.trouble is not None:
                raise self.trouble
            self.written.append((head, rooms))
        finally:
            self.done.release()

    def set_aside(self) -> str:
        return ""


def write(writer: Writer, store: Gated, head: bytes) -> None:
    """One round, from hand-over to end."""
    writer.write(head, {})
    assert store.done.acquire(timeout=5)
    idle(writer)


def idle(writer: Writer) -> None:
    for _ in range(5000):
        if not writer.busy:
            return
        threading.Event().wait(0.001)
    raise AssertionError("the writer does not finish")


def test_the_loop_does_not_wait_for_a_write() -> None:
    """Handing over is all it does; the thread is busy until the round is safe."""
    store = Gated()
    store.gate.clear()
    writer = Writer(store)
    writer.write(b"1", {})
    assert writer.busy
    assert store.written == []
    store.gate.set()
    idle(writer)
    assert store.written == [(b"1", {})]


def test_trouble_is_logged_once_when_it_begins_and_once_when_it_ends(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """A disk that is full for an hour must not fill the log as well."""
    caplog.set_level(logging.INFO, "rooms.snapshots")
    store = Gated()
    writer = Writer(store)
    store.trouble = OSError("No space left on device")
    for head in (b"1", b"2", b"3"):
        write(writer, store, head)
    assert writer.failing
    store.trouble = None
    for head in (b"4", b"5"):
        write(writer, store, head)
    store.trouble = OSError("again")
    write(writer, store, b"6")
    assert [record.getMessage() for record in caplog.records] == [
        "live rooms can't be saved to gated: No space left on device",
        "live rooms are saved again to gated",
        "live rooms can't be saved to gated: again",
    ]
    assert (writer.counts.written, writer.counts.failures) == (2, 4)


# ---------- the settings


@override_settings(ROOMS={"SNAPSHOT_STORE": None})
def test_without_a_store_there_is_no_keeper() -> None:
    """Rooms end with their process."""
    assert keeper(VirtualClock()) is None


def test_the_store_of_the_settings_is_used(tmp_path: Any) -> None:
    """A folder, in which each database has its own file."""
    with override_settings(ROOMS={"SNAPSHOT_STORE": f"file:{tmp_path}"}):
        made = keeper(VirtualClock())
    assert made is not None
    assert isinstance(made._store, FileStore)
    assert made._store.name.startswith(f"{tmp_path}/rooms-")


@pytest.mark.parametrize("value", ["", "s3://bucket", "/var/lib/halyard"])
def test_a_store_that_is_none_is_refused_with_what_to_write(value: str) -> None:
    """Before anything is served."""
    (fault,) = rooms_conf.faults({"SNAPSHOT_STORE": value})
    assert str(fault) == f"ROOMS['SNAPSHOT_STORE']: {value!r} names no store."
    assert fault.hint.startswith("Write one that begins with file:, redis://")
    with override_settings(ROOMS={"SNAPSHOT_STORE": value}), pytest.raises(ImproperlyConfigured):
        keeper(VirtualClock())


def test_rooms_can_not_expire_before_they_are_written_again() -> None:
    """A quiet site writes once a minute."""
    assert rooms_conf.faults({"SNAPSHOT_MAX_AGE_S": int(STAMP_S * 2)}) == []
    assert len(rooms_conf.faults({"SNAPSHOT_MAX_AGE_S": int(STAMP_S * 2) - 1})) == 1
