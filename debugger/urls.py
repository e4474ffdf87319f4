"""The debugger's addresses; a site says where: ``path("debugger/", include("debugger.urls"))``."""

from django.urls import path

from debugger import views

app_name = "debugger"
urlpatterns = [
    path("", views.page, name="page"),
    path("run", views.run, name="run"),
]
