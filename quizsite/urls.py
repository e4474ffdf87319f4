"""Which address is which view.

The WebSocket's own path is in ``gateway.routing``, the preflight's in ``gateway.urls``.
"""

from django.contrib import admin
from django.urls import include, path
from django.views.i18n import set_language

from quizsite import views

pages = [
    path("", views.landing, name="landing"),
    path("host", views.host, name="host"),
    path("play/", views.find, name="find"),
    path("play/<str:code>", views.play, name="play"),
    path("present/<str:code>", views.present, name="present"),
    path("qr/<str:code>.svg", views.qr, name="qr"),
    path("favicon.ico", views.favicon, name="favicon"),
]

urlpatterns = [
    path("", include((pages, "quizsite"))),
    path("language", set_language, name="set_language"),
    path("", include("gateway.urls")),
    path("", include("rooms.urls")),
    path("debugger/", include("debugger.urls")),
    path("admin/", admin.site.urls),
]
