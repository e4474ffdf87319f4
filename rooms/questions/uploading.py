"""The way of a file into a question set in the admin: upload, look, store.

Between the pages the file waits in the database (``models.Upload``), for its sender alone. Parsing is
``importers``', storing is ``storing``'s.
"""

from datetime import timedelta
from typing import Any, Final

import msgspec
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from rooms.questions import importers, storing
from rooms.questions.drafts import shown
from rooms.questions.forms import ImportForm, UploadForm
from rooms.questions.importers import Imported, UnreadableError
from rooms.questions.models import Upload
from rooms.questions.storing import Target

KEPT: Final = timedelta(hours=6)
"""How long a file waits for its sender to decide."""


class Uploading(admin.ModelAdmin):
    """The two pages, for the admin of question sets."""

    def upload(self, request: HttpRequest) -> HttpResponse:
        """Ask for a file; one that can't be read says why."""
        if not self.has_add_permission(request):
            raise PermissionDenied("importing needs the permission to add question sets")
        form = UploadForm(request.POST or None, request.FILES or None)
        if form.is_valid():
            file = form.cleaned_data["file"]
            data = file.read()
            try:
                importers.parse(data)
            except UnreadableError as error:
                form.add_error("file", str(error))
            else:
                return redirect("admin:rooms_questionset_preview", _keep(request, file.name, data).token)
        return self._page(request, "import.html", form=form)

    def preview(self, request: HttpRequest, token: str) -> HttpResponse:
        """Show what would happen, and do it when asked to."""
        if not self.has_add_permission(request):
            raise PermissionDenied("importing needs the permission to add question sets")
        upload = Upload.objects.filter(token=token, user=request.user.pk).first()
        if upload is None and request.method == "POST":
            return self._too_late(request)
        if upload is None:
            raise Http404(f"no file waits under {token!r}")
        imported = importers.parse(bytes(upload.data))
        found = storing.find(imported, request.user, "", upload.file_name)
        initial = {"title": found.title, "into": found.into}
        form = ImportForm(self._changeable(request), request.POST or None, initial=initial)
        target = found
        if form.is_valid():
            # Whoever was shown a new set is not given one that came up in the meantime.
            apart = form.cleaned_data["into"] is None
            target = msgspec.structs.replace(found, **form.cleaned_data, apart=apart)
            if "_save" in request.POST and imported.questions:
                return self._store(request, upload, imported, target)
        changes = storing.compare(imported, target.into)
        return self._page(
            request, "preview.html", form=form, imported=imported, changes=changes, upload=upload
        )

    def _changeable(self, request: HttpRequest) -> Any:
        sets = self.get_queryset(request)
        return sets if self.has_change_permission(request) else sets.none()

    def _store(
        self, request: HttpRequest, upload: Upload, imported: Imported, target: Target
    ) -> HttpResponse:
        with transaction.atomic():
            # Of a button that was pressed twice, one press has the file.
            if not Upload.objects.filter(pk=upload.pk).delete()[0]:
                return self._too_late(request)
            question_set, changes = storing.save(imported, target)
        facts = {"new": len(changes.added), "changed": len(changes.changed), "removed": len(changes.removed)}
        told = (
            f"Imported from {upload.file_name}: {facts['new']} new, {facts['changed']} changed, "
            f"{facts['removed']} removed."
        )
        log = self.log_change if question_set == target.into else self.log_addition
        log(request, question_set, told)
        self.message_user(request, _imported_text(imported), messages.SUCCESS)
        return redirect(reverse("admin:rooms_questionset_change", args=[question_set.pk]))

    def _too_late(self, request: HttpRequest) -> HttpResponse:
        text = _("This file no longer waits: it was imported already, or it has waited too long.")
        self.message_user(request, text, messages.WARNING)
        return redirect("admin:rooms_questionset_changelist")

    def _page(self, request: HttpRequest, template: str, **context: Any) -> TemplateResponse:
        every = {**self.admin_site.each_context(request), "opts": self.opts, "title": _("Import questions")}
        names = [f"admin/rooms/questionset/{template}"]
        return TemplateResponse(request, names, {**every, "formats": importers.NAMES, **context})


def _keep(request: HttpRequest, name: str, data: bytes) -> Upload:
    """For a while, and the sender's former file no longer."""
    Upload.objects.filter(created_at__lt=timezone.now() - KEPT).delete()
    Upload.objects.filter(user=request.user.pk).delete()
    return Upload.objects.create(user_id=request.user.pk, file_name=shown(name, storing.NAME_MAX), data=data)


def _imported_text(imported: Imported) -> str:
    taken, skipped = imported.report.taken, imported.report.skipped
    text = ngettext("%d question was imported.", "%d questions were imported.", taken) % taken
    return (
        text
        if not skipped
        else text + " " + ngettext("%d was skipped.", "%d were skipped.", skipped) % skipped
    )
