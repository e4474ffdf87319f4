"""Slots: when one counts, and the moves of its life."""

import itertools

import pytest

from gateway.core.slots import LEGAL_MOVES, Slot, Stage

HANDSHAKE, CANCELLED, OPEN, REPLACED = Stage
MOVES = {(HANDSHAKE, OPEN), (HANDSHAKE, CANCELLED), (OPEN, REPLACED)}


def slot(stage: Stage = HANDSHAKE, successor: str | None = None) -> Slot:
    """A slot in some stage."""
    return Slot("c1", "s", "a", "user:1", None, stage=stage, successor=successor)


@pytest.mark.parametrize(
    ("stage", "successor", "counted"),
    [
        (HANDSHAKE, None, True),
        (CANCELLED, None, False),
        (OPEN, None, True),
        (OPEN, "c2", False),
        (REPLACED, None, False),
        (REPLACED, "c2", False),
    ],
)
def test_a_slot_counts_while_it_is_pending_or_open_and_not_being_replaced(
    stage: Stage, successor: str | None, counted: bool
) -> None:
    """The invariant of spec 1.2, slot by slot."""
    assert slot(stage, successor).counted is counted


@pytest.mark.parametrize(("old", "new"), [*itertools.product(Stage, Stage)])
def test_a_slot_moves_as_the_table_says_and_no_other_way(old: Stage, new: Stage) -> None:
    """An illegal move raises and changes nothing."""
    moved = slot(old)
    if (old, new) in MOVES:
        moved.move(new)
        assert moved.stage is new
    else:
        with pytest.raises(ValueError, match=f"^a slot cannot go from {old.value} to {new.value}$"):
            moved.move(new)
        assert moved == slot(old)


def test_each_stage_has_its_moves() -> None:
    """A new stage without a row would raise a KeyError in production."""
    assert LEGAL_MOVES.keys() == set(Stage)
