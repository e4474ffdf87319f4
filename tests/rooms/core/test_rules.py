"""Numbers, error codes and settings of the game."""

import pytest

from gateway.contract import ClientError
from rooms.core import rules
from rooms.core.questions import SetSource
from rooms.core.rules import changed_settings, refusal
from rooms.core.shapes import Settings, SettingsPatch


def test_durations_and_limits_are_those_of_the_specification() -> None:
    """Spec 2.1 to 2.3: nobody changes one of these in passing."""
    assert (rules.COUNTDOWN_S, rules.RESULTS_S, rules.SLOT_S) == (3, 5, 0.25)
    assert (rules.GRACE_S, rules.SUCCESSOR_S, rules.RESTART_HOLD_S) == (10, 10, 30)
    assert (rules.EMPTY_S, rules.IDLE_S, rules.DEPARTED_S) == (120, 7200, 120)
    assert (rules.ROOM_MAX_PLAYERS, rules.MAX_ROOMS, rules.DEPARTED_PER_ACCOUNT) == (50, 1000, 3)
    assert (rules.TOP_OF_RESULTS, rules.TOP_OF_PODIUM, rules.STALL_S) == (10, 50, 1)


def test_an_error_carries_code_text_status_and_details() -> None:
    """Spec 3: clients switch on the code, the status is its cousin in HTTP."""
    error = refusal("ROOM_LOCKED", "not now", path="somewhere")
    assert (error.code, error.message, error.status, error.details) == (
        "ROOM_LOCKED",
        "not now",
        423,
        {"path": "somewhere"},
    )


def test_each_code_has_the_status_of_the_specification() -> None:
    """The table at the end of spec 3."""
    by_status: dict[int, set[str]] = {}
    for code, status in rules.STATUS.items():
        by_status.setdefault(status, set()).add(code)
    assert by_status == {
        400: {"VALIDATION_ERROR", "NAME_INVALID", "SETTINGS_INVALID", "QUESTION_SET_EMPTY"},
        403: {"NOT_IN_ROOM", "NOT_HOST", "BANNED"},
        404: {"ROOM_NOT_FOUND", "NO_SUCH_MEMBER"},
        409: {"ALREADY_ANSWERED", "QUESTION_CLOSED", "INVALID_STATE", "ALREADY_IN_ROOM"},
        423: {"ROOM_LOCKED"},
        503: {"ROOM_FULL", "SERVER_FULL"},
    }


def test_settings_begin_with_the_defaults_of_the_specification() -> None:
    """Spec 2.1."""
    settings = Settings()
    assert (settings.seconds_per_question, settings.question_count, settings.max_players) == (15, 10, 50)
    assert (settings.scoring, settings.streak_bonus, settings.host_plays) == ("classic", False, True)
    assert (settings.allow_late_join, settings.locked, settings.auto_advance) == (True, False, True)
    assert settings.show_leaderboard is True


def test_a_patch_changes_only_what_it_names() -> None:
    """Updates are partial."""
    patch = SettingsPatch(question_count=3, locked=True, scoring="order", question_source=SetSource("s1"))
    new = changed_settings(Settings(seconds_per_question=20), patch, 50)
    assert new == Settings(
        seconds_per_question=20,
        question_count=3,
        locked=True,
        scoring="order",
        question_source=SetSource("s1"),
    )


def test_false_is_a_value_and_not_an_omission() -> None:
    """Only None leaves a setting as it is."""
    patch = SettingsPatch(allow_late_join=False, auto_advance=False, host_plays=False)
    new = changed_settings(Settings(), patch, 50)
    assert (new.allow_late_join, new.auto_advance, new.host_plays) == (False, False, False)


@pytest.mark.parametrize(
    "patch",
    [
        *(SettingsPatch(seconds_per_question=seconds) for seconds in (10, 15, 20, 30)),
        SettingsPatch(question_count=1),
        SettingsPatch(question_count=50),
        SettingsPatch(max_players=2),
        SettingsPatch(max_players=40),
    ],
    ids=repr,
)
def test_what_is_in_range_is_taken(patch: SettingsPatch) -> None:
    """Both ends of each range belong to it."""
    assert changed_settings(Settings(max_players=40), patch, 40) is not None


@pytest.mark.parametrize(
    ("patch", "path", "text"),
    [
        (
            SettingsPatch(seconds_per_question=12),
            "secondsPerQuestion",
            "The setting secondsPerQuestion must be 10, 15, 20 or 30, not 12.",
        ),
        (
            SettingsPatch(question_count=0),
            "questionCount",
            "The setting questionCount must be 1 to 50, not 0.",
        ),
        (
            SettingsPatch(question_count=51),
            "questionCount",
            "The setting questionCount must be 1 to 50, not 51.",
        ),
        (SettingsPatch(max_players=1), "maxPlayers", "The setting maxPlayers must be 2 to 40, not 1."),
        (SettingsPatch(max_players=41), "maxPlayers", "The setting maxPlayers must be 2 to 40, not 41."),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_is_out_of_range_is_named_with_its_value(patch: SettingsPatch, path: str, text: str) -> None:
    """SETTINGS_INVALID says which setting, what it may be, and what it was."""
    with pytest.raises(ClientError) as caught:
        changed_settings(Settings(max_players=40), patch, 40)
    assert (caught.value.code, caught.value.message) == ("SETTINGS_INVALID", text)
    assert caught.value.details == {"path": path}
