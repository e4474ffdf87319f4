"""The catalogues are complete, fit the sentences of the pages, and are what the site really loads.

What the pages look like in these languages is in ``test_languages``.
"""

import re
from collections.abc import Iterator
from io import BytesIO

import pytest
from babel import Locale
from babel.messages.catalog import Catalog, Message
from babel.messages.mofile import read_mo, write_mo
from babel.plural import PluralRule
from django.conf import settings
from django.utils import translation

from quizsite import texts
from scripts import messages
from scripts.messages import forms

COLLECTED = messages.collected()
WORDED = {"de": 1, "ar": 3}
"""The first forms of a plural that stand for a single number each, which they may say in words."""
INTEGERS = range(200)
ARABIC = re.compile("[\u0600-\u06ff]")


@pytest.fixture(params=messages.LANGUAGES)
def language(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def catalogue(language: str) -> Catalog:
    return messages.read(language)


def sentences(catalogue: Catalog) -> list[Message]:
    return [message for message in catalogue if message.id]


def key(message: Message) -> tuple[object, str | None]:
    source: object = message.id if isinstance(message.id, str) else tuple(message.id)
    return source, message.context


def category(language: str) -> PluralRule:
    """CLDR's rule, as browsers have it: the category of a number."""
    return Locale.parse(language).plural_form


def categories(language: str) -> set[str]:
    return set(map(category(language), INTEGERS))


def test_the_site_offers_exactly_the_languages_that_are_kept() -> None:
    """A language that is offered and not collected for would turn into English sentence by sentence."""
    assert [code for code, _ in settings.LANGUAGES] == ["en", *messages.LANGUAGES]


def test_every_sentence_of_the_players_pages_is_translated(catalogue: Catalog) -> None:
    """And nothing else is: a catalogue that went on without `make messages` shows here."""
    assert {key(message) for message in sentences(catalogue)} == {
        key(message) for message in sentences(COLLECTED)
    }
    assert [message.id for message in sentences(catalogue) if not all(forms(message))] == []
    assert [message.id for message in catalogue if message.id and message.fuzzy] == []
    assert len(sentences(catalogue)) > 300


def test_a_plural_has_a_form_for_each_of_the_languages_categories(language: str, catalogue: Catalog) -> None:
    """German counts in two ways, Arabic in six."""
    plurals = [message for message in sentences(catalogue) if isinstance(message.id, tuple)]
    assert {len(forms(message)) for message in plurals} == {len(categories(language))}
    assert len(plurals) > 20


def test_the_numbers_that_stand_for_a_category_do_so_in_every_language(language: str) -> None:
    """`texts.CATEGORIES` asks gettext by a number for what the browser asks for by CLDR's name."""
    stand_for = {name: category(language)(texts.CATEGORIES[name]) for name in categories(language)}
    assert stand_for == {name: name for name in categories(language)}


def test_gettext_and_the_browser_take_the_same_form(language: str) -> None:
    """The catalogue's own rule for plurals agrees with CLDR's for every number."""
    with translation.override(language):
        carried = texts.catalogue()["podium.questions"]
        assert isinstance(carried, dict)
        for number in INTEGERS:
            told = str(texts.TEXTS["podium.questions"] % {"n": number})
            assert carried.get(category(language)(number), carried["other"]) == told, number


def misfits(language: str, message: Message) -> Iterator[str]:
    wanted = messages.placeholders(message.id if isinstance(message.id, str) else message.id[-1])
    for place, form in enumerate(forms(message)):
        left = wanted - messages.placeholders(form)
        plural = isinstance(message.id, tuple)
        worded = plural and left <= {"{n}", "%(n)s"} and place < WORDED[language]
        if messages.placeholders(form) - wanted or (left and not worded):
            yield form


def test_a_translation_leaves_open_what_its_sentence_leaves_open(language: str, catalogue: Catalog) -> None:
    """A placeholder that is misspelt, lost or made up. A form for one number may say it in words."""
    assert [form for message in sentences(catalogue) for form in misfits(language, message)] == []


def test_a_translation_ends_and_begins_as_its_sentence_does(catalogue: Catalog) -> None:
    """Spaces around a text join it to what follows; a full stop makes it a sentence."""
    for message in sentences(catalogue):
        source = message.id if isinstance(message.id, str) else message.id[-1]
        for form in forms(message):
            assert form == form.strip(), form
            assert form.endswith(("?", "؟")) == source.endswith("?"), form
            assert form.endswith("…") == source.endswith("…"), form


def test_arabic_has_no_sentence_left_in_latin() -> None:
    """A copied English line would count as translated."""
    left = {
        str(form)
        for message in sentences(messages.read("ar"))
        for form in forms(message)
        if not ARABIC.search(form)
    }
    assert left == {"{n}"}  # an ordinal: the sentence around it says that it is a rank


def test_german_has_no_sentence_left_in_english() -> None:
    """But for the words that are the same."""
    same = {
        message.id
        for message in sentences(messages.read("de"))
        if message.id == message.string and " " in str(message.id)
    }
    assert same == {"A B C D E F G H I J K L M N O P", "{n} ms", "{seconds} s"}


def test_the_compiled_catalogue_says_what_the_translators_wrote(language: str, catalogue: Catalog) -> None:
    """The server reads only the .mo file; `make messages` writes it."""
    with messages.source(language).with_suffix(".mo").open("rb") as file:
        compiled = read_mo(file)
    fresh = BytesIO()
    write_mo(fresh, catalogue)
    fresh.seek(0)
    assert {key(message): forms(message) for message in compiled if message.id} == {
        key(message): forms(message) for message in read_mo(fresh) if message.id
    }


def test_a_page_speaks_the_language_that_is_active() -> None:
    """Django finds the catalogues where they are."""
    with translation.override("ar"):
        arabic = texts.catalogue()
    with translation.override("de-AT"):
        german = texts.catalogue()
    assert arabic["seconds.left"] == {
        "zero": "انتهى الوقت",
        "one": "بقيت ثانية واحدة",
        "two": "بقيت ثانيتان",
        "few": "بقيت {n} ثوانٍ",
        "other": "بقيت {n} ثانية",
    }
    assert german["seconds.left"] == {"one": "Noch {n} Sekunde", "other": "Noch {n} Sekunden"}


def test_the_answers_have_letters_of_their_alphabet() -> None:
    """As many as a question may have answers; the page splits them at the spaces."""
    letters = {}
    for language in ("en", *messages.LANGUAGES):
        with translation.override(language):
            letters[language] = str(texts.TEXTS["letters"]).split(" ")
    assert {language: len(set(own)) for language, own in letters.items()} == {"en": 16, "de": 16, "ar": 16}
    assert letters["ar"][:4] == ["أ", "ب", "ج", "د"]
