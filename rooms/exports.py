"""Results as files for a spreadsheet: one table as CSV, several as one .xlsx workbook.

The tables are plain rows; what is dangerous in a cell is made harmless where the file is written, headers
included (``rooms.cells``). An .xlsx file needs no guards: its cells say that they are text.
"""

import csv
import io
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Final

from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _
from msgspec import Struct
from openpyxl import Workbook
from openpyxl.cell import WriteOnlyCell
from openpyxl.cell.cell import ILLEGAL_CHARACTERS_RE
from openpyxl.styles import Font

from rooms.cells import guarded
from rooms.models import AnswerRecord, GameRecord
from rooms.results import Leader, chosen, question_results, with_results

MAX_ANSWERS: Final = 100_000
"""Of one export: a workbook of so many rows takes half a minute of a thread, and spreadsheets stay usable."""
SHEET_TITLE: Final = 31
"""Excel's limit."""
CELL: Final = 32_767
"""Characters of one cell, Excel's limit; a question's text may be longer."""
CSV_TYPE: Final = "text/csv; charset=utf-8"
XLSX_TYPE: Final = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"

Cell = str | int | bool | datetime | None


class Table(Struct, frozen=True):
    """A header and rows as wide as it."""

    title: str
    header: tuple[str, ...]
    rows: list[tuple[Cell, ...]]


class TooMuchError(ValueError):
    """More than a person can use and a server should make at once."""


def load(games: QuerySet[GameRecord]) -> list[GameRecord]:
    """The games with everything that the tables need; raises `TooMuchError`."""
    answers = AnswerRecord.objects.filter(player__game__in=games.order_by()).count()
    if answers > MAX_ANSWERS:
        raise TooMuchError(
            _("These games have %(answers)d answers: export at most %(most)d at once.")
            % {"answers": answers, "most": MAX_ANSWERS}
        )
    return list(with_results(games))


# ---------- tables


def games_table(games: Iterable[GameRecord]) -> Table:
    """One row a game."""
    header = (_("Game"), _("Room"), _("Started"), _("Ended"), _("Finished"), _("Questions"), _("Players"))
    rows: list[tuple[Cell, ...]] = [
        (
            game.game_id,
            game.room_code,
            game.started_at,
            game.ended_at,
            game.finished,
            len(game.questions),
            len(game.players.all()),
        )
        for game in games
    ]
    return Table(_("Games"), header, rows)


def players_table(games: Iterable[GameRecord]) -> Table:
    """One row a player, best first; those who had left have no rank."""
    header = (_("Game"), _("Rank"), _("Name"), _("Points"), _("Right answers"), _("Answers"), _("Questions"))
    rows: list[tuple[Cell, ...]] = [
        (
            game.game_id,
            player.rank,
            player.name,
            player.score,
            player.correct,
            len(player.answers.all()),
            len(game.questions) - player.first_question,
        )
        for game in games
        for player in game.players.all()
    ]
    return Table(_("Players"), header, rows)


def questions_table(games: Iterable[GameRecord]) -> Table:
    """One row a question, with how often each choice was taken."""
    header = (
        _("Game"),
        _("No."),
        _("Question"),
        _("Right answer"),
        _("Right"),
        _("Wrong"),
        _("No answer"),
        _("Choices"),
    )
    rows: list[tuple[Cell, ...]] = [
        (
            game.game_id,
            result.number,
            result.question.prompt,
            chosen(result.question, result.question.correct),
            result.right,
            result.wrong,
            result.missing,
            ", ".join(f"{choice.choice.text}: {choice.count}" for choice in result.choices),
        )
        for game in games
        for result in question_results(game)
    ]
    return Table(_("Questions"), header, rows)


def answers_table(games: Iterable[GameRecord]) -> Table:
    """One row an answer, with what explains its points."""
    header = (
        _("Game"),
        _("No."),
        _("Question"),
        _("Name"),
        _("Answer"),
        _("Right"),
        _("Points"),
        _("For the answer"),
        _("For the streak"),
        _("Response time (ms)"),
        _("Credit for lag (ms)"),
    )
    return Table(_("Answers"), header, [row for game in games for row in _answer_rows(game)])


def leaders_table(leaders: Iterable[Leader]) -> Table:
    """The standings over all games."""
    header = (_("Rank"), _("Name"), _("Points"), _("Games"), _("Won"), _("Right answers"))
    rows: list[tuple[Cell, ...]] = [
        (leader.rank, leader.name, leader.points, leader.games, leader.wins, leader.right)
        for leader in leaders
    ]
    return Table(_("Standings"), header, rows)


TABLES: Final = {
    "games": games_table,
    "players": players_table,
    "questions": questions_table,
    "answers": answers_table,
}
"""What can be exported of games, by the name in a file's address."""


def workbook(games: Sequence[GameRecord]) -> bytes:
    """Everything about these games, one sheet a table."""
    return xlsx_file([table(games) for table in TABLES.values()])


def _answer_rows(game: GameRecord) -> Iterable[tuple[Cell, ...]]:
    asked = game.asked
    for player in game.players.all():
        for answer in player.answers.all():
            question = asked[answer.question_index]
            yield (
                game.game_id,
                answer.question_index + 1,
                question.prompt,
                player.name,
                chosen(question, answer.choices),
                answer.correct,
                answer.points,
                answer.base,
                answer.streak,
                answer.response_ms,
                answer.lag_credit_ms,
            )


# ---------- files


def csv_file(table: Table) -> bytes:
    """As CSV. The byte order mark tells Excel that it is UTF-8."""
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    for row in (table.header, *table.rows):
        writer.writerow([_csv_cell(cell) for cell in row])
    return text.getvalue().encode("utf-8-sig")


def xlsx_file(tables: Iterable[Table]) -> bytes:
    """As one workbook, one sheet a table."""
    book = Workbook(write_only=True)
    for table in tables:
        sheet = book.create_sheet(table.title[:SHEET_TITLE])
        sheet.freeze_panes = "A2"
        bold = Font(bold=True)
        heads = [text_cell(sheet, text) for text in table.header]
        for head in heads:
            head.font = bold
        sheet.append(heads)
        for row in table.rows:
            sheet.append([_xlsx_cell(sheet, cell) for cell in row])
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def _csv_cell(cell: Cell) -> str | int:
    match cell:
        case str():
            return guarded(cell)
        case bool():
            return int(cell)
        case datetime():
            return cell.isoformat(timespec="seconds")
        case None:
            return ""
        case int():
            return cell


def _xlsx_cell(sheet: object, cell: Cell) -> object:
    match cell:
        case str():
            return text_cell(sheet, cell)
        case datetime():
            # A spreadsheet's times have no zone: those of the reader's clock.
            return timezone.localtime(cell).replace(tzinfo=None)
        case _:
            return cell


def text_cell(sheet: object, text: str) -> WriteOnlyCell:
    """A cell that is text whatever it begins with, and stays it when somebody edits it (``quotePrefix``).

    XML knows one kind of line break, so CR comes back as LF; other control characters it can't hold at all.
    """
    readable = ILLEGAL_CHARACTERS_RE.sub("\N{REPLACEMENT CHARACTER}", text)[:CELL]
    made = WriteOnlyCell(sheet, readable)
    made.data_type = "s"
    made.quotePrefix = guarded(readable) != readable
    return made
