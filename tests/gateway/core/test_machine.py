"""The shape of a machine: saving and restoring it, and the first of its deadlines."""

import msgspec
import pytest

from gateway.core.limits import KeyedWindows, SlidingWindow, TokenBucket
from gateway.core.machine import earliest, from_state, to_state
from tests.gateway.core.vocabulary import reloaded, through_json


def test_a_machine_comes_back_from_its_state_as_it_was() -> None:
    """Nested machines, order of tables included: eviction goes by it."""
    windows = KeyedWindows()
    for key, now in (("b", 1.0), ("a", 2.5), ("b", 13.0)):
        windows.window(key, 5, 10.0, now).allow(now)
    again = reloaded(windows)
    assert again == windows
    assert list(again.windows) == ["a", "b"]


def test_a_state_is_made_of_what_json_can_hold() -> None:
    """Files, caches and the debugger's page take it as it is."""
    state = to_state(TokenBucket.full(120, 60.0, 7.25))
    assert state == through_json(state) == {"capacity": 120, "rate": 60.0, "tokens": 120, "updated": 7.25}


def test_saving_changes_nothing() -> None:
    """A snapshot may be taken at any instant."""
    window = SlidingWindow(5, 10.0)
    window.allow(12.0)
    before = to_state(window)
    to_state(window)
    assert to_state(window) == before


@pytest.mark.parametrize("state", [None, [], {"limit": "many", "window_s": 1.0}, {"window_s": 1.0}])
def test_what_was_never_a_state_is_refused(state: object) -> None:
    """A damaged file must not become a limiter that lets everything through."""
    with pytest.raises(msgspec.ValidationError):
        from_state(state, SlidingWindow)


@pytest.mark.parametrize(
    ("deadlines", "first"), [([], None), ([None, None], None), ([3.0, None, 2.0], 2.0), ([0.0, 1.0], 0.0)]
)
def test_the_earliest_deadline_is_the_first_that_is_set(
    deadlines: list[float | None], first: float | None
) -> None:
    """A shell keeps one alarm for all parts of a machine; zero is a time like any other."""
    assert earliest(deadlines) == first
