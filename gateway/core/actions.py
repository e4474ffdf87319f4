"""Per-action limits: steps 6 and 7 of the inbound pipeline (spec 1.3).

They live beside the hub and not in a socket's machine, because a seat's budget outlives its sockets. Budgets
that are charged on failure are looked at before the handler and drawn after it.
"""

from collections.abc import Mapping, Sequence
from functools import cache

from msgspec import Struct

from gateway.contract import Budget, ClientError, Per
from gateway.core.limits import KeyedWindows, SlidingWindow


class Keys(Struct, frozen=True):
    """What the budgets of one connection count by."""

    user: str
    connection: str
    address: str

    def of(self, per: Per) -> str:
        """The key for one kind of budget."""
        if per is Per.USER:
            return self.user
        return self.connection if per is Per.CONNECTION else self.address


class Actions(Struct):
    """All action budgets of a process."""

    limits: Mapping[str, tuple[Budget, ...]]
    spent: KeyedWindows

    @classmethod
    def fresh(cls, limits: Mapping[str, tuple[Budget, ...]]) -> "Actions":
        """Budgets that nobody has touched."""
        return cls(limits, KeyedWindows())

    def spend(self, action: str, keys: Keys, now: float) -> None:
        """Charge one command; raises `ClientError` ``RATE_LIMIT_EXCEEDED``, and then charged no budget."""
        windows = self._windows(action, keys, now)
        waits = [window.retry_after(now) for _, window in windows if window.estimate(now) >= window.limit]
        if waits:
            wait = max(waits)
            details = {"action": action, "retryAfter": wait}
            raise ClientError("RATE_LIMIT_EXCEEDED", "That was too often. Wait a moment.", 429, details)
        for budget, window in windows:
            if budget.charged_on is None:
                window.allow(now)

    def failed(self, action: str, code: str, keys: Keys, now: float) -> None:
        """Charge the budgets that count failures with this error code."""
        for budget, window in self._windows(action, keys, now):
            if budget.charged_on == code:
                window.allow(now)

    def pass_on(self, old: str, new: str, now: float) -> None:
        """The account ``old`` is ``new`` from now on: signing in renews no budget."""
        for action, budgets in self.limits.items():
            for budget in budgets:
                if budget.per is Per.USER:
                    was, will_be = (_key(action, budget, Keys(user, "", "")) for user in (old, new))
                    self.spent.pass_on(was, will_be, now)

    def spent_on(self, action: str, keys: Keys, now: float) -> float:
        """What the fullest budget of the action has counted by now; looks only, and makes no key."""
        names = (_key(action, budget, keys) for budget in self.limits.get(action, ()))
        windows = (self.spent.windows.get(name) for name in names)
        return max((window.estimate(now) for window in windows if window is not None), default=0.0)

    def _windows(self, action: str, keys: Keys, now: float) -> Sequence[tuple[Budget, SlidingWindow]]:
        return [
            (budget, self.spent.window(_key(action, budget, keys), budget.limit, budget.window_s, now))
            for budget in self.limits.get(action, ())
        ]


def _key(action: str, budget: Budget, keys: Keys) -> str:
    """Budgets that differ in anything never share a count, unless they say so by their group."""
    return _stem(budget.group or action, budget.per, budget.window_s, budget.charged_on) + keys.of(budget.per)


@cache
def _stem(name: str, per: Per, window_s: float, charged_on: str | None) -> str:
    """The part of a key that is the same for everybody: a handful of texts, asked for with every command."""
    return f"{name} {per.value} {window_s:g} {charged_on or ''} "
