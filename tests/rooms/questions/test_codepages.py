"""The code page of a text that says none: found by its words, Western in doubt."""

import pytest

from rooms.questions.importers.codepages import page_of

TEXTS = {
    "German": (
        "cp1252",
        "Größe, Höhe und Länge: wie heißt das Maß für „Fläche“? Übrigens: 5 °C, 3 m² – 10 €.",
    ),
    "French": (
        "cp1252",
        "Où est l’Élysée ? « À côté », répond l’élève ; c’est déjà l’été à Besançon, œuvre créée.",
    ),
    "Spanish": (
        "cp1252",
        "¿Cuál es el niño más pequeño? ¡Él! Mañana comerá piñas en España; ¿verdad, señor?",
    ),
    "Danish": ("cp1252", "Hvor går åen? Blåbærgrød på Færøerne, rød grød med fløde, æøå og ÆØÅ."),
    "Portuguese": ("cp1252", "Não são só corações: atenção às eleições e à educação, São João."),
    "Polish": ("cp1250", "Zażółć gęślą jaźń. Która rzeka płynie przez Łódź? Świętokrzyskie, Wrocław."),
    "Russian": ("cp1251", "Какая столица России? Москва, Казань или Сочи. Что значит «жизнь»?"),
    "Ukrainian": ("cp1251", "Яка столиця України? Київ, Львів чи Одеса. Її ім’я."),
    "Greek": ("cp1253", "Ποια είναι η πρωτεύουσα της Ελλάδας; Η Αθήνα ή η Θεσσαλονίκη; Πόσα;"),
    "Hebrew": ("cp1255", "מהי בירת צרפת? פריז, ליון או מרסיי. כמה ימים יש בשבוע?"),
    "Arabic": ("cp1256", "ما هي عاصمة مصر؟ القاهرة أم الرباط أم تونس. كم عدد أيام الأسبوع؟"),
}


@pytest.mark.parametrize("language", TEXTS)
def test_a_sentence_is_read_in_its_own_countrys_page(language: str) -> None:
    """Or in one that has the same letters at the same places."""
    page, text = TEXTS[language]
    data = text.encode(page)
    assert data.decode(page_of(data)) == text


@pytest.mark.parametrize("data", [b"", b"plain", b"\xff\x81", "é è".encode("cp1252")], ids=repr)
def test_in_doubt_it_is_western(data: bytes) -> None:
    """Two words are no evidence."""
    assert page_of(data) == "cp1252"


def test_a_long_file_is_known_by_its_beginning() -> None:
    """And costs no more than that."""
    page, text = TEXTS["Russian"]
    assert page_of(text.encode(page) * 20_000) == page
