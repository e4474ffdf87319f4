"""Question sets in the admin: their owners edit and export them, superusers all of them.

The permissions are those of question sets, also for the questions inside. A file is looked at before it is
stored (``rooms.questions.uploading``). Every change and export is in the admin's log.
"""

from typing import Any, Final

from django.contrib import admin, messages
from django.contrib.admin.models import CHANGE, LogEntry
from django.db import models
from django.db.models import Count, QuerySet
from django.forms import Textarea
from django.http import HttpRequest, HttpResponse
from django.urls import path
from django.utils.html import format_html
from django.utils.text import slugify
from django.utils.translation import gettext_lazy as _

from rooms.questions import exporters, storing
from rooms.questions.drafts import MAX_OPTIONS, MIN_OPTIONS
from rooms.questions.forms import ChoiceFormSet, QuestionForm, SetForm
from rooms.questions.models import Choice, Picture, Question, QuestionSet
from rooms.questions.uploading import Uploading

SHOWN_LACKS: Final = 10
"""Of what an exported file lacks: a page has room for so many."""


def own(request: HttpRequest, sets: QuerySet[QuestionSet]) -> QuerySet[QuestionSet]:
    """Those of the sets that the user may work with."""
    return sets if request.user.is_superuser else sets.filter(owner=request.user.pk)


def may(request: HttpRequest, action: str, question_set: QuestionSet | None) -> bool:
    """Whether the user may do this to question sets, and to this one."""
    is_own = question_set is None or request.user.is_superuser or question_set.owner_id == request.user.pk
    return is_own and request.user.has_perm(f"rooms.{action}_questionset")


class OfSet:
    """Questions and answers are part of their set: who may change that may change them."""

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """As for the set."""
        return may(request, "view", _set_of(obj)) or may(request, "change", _set_of(obj))

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Whoever may change the set."""
        return may(request, "change", _set_of(obj))

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Whoever may change the set."""
        return may(request, "change", _set_of(obj))

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Whoever may change the set."""
        return may(request, "change", _set_of(obj))


class QuestionInline(OfSet, admin.TabularInline):
    """The set's questions, to be looked at: each is edited on a page of its own, 500 fill no form."""

    model = Question
    fields = ("position", "kind", "time_limit_s", "weight", "has_picture")
    readonly_fields = fields
    show_change_link = True
    can_delete = False
    extra = 0

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """On the page of its own."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """On the page of its own."""
        return False

    @admin.display(description=_("picture"), boolean=True)
    def has_picture(self, question: Question) -> bool:
        """Whether there is one."""
        return question.picture_id is not None


class ChoiceInline(OfSet, admin.TabularInline):
    """The answers of a question."""

    model = Choice
    formset = ChoiceFormSet
    fields = ("position", "text", "correct")
    extra = 0
    min_num = MIN_OPTIONS
    max_num = MAX_OPTIONS
    # An input of one line would take away the line breaks of imported answers.
    formfield_overrides = {models.CharField: {"widget": Textarea(attrs={"rows": 1, "cols": 60})}}  # noqa: RUF012


@admin.register(Question)
class QuestionAdmin(OfSet, admin.ModelAdmin):
    """One question; reached from its set."""

    form = QuestionForm
    fields = (
        *("question_set", "position", "kind", "prompt", "picture_link", "picture_file", "picture_alt"),
        *("remove_picture", "time_limit_s", "weight", "explanation"),
    )
    readonly_fields = ("picture_link",)
    list_display = ("__str__", "question_set", "position", "kind")
    list_select_related = ("question_set",)
    search_fields = ("prompt",)
    inlines = (ChoiceInline,)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Question]:
        """Of the user's own sets."""
        sets = own(request, QuestionSet.objects.all())
        return super().get_queryset(request).filter(question_set__in=sets)

    def get_model_perms(self, request: HttpRequest) -> dict[str, bool]:
        """None: not a list of its own on the admin's first page."""
        return {}

    def formfield_for_foreignkey(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        """Only into the user's own sets."""
        if db_field.name == "question_set":
            kwargs["queryset"] = own(request, QuestionSet.objects.all())
        return super().formfield_for_foreignkey(db_field, request, **kwargs)

    def get_changeform_initial_data(self, request: HttpRequest) -> dict[str, Any]:
        """A new question comes last."""
        initial = super().get_changeform_initial_data(request)
        chosen = str(initial.get("question_set", ""))
        found = own(request, QuestionSet.objects.all()).filter(pk=chosen if chosen.isdecimal() else None)
        return {**initial, "position": storing.next_position(found[0]) if found else 0}

    @admin.display(description=_("picture now"))
    def picture_link(self, question: Question) -> str:
        """The picture, to be looked at."""
        if question.picture is None:
            return "–"
        address = question.picture.get_absolute_url()
        return format_html('<a href="{}"><img src="{}" alt="" height="120"></a>', address, address)

    def save_model(self, request: HttpRequest, obj: Question, form: QuestionForm, change: bool) -> None:
        """With the picture: a new one has a new address."""
        data = form.cleaned_data
        old = obj.picture
        if data["picture_file"] is not None:
            new = data["picture_file"]
            obj.picture = Picture.objects.create(data=new.data, mime=new.mime, alt=data["picture_alt"])
        elif data["remove_picture"]:
            obj.picture = None
        elif old is not None and old.alt != data["picture_alt"]:
            Picture.objects.filter(pk=old.pk).update(alt=data["picture_alt"])
        super().save_model(request, obj, form, change)
        if old is not None and obj.picture != old:
            old.delete()


@admin.register(QuestionSet)
class QuestionSetAdmin(Uploading, admin.ModelAdmin):
    """The sets of the user, or all."""

    form = SetForm
    change_list_template = "admin/rooms/questionset/change_list.html"
    change_form_template = "admin/rooms/questionset/change_form.html"
    list_display = ("title", "owner", "public", "question_count", "updated_at")
    list_filter = ("public",)
    list_select_related = ("owner",)
    search_fields = ("title", "public_id", "owner__username")
    fields = ("title", "description", "attribution", "public", "owner", "public_id", "source_name")
    readonly_fields = ("public_id", "source_name")
    autocomplete_fields = ("owner",)
    inlines = (QuestionInline,)
    actions = ("export_halyard", "export_gift", "export_kahoot")

    def get_queryset(self, request: HttpRequest) -> QuerySet[QuestionSet]:
        """The user's own, with the number of questions."""
        return own(request, super().get_queryset(request)).annotate(question_count=Count("questions"))

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        """Only superusers give sets away."""
        return self.readonly_fields if request.user.is_superuser else (*self.readonly_fields, "owner")

    def has_view_permission(self, request: HttpRequest, obj: QuestionSet | None = None) -> bool:
        """Of the owner."""
        return may(request, "view", obj) or may(request, "change", obj)

    def has_change_permission(self, request: HttpRequest, obj: QuestionSet | None = None) -> bool:
        """Of the owner."""
        return may(request, "change", obj)

    def has_delete_permission(self, request: HttpRequest, obj: QuestionSet | None = None) -> bool:
        """Of the owner."""
        return may(request, "delete", obj)

    def save_model(self, request: HttpRequest, obj: QuestionSet, form: Any, change: bool) -> None:
        """What somebody makes is theirs."""
        if not change and not request.user.is_superuser:
            obj.owner = request.user
        super().save_model(request, obj, form, change)

    def get_urls(self) -> list[Any]:
        """The import's pages before the ones that take any key."""
        pages = [
            path("import/", self.admin_site.admin_view(self.upload), name="rooms_questionset_import"),
            path(
                "import/<str:token>/",
                self.admin_site.admin_view(self.preview),
                name="rooms_questionset_preview",
            ),
        ]
        return [*pages, *super().get_urls()]

    @admin.display(description=_("questions"), ordering="question_count")
    def question_count(self, question_set: QuestionSet) -> int:
        """How many there are."""
        return question_set.question_count

    @admin.action(description=_("Export as Halyard JSON"), permissions=["view"])
    def export_halyard(self, request: HttpRequest, sets: QuerySet[QuestionSet]) -> HttpResponse | None:
        """Everything."""
        return self._export(request, sets, "halyard")

    @admin.action(description=_("Export as GIFT (Moodle)"), permissions=["view"])
    def export_gift(self, request: HttpRequest, sets: QuerySet[QuestionSet]) -> HttpResponse | None:
        """Questions, answers, explanations."""
        return self._export(request, sets, "gift")

    @admin.action(description=_("Export as a Kahoot spreadsheet"), permissions=["view"])
    def export_kahoot(self, request: HttpRequest, sets: QuerySet[QuestionSet]) -> HttpResponse | None:
        """Questions of up to four answers."""
        return self._export(request, sets, "kahoot")

    def _export(self, request: HttpRequest, sets: QuerySet[QuestionSet], format_: str) -> HttpResponse | None:
        if len(sets) != 1:
            self.message_user(request, _("Choose one set: each is a file of its own."), messages.ERROR)
            return None
        question_set = sets[0]
        exported = exporters.FORMATS[format_](storing.sheaf_of(question_set))
        for lack in exported.lacks[:SHOWN_LACKS]:
            self.message_user(request, _("The file lacks: %s") % lack, messages.WARNING)
        if more := len(exported.lacks[SHOWN_LACKS:]):
            self.message_user(request, _("The file lacks %d things more.") % more, messages.WARNING)
        name = f"{slugify(question_set.title) or question_set.public_id}.{exported.extension}"
        LogEntry.objects.log_actions(request.user.pk, [question_set], CHANGE, f"Exported to {name}.")
        headers = {"Content-Disposition": f'attachment; filename="{name}"'}
        return HttpResponse(exported.content, content_type=exported.mime, headers=headers)


def _set_of(obj: Any) -> QuestionSet | None:
    return obj.question_set if isinstance(obj, Question) else obj
