"""python-socketio on ASGI: events that come back, rooms of its own.

It leaves out sessions, budgets and schema; it has heartbeats of its own (every 25 s).
"""

import socketio

server = socketio.AsyncServer(async_mode="asgi", cors_allowed_origins="*")
application = socketio.ASGIApp(server)


@server.event
async def echo(sid, data):
    await server.emit("echo", data, to=sid)


@server.event
async def join(sid, room):
    await server.enter_room(sid, room)
    await server.emit("joined", room, to=sid)


@server.event
async def say(sid, data):
    await server.emit("said", data, room=data["room"])
