"""Close codes: the table of spec 1.7 row by row, and reasons that fit into a close frame."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.core import closing
from gateway.core.closing import By, Ending, Retry, Treatment, clip_reason, ending_of, peer_ending

GRACE, EVICT, REPLACED = Treatment.GRACE, Treatment.EVICT, Treatment.REPLACED

SPEC = [
    (1000, "Seat attached elsewhere", By.SERVER, REPLACED),
    (1000, "User disconnected", By.CLIENT, EVICT),
    (1000, "Disposed", By.CLIENT, EVICT),
    (1001, "", By.CLIENT, EVICT),
    (1005, "", By.NETWORK, GRACE),
    (1006, "", By.NETWORK, GRACE),
    (1008, "Heartbeat rate exceeded", By.SERVER, GRACE),
    (1008, "Rate limit exceeded", By.SERVER, GRACE),
    (1002, "Protocol error", By.SERVER, GRACE),
    (1007, "Invalid UTF-8", By.SERVER, GRACE),
    (1009, "Message too large", By.SERVER, GRACE),
    (1011, "Internal error", By.SERVER, GRACE),
    (1012, "Service restart", By.SERVER, Treatment.KEEP),
    (1013, "Backpressure", By.SERVER, GRACE),
    (4000, "New session opened", By.SERVER, Treatment.SUCCESSOR),
    (4000, "Replacing socket", By.CLIENT, Treatment.SUCCESSOR),
    (4001, "Unauthorized", By.SERVER, EVICT),
    (4002, "Heartbeat timeout", By.SERVER, GRACE),
    (4003, "Invalid seat credentials", By.SERVER, EVICT),
    (4004, "Blocked", By.SERVER, EVICT),
    (4005, "Kicked", By.SERVER, EVICT),
]

NO_RECONNECT = {1000, 4000, 4001, 4004, 4005}


@pytest.mark.parametrize(("code", "reason", "by", "treatment"), SPEC)
def test_each_row_of_the_table_means_what_the_spec_says(
    code: int, reason: str, by: By, treatment: Treatment
) -> None:
    """One table maps (code, who) to what becomes of the seat."""
    ending = ending_of(code, reason, by)
    assert (ending.code, ending.reason, ending.by, ending.treatment) == (code, reason, by, treatment)


@pytest.mark.parametrize("ending", closing.SERVER_ENDINGS, ids=lambda ending: ending.reason)
def test_an_ending_of_ours_is_known_by_its_code_and_reason(ending: Ending) -> None:
    """What we sent and the transport reports back is the very same ending, its retry rule included."""
    assert ending_of(ending.code, ending.reason, By.SERVER) == ending
    assert ending.by is By.SERVER


def test_all_endings_are_in_the_table() -> None:
    """An ending that is defined but not listed would be missing from the docs and unknown to `ending_of`."""
    defined = {value for value in vars(closing).values() if isinstance(value, Ending)}
    assert {*closing.SERVER_ENDINGS, *closing.CLIENT_ENDINGS, closing.DROPPED} == defined
    named = [(ending.code, ending.reason) for ending in closing.SERVER_ENDINGS]
    assert len(set(named)) == len(named)


@pytest.mark.parametrize("code", [1002, 1003, 1008, 1009, 1011, 1012, 1013, 3000, 4001, 4004, 4005, 4999])
def test_a_client_that_sends_a_code_of_the_servers_is_a_plain_disconnect(code: int) -> None:
    """Nobody evicts, keeps or blocks a seat by saying a number."""
    assert peer_ending(code, "Kicked") == Ending(code, "Kicked", By.CLIENT, GRACE, Retry.RECONNECT)


@pytest.mark.parametrize("code", sorted(closing.NO_PEER_CODES))
def test_a_drop_has_no_words(code: int) -> None:
    """1005 and 1006 are never on the wire: whatever text comes with them is a library's, not the peer's."""
    assert ending_of(code, "connection lost", By.NETWORK) == Ending(code, "", By.NETWORK, GRACE)
    assert peer_ending(1006) == closing.DROPPED


def test_a_peer_may_give_no_reason() -> None:
    """Most browsers' 1001 has none."""
    assert peer_ending(1001) == closing.GONE_AWAY


@pytest.mark.parametrize(
    ("code", "treatment"), [(1002, GRACE), (1007, GRACE), (1009, GRACE), (1012, Treatment.KEEP)]
)
def test_a_librarys_own_wording_of_a_code_changes_nothing(code: int, treatment: Treatment) -> None:
    """Servers word their findings as they like; the words are kept for the log."""
    assert ending_of(code, "frame of 3 MiB", By.SERVER).treatment is treatment
    assert ending_of(code, "frame of 3 MiB", By.SERVER).reason == "frame of 3 MiB"


@pytest.mark.parametrize("code", [1000, 1008, 1003])
def test_what_our_server_did_beyond_the_table_is_a_plain_disconnect(code: int) -> None:
    """Where several endings share a code and none has the reason, none of them is meant."""
    assert ending_of(code, "whatever", By.SERVER) == Ending(code, "whatever", By.SERVER, GRACE)


@pytest.mark.parametrize("ending", closing.SERVER_ENDINGS, ids=lambda ending: ending.reason)
def test_the_client_gives_up_after_the_codes_that_the_spec_names(ending: Ending) -> None:
    """Spec 4.2: no reconnect after 1000, 4000, 4001, 4004, 4005; 1008 once, 4003 joins, 1012 waits."""
    assert (ending.retry is Retry.STOP) == (ending.code in NO_RECONNECT)
    assert (ending.retry is Retry.ONCE_LATER) == (ending.code == 1008)
    assert (ending.retry is Retry.JOIN_AGAIN) == (ending.code == 4003)
    assert (ending.retry is Retry.AFTER_RESTART) == (ending.code == 1012)


def test_a_closing_page_may_come_back_and_a_leaving_one_does_not() -> None:
    """1001 is also a reload, and a socket that is being replaced has its successor."""
    retries = {ending.code: ending.retry for ending in closing.CLIENT_ENDINGS}
    assert retries == {1000: Retry.STOP, 1001: Retry.RECONNECT, 4000: Retry.RECONNECT}
    assert closing.DROPPED.retry is Retry.RECONNECT


def test_only_our_own_fault_is_1011() -> None:
    """1011 always means that we broke."""
    assert [ending for ending in closing.SERVER_ENDINGS if ending.code == 1011] == [closing.INTERNAL_ERROR]


@pytest.mark.parametrize("ending", closing.SERVER_ENDINGS, ids=lambda ending: ending.reason)
def test_our_reasons_fit_into_a_close_frame(ending: Ending) -> None:
    """A control frame carries 125 bytes, two are the code (RFC 6455): a longer one would not be sent."""
    assert ending.reason
    assert clip_reason(ending.reason) == ending.reason


@given(st.text(st.characters(), max_size=200))
def test_a_clipped_reason_is_the_longest_prefix_that_fits(reason: str) -> None:
    """Never inside a character, never a byte more than 123 (known failure B12)."""
    clipped = clip_reason(reason)
    printable = reason.encode("utf-8", "replace").decode()
    assert printable.startswith(clipped)
    assert len(clipped.encode()) <= closing.REASON_MAX_BYTES == 123
    if clipped != printable:
        assert len(printable[: len(clipped) + 1].encode()) > closing.REASON_MAX_BYTES


@pytest.mark.parametrize(
    ("reason", "clipped"),
    [("x" * 200, "x" * 123), ("é" * 62, "é" * 61), ("a" + "🏳" * 40, "a" + "🏳" * 30), ("\ud800", "?")],
)
def test_a_character_is_kept_or_dropped_as_a_whole(reason: str, clipped: str) -> None:
    """123 is odd, so two- and four-byte characters end before it; what UTF-8 can't hold becomes a mark."""
    assert peer_ending(1000, reason).reason == clipped
    assert ending_of(1009, reason, By.SERVER).reason == clipped
