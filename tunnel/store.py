"""The relay's look at the database: tokens by id and banned names, from the loop without blocking it."""

from collections.abc import Callable, Collection
from typing import TypeVar

from asgiref.sync import sync_to_async
from django.db import close_old_connections
from django.utils import timezone

from tunnel.core.tokens import Grant
from tunnel.models import BannedName, Token

T = TypeVar("T")


class DatabaseStore:
    """`tunnel.relay.endpoint.Store` on Django's database. ``claim`` says if it has another relay."""

    def __init__(self, claim: Callable[[], str]) -> None:
        self._claim = claim

    def fault(self) -> str:
        """Why this process cannot be the relay; empty if it can."""
        return self._claim()

    async def grants(self, token_ids: Collection[str]) -> dict[str, Grant]:
        """The known ones among these tokens."""
        return await _query(
            lambda: {t.token_id: t.grant for t in Token.objects.filter(token_id__in=token_ids)}
        )

    async def banned(self, names: Collection[str]) -> set[str]:
        """Those of the names that nobody may have."""
        return await _query(
            lambda: set(BannedName.objects.filter(name__in=names).values_list("name", flat=True))
        )

    async def used(self, token_id: str) -> None:
        """A client has logged in."""
        await _query(lambda: Token.objects.filter(token_id=token_id).update(used_at=timezone.now()))


async def _query(ask: Callable[[], T]) -> T:
    """Outside of requests nobody else throws away a connection that the database has closed."""

    def in_thread() -> T:
        close_old_connections()
        return ask()

    return await sync_to_async(in_thread)()
