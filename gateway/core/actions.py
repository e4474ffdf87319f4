"""Per-action limits: steps 6 and 7 of the inbound pipeline (spec 1.3).

They live beside the hub and not in a socket's machine, because a seat's budget outlives its sockets. Budgets
that are charged on failure are looked at before the handler and drawn after it.
"""

from collections.abc import Mapping

from msgspec import Struct

from gateway.contract import Budget, ClientError, Per
from gateway.core.limits import KeyedWindows, SlidingWindow


class Keys(Struct, frozen=True):
    """What the budgets of one connection count by."""

    user: str
    connection: str
    address: str


class Tally(Struct, frozen=True):
    """A budget as it is kept: ``stem`` is the part of its keys that is the same for everybody, ``per`` the
    field of `Keys` that follows.

    Budgets that differ in anything never share a count, unless they say so by their group.
    """

    budget: Budget
    stem: str
    per: str

    @classmethod
    def of(cls, action: str, budget: Budget) -> "Tally":
        """The tally of one of an action's budgets."""
        name, per = budget.group or action, budget.per.value
        return cls(budget, f"{name} {per} {budget.window_s:g} {budget.charged_on or ''} ", per)

    def key(self, keys: Keys) -> str:
        """Where it is counted for one connection."""
        key: str = self.stem + getattr(keys, self.per)
        return key


class Actions(Struct):
    """All action budgets of a process."""

    tallies: Mapping[str, tuple[Tally, ...]]
    spent: KeyedWindows

    @classmethod
    def fresh(cls, limits: Mapping[str, tuple[Budget, ...]]) -> "Actions":
        """Budgets that nobody has touched."""
        tallies = {
            action: tuple([Tally.of(action, budget) for budget in budgets])
            for action, budgets in limits.items()
        }
        return cls(tallies, KeyedWindows())

    def spend(self, action: str, keys: Keys, now: float) -> None:
        """Charge one command; raises `ClientError` ``RATE_LIMIT_EXCEEDED``, and then charged no budget."""
        charged, full = [], []
        for tally in self.tallies.get(action, ()):
            window = self._window(tally, keys, now)
            if window.estimate(now) >= window.limit:
                full.append(window)
            elif tally.budget.charged_on is None:
                charged.append(window)
        if full:
            retry_after = max([window.retry_after(now) for window in full])
            details = {"action": action, "retryAfter": retry_after}
            raise ClientError("RATE_LIMIT_EXCEEDED", "That was too often. Wait a moment.", 429, details)
        for window in charged:
            window.current += 1

    def failed(self, action: str, code: str, keys: Keys, now: float) -> None:
        """Charge the budgets that count failures with this error code."""
        for tally in self.tallies.get(action, ()):
            if tally.budget.charged_on == code:
                self._window(tally, keys, now).allow(now)

    def pass_on(self, old: str, new: str, now: float) -> None:
        """The account ``old`` is ``new`` from now on: signing in renews no budget."""
        for tallies in self.tallies.values():
            for tally in tallies:
                if tally.budget.per is Per.USER:
                    self.spent.pass_on(tally.stem + old, tally.stem + new, now)

    def spent_on(self, action: str, keys: Keys, now: float) -> float:
        """What the fullest budget of the action has counted by now; looks only, and makes no key."""
        names = (tally.key(keys) for tally in self.tallies.get(action, ()))
        windows = (self.spent.windows.get(name) for name in names)
        return max((window.estimate(now) for window in windows if window is not None), default=0.0)

    def _window(self, tally: Tally, keys: Keys, now: float) -> SlidingWindow:
        """What a connection's budget has counted, turned to the window of ``now``."""
        return self.spent.window(tally.key(keys), tally.budget.limit, tally.budget.window_s, now)
