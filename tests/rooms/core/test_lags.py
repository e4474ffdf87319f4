"""The lag of players: the median of a whole game's round trips, in bounded memory."""

from gateway.core.machine import from_state, to_state
from rooms.core.lags import LATELY, SAMPLES_KEPT, Lags
from rooms.core.scoring import MAX_LAG_CREDIT_S


def test_all_round_trips_of_the_game_count_and_not_the_newest_alone() -> None:
    """Twenty slow ones after twenty-one quick ones do not make a slow line (spec 2.4)."""
    lags = Lags()
    for rtt_s in [0.05] * 21 + [0.2] * 20:
        lags.note("g1", 0, rtt_s)
    assert lags.of("g1", 0) == 0.05


def test_each_player_has_a_lag_of_its_own() -> None:
    """A player without a heartbeat has none yet."""
    lags = Lags()
    lags.note("g1", 0, 0.05)
    lags.note("g1", 2, 0.2)
    assert [lags.of("g1", player) for player in range(3)] == [0.05, None, 0.2]


def test_a_new_game_begins_without_the_old_ones_round_trips() -> None:
    """Of "this game" only, before its first heartbeat too (spec 2.4)."""
    lags = Lags()
    lags.note("g1", 0, 0.2)
    assert lags.of("g2", 0) is None
    lags.note("g2", 1, 0.1)
    assert (lags.of("g2", 0), lags.of("g2", 1), lags.of("g1", 0)) == (None, 0.1, None)


def test_a_game_without_end_takes_no_memory_without_end() -> None:
    """The oldest go first."""
    lags = Lags()
    for number in range(SAMPLES_KEPT + 5):
        lags.note("g1", 0, float(number))
    assert lags.round_trips == {0: [float(number) for number in range(5, SAMPLES_KEPT + 5)]}


def test_three_round_trips_say_how_a_line_is_now() -> None:
    """Before there are three nothing is said; one slow one is an accident, two of three are a slow line."""
    lags = Lags()
    said = []
    for rtt_s in (0.9, 0.05, 0.05, 0.9, 0.9, 0.05, 0.05):
        lags.note("g1", 0, rtt_s)
        said.append(lags.is_lagging(0))
    assert said == [None, None, False, False, True, True, False]


def test_a_line_lags_when_it_costs_points() -> None:
    """Up to a quarter of a second is credited (spec 2.4): nobody is slow whom it costs nothing."""
    lags = Lags()
    for player, rtt_s in enumerate((MAX_LAG_CREDIT_S, MAX_LAG_CREDIT_S + 0.001)):
        for _ in range(LATELY):
            lags.note("g1", player, rtt_s)
    assert [lags.is_lagging(player) for player in (0, 1)] == [False, True]


def test_lags_are_plain_data() -> None:
    """Saved and restored at any moment."""
    lags = Lags()
    lags.note("g1", 3, 0.25)
    assert from_state(to_state(lags), Lags) == lags
