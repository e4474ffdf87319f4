"""The gateway's HTTP addresses; a project includes them where its pages look for them
(``/api/ws/preflight``).
"""

from django.urls import path

from gateway.views import preflight

app_name = "gateway"
urlpatterns = [path("api/ws/preflight", preflight, name="preflight")]
