"""The block list, for site staff (spec 4.3): who is blocked, by whom and why, how often it refused somebody.

What staff does here counts on every process within a second (``gateway.blocking``). Permissions are Django's:
``add`` to block, ``change`` for the actions, ``delete`` to forget an entry; all are in the admin's log.
"""

import ipaddress
from collections.abc import Iterator
from datetime import timedelta
from typing import Any, Final

from django import forms
from django.contrib import admin, messages
from django.db import transaction
from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django.utils import timezone
from django.utils.html import format_html, format_html_join
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from gateway import admission, blocking, conf
from gateway.core.address import parse_address
from gateway.core.blocklist import Kind, canonical, parse_network
from gateway.models import Block, holding, spelled
from gateway.views import request_of

DAY: Final = timedelta(days=1)


class BlockForm(forms.ModelForm):  # type: ignore[type-arg]
    """A block by hand. Whoever would block himself is asked first: nobody else may be there to undo it."""

    request: HttpRequest
    own = forms.BooleanField(
        label=gettext_lazy("Yes, block my own address or account too"),
        required=False,
        widget=forms.HiddenInput,
    )

    class Meta:
        model = Block
        fields = ("value", "reason", "until")

    def clean(self) -> None:
        """Ask, if it must be asked; an end in the past would block nobody."""
        super().clean()
        value = self.cleaned_data.get("value") or self.instance.value
        if value and not self.cleaned_data.get("own") and _is_own(value, self.request):
            self.fields["own"].widget = forms.CheckboxInput()
            self.add_error("own", _("This blocks you yourself. Is that what you want?"))
        until = self.cleaned_data.get("until")
        if self.instance.pk is None and until is not None and until <= timezone.now():
            self.add_error("until", _("This is in the past."))


class StateFilter(admin.SimpleListFilter):
    """Whether an entry still blocks somebody."""

    title = gettext_lazy("state")
    parameter_name = "state"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        """The two."""
        return [("blocked", _("blocked")), ("over", _("over"))]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Block]) -> QuerySet[Block]:
        """Those of the state."""
        over = Q(until__lte=timezone.now())
        match self.value():
            case "blocked":
                return queryset.exclude(over)
            case "over":
                return queryset.filter(over)
        return queryset


@admin.register(Block)
class BlockAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    """The list, newest first."""

    form = BlockForm
    fields = ("value", "reason", "until", "own")
    list_display = ("value", "state", "reason", "ends", "hits", "last_hit", "created_by", "created_at")
    list_filter = (StateFilter, "automatic", "kind")
    list_select_related = ("created_by",)
    search_fields = ("value", "reason")
    search_help_text = gettext_lazy("An address also finds the networks that hold it.")
    actions = ("unblock", "extend_a_day", "block_for_ever")

    # ---------- the form

    def get_form(self, request: HttpRequest, obj: Any = None, change: bool = False, **kwargs: Any) -> Any:
        """The form, which must know who asks."""
        form = super().get_form(request, obj, change, **kwargs)
        form.request = request
        return form

    def get_fields(self, request: HttpRequest, obj: Block | None = None) -> tuple[str, ...]:
        """What was counted is shown for an entry that is there."""
        if obj is None:
            return self.fields
        own = ("own",) if self.has_change_permission(request, obj) else ()
        facts = ("kind", "created_by", "created_at", "automatic", "hits", "last_hit", "evidence_table")
        return ("value", "reason", "until", *own, *facts)

    def get_readonly_fields(self, request: HttpRequest, obj: Block | None = None) -> tuple[str, ...]:
        """Who is blocked is not changed: that would be another block."""
        facts = ("kind", "created_by", "created_at", "automatic", "hits", "last_hit", "evidence_table")
        return () if obj is None else ("value", *facts)

    def save_model(self, request: HttpRequest, obj: Block, form: Any, change: bool) -> None:
        """Whoever saves an automatic block makes it his own: it closes sockets from then on."""
        if not change or obj.automatic:
            obj.created_by, obj.automatic = request.user, False
        super().save_model(request, obj, form, change)

    # ---------- the list

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Block], search_term: str
    ) -> tuple[QuerySet[Block], bool]:
        """By text; and of an address, everything that it is in."""
        found, duplicates = super().get_search_results(request, queryset, search_term)
        holding = list(_spellings_around(search_term))
        return (found | queryset.filter(value__in=holding) if holding else found), duplicates

    @admin.display(description=gettext_lazy("state"))
    def state(self, block: Block) -> str:
        """In a word."""
        if block.is_over:
            return _("over")
        return _("automatic") if block.automatic else _("blocked")

    @admin.display(description=gettext_lazy("until"), ordering="until", empty_value=gettext_lazy("for ever"))
    def ends(self, block: Block) -> Any:
        """Django shows nothing for an end that there is not."""
        return block.until

    @admin.display(description=gettext_lazy("evidence"))
    def evidence_table(self, block: Block) -> Any:
        """The strikes, as they were counted."""
        if not block.evidence:
            return "–"
        rows = [
            (strike["seconds before"], strike["what"], strike["account"], strike["address"])
            for strike in block.evidence
        ]
        head = format_html(
            "<tr><th>{}</th><th>{}</th><th>{}</th><th>{}</th></tr>",
            *(_("Seconds before"), _("What"), _("Account"), _("Address")),
        )
        body = format_html_join("", "<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>", rows)
        return format_html("<table>{}{}</table>", head, body)

    # ---------- actions

    @admin.action(description=gettext_lazy("Unblock now"), permissions=["change"])
    def unblock(self, request: HttpRequest, blocks: QuerySet[Block]) -> None:
        """They are over; the entries stay, for the record."""
        self._do(request, blocks.filter(holding()), _("Unblocked."), _end)

    @admin.action(description=gettext_lazy("Extend by a day"), permissions=["change"])
    def extend_a_day(self, request: HttpRequest, blocks: QuerySet[Block]) -> None:
        """From their end on; those that are over from now on."""
        self._do(
            request,
            blocks.exclude(until=None),
            _("Extended by a day."),
            lambda block: blocking.extend(block, DAY),
        )

    @admin.action(description=gettext_lazy("Block for ever"), permissions=["change"])
    def block_for_ever(self, request: HttpRequest, blocks: QuerySet[Block]) -> None:
        """By hand from now on, so that their sockets are closed, too."""
        self._do(
            request,
            blocks,
            _("Blocked for ever."),
            lambda block: blocking.block(block.value, block.reason, None, request.user),
        )

    def _do(self, request: HttpRequest, blocks: QuerySet[Block], sentence: str, change: Any) -> None:
        """Change each and log it; nobody shuts himself out by ticking a row."""
        done = 0
        with transaction.atomic():
            for block in blocks:
                if change is not _end and _is_own(block.value, request):
                    text = _("%(value)s would block you yourself: open it to confirm that.")
                    messages.warning(request, text % {"value": block.value})
                    continue
                change(block)
                self.log_change(request, block, sentence)
                done += 1
        text = ngettext("%(count)d entry changed.", "%(count)d entries changed.", done)
        messages.success(request, text % {"count": done})


def _end(block: Block) -> None:
    blocking.unblock(block.value)


def _is_own(value: str, request: HttpRequest) -> bool:
    """Whether a block of this value shuts out whoever sends this request."""
    try:
        kind, value = spelled(value)
    except ValueError:
        return False
    if kind is Kind.ACCOUNT:
        return value == admission.account_of(request.user.pk, None)
    address = parse_address(admission.client_address(request_of(request), conf.config()))
    network = parse_network(value)
    return address is not None and address.version == network.version and address in network


def _spellings_around(text: str) -> Iterator[str]:
    """An address and all networks that hold it, as they are stored; nothing for other texts."""
    address = parse_address(text)
    if address is not None:
        for prefix in range(address.max_prefixlen + 1):
            yield canonical(str(ipaddress.ip_network((address, prefix), strict=False)))[1]
