"""The flight recorder: what it keeps of a live room, how much of it, and that a replay is what happened."""

import json
from functools import partial
from typing import Any

import msgspec
import pytest
from django.test import override_settings
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import initialize, invariant

from gateway import conf
from gateway.core.machine import to_state
from gateway.runtime import Runtime
from gateway.testing import VirtualClock
from rooms import conf as rooms_conf
from rooms.core.effects import Effect, Loaded
from rooms.core.questions import Choice, Question
from rooms.core.recording import CHUNKS, Bounds, Recorded, Recorder, replay
from rooms.core.room import Room
from rooms.recorder import recorder
from rooms.service import QuizGame
from tests.rooms.core import kit
from tests.rooms.core.kit import Table
from tests.rooms.core.test_machine import ASKED, Rooms
from tests.rooms.test_service import Site, Tab, answer_heartbeats

AMPLE = Bounds(steps=2000, span_s=300.0, room_bytes=2**20, total_bytes=2**26)


class RecordedTable(Table):
    """A table whose shell tells a recorder, as the quiz's does."""

    def __init__(self, bounds: Bounds = AMPLE, **more: Any) -> None:
        super().__init__(**more)
        self.recorder = Recorder(bounds)

    def create(self, create: Any) -> None:
        super().create(create)
        self.recorder.begin(self.room, self.now)

    def happens(self, event: Any) -> tuple[Effect, ...]:
        if isinstance(event, kit.Left):
            self.dead.add(event.conn_id)
            self.inside.pop(event.conn_id, None)
        effects: tuple[Effect, ...] = self.room.apply(event, self.now)
        self.recorder.note(self.room, event, self.now)
        self._perform(effects)
        return effects

    def after(self, seconds: float) -> None:
        end = self.now + seconds
        while (due := self.room.deadline()) is not None and due <= end:
            self.now = max(self.now, due)
            self._wake()
        self.now = end

    def after_a_stall(self, seconds: float) -> None:
        self.now += seconds
        self._wake()

    def _wake(self) -> None:
        effects = self.room.wake(self.now)
        self.recorder.note(self.room, None, self.now)
        self._perform(effects)

    @property
    def recorded(self) -> Recorded:
        recorded = self.recorder.take(self.room.id)
        assert recorded is not None
        return recorded


def replayed(recorded: Recorded) -> Room:
    """The room after all steps."""
    room = recorded.restore()
    for _ in replay(room, recorded.steps):
        pass
    return room


class RecordedRooms(Rooms):
    """Everything that may happen to a room, on a tape that turns every few steps."""

    @initialize(
        host_plays=st.booleans(),
        auto_advance=st.booleans(),
        max_players=st.integers(2, 6),
        loads=st.booleans(),
    )
    def begin(self, host_plays: bool, auto_advance: bool, max_players: int, loads: bool) -> None:
        """A table with a recorder."""
        bounds = Bounds(steps=40, span_s=60.0, room_bytes=200_000, total_bytes=400_000)
        self.table = RecordedTable(bounds, asked=ASKED, loads=loads, max_players=6)
        self.accepted = set()
        patch = {"host_plays": host_plays, "auto_advance": auto_advance, "max_players": max_players}
        self.table.player("Host", account="host").creates(**patch, streak_bonus=True)

    @invariant()
    def the_replay_is_the_room(self) -> None:
        """In all its values, and the recording is no longer than it may be."""
        assert isinstance(self.table, RecordedTable)
        recorded = self.table.recorded
        room = replayed(recorded)
        assert room == self.table.room
        assert list(room.seats.all()) == list(self.table.room.seats.all())
        assert len(recorded.steps) <= 40


TestRecordedRooms = RecordedRooms.TestCase
TestRecordedRooms.settings = settings(
    max_examples=15, stateful_step_count=100, deadline=None, suppress_health_check=list(HealthCheck)
)


def table(bounds: Bounds = AMPLE) -> RecordedTable:
    """A room with a host and two players."""
    made = RecordedTable(bounds)
    made.ana = made.hosted_by("Ana")
    made.ben, made.cleo = made.joined_by("Ben", "Cleo")
    return made


# ---------- bounds


def test_the_oldest_steps_go_and_the_rest_is_a_whole_story() -> None:
    """However long a room lives, no more is kept than the setting says; at least four fifths of it."""
    busy = table(Bounds(steps=50, span_s=1e6, room_bytes=2**20, total_bytes=2**20))
    for number in range(500):
        busy.ana.reacts()
        assert len(busy.recorded.steps) <= 50, number
    assert len(busy.recorded.steps) >= 40
    assert replayed(busy.recorded) == busy.room


def test_what_is_older_than_the_span_goes() -> None:
    """The whole span is kept, and at most a half more: the chunk that began before it and the last one."""
    slow = table(Bounds(steps=10_000, span_s=100.0, room_bytes=2**20, total_bytes=2**20))
    for _ in range(100):
        slow.after(7.0)
        slow.ana.reacts()
    assert 100.0 <= slow.now - slow.recorded.began <= 150.0
    assert replayed(slow.recorded) == slow.room


def test_a_room_keeps_within_its_bytes() -> None:
    """One chunk is kept in any case; the weight that is counted is that of what is there."""
    bounds = Bounds(steps=100, span_s=1e6, room_bytes=20_000, total_bytes=2**20)
    heavy = table(bounds)
    for _ in range(300):
        heavy.ana.reacts()
    tape = heavy.recorder.tapes["room"]
    assert tape.weight == sum(chunk.weight for chunk in tape.chunks) == heavy.recorder.weight
    assert tape.weight <= bounds.room_bytes
    assert len(tape.chunks) < CHUNKS


def test_heavy_questions_end_their_part_of_the_tape() -> None:
    """A part must not hold more than its share: what came before can go without the rest."""
    room = table().room
    kept = Recorder(Bounds(steps=100, span_s=1e6, room_bytes=20_000, total_bytes=2**20))
    kept.begin(room, 1000.0)
    heavy = Question("q", "?" * 8000, (Choice("a", "A"),), frozenset("a"))
    kept.note(room, Loaded("g", (heavy,)), 1001.0)
    assert len(kept.tapes["room"].chunks) == 2


def rooms_sharing(total_bytes: int, count: int = 20) -> tuple[Recorder, list[Room]]:
    """Rooms that are recorded by one recorder, each with 60 steps."""
    kept = Recorder(Bounds(steps=50, span_s=1e6, room_bytes=2**20, total_bytes=total_bytes))
    rooms = []
    for number in range(count):
        room = table().room
        room.id = f"room{number}"
        rooms.append(room)
        for _ in range(60):
            kept.note(room, None, 2000.0)
    return kept, rooms


def test_all_rooms_together_keep_within_theirs() -> None:
    """Rooms in which nothing happens any more give up their oldest first; none is lost for it."""
    ample, _ = rooms_sharing(2**26)
    total = ample.weight // 2
    kept, rooms = rooms_sharing(total)
    assert kept.weight <= total
    assert len(kept.tapes) == len(rooms)
    assert len(kept.tapes["room0"].chunks) < len(kept.tapes["room19"].chunks)


def test_without_memory_a_room_is_not_recorded_until_there_is_some() -> None:
    """It is played all the same, and its recording begins when another's is over."""
    kept, rooms = rooms_sharing(6_000)
    assert kept.weight <= 6_000 * 2
    left_out = next(room for room in rooms if room.id not in kept.tapes)
    for room_id in list(kept.tapes):
        kept.forget(room_id)
    assert kept.weight == 0
    kept.note(left_out, None, 2000.0)
    assert kept.take(left_out.id) == Recorded(2000.0, kept.tapes[left_out.id].chunks[0].room, (), ())


# ---------- what a recording is


def test_a_recording_that_was_taken_stays_as_it_was() -> None:
    """Neither what happens later nor a replay changes it, and a replay never reaches the live room."""
    there = table()
    there.ana.starts()
    there.after(4.0)
    recorded, before = there.recorded, to_state(there.room)
    first = to_state(replayed(recorded))
    assert to_state(there.room) == before == first
    there.ben.answers("a")
    assert to_state(replayed(recorded)) == first


def test_a_refused_command_is_not_recorded() -> None:
    """It changed nothing, and a replay would stop at it."""
    site, ana = served()
    steps = len(taken(site).steps)
    ana.says("START_GAME")
    started = len(taken(site).steps)
    ana.says("START_GAME")
    assert ana.last("ERROR")["code"] == "INVALID_STATE"
    assert started > steps
    assert len(taken(site).steps) == started


# ---------- in the quiz


def served() -> tuple[Site, Tab]:
    """A site that records, and its host."""
    site = Site()
    site.clock = VirtualClock()
    made = partial(QuizGame, recorder=recorder())
    site.runtime = Runtime(made, conf.build({"SESSION_CAP": 50}), site.clock)
    ana = site.opens("ana")
    ana.creates(questionCount=2, secondsPerQuestion=10)
    return site, ana


def quiz(site: Site) -> QuizGame:
    """The site's quiz."""
    assert isinstance(site.runtime.game, QuizGame)
    return site.runtime.game


def taken(site: Site) -> Recorded:
    """The recording of the only room."""
    game = quiz(site)
    assert game.recorder is not None
    (room_id,) = game.lobby.rooms
    recorded = game.recorder.take(room_id)
    assert recorded is not None
    return recorded


def test_a_served_game_replays_to_the_live_room() -> None:
    """Join, watch, drop, claim, answers, wakes, leave: all that the shell passes on is on the tape."""
    site, ana = served()
    code = ana.last("ROOM_JOINED")["room"]["roomCode"]
    ben = site.opens("ben").says("JOIN_ROOM", roomCode=code, name="Ben")
    site.opens("ana").says("WATCH_ROOM", roomCode=code)
    joined = ben.last("ROOM_JOINED")
    ana.says("START_GAME")
    site.clock.advance(3.1)
    question = ben.last("NEW_QUESTION")
    ben.says("SUBMIT_ANSWER", questionId=question["questionId"], choices=[question["choices"][0]["id"]])
    ben.gone()
    query = f"roomId={joined['room']['roomId']}&playerSeatId={joined['seatId']}"
    ben = site.opens("ben", f"{query}&reconnectToken={joined['reconnectToken']}")
    for _ in range(20):
        site.clock.advance(1)
        answer_heartbeats(ana)
        answer_heartbeats(ben)
    ben.says("LEAVE_ROOM")
    (room,) = quiz(site).lobby.rooms.values()
    live_room = replayed(taken(site))
    assert live_room == room
    assert msgspec.json.encode(live_room) == msgspec.json.encode(room)
    kinds = {type(event).__name__ for _, event in taken(site).steps}
    assert kinds >= {"Join", "Watch", "Begin", "Loaded", "Answer", "Left", "Reattach", "Asked", "NoneType"}


def test_a_recording_holds_no_token() -> None:
    """Only its hash is in a room, and that is what is recorded."""
    site, ana = served()
    token = ana.last("ROOM_JOINED")["reconnectToken"]
    site.opens("ben").says("JOIN_ROOM", roomCode=ana.last("ROOM_JOINED")["room"]["roomCode"], name="Ben")
    recorded = taken(site)
    assert token not in repr(recorded)
    assert token.encode() not in recorded.room
    assert "203.0.113.9" not in json.dumps(to_state(replayed(recorded))) + repr(recorded.steps)


def test_a_room_that_is_over_takes_its_recording_along() -> None:
    """Memory is for live rooms."""
    site, ana = served()
    ana.says("LEAVE_ROOM")
    game = quiz(site)
    assert game.recorder is not None
    assert (game.lobby.rooms, game.recorder.tapes, game.recorder.weight) == ({}, {}, 0)


@override_settings(ROOMS={"RECORDER_STEPS": None})
def test_a_site_may_want_no_recordings() -> None:
    """Then nothing is kept of what people do."""
    assert recorder() is None


@pytest.mark.parametrize(("key", "value"), [("RECORDER_STEPS", 0), ("RECORDER_STEPS", 10_001)])
def test_the_bounds_are_bounded(key: str, value: int) -> None:
    """A tape that takes a minute to replay is no use to anybody."""
    with override_settings(ROOMS={key: value}):
        (fault,) = rooms_conf.faults(rooms_conf.raw_settings())
    assert key in str(fault)
    assert str(value) in str(fault)
