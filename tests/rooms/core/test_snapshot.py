"""Rooms as bytes: nothing of the old process's clock, a version that is checked, a recording that goes on."""

import hashlib
import json

import msgspec
import pytest

from rooms.core import snapshot
from rooms.core.effects import Restored
from rooms.core.recording import Bounds, Recorded, Recorder, replay
from rooms.core.room import Room
from rooms.core.snapshot import Saved, UnknownVersionError, UnreadableError
from tests.rooms.core.kit import START, Table, in_the_first_question
from tests.rooms.core.restarts import REBOOTED, restart
from tests.rooms.test_recorder import AMPLE, RecordedTable

SHAPES = {1: "7e6a55b31426a479", 2: "95884cd20dde7678"}
"""The digest of all that a snapshot holds, by version. A change of shape needs a new version: count
`rooms.core.snapshot.VERSION` up, and write the new digest here. Snapshots of other versions are refused."""


def digest_of_shapes() -> str:
    schemas, components = msgspec.json.schema_components([Saved, snapshot.Played, snapshot.Head])
    # Texts for readers are no part of the shape.
    bare = json.dumps(_without_texts([schemas, components]), sort_keys=True)
    return hashlib.sha256(bare.encode()).hexdigest()[:16]


def _without_texts(schema: object) -> object:
    if isinstance(schema, dict):
        return {
            key: _without_texts(value) for key, value in schema.items() if key not in ("description", "title")
        }
    return [_without_texts(value) for value in schema] if isinstance(schema, list | tuple) else schema


def busy_table(start: float = START) -> Table:
    """A game with everything in it: answers, grades, seats in grace and departed, a pause, waiting news."""
    table = Table()
    table.now = start
    table.ana = table.hosted_by("Ana")
    table.ben, table.cleo = table.joined_by("Ben", "Cleo")
    dora, emil = table.joined_by("Dora", "Emil")
    table.ana.starts()
    table.after(3.5)
    for player in (table.ana, table.ben, table.cleo):
        player.answers("a")
    emil.drops()
    table.after(12)
    assert emil.seat_id in table.room.seats.departed
    table.after(8)
    table.ben.answers("b")
    dora.drops()
    table.ana.reacts()
    return table


def head(now: float) -> snapshot.Head:
    return snapshot.unpack_head(snapshot.pack_head(now, wall=1.7e9))


# ---------- moments


def test_a_snapshot_holds_what_is_left_and_no_moment_of_a_clock() -> None:
    """The same story on two clocks makes the same room: whatever moment a room may have is moved."""
    early, late = busy_table(START), busy_table(START + 65_536.0)
    rooms = [
        msgspec.msgpack.decode(snapshot.Packer().pack(table.room, table.now), type=Saved).room
        for table in (early, late)
    ]
    assert rooms[0] == rooms[1]
    restart(early, 16.0)
    restart(late, 32_768.0)
    rooms = [
        msgspec.msgpack.decode(snapshot.Packer().pack(table.room, table.now), type=Saved).room
        for table in (early, late)
    ]
    assert rooms[0].pause is not None
    assert rooms[0] == rooms[1]


def test_packing_changes_nothing() -> None:
    """It happens between two frames, every moment."""
    table = busy_table()
    before = msgspec.msgpack.encode(table.room)
    snapshot.Packer().pack(table.room, table.now)
    assert msgspec.msgpack.encode(table.room) == before


def test_a_room_comes_back_as_it_was() -> None:
    """Onto the same clock it is the same room in all its values."""
    table = busy_table()
    saved = snapshot.unpack(snapshot.Packer().pack(table.room, table.now), head(table.now), table.now)
    assert saved == Saved(table.now, table.room)
    assert list(saved.room.seats.here) == list(table.room.seats.here)


def test_time_after_the_saving_has_passed() -> None:
    """The head says until when the rooms are good: a lobby that was saved minutes ago is minutes older."""
    table = busy_table()
    saved = snapshot.unpack(snapshot.Packer().pack(table.room, table.now), head(table.now + 2.0), REBOOTED)
    assert saved.at == REBOOTED - 2.0
    assert saved.room.until is not None
    assert saved.room.until - REBOOTED == table.room.until - table.now - 2.0


def test_only_hashes_of_tokens_are_in_it() -> None:
    """What a seat keeps is what the snapshot has; the kit's tokens are their own hashes."""
    table = busy_table()
    data = snapshot.Packer().pack(table.room, table.now)
    assert table.ana.token.encode() in data
    assert b"reconnect" not in data.lower()


# ---------- versions


def test_a_change_of_shape_has_a_new_version() -> None:
    """Else the next deploy would read the bytes of this one as something else."""
    assert digest_of_shapes() == SHAPES[snapshot.VERSION]
    assert max(SHAPES) == snapshot.VERSION


@pytest.mark.parametrize("version", [0, 1, 99])
def test_another_version_is_refused_with_both_numbers(version: int) -> None:
    """Older and newer alike, whatever else its head may hold."""
    other = msgspec.msgpack.encode({"version": version, "what": ["was", "added"]})
    with pytest.raises(UnknownVersionError) as refused:
        snapshot.unpack_head(other)
    assert (
        str(refused.value) == f"it has version {version}, and this program reads version {snapshot.VERSION}"
    )


@pytest.mark.parametrize(
    "data", [b"", b"\xc1", b"nonsense", msgspec.msgpack.encode({"version": snapshot.VERSION})]
)
def test_damaged_bytes_are_no_snapshot(data: bytes) -> None:
    """Half a file, another file."""
    with pytest.raises(UnreadableError, match="it is damaged"):
        snapshot.unpack_head(data)
    with pytest.raises(UnreadableError, match="it is damaged"):
        snapshot.unpack(data, head(0.0), 0.0)


# ---------- recordings


def recorded_restart(table: RecordedTable, bounds: Bounds = AMPLE) -> Recorder:
    """The recording goes along; the recorder of the next process, which has been told of the restart."""
    tape = table.recorded
    data = snapshot.Packer().pack(table.room, table.now, tape)
    saved = snapshot.unpack(data, head(table.now), REBOOTED)
    assert saved.tape is not None
    recorder = Recorder(bounds)
    recorder.go_on(saved.room, saved.tape)
    table.room, table.now = saved.room, REBOOTED
    table.room.apply(Restored(), REBOOTED)
    recorder.note(table.room, Restored(), REBOOTED)
    return recorder


def replayed(recorded: Recorded) -> Room:
    room = recorded.restore()
    for _ in replay(room, recorded.steps):
        pass
    return room


def recorded_table() -> RecordedTable:
    table = in_the_first_question(RecordedTable())
    table.ana.answers("a")
    return table


def test_a_recording_goes_on_over_the_restart() -> None:
    """One story from before to after, on the new clock, and the replay of it is the room."""
    table = recorded_table()
    steps, length = len(table.recorded.steps), table.now - table.recorded.began
    recorder = recorded_restart(table)
    recorded = recorder.take(table.room.id)
    assert recorded is not None
    assert len(recorded.steps) == steps + 1
    assert recorded.steps[-1] == (REBOOTED, Restored())
    assert REBOOTED - recorded.began == pytest.approx(length)
    assert replayed(recorded) == table.room


def test_a_restored_recording_weighs_what_it_is_and_goes_like_any_other() -> None:
    """Its parts are forgotten with the room, and when newer ones need the place."""
    table = recorded_table()
    recorder = recorded_restart(table)
    for number in range(AMPLE.steps * 3):
        table.room.wake(table.now)
        recorder.note(table.room, None, table.now + number)
    kept = recorder.take(table.room.id)
    assert kept is not None
    assert len(kept.steps) <= AMPLE.steps
    recorder.forget(table.room.id)
    assert recorder.weight == 0


@pytest.mark.parametrize("bounds", [Bounds(2000, 300.0, 100, 2**26), Bounds(2000, 300.0, 2**20, 100)])
def test_a_recording_for_which_there_is_no_memory_begins_anew(bounds: Bounds) -> None:
    """The room does not suffer for it."""
    table = recorded_table()
    recorder = recorded_restart(table, bounds)
    recorded = recorder.take(table.room.id)
    assert recorded is not None
    assert recorded.steps == ()
    assert replayed(recorded) == table.room
