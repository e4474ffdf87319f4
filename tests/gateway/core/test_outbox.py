"""The outbox: order, replacement, pacing, pressure and the cap of spec 1.5."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.contract import FrameClass
from gateway.core.outbox import WRITE_THROUGH_BYTES, Flushed, OutboundPolicy, Outbox, Waiting
from tests.gateway.core.vocabulary import TICK, reloaded

CRITICAL, COALESCABLE, DROPPABLE = FrameClass.CRITICAL, FrameClass.COALESCABLE, FrameClass.DROPPABLE
POLICY = OutboundPolicy()
FULL = WRITE_THROUGH_BYTES
NOTHING = Flushed()


def critical(payload: bytes) -> Waiting:
    """A frame that must arrive."""
    return Waiting(payload, CRITICAL, None)


def latest(payload: bytes, key: str | None = "MEMBERS") -> Waiting:
    """A frame of which only the newest matters."""
    return Waiting(payload, COALESCABLE, key)


def trifle(payload: bytes = b"clap") -> Waiting:
    """A frame that nobody misses."""
    return Waiting(payload, DROPPABLE, None)


def outbox(now: float = 0.0) -> Outbox:
    """An outbox with nothing in it, and the numbers of the spec."""
    return Outbox.fresh(POLICY, now)


def blocked() -> Outbox:
    """An outbox whose transport is full, with one frame waiting."""
    box = outbox()
    box.push(critical(b"first"), FULL, 0.0)
    return box


def exhausted() -> Outbox:
    """An outbox whose pacing has no token left."""
    box = outbox()
    for _ in range(120):
        assert box.push(trifle(), 0, 0.0) == Flushed((b"clap",))
    return box


def test_the_numbers_are_the_specs() -> None:
    """256 KiB of pressure, 1 MiB of cap, 60 a second with a burst of 120."""
    assert OutboundPolicy(256 * 1024, 1024 * 1024, 60.0, 120.0) == POLICY
    assert WRITE_THROUGH_BYTES == 64 * 1024


@pytest.mark.parametrize("frame", [critical(b"x"), latest(b"x"), trifle(b"x")])
def test_a_frame_is_written_at_once_while_the_transport_takes_it(frame: Waiting) -> None:
    """The common case leaves nothing behind."""
    box = outbox()
    assert box.push(frame, FULL - 1, 0.0) == Flushed((b"x",))
    assert (box.waiting, box.waiting_bytes, box.deadline()) == ([], 0, None)


@pytest.mark.parametrize("frame", [critical(b"x"), latest(b"x"), trifle(b"x")])
def test_a_frame_waits_while_the_transport_is_full_and_goes_when_it_has_drained(frame: Waiting) -> None:
    """Here it can still be replaced; in the kernel's buffer it can't."""
    box = outbox()
    assert box.push(frame, FULL, 0.0) == NOTHING
    assert (box.waiting, box.waiting_bytes) == ([frame], 1)
    assert box.push(critical(b"yy"), 0, 0.0) == NOTHING
    assert box.waiting_bytes == 3
    assert box.drained() == Flushed((b"x", b"yy"))
    assert (box.waiting, box.waiting_bytes) == ([], 0)
    assert box.push(critical(b"z"), 0, 0.0) == Flushed((b"z",))


def test_a_drain_of_nothing_writes_nothing() -> None:
    """Transports call back whenever their buffer is empty."""
    assert outbox().drained() == NOTHING


# ---------- the cap


@pytest.mark.parametrize("frame", [critical(b"x"), latest(b"x"), trifle(b"x")])
def test_above_one_mebibyte_the_socket_must_go(frame: Waiting) -> None:
    """Compared before the frame is accepted: what was there already counts, the new frame does not."""
    assert outbox().push(frame, 1024 * 1024 + 1, 0.0) is None
    assert outbox().push(critical(b"x" * 2**21), 1024 * 1024, 0.0) == NOTHING


def test_own_queue_and_transport_are_counted_together() -> None:
    """Bytes not yet taken by the kernel, wherever they wait."""
    box = outbox()
    box.push(critical(b"x" * 600_000), FULL, 0.0)
    assert box.push(critical(b"y"), 1024 * 1024 - 600_000, 0.0) == NOTHING
    assert box.push(critical(b"z"), 1024 * 1024 - 600_000, 0.0) is None


def test_a_socket_over_its_cap_keeps_its_queue_as_it_was() -> None:
    """Refused is not accepted in part."""
    box = blocked()
    before = reloaded(box)
    assert box.push(latest(b"x"), 1024 * 1024, 0.0) is None
    assert box == before


# ---------- replacement


def test_a_newer_frame_replaces_the_waiting_one_of_its_key() -> None:
    """And takes the last place: it says nothing about frames that were sent after the old one."""
    box = blocked()
    for frame in (latest(b"old"), critical(b"second"), latest(b"new")):
        box.push(frame, FULL, 0.0)
    assert box.drained() == Flushed((b"first", b"second", b"new"), resync=True)
    assert (box.replaced, box.waiting_bytes) == (1, 0)


@pytest.mark.parametrize(
    "other", [latest(b"other", "ROOM_SETTINGS"), critical(b"other"), Waiting(b"other", CRITICAL, "MEMBERS")]
)
def test_a_frame_replaces_only_what_is_coalescable_and_of_its_key(other: Waiting) -> None:
    """Keys keep the roster and the settings apart; a critical frame is never replaced, whatever its key."""
    box = blocked()
    box.push(other, FULL, 0.0)
    box.push(latest(b"mine"), FULL, 0.0)
    assert box.drained() == Flushed((b"first", b"other", b"mine"))


def test_frames_without_a_key_replace_nothing() -> None:
    """No key is not a common key."""
    box = blocked()
    box.push(latest(b"one", None), FULL, 0.0)
    box.push(latest(b"two", None), FULL, 0.0)
    assert box.drained() == Flushed((b"first", b"one", b"two"))


def test_a_loss_is_told_once_when_the_socket_has_drained() -> None:
    """A client whose roster deltas were replaced gets a fresh state, and only one."""
    box = blocked()
    for payload in (b"1", b"2", b"3"):
        box.push(latest(payload), FULL, 0.0)
    assert box.drained().resync
    assert not box.drained().resync
    box.push(critical(b"x"), FULL, 0.0)
    assert not box.drained().resync


def test_a_dropped_trifle_is_no_loss() -> None:
    """Nobody needs a fresh state for a missed clap."""
    box = blocked()
    box.push(trifle(), 300_000, 0.0)
    assert box.dropped == 1
    assert not box.drained().resync


# ---------- pressure and pacing


@pytest.mark.parametrize(("buffered", "kept"), [(262_144 - 5, True), (262_144 - 4, False)])
def test_above_256_kib_trifles_are_dropped(buffered: int, kept: bool) -> None:
    """First to go; critical and coalescable frames go on to the cap."""
    box = blocked()
    assert box.push(trifle(b"clap!"), buffered, 0.0) == NOTHING
    assert (len(box.waiting) == 2, box.dropped == 0) == (kept, kept)
    box.push(latest(b"m"), 300_000, 0.0)
    box.push(critical(b"c"), 300_000, 0.0)
    assert box.drained().payloads[-2:] == (b"m", b"c")


def test_pressure_costs_no_token() -> None:
    """What is dropped for its bytes is not charged for its rate."""
    box = blocked()
    box.push(trifle(), 300_000, 0.0)
    assert box.pace.level(0.0) == 120


def test_trifles_over_the_rate_are_dropped() -> None:
    """120 at once, then 60 a second."""
    box = exhausted()
    assert box.push(trifle(), 0, 0.0) == NOTHING
    assert box.dropped == 1
    assert [box.push(trifle(), 0, 1.0) for _ in range(100)].count(Flushed((b"clap",))) == 60


def test_trifles_are_paced_while_the_transport_is_full_too() -> None:
    """A slow socket is no way round the rate."""
    box = blocked()
    for _ in range(200):
        box.push(trifle(), FULL, 0.0)
    assert (len(box.waiting), box.dropped) == (121, 80)


def test_critical_frames_are_never_paced() -> None:
    """Everything that is not named in the spec's list."""
    box = exhausted()
    assert all(box.push(critical(b"x"), 0, 0.0) == Flushed((b"x",)) for _ in range(500))
    assert box.pace.level(0.0) == 0


def test_a_coalescable_frame_over_the_rate_is_held_for_its_token() -> None:
    """It is not dropped: it waits, replaceable, until the deadline says so."""
    box = exhausted()
    assert box.push(latest(b"old"), 0, 0.0) == NOTHING
    assert box.deadline() == 0.017
    assert box.push(latest(b"new"), 0, 0.008) == NOTHING
    assert box.wake(0.016) == NOTHING
    assert box.wake(0.017) == Flushed((b"new",), resync=True)
    assert (box.deadline(), box.wake(99.0)) == (None, NOTHING)


def test_held_frames_of_different_keys_share_a_token() -> None:
    """They are few, one a key, and in order."""
    box = exhausted()
    box.push(latest(b"a", "A"), 0, 0.0)
    box.push(latest(b"b", "B"), 0, 0.008)
    assert box.deadline() == pytest.approx(0.017)
    assert box.wake(0.017) == Flushed((b"a", b"b"))


def test_a_held_frame_is_not_overtaken() -> None:
    """A critical frame pushes it out first, else a client would read news before what they change."""
    box = exhausted()
    box.push(latest(b"held"), 0, 0.0)
    assert box.push(critical(b"now"), 0, 0.0) == Flushed((b"held", b"now"))
    assert box.deadline() is None


def test_a_trifle_with_a_token_takes_the_held_frames_along() -> None:
    """Its token can't be taken from the frame that waits for one."""
    box = exhausted()
    box.push(latest(b"held"), 0, 0.0)
    assert box.push(trifle(), 0, 0.5) == Flushed((b"held", b"clap"))


def test_a_frame_whose_token_has_come_replaces_the_held_one_and_the_loss_is_told() -> None:
    """The only waiting frame was replaced: nothing waits, but the client has missed one."""
    box = exhausted()
    box.push(latest(b"old"), 0, 0.0)
    assert box.push(latest(b"new"), 0, 1.0) == Flushed((b"new",), resync=True)
    assert (box.deadline(), box.lost) == (None, False)


def test_a_frame_that_is_let_through_would_have_changed_nothing() -> None:
    """So a broadcast may ask first, and spare itself the rest."""
    box = outbox()
    assert box.lets_through(CRITICAL, FULL - 1)
    assert box.push(critical(b"a"), FULL - 1, 0.0) == Flushed((b"a",))
    assert box == outbox()


@pytest.mark.parametrize("frame_class", [COALESCABLE, DROPPABLE])
def test_frames_that_cost_a_token_are_not_let_through(frame_class: FrameClass) -> None:
    """The outbox has to count them."""
    assert not outbox().lets_through(frame_class, 0)


def test_nothing_is_let_through_past_what_waits_or_was_lost() -> None:
    """Not past a full transport, a frame that waits or is held, or a loss that has still to be made good."""
    held, losing = exhausted(), blocked()
    held.push(latest(b"held"), 0, 0.0)
    for payload in (b"old", b"new"):
        losing.push(latest(payload), FULL, 0.0)
    losing.waiting, losing.blocked = [], False
    assert not outbox().lets_through(CRITICAL, FULL)
    assert [box.lets_through(CRITICAL, 0) for box in (blocked(), held, losing)] == [False] * 3


def test_a_full_transport_calls_by_itself() -> None:
    """While it is full there is no deadline, and a wake does nothing, not even take the token."""
    box = exhausted()
    box.push(latest(b"held"), 0, 0.0)
    box.push(critical(b"more"), FULL, 0.0)
    assert (box.deadline(), box.wake(5.0)) == (None, NOTHING)
    assert box.pace.level(5.0) == 120
    assert box.drained() == Flushed((b"held", b"more"))
    assert box.deadline() is None


# ---------- any schedule

FRAMES = st.tuples(
    st.sampled_from([*FrameClass]), st.sampled_from(["A", "B"]), st.sampled_from([1, 900, 40_000, 200_000])
)
STEPS = st.lists(
    st.one_of(FRAMES, st.sampled_from(["drain", "wake", "wait", "reload", "read"])), max_size=120
)


class Reader:
    """A transport and its peer, as an outbox sees them: takes writes, reads now and then, knows losses."""

    def __init__(self, policy: OutboundPolicy) -> None:
        self.box, self.now, self.buffered, self.serial = Outbox.fresh(policy, 0.0), 0.0, 0, 0
        self.pushed: list[tuple[int, Waiting]] = []
        self.read: list[int] = []
        self.was_full = self.closed = self.owes_resync = False
        self.resyncs = 0

    def push(self, frame_class: FrameClass, key: str, size: int) -> None:
        """A frame with a serial number, so that order can be seen."""
        self.serial += 1
        payload = b"%08d" % self.serial + b"x" * size
        frame = Waiting(payload, frame_class, key)
        over = self.buffered + sum(len(waiting.payload) for waiting in self.box.waiting) > 1024 * 1024
        replaced = self.box.replaced
        flushed = self.box.push(frame, self.buffered, self.now)
        assert (flushed is None) == over
        if flushed is None:
            self.closed = True
            return
        self.owes_resync |= self.box.replaced > replaced
        self.pushed.append((self.serial, frame))
        self.take(flushed)

    def take(self, flushed: Flushed) -> None:
        """The transport gets bytes."""
        self.buffered += sum(map(len, flushed.payloads))
        self.was_full |= self.buffered >= WRITE_THROUGH_BYTES
        self.read += [int(payload[:8]) for payload in flushed.payloads]
        assert flushed.resync <= self.owes_resync
        if flushed.payloads:
            assert flushed.resync == self.owes_resync
        self.owes_resync &= not flushed.resync

    def drain(self) -> None:
        """The peer reads all there is."""
        self.buffered = 0
        if self.was_full:
            self.was_full = False
            self.take(self.box.drained())

    def act(self, step: object) -> None:
        """One step of a schedule."""
        match step:
            case "drain":
                self.drain()
            case "read":
                self.buffered //= 2
            case "wake":
                self.now = max(self.now, self.box.deadline() or 0.0)
                self.take(self.box.wake(self.now))
            case "wait":
                self.now += 5 * TICK
            case "reload":
                self.box = reloaded(self.box)
            case (FrameClass() as frame_class, str(key), int(size)):
                self.push(frame_class, key, size)


@given(STEPS, st.sampled_from([POLICY, OutboundPolicy(paced_per_s=10.0, paced_burst=2.0)]))
def test_whatever_happens_nothing_critical_is_lost_or_overtaken_and_the_newest_of_a_key_arrives(
    steps: list[object], policy: OutboundPolicy
) -> None:
    """Any mix of classes, sizes, slow reading, pacing and restores; bytes are accounted for at each step."""
    reader = Reader(policy)
    for step in steps:
        if not reader.closed:
            reader.act(step)
            box = reader.box
            assert box.waiting_bytes == sum(len(frame.payload) for frame in box.waiting)
            keys = [frame.key for frame in box.waiting if frame.frame_class is COALESCABLE]
            assert len(keys) == len(set(keys))
            assert (box.deadline() is None) == (box.blocked or not box.waiting)
    if reader.closed:
        return
    reader.drain()
    reader.act("wake")
    assert reader.box.waiting == []
    assert not reader.owes_resync
    assert reader.read == sorted(set(reader.read))
    arrived, classes = set(reader.read), dict(reader.pushed)
    must = {serial for serial, frame in reader.pushed if frame.frame_class is CRITICAL}
    must |= set(
        {frame.key: serial for serial, frame in reader.pushed if frame.frame_class is COALESCABLE}.values()
    )
    assert must <= arrived
    lost = [classes[serial].frame_class for serial in classes.keys() - arrived]
    assert lost.count(DROPPABLE) == reader.box.dropped
    assert lost.count(COALESCABLE) == reader.box.replaced
