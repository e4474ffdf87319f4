"""The gateway in Django's admin; each module registers what it holds."""

from gateway.admin import blocks, connections  # noqa: F401
