"""Which column is which: the names that people and products give to the columns of a question table.

Matched by what a header begins with, without case, accents and remarks ("Question - max 120 characters"),
in any order. Languages: those in which the big products offer their templates.
"""

import re
import unicodedata
from collections.abc import Sequence
from typing import Final, Literal

from msgspec import Struct

Field = Literal["question", "option", "correct", "time", "type", "image", "explanation", "weight"]

NAMES: Final[dict[Field, tuple[str, ...]]] = {
    # "correct" before "option": "Richtige Antwort" and "Correct Answer" are no options.
    "correct": (
        *("correct", "right answer", "solution", "answer key", "richtig", "korrekt", "losung"),
        *("bonne", "reponse correcte", "reponses correctes", "respuesta correcta", "respuestas correctas"),
        *("respuesta(s) correcta", "reponse(s) correcte", "rispost(e) corrett", "resposta(s) correta"),
        *("risposta corretta", "risposte corrette", "resposta correta", "respostas corretas", "juiste"),
        *(
            "correcte",
            "poprawn",
            "prawidlow",
            "dogru",
            "الاجابه الصحيحه",
            "الاجابة الصحيحة",
            "الإجابة الصحيحة",
        ),
        *("правильн", "正解", "正确答案", "antwort richtig"),
    ),
    "question": (
        *("question", "prompt", "frage", "pregunta", "domanda", "pergunta", "vraag", "pytanie", "soru"),
        *("السؤال", "سؤال", "вопрос", "問題", "问题", "質問", "sporsmal", "fraga", "sporgsmal", "kysymys"),
    ),
    "time": (
        *("time", "seconds", "zeit", "sekunden", "temps", "duree", "tiempo", "tempo", "tijd", "czas", "sure"),
        *(
            "limite de temps",
            "limite de tiempo",
            "limite de tempo",
            "delai",
            "وقت",
            "الوقت",
            "время",
            "制限時間",
        ),
    ),
    "type": ("question type", "type", "fragetyp", "typ", "tipo", "tur", "نوع", "тип"),
    "image": ("image", "picture", "media", "bild", "imagen", "immagine", "imagem", "afbeelding", "صورة"),
    "explanation": (
        *("explanation", "answer explanation", "feedback", "erklarung", "erlauterung", "explication"),
        *(
            "explicacion",
            "spiegazione",
            "explicacao",
            "uitleg",
            "wyjasnienie",
            "aciklama",
            "شرح",
            "объяснение",
        ),
    ),
    "weight": ("weight", "gewicht", "gewichtung", "poids", "peso", "waga"),
    "option": (
        *("answer", "option", "choice", "antwort", "auswahl", "reponse", "respuesta", "opcion", "risposta"),
        *("opzione", "resposta", "opcao", "alternativa", "antwoord", "optie", "odpowiedz", "opcja", "cevap"),
        *(
            "secenek",
            "svar",
            "vastaus",
            "الاجابه",
            "الإجابة",
            "إجابة",
            "خيار",
            "ответ",
            "вариант",
            "選択肢",
            "选项",
        ),
    ),
}
_ORDER: Final[tuple[Field, ...]] = (
    *("explanation", "correct", "type", "time", "image", "weight", "question", "option"),
)
WHEN: Final = ("timestamp", "zeitstempel", "tijdstempel")
"""When somebody sent a form: no time limit, though it begins like one."""
_NUMBERED: Final = re.compile(r"\s*(\d{1,2}|[a-z])$")
_BARE: Final = re.compile(r"[a-h]|[1-9]")
MAX_HEADER: Final = 80
"""Characters: longer is a sentence that happens to begin like a header."""
MAX_FOLDED: Final = 300
"""Characters that are looked at: a name stands at the beginning, whatever remarks follow."""


class Columns(Struct, frozen=True):
    """Where each field stands; ``options`` in the order of their numbers."""

    question: int
    options: tuple[int, ...]
    fields: dict[Field, int]
    unused: tuple[str, ...] = ()


def find(cells: Sequence[str]) -> Columns | None:
    """The columns, if these cells are a header: a question, two options, or one and what is right."""
    fields: dict[Field, int] = {}
    options: list[tuple[tuple[int, str], int]] = []
    unused = []
    for column, cell in enumerate(cells):
        name = folded(cell)
        field = _field(name)
        if field == "option":
            options.append((_rank(name), column))
        elif field is None or field in fields:
            unused += [cell] if name else []
        else:
            fields[field] = column
    if "question" not in fields or len(options) < 2 or len(cells[fields["question"]]) > MAX_HEADER:
        return None
    if "correct" not in fields and all(_BARE.fullmatch(folded(cells[column])) for _rank, column in options):
        return None  # "Question 1?", "a", "b" is no header
    order = tuple(column for _rank, column in sorted(options, key=lambda option: option[0]))
    return Columns(fields["question"], order, fields, tuple(unused))


def folded(text: str) -> str:
    """Without case, accents and what follows a dash or bracket; "Answer(s)" keeps its brackets."""
    plain = "".join(
        char
        for char in unicodedata.normalize("NFKD", text[:MAX_FOLDED].casefold())
        if not unicodedata.combining(char)
    )
    plain = plain.replace("ı", "i").replace("ł", "l").replace("ø", "o").replace("_", " ")
    short = re.split(r"\s+[-–—]\s+|\s+\(|:|\n", plain.strip(), maxsplit=1)[0]
    return " ".join(short.split())


def _field(name: str) -> Field | None:
    if _BARE.fullmatch(name):
        return "option"
    if name.startswith(WHEN):
        return None
    for field in _ORDER:
        if any(name.startswith(_folded_name(start)) for start in NAMES[field]):
            return field
    return None


def _folded_name(name: str) -> str:
    return "".join(char for char in unicodedata.normalize("NFKD", name) if not unicodedata.combining(char))


def _rank(name: str) -> tuple[int, str]:
    found = _NUMBERED.search(name) if not _BARE.fullmatch(name) else re.match("(.)", name)
    label = found[1] if found else ""
    return (int(label), "") if label.isdecimal() else (100, label)
