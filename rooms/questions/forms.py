"""Forms of the admin for question sets: what a person types obeys the rules that an import obeys.

The rules themselves are in ``rooms.questions.drafts`` and ``rooms.questions.pictures``.
"""

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.db.models import QuerySet
from django.utils.translation import gettext_lazy as _

from rooms.questions import drafts, importers, pictures
from rooms.questions.models import ALT_MAX, TITLE_MAX, Question, QuestionSet


class SetForm(forms.ModelForm):
    """A set; only superusers see its owner."""

    class Meta:
        model = QuestionSet
        fields = ("title", "description", "attribution", "public", "owner")

    def clean(self) -> None:
        """What is the site's own is for everybody: nobody else could use it."""
        super().clean()
        data = self.cleaned_data
        if "owner" in data and data["owner"] is None and not data.get("public"):
            self.add_error("public", _("A set without an owner must be public."))


class QuestionForm(forms.ModelForm):
    """A question with its picture, which is encoded anew here."""

    picture_file = forms.FileField(label=_("Picture"), required=False, help_text=_("PNG, JPEG or WebP."))
    picture_alt = forms.CharField(
        label=_("Picture’s description"),
        max_length=ALT_MAX,
        required=False,
        help_text=_("For those who don’t see it. It must not give the answer away."),
    )
    remove_picture = forms.BooleanField(label=_("Remove the picture"), required=False)

    class Meta:
        model = Question
        fields = ("question_set", "position", "kind", "prompt", "explanation", "time_limit_s", "weight")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if "picture_alt" in self.fields and self.instance.picture is not None:
            self.fields["picture_alt"].initial = self.instance.picture.alt

    def clean_question_set(self) -> QuestionSet:
        """A set holds so many and no more."""
        question_set: QuestionSet = self.cleaned_data["question_set"]
        others = question_set.questions.exclude(pk=self.instance.pk)
        if others.count() >= drafts.MAX_QUESTIONS:
            raise ValidationError(_("A set holds at most %d questions.") % drafts.MAX_QUESTIONS)
        return question_set

    def clean_picture_file(self) -> drafts.Picture | None:
        """Its pixels, or what is wrong with it."""
        file = self.cleaned_data.get("picture_file")
        if not file:
            return None
        try:
            return pictures.encoded(file.read(pictures.MAX_BYTES + 1))
        except pictures.PictureError as error:
            raise ValidationError(str(error)) from error


class ChoiceFormSet(forms.BaseInlineFormSet):
    """The answers of one question, judged together."""

    def clean(self) -> None:
        """As many as may be, as many right ones as the kind of question needs."""
        super().clean()
        if any(self.errors):
            return
        kept = [form.cleaned_data for form in self.forms if not self._should_delete_form(form)]
        options = tuple(
            drafts.Option(drafts.clean(data["text"]), data["correct"]) for data in kept if data.get("text")
        )
        try:
            _settled, notes = drafts.settle(drafts.Draft("?", options, self.instance.kind))
        except drafts.UnusableError as error:
            raise ValidationError(str(error)) from error
        if notes:
            raise ValidationError(notes[0])
        if self.instance.kind == Question.Kind.BOOLEAN and len(options) != 2:
            raise ValidationError(_("True or false: there must be two answers."))


class UploadForm(forms.Form):
    """A file of questions."""

    file = forms.FileField(label=_("File"), help_text=", ".join(importers.NAMES.values()))

    def clean_file(self) -> Any:
        """Not larger than importers read."""
        file = self.cleaned_data["file"]
        if file.size > importers.MAX_BYTES:
            raise ValidationError(_("The file is larger than %d MiB.") % (importers.MAX_BYTES // 2**20))
        return file


class ImportForm(forms.Form):
    """Where the questions of a file go."""

    title = forms.CharField(label=_("Title"), max_length=TITLE_MAX, help_text=_("Of a new question set."))
    into = forms.ModelChoiceField(
        QuestionSet.objects.none(), label=_("Into"), required=False, empty_label=_("a new question set")
    )

    def __init__(self, sets: QuerySet[QuestionSet], *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["into"].queryset = sets
