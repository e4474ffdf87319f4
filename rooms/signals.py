"""What the quiz tells other apps of a site.

``game_finished`` says that a game is over and its rows are committed; it may be heard seconds after the room
has moved on. Sent at most once a game, with ``send_robust`` from the thread that stores games: a receiver
may take its time and use the database, it may not touch live rooms. ``game`` is the
``rooms.models.GameRecord``; its ``finished`` is false for a game that was stopped.
"""

from django.dispatch import Signal

game_finished = Signal()
