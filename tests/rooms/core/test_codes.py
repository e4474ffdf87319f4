"""`rooms.core.codes`: which codes there are, and what may be typed for one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rooms.core.codes import ALPHABET, COUNT, LENGTH, from_int, normalise

NUMBERS = st.integers(0, COUNT - 1)


def test_the_alphabet_has_nothing_that_is_mistaken_for_another() -> None:
    """31 characters, without 0 and O, 1 and I and L (spec 2.1)."""
    assert len(set(ALPHABET)) == len(ALPHABET) == 31
    assert not set("0O1IL") & set(ALPHABET)
    assert all(char.isascii() and (char.isdigit() or char.isupper()) for char in ALPHABET)


def test_there_are_31_to_the_6_codes() -> None:
    assert (LENGTH, COUNT) == (6, 887_503_681)


@pytest.mark.parametrize(
    ("number", "code"), [(0, "222222"), (1, "222223"), (30, "22222Z"), (31, "222232"), (COUNT - 1, "ZZZZZZ")]
)
def test_a_number_is_a_code(number: int, code: str) -> None:
    assert from_int(number) == code


@given(NUMBERS, NUMBERS)
def test_different_numbers_are_different_codes(one: int, other: int) -> None:
    """So a uniform draw of a number is a uniform draw of a code."""
    assert len(from_int(one)) == LENGTH
    assert set(from_int(one)) <= set(ALPHABET)
    assert (from_int(one) == from_int(other)) == (one == other)


@pytest.mark.parametrize("number", [-1, COUNT])
def test_a_number_without_a_code_is_an_error(number: int) -> None:
    with pytest.raises(ValueError, match=f"room code number must be 0 to 887503680, not {number}"):
        from_int(number)


@pytest.mark.parametrize(
    "typed",
    [
        *(
            "QUIZ42",
            "quiz42",
            "QuIz42",
            " quiz42 ",
            "qui-z42",
            "QUI Z42",
            "QUI–Z42",
            "Q U I Z 4 2",
            "QUI_Z42",
        ),
        *(
            "ＱＵＩＺ４２",
            "ｑｕｉｚ４２",
            "QUI\u00a0Z42",
            "QUIZ42\u200b",
            "\ufeffQUIZ42",
            "QUIZ42\n",
            "(QUIZ42)",
            "QUIZ42.",
        ),
    ],
)
def test_a_code_is_found_however_it_was_typed(typed: str) -> None:
    """Any case, spaces, dashes, full-width forms, and what a chat adds when a code is copied out of it."""
    assert normalise(typed) == "QUIZ42"


@pytest.mark.parametrize(
    ("typed", "kept"),
    [
        ("", ""),
        ("---", ""),
        ("ABC", "ABC"),
        ("ABCDEF7", "ABCDEF7"),
        ("OIL010", "OIL010"),
        ("ÄBCDEF", "ÄBCDEF"),
    ],
)
def test_what_is_no_code_becomes_none(typed: str, kept: str) -> None:
    """Nothing is cut, padded or guessed: a wrong letter or length stays wrong and enters no other room."""
    assert normalise(typed) == kept


@given(st.text(max_size=40))
def test_any_text_has_one_normal_form(typed: str) -> None:
    assert normalise(normalise(typed)) == normalise(typed)


@given(NUMBERS)
def test_a_code_is_its_own_normal_form(number: int) -> None:
    code = from_int(number)
    assert normalise(code) == normalise(code.lower()) == code
