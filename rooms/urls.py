"""Addresses of results and pictures; a site includes them where it likes: ``include("rooms.urls")``."""

from django.urls import path

from rooms import views
from rooms.questions.views import picture

app_name = "rooms"
urlpatterns = [
    path("results/<str:game_id>", views.results, name="results"),
    path("results/<str:game_id>/all.xlsx", views.results_xlsx, name="results_xlsx"),
    path("results/<str:game_id>/<str:table>.csv", views.results_csv, name="results_csv"),
    path("api/sets", views.question_sets, name="sets"),
    path("pictures/<str:name>", picture, name="picture"),
    path("standings", views.leaderboard, name="leaderboard"),
    path("standings.csv", views.leaderboard_csv, name="leaderboard_csv"),
    path("standings.xlsx", views.leaderboard_xlsx, name="leaderboard_xlsx"),
]
