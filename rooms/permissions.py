"""A model without rows, for the admin's list of live rooms: see ``gateway.permissions``."""

from django.contrib.contenttypes.models import ContentType
from django.utils.translation import gettext_lazy as _


class LiveRoom(ContentType):
    """The rooms of a serving process (``rooms.live_rooms``)."""

    class Meta:
        proxy = True
        app_label = "rooms"
        default_permissions = ("view",)
        permissions = (("close_liveroom", "Can close live rooms"),)
        verbose_name = _("live room")
        verbose_name_plural = _("live rooms")
