"""scripts.screens: no state of a page is forgotten when the pictures are made."""

import pytest

from scripts.screens import OTHERS, PROJECTOR, THEMES, Theme, on, sheets, shown
from tests.quizsite.states import PRESENT


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("device", ["phone", "laptop"])
def test_every_state_is_on_one_sheet_of_each_size_and_theme(theme: Theme, device: str) -> None:
    """The big screen's are made for a projector instead."""
    found = [
        name
        for sheet in sheets()
        if sheet.language == "en" and sheet.theme == theme and sheet.device.name in (device, PROJECTOR.name)
        for name in on(sheet)
    ]
    assert sorted(found) == sorted(shown())


def test_the_projector_shows_the_big_screen_and_nothing_else() -> None:
    """It is opened nowhere else."""
    for sheet in sheets():
        paths = {shown()[name].path for name in on(sheet)}
        assert (paths == {PRESENT}) == (sheet.device is PROJECTOR), sheet.name


def test_the_other_languages_have_their_samples() -> None:
    """On each device; a file's name says which."""
    names = [sheet.name for sheet in sheets()]
    assert len(set(names)) == len(names)
    for language, name in OTHERS.items():
        made = {sheet.device.name: len(on(sheet)) for sheet in sheets() if sheet.language == language}
        assert made == {"phone": 9, "laptop": 9, "projector": 4}, name
