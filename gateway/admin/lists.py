"""Lists of live state in Django's admin: read from memory through `gateway.live`, acted on after a question.

What a list shows and what can be done is a subclass's; that only those do it who may, that a question comes
first and that every action is in the admin's log, is here. A process that serves nothing says so.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from django import forms
from django.contrib import admin, messages
from django.contrib.admin.models import CHANGE, LogEntry
from django.contrib.contenttypes.models import ContentType
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import URLPattern, path
from django.utils.translation import gettext as _
from msgspec import Struct

from gateway import live
from gateway.census import Page, Query
from gateway.runtime import Runtime

AT_MOST: Final = 200
"""Rows of one action: more than a page has, and a form that Django still takes (1000 fields)."""
REPR_MAX: Final = 200
"""What a row of the admin's log holds of an object's name."""
MINUTE_S: Final = 60
HOUR_MIN: Final = 60


class Column(Struct, frozen=True):
    """``order`` is the name by which the list can be sorted by it."""

    label: Any
    order: str = ""


class Cell(Struct, frozen=True):
    """A text that leads somewhere."""

    text: Any
    href: str


class Done(Struct, frozen=True):
    """What an action did to one thing, for the admin's log: its id, its name and a sentence."""

    id: str
    name: str
    sentence: str


class Act(Struct, frozen=True):
    """Something that can be done with chosen rows.

    ``do`` gets the request, the rows and the answers of ``form``; it returns what it did and raises
    `django.forms.ValidationError` for what cannot be done.
    """

    name: str
    label: Any
    permission: str
    question: Any
    do: Callable[[HttpRequest, Sequence[Any], Mapping[str, Any]], Sequence[Done]]
    form: type[forms.Form] = forms.Form


class LiveAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    """A list of live things. Subclasses say which columns and actions it has, and how it is looked at."""

    columns: tuple[Column, ...]
    acts: tuple[Act, ...]

    def look(self, runtime: Runtime, query: Query) -> Page[Any]:
        """A page of the list; called on the loop."""
        raise NotImplementedError

    def pick(self, runtime: Runtime, ids: Sequence[str]) -> Sequence[Any]:
        """Those of these rows that are still there; called on the loop."""
        raise NotImplementedError

    def row(self, request: HttpRequest, seen: Any) -> tuple[str, Sequence[Any]]:
        """The id of a row, and its cells: texts or `Cell`."""
        raise NotImplementedError

    # ---------- for Django

    def get_urls(self) -> list[URLPattern]:
        """The list and nothing else: there are no rows to add, change or delete."""
        name = f"{self.opts.app_label}_{self.opts.model_name}_changelist"
        return [path("", self.admin_site.admin_view(self.listed), name=name)]

    def has_add_permission(self, request: HttpRequest) -> bool:
        """No."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """No."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """No."""
        return False

    def listed(self, request: HttpRequest) -> HttpResponse:
        """The list, the question before an action, or the action."""
        if not self.has_view_permission(request):
            raise PermissionDenied
        try:
            return self._act(request) if request.method == "POST" else self._list(request)
        except (live.NotServingError, live.LoopStuckError) as error:
            return self._page(request, "nothing.html", {"error": str(error)}, status=503)

    # ---------- details

    def _list(self, request: HttpRequest) -> HttpResponse:
        query = Query(
            request.GET.get("q", "").strip(), request.GET.get("o", ""), _number(request.GET.get("p", "1"))
        )
        page = live.call(lambda runtime: self.look(runtime, query))
        context = {
            "columns": self.columns,
            "query": query,
            "page": page,
            "before": page.number - 1,
            "after": page.number + 1 if page.number < page.pages else 0,
            "rows": [self.row(request, seen) for seen in page.rows],
            "acts": [act for act in self.acts if request.user.has_perm(act.permission)],
        }
        return self._page(request, "list.html", context)

    def _act(self, request: HttpRequest) -> HttpResponse:
        act = next((act for act in self.acts if act.name == request.POST.get("action")), None)
        if act is None or not request.user.has_perm(act.permission):
            raise PermissionDenied
        ids = request.POST.getlist("chosen")[:AT_MOST]
        chosen = live.call(lambda runtime: self.pick(runtime, ids))
        if not chosen:
            messages.warning(request, _("Nothing was chosen that is still there."))
            return HttpResponseRedirect(request.get_full_path())
        form = act.form(request.POST if "sure" in request.POST else None)
        if "sure" in request.POST and form.is_valid() and self._carry_out(request, act, chosen, form):
            return HttpResponseRedirect(request.get_full_path())
        rows = [self.row(request, seen) for seen in chosen]
        context = {"act": act, "columns": self.columns, "rows": rows, "form": form}
        return self._page(request, "sure.html", context)

    def _carry_out(self, request: HttpRequest, act: Act, chosen: Sequence[Any], form: forms.Form) -> bool:
        """Do it and log it; a form that asks for what cannot be done says so instead."""
        try:
            done = act.do(request, chosen, form.cleaned_data)
        except forms.ValidationError as error:
            form.add_error(None, error)
            return False
        self._log(request, done)
        told = _("%(action)s: %(count)d done.") % {"action": act.label, "count": len(done)}
        messages.success(request, told)
        return True

    def _log(self, request: HttpRequest, done: Sequence[Done]) -> None:
        kind = ContentType.objects.get_for_model(self.model, for_concrete_model=False)
        LogEntry.objects.bulk_create(
            LogEntry(
                user_id=request.user.pk,
                content_type=kind,
                object_id=one.id,
                object_repr=one.name[:REPR_MAX],
                action_flag=CHANGE,
                change_message=one.sentence,
            )
            for one in done
        )

    def _page(
        self, request: HttpRequest, template: str, more: Mapping[str, Any], status: int = 200
    ) -> HttpResponse:
        context = {
            **self.admin_site.each_context(request),
            "title": str(self.opts.verbose_name_plural).capitalize(),
            "opts": self.opts,
            **more,
        }
        return render(request, f"gateway/admin/{template}", context, status=status)


def age(seconds: float) -> str:
    """A duration as people say it: ``42 s``, ``3 min``, ``2 h 5 min``."""
    if seconds < MINUTE_S:
        return _("%d s") % seconds
    hours, minutes = divmod(int(seconds) // MINUTE_S, HOUR_MIN)
    if not hours:
        return _("%d min") % minutes
    return _("%(hours)d h %(minutes)d min") % {"hours": hours, "minutes": minutes}


def _number(text: str) -> int:
    return int(text) if text.isdecimal() and len(text) < 10 else 1
