"""``{% load gateway_admin %}{% live_card %}``: the gateway's card, for a site's own ``admin/index.html``."""

from typing import Any

from django import template
from django.template.context import RequestContext

from gateway.admin import dashboard

register = template.Library()


@register.inclusion_tag("gateway/admin/card.html", takes_context=True)
def live_card(context: RequestContext) -> dict[str, Any]:
    """For staff who may see the live connections; nothing for others."""
    may = context["request"].user.has_perm("gateway.view_liveconnection")
    return dashboard.card() if may else {"nothing": True}
