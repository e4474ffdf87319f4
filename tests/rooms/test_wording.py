"""rooms.wording: what the results' pages put into the reader's language, and what stays as it was written."""

from collections.abc import Mapping

import pytest
from django.utils import translation

from rooms.core.questions import Choice, FlagSource, Image, Question, Svg
from rooms.questions import flags
from rooms.results import ChoiceResult, QuestionResult
from rooms.wording import in_the_readers_language

FLAG = Question(
    "q1",
    flags.PROMPT,
    (Choice("a", "Egypt", "EG"), Choice("b", "Ethiopia", "ET")),
    frozenset({"a"}),
    Svg(flags.atlas().flags["EG"]),
)


def told(question: Question, language: str) -> list[str]:
    """What a reader of this language is shown: the prompt, then the choices."""
    counted = tuple(ChoiceResult(choice, choice.id in question.correct, 0) for choice in question.choices)
    with translation.override(language):
        shown = in_the_readers_language(QuestionResult(1, question, counted, right=0, wrong=0, missing=0))
    return [shown.question.prompt, *(each.choice.text for each in shown.choices)]


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("en", ["Which country’s flag is this?", "Egypt", "Ethiopia"]),
        ("de", ["Zu welchem Land gehört diese Flagge?", "Ägypten", "Äthiopien"]),
        ("de-at", ["Zu welchem Land gehört diese Flagge?", "Ägypten", "Äthiopien"]),
        ("ar", ["لأي بلد هذا العلم؟", "مصر", "إثيوبيا"]),
    ],
)
def test_a_flag_is_asked_for_and_answered_in_the_readers_language(language: str, words: list[str]) -> None:
    """As during the game, whatever the language of whoever hosted it."""
    assert told(FLAG, language) == words


@pytest.mark.parametrize("media", [None, Image("/media/nile.png", "A river")])
def test_what_people_wrote_stays_as_they_wrote_it(media: Image | None) -> None:
    """The game's own sentence and a country's name included: a set's texts are not ours to change."""
    question = Question(
        "q1", flags.PROMPT, (Choice("a", "Egypt"), Choice("b", "Sudan")), frozenset("a"), media
    )
    assert told(question, "ar") == [flags.PROMPT, "Egypt", "Sudan"]


def test_a_country_that_the_names_do_not_have_keeps_its_stored_name() -> None:
    """A record outlives the data of the day on which its game was played."""
    question = Question("q1", "?", (Choice("a", "Ruritania", "QZ"), Choice("b", "B")), frozenset({"a"}))
    assert told(question, "de") == ["?", "Ruritania", "B"]


def test_a_language_without_names_reads_the_stored_ones() -> None:
    """Nothing is translated by half for it."""
    assert told(FLAG, "fr") == [flags.PROMPT, "Egypt", "Ethiopia"]


def test_every_country_has_a_name_of_its_own_in_every_language_of_the_pages() -> None:
    """Two countries with one name could not be told apart."""

    def distinct(names: Mapping[str, str]) -> set[str]:
        return set(names.values())

    drawn = {country.code for country in flags.asked(FlagSource("world", "hard"))}
    assert {language: set(names) for language, names in flags.names().items()} == {"de": drawn, "ar": drawn}
    assert {len(distinct(names)) for names in flags.names().values()} == {len(drawn)}
