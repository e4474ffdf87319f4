"""gateway.core.counts: what a process counts of itself."""

from gateway.contract import FrameClass
from gateway.core import closing
from gateway.core.closing import By, ending_of
from gateway.core.counts import MINUTE_S, MINUTES_KEPT, Counts, Histogram, close_label
from gateway.core.messages import Error
from gateway.core.outbox import OutboundPolicy, Outbox, Waiting


def test_a_value_on_a_bound_is_below_it() -> None:
    """Prometheus' buckets are 'at most'."""
    histogram = Histogram.of([0.1, 0.2, 5.0], (0.1, 1.0))
    assert histogram.cumulative() == [("0.1", 1), ("1.0", 2), ("+Inf", 3)]
    assert histogram.total == 5.3


def test_an_empty_histogram_has_all_its_buckets() -> None:
    """A scrape before the first value shows zeros, not nothing."""
    assert Histogram.empty((1.0,)).cumulative() == [("1.0", 0), ("+Inf", 0)]


def test_codes_that_a_client_invents_are_counted_as_one() -> None:
    """Two thousand codes are allowed on the wire, and a label must not grow with them."""
    counts = Counts()
    for code in (4321, 4322, 3999):
        counts.close(ending_of(code, "", By.CLIENT), 0.0)
    counts.close(closing.KICKED, 0.0)
    counts.close(closing.DROPPED, 0.0)
    assert counts.closed == {"other": 3, "4005": 1, "1006": 1}


def test_every_ending_of_the_table_has_a_label_of_its_own() -> None:
    """None of ours hides among the others."""
    endings = (*closing.SERVER_ENDINGS, *closing.CLIENT_ENDINGS)
    assert {close_label(ending.code) for ending in endings} == {str(ending.code) for ending in endings}


def test_an_error_is_counted_by_its_type_and_by_its_code() -> None:
    """Of the frames sent, and of the errors."""
    counts = Counts()
    counts.send(Error("BANNED", "You are banned.", 403), 1)
    assert (counts.sent, counts.errors) == ({"ERROR": 1}, {"BANNED": 1})


def test_what_a_slow_socket_did_not_get_is_counted_by_the_reason() -> None:
    """Dropped for being slow, or replaced by something newer."""
    outbox = Outbox.fresh(OutboundPolicy(), 0.0)
    for frame_class in (FrameClass.COALESCABLE, FrameClass.COALESCABLE, FrameClass.DROPPABLE):
        outbox.push(Waiting(b"x", frame_class, "key"), 300_000, 0.0)
    counts = Counts()
    counts.drop_outbound(outbox)
    assert counts.dropped == {"slow_reader": 1, "replaced": 1}


def test_the_last_minutes_hold_what_happened_in_each() -> None:
    """Also the ones in which nothing did."""
    counts = Counts()
    counts.open(10.0)
    counts.refuse("ip_connection_cap", 2 * MINUTE_S)
    counts.close(closing.DROPPED, 2 * MINUTE_S + 1)
    shown = [
        (minute.opened, minute.refused, minute.closed) for minute in counts.minutes.last(4, 3 * MINUTE_S)
    ]
    assert shown == [(1, 0, 0), (0, 0, 0), (0, 1, 1), (0, 0, 0)]
    assert counts.refused == {"ip_connection_cap": 1}


def test_older_minutes_are_forgotten() -> None:
    """The history of a process that runs for months is half an hour."""
    counts = Counts()
    for minute in range(2 * MINUTES_KEPT):
        counts.open(minute * MINUTE_S)
    assert len(counts.minutes.kept) == MINUTES_KEPT
    assert counts.opened == 2 * MINUTES_KEPT
