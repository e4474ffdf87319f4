"""Action budgets: whose they are, what they are charged for, what a refusal costs (spec 1.3, steps 6, 7)."""

import pytest

from gateway.contract import Budget, ClientError, Per
from gateway.core.actions import Actions, Keys
from tests.gateway.core.vocabulary import reloaded

NOW = 600.0
ANNA = Keys("seat-a", "conn-1", "192.0.2.1")
BERT = Keys("seat-b", "conn-2", "192.0.2.1")
AWAY = Keys("seat-c", "conn-3", "192.0.2.2")

LIMITS = {
    "ANSWER": (Budget(3, 10.0),),
    "REACT": (Budget(3, 10.0),),
    "CREATE": (Budget(2, 60.0), Budget(3, 60.0, Per.ADDRESS)),
    "JOIN": (Budget(9, 60.0), Budget(2, 60.0, Per.ADDRESS, charged_on="ROOM_NOT_FOUND")),
    "PING": (Budget(1, 10.0, Per.CONNECTION),),
    "KICK": (Budget(2, 60.0, group="DOOR"),),
    "UNBAN": (Budget(2, 60.0, group="DOOR"),),
    "SLOW": (Budget(2, 10.0), Budget(3, 60.0)),
    "GUESS": (Budget(9, 60.0), Budget(2, 60.0, charged_on="WRONG")),
}


def actions() -> Actions:
    """Budgets that nobody has touched."""
    return Actions.fresh(LIMITS)


def passes(budgets: Actions, action: str, keys: Keys, now: float = NOW) -> bool:
    """Whether a command is within its budgets; it is charged then."""
    try:
        budgets.spend(action, keys, now)
    except ClientError:
        return False
    return True


def test_a_command_over_its_limit_is_refused_with_its_name_and_the_exact_wait() -> None:
    """429, `details {action, retryAfter}`."""
    budgets = actions()
    assert [passes(budgets, "ANSWER", ANNA) for _ in range(4)] == [True, True, True, False]
    with pytest.raises(ClientError) as refused:
        budgets.spend("ANSWER", ANNA, NOW)
    assert (refused.value.code, refused.value.status) == ("RATE_LIMIT_EXCEEDED", 429)
    assert refused.value.message == "That was too often. Wait a moment."
    assert refused.value.details == {"action": "ANSWER", "retryAfter": 10.001}
    assert not passes(budgets, "ANSWER", ANNA, NOW + 10.0)
    assert passes(budgets, "ANSWER", ANNA, NOW + 10.001)


def test_each_action_of_each_user_has_its_own_count() -> None:
    """One player's flood is no other's, and no other action's."""
    budgets = actions()
    for _ in range(9):
        passes(budgets, "ANSWER", ANNA)
    assert passes(budgets, "ANSWER", BERT)
    assert passes(budgets, "REACT", ANNA)


def test_a_seat_keeps_its_count_on_its_next_socket() -> None:
    """Reconnecting renews nothing."""
    budgets = actions()
    for _ in range(3):
        budgets.spend("ANSWER", ANNA, NOW)
    assert not passes(budgets, "ANSWER", Keys("seat-a", "conn-9", "198.51.100.9"))


def test_a_budget_per_connection_or_address_counts_by_that() -> None:
    """Whoever sits there."""
    budgets = actions()
    assert passes(budgets, "PING", ANNA)
    assert not passes(budgets, "PING", Keys("seat-z", "conn-1", "198.51.100.9"))
    assert passes(budgets, "PING", BERT)
    assert [passes(budgets, "CREATE", keys) for keys in (ANNA, ANNA, BERT, BERT, AWAY)] == [
        *(True, True, True),
        *(False, True),
    ]


def test_all_budgets_of_an_action_are_kept() -> None:
    """The user's own limit holds on an address that has room, from the very first command on."""
    budgets = actions()
    assert [passes(budgets, "CREATE", ANNA) for _ in range(3)] == [True, True, False]


def test_a_refused_command_charges_no_budget() -> None:
    """Not even those that would have let it pass: a spent user does not spend its neighbours' address."""
    budgets = actions()
    for _ in range(50):
        passes(budgets, "CREATE", ANNA)
    assert passes(budgets, "CREATE", BERT)
    assert not passes(budgets, "CREATE", BERT)


def test_the_longest_wait_is_told() -> None:
    """A client that waits as told is let in by all budgets."""
    budgets = actions()
    budgets.spend("SLOW", ANNA, NOW)
    budgets.spend("SLOW", ANNA, NOW)
    budgets.spend("SLOW", ANNA, NOW + 11.0)
    with pytest.raises(ClientError) as refused:
        budgets.spend("SLOW", ANNA, NOW + 11.0)
    assert refused.value.details["retryAfter"] == 49.001
    assert passes(budgets, "SLOW", ANNA, NOW + 11.0 + 49.001)


def test_actions_of_a_group_spend_from_one_budget() -> None:
    """KICK_USER with UNBAN_USER (spec 1.3): one door, one count."""
    budgets = actions()
    assert [passes(budgets, action, ANNA) for action in ("KICK", "UNBAN", "KICK", "UNBAN")] == [
        *(True, True),
        *(False, False),
    ]


def test_failures_are_charged_only_when_they_happen_and_refuse_everything_after() -> None:
    """Guessing codes is limited, honest joining is not; after too many guesses nobody there joins."""
    budgets = actions()
    for _ in range(5):
        budgets.spend("JOIN", AWAY, NOW)
    budgets.failed("JOIN", "ROOM_FULL", ANNA, NOW)
    assert passes(budgets, "JOIN", BERT)
    budgets.failed("JOIN", "ROOM_NOT_FOUND", ANNA, NOW)
    assert passes(budgets, "JOIN", BERT)
    budgets.failed("JOIN", "ROOM_NOT_FOUND", ANNA, NOW)
    assert not passes(budgets, "JOIN", BERT)
    assert passes(budgets, "JOIN", AWAY)


def test_a_failure_charges_no_budget_that_counts_commands() -> None:
    """Each command is charged once, before its handler."""
    budgets = actions()
    for _ in range(9):
        budgets.failed("ANSWER", "QUESTION_CLOSED", ANNA, NOW)
    assert passes(budgets, "ANSWER", ANNA)


def test_failures_and_commands_of_one_user_are_counted_apart() -> None:
    """Two guesses that were right are no wrong ones."""
    budgets = actions()
    assert all(passes(budgets, "GUESS", ANNA) for _ in range(9))


def test_what_is_spent_is_the_fullest_budgets_count() -> None:
    """Asked for the curious: it charges nothing and makes no key."""
    budgets = actions()
    assert budgets.spent_on("CREATE", ANNA, NOW) == 0.0
    assert budgets.spent.windows == {}
    for keys in (ANNA, BERT, BERT):
        budgets.spend("CREATE", keys, NOW)
    spent = [budgets.spent_on("CREATE", keys, NOW) for keys in (ANNA, BERT, AWAY)]
    assert spent == [3.0, 3.0, 0.0]
    assert budgets.spent_on("CREATE", Keys("seat-b", "conn-9", "198.51.100.9"), NOW + 90.0) == 1.0
    assert budgets.spent_on("WAVE", ANNA, NOW) == 0.0


def test_an_action_without_a_budget_is_free() -> None:
    """And leaves nothing behind."""
    budgets = actions()
    assert all(passes(budgets, "WAVE", ANNA) for _ in range(1000))
    budgets.failed("WAVE", "ANY", ANNA, NOW)
    assert budgets.spent.windows == {}


def test_budgets_come_back_from_their_state() -> None:
    """A restart is no pardon either."""
    budgets = actions()
    budgets.spend("CREATE", ANNA, NOW)
    budgets.failed("JOIN", "ROOM_NOT_FOUND", ANNA, NOW)
    again = reloaded(budgets)
    assert again == budgets
    assert [passes(again, "CREATE", ANNA) for _ in range(2)] == [True, False]


def test_signing_in_renews_no_budget_and_takes_none() -> None:
    """What was spent before is spent; of what both spent the fuller window counts, not their sum."""
    before, after = Keys("session:a", "conn-1", "192.0.2.1"), Keys("user:1", "conn-1", "192.0.2.1")
    budgets = actions()
    assert [passes(budgets, "ANSWER", before) for _ in range(2)] == [True, True]
    assert passes(budgets, "ANSWER", after)
    assert passes(budgets, "KICK", before)
    budgets.pass_on("session:a", "user:1", NOW)
    assert [passes(budgets, "ANSWER", after) for _ in range(2)] == [True, False]
    assert [passes(budgets, "UNBAN", after) for _ in range(2)] == [True, False]
    assert [passes(budgets, "ANSWER", before) for _ in range(4)] == [True, True, True, False]


def test_a_users_own_fuller_budget_stays_when_a_session_becomes_his() -> None:
    """Signing in with an untouched session is no way to a fresh budget."""
    before, after = Keys("session:a", "conn-1", "192.0.2.1"), Keys("user:1", "conn-1", "192.0.2.1")
    budgets = actions()
    assert passes(budgets, "ANSWER", before)
    assert [passes(budgets, "ANSWER", after) for _ in range(3)] == [True, True, True]
    budgets.pass_on("session:a", "user:1", NOW)
    assert not passes(budgets, "ANSWER", after)
    assert reloaded(budgets.spent) == budgets.spent
