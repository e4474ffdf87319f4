"""Database work in a thread beside the loop: what a request does around its queries, without a request."""

from collections.abc import Callable
from typing import TypeVar

from django.db import close_old_connections

T = TypeVar("T")


def with_database(work: Callable[[], T]) -> T:
    """As Django does around a request: a connection that went stale, or is too old, is not used again."""
    close_old_connections()
    try:
        return work()
    finally:
        close_old_connections()
