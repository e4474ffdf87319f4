"""Stock Channels, as its tutorial teaches it: a JSON consumer, groups, sessions and users of Django.

It has what `AuthMiddlewareStack` gives, and no budgets, schema, caps, heartbeats of its own or bound on what
waits for a slow client. The session database is the bench's own, so that both load the same cookies.
"""

import os
from pathlib import Path

import django
from django.conf import settings

DATA = Path(os.environ["BENCH_DATA"])
settings.configure(
    SECRET_KEY=(DATA / "secret-key").read_text().strip(),
    ALLOWED_HOSTS=["127.0.0.1"],
    INSTALLED_APPS=[
        "channels",
        "django.contrib.auth",
        "django.contrib.contenttypes",
        "django.contrib.sessions",
    ],
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": DATA / "halyard.sqlite3"}},
    CHANNEL_LAYERS={"default": {"BACKEND": "channels.layers.InMemoryChannelLayer"}},
    USE_TZ=True,
)
django.setup()

from channels.auth import AuthMiddlewareStack  # noqa: E402
from channels.generic.websocket import AsyncJsonWebsocketConsumer  # noqa: E402
from channels.routing import ProtocolTypeRouter, URLRouter  # noqa: E402
from channels.security.websocket import AllowedHostsOriginValidator  # noqa: E402
from django.core.asgi import get_asgi_application  # noqa: E402
from django.urls import path  # noqa: E402
from quiz import Quiz, quiz_of  # noqa: E402


class Echo(AsyncJsonWebsocketConsumer):
    async def receive_json(self, content):
        await self.send_json(content)


class Room(AsyncJsonWebsocketConsumer):
    async def connect(self):
        self.room = self.scope["url_route"]["kwargs"]["room"]
        await self.channel_layer.group_add(self.room, self.channel_name)
        await self.accept()

    async def disconnect(self, code):
        await self.channel_layer.group_discard(self.room, self.channel_name)

    async def receive_json(self, content):
        await self.channel_layer.group_send(self.room, {"type": "said", "content": content})

    async def said(self, event):
        await self.send_json(event["content"])


class Game(Room):
    """The same with a question that everybody answers."""

    async def connect(self):
        await super().connect()
        self.quiz: Quiz = quiz_of(self.room)
        self.quiz.players.append(self.channel_name)

    async def receive_json(self, content):
        if content["type"] == "NEXT_QUESTION":
            await self.channel_layer.group_send(self.room, {"type": "said", "content": self.quiz.ask()})
            return
        accepted, last = self.quiz.accept(self.channel_name, content)
        await self.send_json(accepted)
        if last:
            await self.channel_layer.group_send(self.room, {"type": "said", "content": self.quiz.results()})
            for player in self.quiz.players:
                own = {"type": "said", "content": self.quiz.result_of(player)}
                await self.channel_layer.send(player, own)


application = ProtocolTypeRouter(
    {
        "http": get_asgi_application(),
        "websocket": AllowedHostsOriginValidator(
            AuthMiddlewareStack(
                URLRouter(
                    [
                        path("echo", Echo.as_asgi()),
                        path("room/<room>", Room.as_asgi()),
                        path("game/<room>", Game.as_asgi()),
                    ]
                )
            )
        ),
    }
)
