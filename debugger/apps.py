"""The state debugger as a Django app: it has no models, and nothing of it runs beside the site."""

from django.apps import AppConfig


class DebuggerConfig(AppConfig):
    name = "debugger"
    verbose_name = "State debugger"
