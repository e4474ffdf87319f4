"""Snapshots in Redis: one hash, a field for each room, which expires by itself.

Only rooms whose bytes are new are sent, all of a round in one transaction. What is in the bytes is for
``rooms.core.snapshot``.
"""

from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import urlsplit

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from rooms.core.snapshot import UnreadableError

HEAD: Final = b""
"""The head's field: no room has an empty id."""
TIMEOUT_S: Final = 2.0
"""Longer than Redis takes for megabytes nearby; a start and a stop wait for it."""
TRIES: Final = 1
"""Once more on a new connection: Redis may have been restarted since the last round."""


class RedisStore:
    """Implements `rooms.snapshots.Store`."""

    def __init__(self, url: str, key: str, max_age_s: float) -> None:
        self.name = f"{_without_password(url)} {key}"
        self._key = key
        self._max_age_s = max_age_s
        self._redis: Any = redis.Redis.from_url(
            url,
            socket_timeout=TIMEOUT_S,
            socket_connect_timeout=TIMEOUT_S,
            retry=Retry(NoBackoff(), TRIES),
        )
        self._there: dict[str, bytes] | None = None
        """What Redis has for certain; None if that is not known."""

    def read(self) -> tuple[bytes, Mapping[str, bytes]] | None:
        """The whole hash."""
        found: dict[bytes, bytes] = self._redis.hgetall(self._key)
        if not found:
            return None
        if HEAD not in found:
            raise UnreadableError("it has no head")
        head = found.pop(HEAD)
        return head, {room_id.decode(): data for room_id, data in found.items()}

    def write(self, head: bytes, rooms: Mapping[str, bytes]) -> None:
        """In one transaction. All rooms, after a failure or when Redis has lost some."""
        there, self._there = self._there, None
        if there is None or self._send(head, rooms, there) != len(rooms):
            self._redis.delete(self._key)
            self._send(head, rooms, {})
        self._there = dict(rooms)

    def _send(self, head: bytes, rooms: Mapping[str, bytes], there: Mapping[str, bytes]) -> int:
        """Make what is ``there`` into ``rooms``; how many Redis has then."""
        if not rooms:
            self._redis.delete(self._key)
            return 0
        fields = {room_id.encode(): data for room_id, data in rooms.items() if there.get(room_id) is not data}
        fields[HEAD] = head
        with self._redis.pipeline(transaction=True) as transaction:
            if gone := there.keys() - rooms.keys():
                transaction.hdel(self._key, *gone)
            transaction.hset(self._key, mapping=fields)
            transaction.expire(self._key, int(self._max_age_s))
            transaction.hlen(self._key)
            return int(transaction.execute()[-1]) - 1

    def set_aside(self) -> str:
        """It expires there as it would have here."""
        aside = f"{self._key}:refused"
        self._redis.rename(self._key, aside)
        return aside


def _without_password(url: str) -> str:
    parts = urlsplit(url)
    return parts._replace(netloc=parts.netloc.rpartition("@")[2], query="").geturl()
