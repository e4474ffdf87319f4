"""Files as other programs and people write them (``tests/data``): each is read as its report says."""

import io
import zipfile
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rooms.questions.drafts import settle
from rooms.questions.importers import FORMATS, UnreadableError, detect
from tests.rooms.questions.files import FILES, expected, name, told
from tests.rooms.questions.kit import rezipped

LEAST = 4
"""Files of each format."""


@pytest.mark.parametrize("path", FILES, ids=name)
def test_a_file_is_read_as_its_report_says(path: Path) -> None:
    """Entry by entry what was taken, changed and skipped, and every question as it is kept."""
    assert told(path.read_bytes()) == expected(path)


@pytest.mark.parametrize("path", FILES, ids=name)
def test_a_files_format_is_that_of_its_directory(path: Path) -> None:
    """Found by looking into the file, whatever it is called and however it is encoded."""
    try:
        assert detect(path.read_bytes()) == path.parent.name
    except UnreadableError:
        assert "refused" in expected(path)


def test_there_are_several_files_of_each_format_and_some_are_ugly() -> None:
    """Four at least that can be read; and of each format one of which something is skipped."""
    reports = {path: expected(path) for path in FILES}
    readable = {path: report for path, report in reports.items() if "refused" not in report}
    counts = Counter(path.parent.name for path in readable)
    assert set(counts) == set(FORMATS)
    assert min(counts.values()) >= LEAST
    ugly = {
        path.parent.name
        for path, report in readable.items()
        if any(outcome == "skipped" for _number, outcome, *_more in report["entries"])
    }
    assert ugly == set(FORMATS)


# ---------- damaged

Damage = tuple[float, int, bytes]
DAMAGES = st.lists(
    st.tuples(st.floats(0, 1), st.integers(0, 30), st.binary(max_size=12)), min_size=1, max_size=8
)
WORKBOOKS = [path for path in FILES if path.suffix == ".xlsx"]
PARTS = sorted({part for path in WORKBOOKS for part in zipfile.ZipFile(path).namelist()})


def damaged(data: bytes, damages: list[Damage]) -> bytes:
    """Bytes lost and added anywhere; a place is given as a share, so that all of a long file is reached."""
    for share, lost, added in damages:
        at = int(share * len(data))
        data = data[:at] + added + data[at + lost :]
    return data


def read_or_refused(format_: str, data: bytes) -> None:
    """The format's own reader, without the front's net: what it takes can be played."""
    try:
        imported = FORMATS[format_](data)
    except UnreadableError:
        return
    assert len(imported.questions) == imported.report.taken
    assert all(settle(question) == (question, []) for question in imported.questions)


@given(st.sampled_from(FILES), DAMAGES)
def test_no_reader_breaks_on_a_damaged_file(path: Path, damages: list[Damage]) -> None:
    """It reads what is left, or says why not."""
    read_or_refused(path.parent.name, damaged(path.read_bytes(), damages))


@given(st.sampled_from(WORKBOOKS), st.sampled_from(PARTS), DAMAGES)
def test_no_reader_breaks_on_a_damaged_part_of_a_workbook(
    path: Path, part: str, damages: list[Damage]
) -> None:
    """The parts are packed: damage to the file itself hardly ever comes so far."""
    with zipfile.ZipFile(io.BytesIO(path.read_bytes())) as archive:
        content = archive.read(part) if part in archive.namelist() else b""
    read_or_refused(path.parent.name, rezipped(path.read_bytes(), {part: damaged(content, damages)}))


@given(st.sampled_from(FILES), st.sampled_from(sorted(FORMATS)))
def test_no_reader_breaks_on_a_file_of_another_format(path: Path, format_: str) -> None:
    read_or_refused(format_, path.read_bytes())
