"""Question sets that people bring: whose they are, what is asked, the pictures (spec 2.5).

Rows only. What makes a question playable is in ``rooms.questions.drafts``, the way from and to drafts in
``rooms.questions.storing``, the way into a game in ``rooms.questions.sets``.
"""

import secrets
from typing import Any

from django.conf import settings
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import Q
from django.db.models.signals import post_delete
from django.dispatch import receiver
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from rooms.questions import drafts

TITLE_MAX = 200
ALT_MAX = 200


def new_public_id() -> str:
    """96 random bits: not to be guessed, and short in an address."""
    return secrets.token_urlsafe(12)


def new_picture_name() -> str:
    """144 random bits: whoever has the address of a picture was given it."""
    return secrets.token_urlsafe(18)


class QuestionSet(models.Model):
    """Questions of one owner; one without an owner is the site's own, and public.

    ``source_name`` is the file that it came from: the same file updates the set (``storing.find``).
    """

    public_id = models.CharField(_("id"), max_length=64, unique=True, default=new_public_id, editable=False)
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.CASCADE,
        null=True,
        blank=True,
        related_name="+",
        verbose_name=_("owner"),
        help_text=_("Empty: the site’s own, for everybody."),
    )
    title = models.CharField(_("title"), max_length=TITLE_MAX)
    description = models.TextField(_("description"), blank=True)
    attribution = models.TextField(
        _("attribution"), blank=True, help_text=_("Who wrote the questions, under which licence.")
    )
    public = models.BooleanField(_("public"), default=False, help_text=_("Every host may play it."))
    source_name = models.CharField(_("imported from"), max_length=255, blank=True, editable=False)
    created_at = models.DateTimeField(_("created"), auto_now_add=True)
    updated_at = models.DateTimeField(_("updated"), auto_now=True)

    class Meta:
        verbose_name = _("question set")
        verbose_name_plural = _("question sets")
        ordering = ("title", "pk")
        constraints = (
            models.CheckConstraint(
                condition=Q(owner__isnull=False) | Q(public=True), name="rooms_a_set_without_owner_is_public"
            ),
        )

    def __str__(self) -> str:
        return self.title


class Picture(models.Model):
    """A question's picture as this site encoded it. Kept beside its question: one transaction, one backup."""

    name = models.CharField(_("name"), max_length=64, unique=True, default=new_picture_name, editable=False)
    mime = models.CharField(_("type"), max_length=32)
    data = models.BinaryField(_("data"))
    alt = models.CharField(
        _("description"), max_length=ALT_MAX, blank=True, help_text=_("Must not give the answer away.")
    )

    class Meta:
        verbose_name = _("picture")
        verbose_name_plural = _("pictures")

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        """Where everybody who was given the address sees it."""
        return reverse("rooms:picture", args=[self.name])


class Question(models.Model):
    """One question; ``key`` names it in the files it comes from and goes to.

    ``imported``: the next import of the file may remove it; what was written here stays.
    """

    class Kind(models.TextChoices):
        """How it is answered."""

        SINGLE = "single", _("one right answer")
        MULTIPLE = "multiple", _("several right answers")
        BOOLEAN = "boolean", _("true or false")

    question_set = models.ForeignKey(
        QuestionSet, on_delete=models.CASCADE, related_name="questions", verbose_name=_("question set")
    )
    key = models.CharField(_("key"), max_length=64, default=new_public_id, editable=False)
    imported = models.BooleanField(_("imported"), default=False, editable=False)
    position = models.PositiveIntegerField(_("position"), default=0)
    kind = models.CharField(_("kind"), max_length=8, choices=Kind.choices, default=Kind.SINGLE)
    prompt = models.TextField(_("question"), max_length=drafts.PROMPT_MAX)
    explanation = models.TextField(_("explanation"), max_length=drafts.EXPLANATION_MAX, blank=True)
    time_limit_s = models.PositiveSmallIntegerField(
        _("time limit (s)"),
        null=True,
        blank=True,
        validators=[MinValueValidator(drafts.MIN_SECONDS), MaxValueValidator(drafts.MAX_SECONDS)],
        help_text=_("Empty: the room’s setting."),
    )
    # Decimal: it can't be NaN, and is written as it was typed.
    weight = models.DecimalField(
        _("weight"),
        max_digits=4,
        decimal_places=drafts.WEIGHT_DECIMALS,
        default=1,
        validators=[MinValueValidator(0), MaxValueValidator(int(drafts.MAX_WEIGHT))],
        help_text=_("Times 1000 points."),
    )
    picture = models.OneToOneField(
        Picture, on_delete=models.SET_NULL, null=True, blank=True, editable=False, verbose_name=_("picture")
    )

    class Meta:
        verbose_name = _("question")
        verbose_name_plural = _("questions")
        ordering = ("position", "pk")
        constraints = (
            models.UniqueConstraint(fields=("question_set", "key"), name="rooms_one_question_a_key"),
            models.CheckConstraint(
                condition=Q(time_limit_s=None)
                | Q(time_limit_s__range=(drafts.MIN_SECONDS, drafts.MAX_SECONDS)),
                name="rooms_time_limits_in_range",
            ),
            models.CheckConstraint(
                condition=Q(weight__range=(0, int(drafts.MAX_WEIGHT))), name="rooms_weights_in_range"
            ),
        )

    def __str__(self) -> str:
        return drafts.shown(self.prompt)

    def get_absolute_url(self) -> str:
        """Where its staff edit it."""
        return reverse("admin:rooms_question_change", args=[self.pk])

    def clean(self) -> None:
        """What can't be seen or stored everywhere is taken out."""
        self.prompt = drafts.clean(self.prompt)
        self.explanation = drafts.clean(self.explanation)


class Choice(models.Model):
    """One option of a question."""

    question = models.ForeignKey(
        Question, on_delete=models.CASCADE, related_name="choices", verbose_name=_("question")
    )
    position = models.PositiveIntegerField(_("position"), default=0)
    text = models.CharField(_("text"), max_length=drafts.OPTION_MAX)
    correct = models.BooleanField(_("right"), default=False)

    class Meta:
        verbose_name = _("answer")
        verbose_name_plural = _("answers")
        ordering = ("position", "pk")

    def __str__(self) -> str:
        return drafts.shown(self.text)

    def clean(self) -> None:
        """As for a question."""
        self.text = drafts.clean(self.text)


class Upload(models.Model):
    """A file between its preview and its import; nobody but who sent it gets it back."""

    token = models.CharField(max_length=64, unique=True, default=new_picture_name)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    file_name = models.CharField(max_length=255)
    data = models.BinaryField()
    created_at = models.DateTimeField(auto_now_add=True, db_index=True)

    class Meta:
        verbose_name = _("upload")
        verbose_name_plural = _("uploads")

    def __str__(self) -> str:
        return self.file_name


@receiver(post_delete, sender=Question)
def delete_picture(sender: Any, instance: Question, **_: Any) -> None:
    """A picture goes with its question, however that is deleted."""
    Picture.objects.filter(pk=instance.picture_id).delete()
