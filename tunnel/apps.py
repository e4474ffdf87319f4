"""The tunnel as a Django app: its tokens, checks and commands; the relay runs only where configured."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class TunnelConfig(AppConfig):
    """Registers the system checks."""

    name = "tunnel"
    verbose_name = _("Tunnel")
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Import what registers itself."""
        from tunnel import checks  # noqa: F401
