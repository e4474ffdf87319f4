"""The gateway's HTTP addresses. A project includes them at its root: pages look for the preflight there,
probes and scrapers for theirs.
"""

from django.urls import path

from gateway.doctor.mirror import mirror
from gateway.operations import healthz, metrics, readyz
from gateway.views import preflight

app_name = "gateway"
urlpatterns = [
    path("api/ws/preflight", preflight, name="preflight"),
    path("api/ws/mirror", mirror, name="mirror"),
    path("healthz", healthz, name="healthz"),
    path("readyz", readyz, name="readyz"),
    path("metrics", metrics, name="metrics"),
]
