"""The quiz as a Django app."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class RoomsConfig(AppConfig):
    """Registers the system checks; rooms live in the gateway's runtime, not here."""

    name = "rooms"
    verbose_name = _("Quiz rooms")
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Import what registers itself."""
        from rooms import checks  # noqa: F401
