"""Chance: the live draw is random and as long as asked, the seeded one is the same each time."""

import base64

from gateway.draw import SYSTEM, Draw
from gateway.testing import SeededDraw


def draws(draw: Draw) -> tuple[str, int, float]:
    """One of each."""
    return draw.text(32), draw.below(2**63), draw.share()


def test_the_same_seed_draws_the_same() -> None:
    """A simulation is repeatable, and another seed is another one."""
    assert draws(SeededDraw(7)) == draws(SeededDraw(7))
    assert draws(SeededDraw(7)) != draws(SeededDraw(8))


def test_the_live_draw_repeats_nothing() -> None:
    """Tokens of 256 bits: two equal ones mean that something is broken."""
    assert len({SYSTEM.text(32) for _ in range(1000)}) == 1000


def test_every_draw_keeps_its_promises() -> None:
    """URL-safe text of so many bytes, numbers below the limit, shares in [0, 1)."""
    for draw in (SYSTEM, SeededDraw(1)):
        for size in (9, 12, 32):
            text = draw.text(size)
            assert len(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))) == size
        assert {draw.below(3) for _ in range(200)} == {0, 1, 2}
        assert all(0 <= draw.share() < 1 for _ in range(2000))
