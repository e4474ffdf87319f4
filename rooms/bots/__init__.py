"""Robots that play whole games against a running server over real sockets: ``manage.py play_bots``.

Clients and nothing else: they import none of the engine, so that what they believe comes from frames alone.
"""
