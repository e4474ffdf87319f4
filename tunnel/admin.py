"""Tunnel tokens for the site's staff: issue, rotate, revoke, extend; and the peers that are live (spec 6.1).

A secret is in one response, never in a message, a cookie or the log. Tokens are revoked, not deleted, so that
the log keeps its meaning. What happens is in the admin's log.
"""

from datetime import timedelta
from typing import Any, Final

from django.contrib import admin, messages
from django.contrib.admin.models import CHANGE, LogEntry
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import path, reverse
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.views.decorators.cache import never_cache

from tunnel import conf
from tunnel.models import BannedName, Token

EXTENSION: Final = timedelta(days=30)
KICKED: Final = "sent away by the site’s staff"


class WhereConfigured:
    """Not on the index of a site that is no relay."""

    def has_module_permission(self, request: HttpRequest) -> bool:
        """As usual, on a relay."""
        return conf.configured() and super().has_module_permission(request)  # type: ignore[misc]


@admin.register(Token)
class TokenAdmin(WhereConfigured, admin.ModelAdmin):
    """The list of tokens, with the live peers above it."""

    list_display = ("label", "scope", "token_id", "state", "expires_at", "used_at", "created_by")
    list_select_related = ("created_by",)
    list_filter = ("scope",)
    search_fields = ("label", "scope", "token_id")
    fields = ("label", "scope", "expires_at", "token_id", "created_at", "created_by", "used_at", "revoked_at")
    readonly_fields = ("token_id", "created_at", "created_by", "used_at", "revoked_at")
    actions = ("rotate", "revoke", "extend")
    change_list_template = "admin/tunnel/token/list.html"

    def has_delete_permission(self, request: HttpRequest, obj: Token | None = None) -> bool:
        """Tokens are revoked."""
        return False

    def get_urls(self) -> list[Any]:
        """With the one for sending a peer away."""
        kick = path("kick/", self.admin_site.admin_view(self.kick_view), name="tunnel_token_kick")
        return [kick, *super().get_urls()]

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """The list, and who is connected to this process."""
        context = {"peers": _live(), "may_kick": self.has_change_permission(request)}
        return super().changelist_view(request, {**context, **(extra_context or {})})

    @admin.display(description=_("state"))
    def state(self, token: Token) -> str:
        """Whether it can be used."""
        if token.revoked_at is not None:
            return str(_("revoked"))
        expired = token.expires_at is not None and token.expires_at <= timezone.now()
        return str(_("expired") if expired else _("live"))

    # Issue

    def save_model(self, request: HttpRequest, obj: Token, form: Any, change: bool) -> None:
        """A new token gets its secret here."""
        if not change:
            obj.created_by = request.user  # type: ignore[assignment]  # nobody else is let in
            request.shown = [(obj, obj.set_secret())]  # type: ignore[attr-defined]
        super().save_model(request, obj, form, change)

    def response_add(self, request: HttpRequest, obj: Token, post_url_continue: Any = None) -> HttpResponse:
        """The secret, once, instead of a redirect."""
        return self._show(request, request.shown)  # type: ignore[attr-defined]

    # Actions

    @admin.action(description=_("Rotate: give a new secret, and show it once"), permissions=["change"])
    def rotate(self, request: HttpRequest, chosen: QuerySet[Token]) -> HttpResponse:
        """The old secret is good for nothing at once."""
        if "confirmed" not in request.POST:
            return self._confirm(request, chosen, "rotate", _("Who uses an old secret is sent away."))
        shown = []
        for token in chosen.filter(revoked_at=None):
            shown.append((token, token.set_secret()))
            token.save(update_fields=["secret_hash"])
        self._log(request, [token for token, _text in shown], "Rotated.")
        return self._show(request, shown)

    @admin.action(description=_("Revoke, and send away who uses it"), permissions=["change"])
    def revoke(self, request: HttpRequest, chosen: QuerySet[Token]) -> HttpResponse | None:
        """For good."""
        if "confirmed" not in request.POST:
            return self._confirm(request, chosen, "revoke", _("A revoked token can’t be used again."))
        live = list(chosen.filter(revoked_at=None))
        self._log(request, live, "Revoked.")
        chosen.filter(revoked_at=None).update(revoked_at=timezone.now())
        self.message_user(request, _("Revoked: %(count)s") % {"count": len(live)}, messages.SUCCESS)
        return None

    @admin.action(description=_("Extend by 30 days"), permissions=["change"])
    def extend(self, request: HttpRequest, chosen: QuerySet[Token]) -> None:
        """From today, or from the day on which it would have expired."""
        tokens = list(chosen.filter(revoked_at=None).exclude(expires_at=None))
        for token in tokens:
            token.expires_at = max(token.expires_at, timezone.now()) + EXTENSION  # type: ignore[type-var]
            token.save(update_fields=["expires_at"])
        self._log(request, tokens, "Extended by 30 days.")
        self.message_user(request, _("Extended: %(count)s") % {"count": len(tokens)}, messages.SUCCESS)

    def kick_view(self, request: HttpRequest) -> HttpResponse:
        """Send a live peer away, and ban its name if that is asked for."""
        if request.method != "POST" or not self.has_change_permission(request):
            raise PermissionDenied
        from tunnel.relay import running

        name = request.POST.get("name", "")
        if request.POST.get("ban"):
            if not request.user.has_perm("tunnel.add_bannedname"):
                raise PermissionDenied
            BannedName.objects.get_or_create(name=name)
        peer = next((peer for peer in running.peers() if peer.name == name), None)
        if peer is not None and running.kick(name, KICKED):
            self._log(request, Token.objects.filter(token_id=peer.token_id), f"Sent {name} away.")
            self.message_user(request, _("Sent away: %(name)s") % {"name": name}, messages.SUCCESS)
        else:
            self.message_user(request, _("Nobody serves %(name)s.") % {"name": name}, messages.WARNING)
        return redirect(reverse("admin:tunnel_token_changelist"))

    def _show(self, request: HttpRequest, shown: list[tuple[Token, str]]) -> HttpResponse:
        context = {**self.admin_site.each_context(request), "title": _("Tunnel tokens"), "shown": shown}
        page = TemplateResponse(request, "admin/tunnel/token/issued.html", context)
        return never_cache(lambda _request: page)(request)

    def _confirm(
        self, request: HttpRequest, chosen: QuerySet[Token], action: str, consequence: Any
    ) -> HttpResponse:
        context = {
            **self.admin_site.each_context(request),
            "title": _("Are you sure?"),
            "chosen": chosen.filter(revoked_at=None),
            "action": action,
            "consequence": consequence,
        }
        return TemplateResponse(request, "admin/tunnel/token/confirm.html", context)

    def _log(self, request: HttpRequest, tokens: Any, message: str) -> None:
        if tokens:
            LogEntry.objects.log_actions(request.user.pk, tokens, CHANGE, message)


@admin.register(BannedName)
class BannedNameAdmin(WhereConfigured, admin.ModelAdmin):
    """Names that nobody may serve."""

    list_display = ("name", "reason")
    search_fields = ("name", "reason")


def _live() -> list[Any]:
    """The peers of this process; the relay's code is not loaded where there is none."""
    if not conf.configured():
        return []
    from tunnel.relay import running

    return running.peers()
