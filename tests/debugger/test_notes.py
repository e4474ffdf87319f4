"""What the log says of a frame that its type does not."""

import pytest

from debugger.notes import note_of

NAMES = {"s1": "Ada", "s2": "Bo"}


@pytest.mark.parametrize(
    ("frame", "note"),
    [
        ({"type": "LAGGING", "userIds": ["s1", "s2"]}, "Ada, Bo"),
        ({"type": "LAGGING", "userIds": []}, "nobody"),
        ({"type": "BANS", "banned": [{"userId": "s9", "name": "Cy", "avatar": {}}]}, "Cy"),
        ({"type": "BANS", "banned": []}, "nobody"),
    ],
)
def test_what_only_the_host_is_told_is_told_by_name(frame: dict[str, object], note: str) -> None:
    """Whose line is slow, who may not come back; also when the list has become empty."""
    assert note_of(frame, NAMES) == note
