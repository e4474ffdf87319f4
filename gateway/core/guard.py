"""The gateway's doorkeeper: who may open no socket, and whose sockets end now (spec 1.2, 1.7, 4.3).

Holds the block list's picture, the strikes, and the sentences that are not in the list yet; looks nothing up
and stores nothing. ``gateway.blocking`` swaps pictures in and carries sentences and hits out. What a block by
hand closes, an automatic one does not: it refuses new sockets only.
"""

from collections.abc import Iterable, Sequence
from typing import Final

from msgspec import Struct, field

from gateway.contract import ConnId
from gateway.core.address import LOCAL, Network, bucket, is_in, parse_address
from gateway.core.blocklist import Block, Blocklist, Hits
from gateway.core.closing import By, Ending
from gateway.core.strikes import Sentence, Strike, Strikes, What

POLICY_VIOLATION: Final = 1008
"""All our endings with this code are for abuse that went on and on (spec 1.7)."""

MAX_SENTENCES: Final = 10_000
"""Those that wait for the list; they pile up while the database is away. The ones that end first go first."""


class Guard(Struct):
    """``shared`` are networks whose addresses stand for nobody in particular: they are never judged."""

    shared: tuple[Network, ...] = LOCAL
    blocklist: Blocklist = field(default_factory=Blocklist)
    hits: Hits = field(default_factory=Hits)
    strikes: Strikes = field(default_factory=Strikes)
    sentences: dict[str, Sentence] = {}
    """Passed by this process and not in the list's picture yet, by what they shut out."""

    @classmethod
    def beside(cls, *shared: Iterable[Network]) -> "Guard":
        """A guard that judges no address of these networks, nor a local one."""
        return cls((*LOCAL, *(network for networks in shared for network in networks)))

    # ---------- questions

    def refuses_address(self, address: str, now: float) -> bool:
        """Whether a socket from there is refused; counts the hit."""
        return self._hit(self.blocklist.of_address(address, now), now) or self._serves(bucket(address), now)

    def refuses_account(self, account: str, now: float) -> bool:
        """Whether a socket of this account is refused; counts the hit."""
        return self._hit(self.blocklist.of_account(account, now), now) or self._serves(account, now)

    def closes(self, address: str, account: str, now: float) -> bool:
        """Whether somebody decided that an open socket of these must end."""
        blocks = (*self.blocklist.of_address(address, now), *self.blocklist.of_account(account, now))
        return any(not block.automatic for block in blocks)

    # ---------- what happens

    def came(self, conn_id: ConnId, account: str, address: str, now: float) -> None:
        """A socket opened."""
        self.strikes.came(conn_id, account, self._place(address), now)

    def went(self, conn_id: ConnId, account: str, address: str, ending: Ending, now: float) -> None:
        """A socket that came is gone."""
        place = self._place(address)
        if ending.by is By.SERVER and ending.code == POLICY_VIOLATION:
            self._strike(Strike(now, What.CLOSED_1008, account, address, place))
        self.strikes.went(conn_id, place, now)

    def forged(self, account: str, address: str, owner: str, now: float) -> None:
        """A wrong token was shown for the seat of ``owner``.

        Whoever errs about his own seat guesses nothing: after an outage a whole class may bring old tokens.
        That is counted for each account and never for their address.
        """
        place = None if account == owner else self._place(address)
        self._strike(Strike(now, What.WRONG_TOKEN, account, address, place))

    def swap(self, blocklist: Blocklist, stored: Sequence[str] = ()) -> None:
        """The list's new picture, which holds the ``stored`` sentences, too."""
        self.blocklist = blocklist
        for value in stored:
            self.sentences.pop(value, None)

    # ---------- details

    def _hit(self, blocks: Iterable[Block], now: float) -> bool:
        block = next(iter(blocks), None)
        if block is not None:
            self.hits.note(block.id, now)
        return block is not None

    def _serves(self, value: str, now: float) -> bool:
        """Whether a sentence is being served that is not in the list yet: a database that is down saves
        nobody.
        """
        sentence = self.sentences.get(value)
        return sentence is not None and now < sentence.until

    def _strike(self, strike: Strike) -> None:
        sentence = self.strikes.strike(strike)
        if sentence is None:
            return
        self._forget(strike.at)
        self.sentences.pop(sentence.value, None)  # all last equally long, so the first ones end first
        self.sentences[sentence.value] = sentence

    def _forget(self, now: float) -> None:
        while (value := next(iter(self.sentences), None)) and (
            self.sentences[value].until <= now or len(self.sentences) >= MAX_SENTENCES
        ):
            del self.sentences[value]

    def _place(self, address: str) -> str | None:
        """What a strike from there counts against: nothing if the address is local, shared or unknown."""
        parsed = parse_address(address)
        return None if parsed is None or is_in(parsed, self.shared) else bucket(address)
