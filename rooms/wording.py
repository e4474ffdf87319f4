"""A stored question in the words of whoever reads the page: how every flag is asked for, countries' names.

The players' pages do the same in the browser (``text.js`` of the site). What people wrote in their sets stays
as they wrote it, and files keep the words that are stored (``rooms.exports``): the same for everybody.
"""

from django.utils.translation import get_language, gettext
from msgspec.structs import replace

from rooms.core.questions import Choice, Question, Svg
from rooms.questions.flags import PROMPT, names
from rooms.results import QuestionResult


def in_the_readers_language(result: QuestionResult) -> QuestionResult:
    """The result with its texts in the active language, as far as they are the game's own."""
    choices = tuple(replace(each, choice=_choice(each.choice)) for each in result.choices)
    return replace(result, question=_question(result.question), choices=choices)


def _question(question: Question) -> Question:
    """Only flags are drawings, and all of them are asked for in the same words."""
    return replace(question, prompt=gettext(PROMPT)) if isinstance(question.media, Svg) else question


def _choice(choice: Choice) -> Choice:
    told = names().get((get_language() or "").partition("-")[0], {})
    name = told.get(choice.country) if choice.country else None
    return choice if name is None else replace(choice, text=name)
