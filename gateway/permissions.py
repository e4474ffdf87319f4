"""Models without rows: what Django needs to list live state in its admin and to say who may do what with it.

They are proxies of a model that every site has, so that they have no table, ``dumpdata`` skips them, and
content types and permissions are made for them like for any model. No row is ever read through them.
"""

from django.contrib.contenttypes.models import ContentType
from django.utils.translation import gettext_lazy as _


class LiveConnection(ContentType):
    """The open sockets of a serving process (``gateway.admin.connections``)."""

    class Meta:
        proxy = True
        app_label = "gateway"
        default_permissions = ("view",)
        permissions = (("close_liveconnection", "Can close live connections"),)
        verbose_name = _("live connection")
        verbose_name_plural = _("live connections")
