"""Games that are over (spec 2.6): what was asked, who played, what each answer brought.

Written once by ``rooms.records`` and only read afterwards (``rooms.results``, the admin); nothing of a live
room is here. Accounts are the gateway's names of them, hashes for those who are not signed in; no row holds a
token.
"""

from typing import Any

import msgspec
from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from rooms.core.questions import Question
from rooms.permissions import LiveRoom  # noqa: F401  (Django looks for models here)
from rooms.questions import models as _question_sets  # noqa: F401  (Django looks for models here)

ID_LENGTH = 64
"""The longest id on the wire (``rooms.core.shapes.Id``)."""
ACCOUNT_LENGTH = 255
"""``user:`` or ``session:`` and a key; a custom user model may have a long one."""


def user_key(verbose_name: Any) -> Any:
    """The user behind an account, as long as there is one: a game outlives those who played it."""
    return models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.SET_NULL,
        null=True,
        related_name="+",
        verbose_name=verbose_name,
    )


class GameRecord(models.Model):
    """One game, finished or stopped after its first question.

    ``creator`` opened the room and ``host`` was its host when the game ended; both may see the results.
    ``questions`` are those that were closed, in the order asked; with ``seed`` the game can be drawn again.
    """

    game_id = models.CharField(_("game"), max_length=ID_LENGTH, unique=True)
    room_id = models.CharField(_("room id"), max_length=ID_LENGTH)
    room_code = models.CharField(_("room"), max_length=ID_LENGTH)
    creator = models.CharField(_("creator’s account"), max_length=ACCOUNT_LENGTH)
    creator_user = user_key(_("creator"))
    host = models.CharField(_("host’s account"), max_length=ACCOUNT_LENGTH, blank=True)
    host_user = user_key(_("host"))
    started_at = models.DateTimeField(_("started"))
    ended_at = models.DateTimeField(_("ended"), db_index=True)
    finished = models.BooleanField(_("finished"), help_text=_("Off: the host stopped the game."))
    question_total = models.PositiveIntegerField(_("questions drawn"))
    seed = models.BigIntegerField(_("seed"))
    settings = models.JSONField(_("settings"))
    questions = models.JSONField(_("questions"))

    class Meta:
        verbose_name = _("game")
        verbose_name_plural = _("games")
        ordering = ("-ended_at", "-pk")
        constraints = (
            models.CheckConstraint(
                condition=Q(started_at__lte=F("ended_at")), name="rooms_game_starts_before_it_ends"
            ),
        )

    def __str__(self) -> str:
        return f"{self.room_code} · {self.ended_at:%Y-%m-%d %H:%M}"

    def get_absolute_url(self) -> str:
        """The page of its results."""
        return reverse("rooms:results", args=[self.game_id])

    @property
    def asked(self) -> tuple[Question, ...]:
        """The questions as the engine asked them."""
        return msgspec.convert(self.questions, tuple[Question, ...])


class PlayerResult(models.Model):
    """How one player came off. ``rank`` is that of the podium, None for one who had gone by then.

    ``first_question`` is the index of the first question that counted, above 0 for a late joiner.
    """

    game = models.ForeignKey(
        GameRecord, on_delete=models.CASCADE, related_name="players", verbose_name=_("game")
    )
    seat_id = models.CharField(_("seat"), max_length=ID_LENGTH)
    account = models.CharField(_("account"), max_length=ACCOUNT_LENGTH, db_index=True)
    user = user_key(_("user"))
    # 24 characters as people count them are up to 240 code points: no length may refuse what a room took.
    name = models.TextField(_("name"))
    avatar = models.JSONField(_("avatar"))
    join_order = models.PositiveIntegerField(_("place in the order of joining"))
    score = models.PositiveIntegerField(_("points"))
    correct = models.PositiveIntegerField(_("right answers"))
    rank = models.PositiveIntegerField(_("rank"), null=True)
    first_question = models.PositiveIntegerField(_("first question that counted"))

    class Meta:
        verbose_name = _("player’s result")
        verbose_name_plural = _("players’ results")
        # Spec 2.4: by points; among equals, who share a rank, who joined first.
        ordering = ("-score", "join_order", "pk")
        constraints = (
            models.UniqueConstraint(fields=("game", "seat_id"), name="rooms_one_result_a_seat"),
            models.CheckConstraint(condition=Q(rank=None) | Q(rank__gte=1), name="rooms_ranks_from_one"),
        )

    def __str__(self) -> str:
        return self.name


class AnswerRecord(models.Model):
    """One answer with all that explains its points (spec 2.4). ``question_index`` counts from 0."""

    player = models.ForeignKey(
        PlayerResult, on_delete=models.CASCADE, related_name="answers", verbose_name=_("player")
    )
    question_index = models.PositiveIntegerField(_("question"))
    question_id = models.CharField(_("question’s id"), max_length=ID_LENGTH)
    choices = models.JSONField(_("choices"))
    correct = models.BooleanField(_("right"))
    points = models.PositiveIntegerField(_("points"))
    base = models.PositiveIntegerField(_("points for the answer"))
    streak = models.PositiveIntegerField(_("bonus for the streak"))
    response_ms = models.PositiveIntegerField(_("response time (ms)"))
    lag_credit_ms = models.PositiveIntegerField(_("credit for lag (ms)"))

    class Meta:
        verbose_name = _("answer")
        verbose_name_plural = _("answers")
        ordering = ("question_index", "pk")
        constraints = (
            models.UniqueConstraint(fields=("player", "question_index"), name="rooms_one_answer_a_question"),
            models.CheckConstraint(
                condition=Q(points=F("base") + F("streak")), name="rooms_points_are_explained"
            ),
        )

    def __str__(self) -> str:
        return f"{self.question_index + 1}: {self.points}"
