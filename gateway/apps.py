"""The gateway as a Django app."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class GatewayConfig(AppConfig):
    """Registers the system checks; nothing starts here, because no loop runs yet."""

    name = "gateway"
    verbose_name = _("WebSocket gateway")
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Import what registers itself; give ``runserver`` our adapter, if it is Daphne's."""
        from gateway import blocking, bus, checks, sessions  # noqa: F401
        from gateway.transports.install import install_if_daphne

        sessions.connect()
        blocking.connect()
        bus.connect()
        install_if_daphne()
