"""The debugger's addresses; a site says where: ``path("debugger/", include("debugger.urls"))``."""

from django.urls import path

from debugger import rooms, views

app_name = "debugger"
urlpatterns = [
    path("", views.page, name="page"),
    path("run", views.run, name="run"),
    path("rooms/", rooms.listed, name="rooms"),
    path("room/<str:room_id>", rooms.page, name="room"),
    path("room/<str:room_id>/run", rooms.run, name="room-run"),
    path("room/<str:room_id>/export", rooms.export, name="room-export"),
]
