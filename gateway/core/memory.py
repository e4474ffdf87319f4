"""What outlives a socket for a minute: how its account behaved, and why it ended.

Reconnecting is no pardon (spec 1.6), and a slow reader never sees its own close frame (spec 1.7). Nothing
here knows of slots or servers; ``gateway.core.hub`` says who is there. Tables are in order of time, so
forgetting looks at their fronts only.
"""

from typing import Final

from msgspec import Struct

from gateway.core.closing import Ending
from gateway.core.limits import ViolationWindows
from gateway.core.messages import LastClose

LAST_CLOSE_KEPT_S: Final = 60.0
"""How long a client can still learn why its previous socket ended (spec 1.7)."""
VIOLATIONS_KEPT_S: Final = 60.0
"""How long an account's violations outlive its last connection (spec 1.6)."""
MAX_ABSENT: Final = 10_000
"""Accounts without a connection whose violations are kept, and last closes: whoever comes with more of them
in a minute has no need of a pardon, and the process has the memory."""


class Conduct(Struct):
    """Violations per account. While an account has no connection its windows stand still."""

    connections: dict[str, int] = {}
    """Open sockets per account, replaced ones included: presence, not a cap."""
    violations: dict[str, ViolationWindows] = {}
    absent_since: dict[str, float] = {}
    """Accounts with violations and without a connection, longest absent first."""

    def violated(self, account: str, now: float) -> bool:
        """Count a dropped frame. Whether this is sustained abuse by now."""
        windows = self.violations.setdefault(account, ViolationWindows())
        windows.drop(now)
        return windows.sustained

    def came(self, account: str, now: float) -> None:
        """A connection of the account opened."""
        self.connections[account] = self.connections.get(account, 0) + 1
        self._catch_up(account, now)

    def went(self, account: str, now: float) -> None:
        """A connection of the account is gone."""
        left = self.connections.pop(account) - 1
        if left:
            self.connections[account] = left
        elif account in self.violations:
            self.absent_since[account] = now

    def pass_on(self, old: str, new: str, now: float) -> None:
        """``old`` is ``new`` from now on. Signing in is no pardon: the worse record of the two stays."""
        self._catch_up(old, now)
        self._catch_up(new, now)
        there, windows = self.connections.pop(old, 0), self.violations.pop(old, None)
        if there:
            self.connections[new] = self.connections.get(new, 0) + there
        known = self.violations.get(new)
        if windows is not None and (known is None or known.streak < windows.streak):
            self.violations[new] = windows
        if new in self.violations and new not in self.connections:
            self.absent_since[new] = now

    def _catch_up(self, account: str, now: float) -> None:
        """If the account was away, its windows stood still until now."""
        since = self.absent_since.pop(account, None)
        if since is not None:
            self.violations[account].pause(now - since)

    def forget(self, now: float) -> None:
        """Drop the violations of accounts that were absent for too long."""
        while (account := next(iter(self.absent_since), None)) is not None:
            if now - self.absent_since[account] < VIOLATIONS_KEPT_S and len(self.absent_since) <= MAX_ABSENT:
                return
            del self.absent_since[account], self.violations[account]


class Remembered(Struct, frozen=True):
    """The last close of one client."""

    close: LastClose
    at: float


class LastCloses(Struct):
    """Why each client's previous socket ended, oldest first. A client is a tab of an account."""

    closes: dict[str, Remembered] = {}

    def remember(self, client: str, ending: Ending, now: float) -> None:
        """The client's socket ended at ``now``."""
        self.closes.pop(client, None)
        self.closes[client] = Remembered(LastClose(ending.code, ending.reason), now)

    def of(self, client: str, now: float) -> LastClose | None:
        """How the client's last socket ended, if it was less than a minute ago."""
        found = self.closes.get(client)
        return found.close if found is not None and now - found.at < LAST_CLOSE_KEPT_S else None

    def pass_on(self, old: str, new: str) -> None:
        """Clients whose names begin with ``old`` begin with ``new`` from now on; the later close wins."""
        closes, self.closes = self.closes, {}
        for client, remembered in closes.items():
            name = client.replace(old, new, 1) if client.startswith(old) else client
            self.closes.pop(name, None)
            self.closes[name] = remembered

    def forget(self, now: float) -> None:
        """Drop what is too old to be asked for."""
        while (client := next(iter(self.closes), None)) is not None:
            if now - self.closes[client].at < LAST_CLOSE_KEPT_S and len(self.closes) <= MAX_ABSENT:
                return
            del self.closes[client]
