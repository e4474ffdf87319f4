"""The open sockets of this process, for site staff: who is connected, how well, and what to do about it
(spec 4.3)."""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any, Final

from django import forms
from django.contrib import admin
from django.core.exceptions import ValidationError
from django.db import transaction
from django.http import HttpRequest
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from gateway import blocking, census, live
from gateway.admin.lists import Act, Column, Done, LiveAdmin, age
from gateway.census import Page, Query, Seen
from gateway.core import closing
from gateway.models import Block
from gateway.permissions import LiveConnection
from gateway.runtime import Runtime

FOR_EVER: Final = "0"
SECONDS: Final = (
    ("900", gettext_lazy("15 minutes")),
    ("3600", gettext_lazy("an hour")),
    ("86400", gettext_lazy("a day")),
    (FOR_EVER, gettext_lazy("for ever")),
)


class BlockForm(forms.Form):
    """Why and for how long."""

    reason = forms.CharField(
        label=gettext_lazy("Reason"), max_length=Block._meta.get_field("reason").max_length
    )
    seconds = forms.ChoiceField(label=gettext_lazy("For"), choices=SECONDS)


def close(request: HttpRequest, chosen: Sequence[Seen], answers: Mapping[str, Any]) -> list[Done]:
    """End the sockets. 4001: the seat goes, and the client comes back only when its user wants to."""
    ids = [seen.conn_id for seen in chosen]
    closed = set(live.call(lambda runtime: _end(runtime, ids)))
    return [
        Done(seen.conn_id, _name(seen), f"Closed ({closing.UNAUTHORIZED.code}).")
        for seen in chosen
        if seen.conn_id in closed
    ]


def block(request: HttpRequest, chosen: Sequence[Seen], answers: Mapping[str, Any]) -> list[Done]:
    """Block the addresses; that closes all sockets of theirs, on every process."""
    seconds, reason = answers["seconds"], answers["reason"]
    until = None if seconds == FOR_EVER else timezone.now() + timedelta(seconds=int(seconds))
    addresses = dict.fromkeys(seen.address for seen in chosen)
    try:
        with transaction.atomic():  # all of them or none
            entries = [blocking.block(address, reason, until, request.user) for address in addresses]
    except ValidationError as error:
        raise ValidationError(error.messages) from error  # its fields are not those of the form
    return [
        Done(entry.value, entry.value, f"Blocked from the live connections: {reason}") for entry in entries
    ]


@admin.register(LiveConnection)
class LiveConnectionAdmin(LiveAdmin):
    """Newest first; the numbers can be sorted by, to find the slow and the loud."""

    columns = (
        Column(gettext_lazy("Address")),
        Column(gettext_lazy("Seat")),
        Column(gettext_lazy("Age")),
        Column(gettext_lazy("Round trip"), "rtt"),
        Column(gettext_lazy("Buffered"), "buffered"),
        Column(gettext_lazy("Dropped, over budget"), "over_budget"),
        Column(gettext_lazy("Not sent, too slow"), "unsent"),
        Column(gettext_lazy("Account")),
        Column(gettext_lazy("Connection")),
    )
    acts = (
        Act(
            "close",
            gettext_lazy("Close connections"),
            "gateway.close_liveconnection",
            gettext_lazy(
                "These connections end with 4001. Seats that they hold are lost; "
                "who wants to go on playing reloads the page and joins again."
            ),
            close,
        ),
        Act(
            "block",
            gettext_lazy("Block addresses"),
            "gateway.add_block",
            gettext_lazy(
                "Nobody at the addresses of these connections can play any more, and whoever plays there now "
                "is closed. A school or an office may share one address."
            ),
            block,
            BlockForm,
        ),
    )

    def look(self, runtime: Runtime, query: Query) -> Page[Seen]:
        """See `gateway.census`."""
        return census.connections(runtime, query)

    def pick(self, runtime: Runtime, ids: Sequence[str]) -> Sequence[Seen]:
        """See `gateway.census`."""
        return census.these(runtime, ids)

    def row(self, request: HttpRequest, seen: Seen) -> tuple[str, Sequence[Any]]:
        """One socket."""
        return seen.conn_id, (
            seen.address,
            seen.seat or "–",
            age(seen.age_s),
            "–" if seen.rtt_s is None else _("%d ms") % round(seen.rtt_s * 1000),
            _("%d bytes") % seen.buffered,
            seen.over_budget,
            seen.unsent,
            seen.account,
            seen.conn_id,
        )


def _end(runtime: Runtime, conn_ids: Sequence[str]) -> list[str]:
    open_ones = [conn_id for conn_id in conn_ids if conn_id in runtime.sockets.live]
    for conn_id in open_ones:
        runtime.end(runtime.admitted[conn_id], closing.UNAUTHORIZED)
    return open_ones


def _name(seen: Seen) -> str:
    return f"{seen.address} {seen.account}"
