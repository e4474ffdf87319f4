"""Starlette: a JSON endpoint that echoes, rooms as sets of sockets, the game.

It leaves out sessions, budgets, schema, caps, heartbeats of its own, and sends to one member after the other:
one that does not read stops its room.
"""

from collections import defaultdict

from quiz import quiz_of
from starlette.applications import Starlette
from starlette.endpoints import WebSocketEndpoint
from starlette.routing import WebSocketRoute

rooms = defaultdict(set)


class Echo(WebSocketEndpoint):
    encoding = "json"

    async def on_receive(self, websocket, data):
        await websocket.send_json(data)


class Room(WebSocketEndpoint):
    encoding = "json"

    async def on_connect(self, websocket):
        await websocket.accept()
        rooms[websocket.url.path].add(websocket)

    async def on_receive(self, websocket, data):
        await self.to_all(websocket, data)

    async def to_all(self, websocket, data):
        for member in list(rooms[websocket.url.path]):
            await member.send_json(data)

    async def on_disconnect(self, websocket, close_code):
        rooms[websocket.url.path].discard(websocket)


class Game(Room):
    async def on_connect(self, websocket):
        await super().on_connect(websocket)
        self.quiz = quiz_of(websocket.url.path)
        self.quiz.players.append(websocket)

    async def on_receive(self, websocket, data):
        if data["type"] == "NEXT_QUESTION":
            await self.to_all(websocket, self.quiz.ask())
            return
        accepted, last = self.quiz.accept(websocket, data)
        await websocket.send_json(accepted)
        if last:
            await self.to_all(websocket, self.quiz.results())
            for player in self.quiz.players:
                await player.send_json(self.quiz.result_of(player))


application = Starlette(
    routes=[
        WebSocketRoute("/echo", Echo),
        WebSocketRoute("/room/{room}", Room),
        WebSocketRoute("/game/{room}", Game),
    ]
)
