"""Makes the workbooks in this directory: by XlsxWriter and LibreOffice, never by the project's own code.

Needs ``pip install xlsxwriter`` and ``apt-get install libreoffice-calc-nogui``, no test does: the results
are committed, this runs by hand. ``python tests/data/make.py``; expected reports are checked by eye.
"""

import io
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import xlsxwriter
from PIL import Image, ImageDraw

HERE = Path(__file__).parent
KAHOOT = (
    "Question - max 120 characters",
    *(f"Answer {number} - max 75 characters" for number in range(1, 5)),
    "Time limit (sec) – 5, 10, 20, 30, 60, 90, 120, or 240 secs",
    "Correct answer(s) - choose at least one",
)
WAYGROUND = (
    *("Question Text", "Question Type", "Option 1", "Option 2", "Option 3", "Option 4", "Option 5"),
    *("Correct Answer", "Time in seconds", "Image Link", "Answer explanation"),
)
INSTRUCTIONS = (
    *("Text of the question (required)", "Question Type (default is Multiple Choice)"),
    *("Text for option 1 (required in all cases except open-ended & draw questions)",),
    *("Text for option 2 (required in all cases except open-ended & draw questions)",),
    *(f"Text for option {number} (optional)" for number in (3, 4, 5)),
    "The correct option choice (between 1-5). Leave blank for Open-Ended, Poll, Draw and Fill-in-the-Blank.",
    *("Time in seconds (optional, default value is 30 seconds)", "Link of the image (optional)"),
    "Explanation for the answer (optional)",
)


def drawing(colour: str, format_: str = "PNG") -> io.BytesIO:
    """A small picture of one's own, so that nobody else's licence is in here."""
    image = Image.new("RGB", (48, 32), colour)
    ImageDraw.Draw(image).ellipse((12, 4, 36, 28), fill="white")
    file = io.BytesIO()
    image.save(file, format_)
    file.seek(0)
    return file


class Sheet:
    """A workbook as XlsxWriter makes it: texts in a table of their own, as Excel does."""

    def __init__(self, path: str, name: str = "Sheet1") -> None:
        self.book = xlsxwriter.Workbook(HERE / path)
        self.sheet = self.book.add_worksheet(name)

    def rows(self, first: int, *rows: Sequence[Any], column: int = 0) -> None:
        """Write rows from number ``first`` on."""
        for number, row in enumerate(rows, first - 1):
            self.sheet.write_row(number, column, row)

    def over(self, cell: str, picture: io.BytesIO, **options: Any) -> None:
        """A picture that lies over cells."""
        self.sheet.insert_image(cell, "picture.png", {"image_data": picture, **options})

    def inside(self, cell: str, picture: io.BytesIO) -> None:
        """A picture placed in a cell, as Excel 365 does by itself."""
        self.sheet.embed_image(cell, "picture.png", {"image_data": picture})


def preamble(sheet: Sheet) -> None:
    """What stands above the header of Kahoot's template, its logo included."""
    bold = sheet.book.add_format({"bold": True})
    sheet.over("D2", drawing("purple"))
    sheet.sheet.write("B2", "Quiz template", bold)
    lines = (
        "One question a row, two answers at least, a time limit, and the numbers of the right answers.",
        "A question has up to 120 characters, an answer up to 75.",
        "The first question below is an example: write over it.",
        "Save the file as .xlsx before you upload it.",
    )
    sheet.rows(3, *[(line,) for line in lines], column=1)
    sheet.rows(8, KAHOOT, column=1)


def kahoot_template() -> None:
    """The template, filled in by somebody who meets all of its traps."""
    sheet = Sheet("kahoot/template.xlsx")
    preamble(sheet)
    rows = (
        ("What is the capital of Peru?", "Lima", "Quito", "La Paz", "Bogotá", 20, 1),
        ("Which of these are prime?", 2, 4, 7, 9, 30, "1,3"),
        ("Which are in South America?", "Chile", "Ghana", "Peru", "Nepal", 60, 1.3),
        ("Water boils at 100 °C at sea level.", "True", "False", "", "", 10, "1"),
        ("Who wrote “Faust”?", "Goethe", "Schiller", "", "", 25, 1),
        ("No key here", "a", "b", "", "", 20, ""),
        ("The key is none of them", "a", "b", "", "", 20, 4),
        ("Nobody has so long", "yes", "no", "", "", 900, 2),
        ("  Spaces around \n and a second line  ", " left ", "right ", "", "", 5, 2),
        ("Only one answer", "alone", "", "", "", 20, 1),
    )
    numbered = [(number, *row) for number, row in enumerate(rows, 1)]
    sheet.rows(9, *numbered, *[(number,) for number in range(len(rows) + 1, 101)])
    sheet.book.close()


def kahoot_pictures() -> None:
    """Pictures over cells, in cells, over an answer, twice, as a GIF, and beside everything."""
    sheet = Sheet("kahoot/pictures.xlsx", "Bilder")
    preamble(sheet)
    red = drawing("red").getvalue()
    rows = (
        ("Which colour is behind the circle?", "red", "blue", "", "", 20, 1),
        ("And which is it here?", "green", "blue", "", "", 20, 1),
        ("Somebody placed two", "yes", "no", "", "", 20, 1),
        ("A picture of an answer", "this", "that", "", "", 20, 2),
        ("The same as in the first question", "yes", "no", "", "", 20, 1),
        ("A moving picture", "yes", "no", "", "", 20, 2),
        ("An answer is a picture in a cell", "yes", "", "no", "", 20, 1),
        ("A photograph", "yes", "no", "", "", 20, 1),
        ("None", "yes", "no", "", "", 20, 1),
    )
    sheet.rows(9, *[(number, *row) for number, row in enumerate(rows, 1)])
    sheet.over("B8", io.BytesIO(red), y_offset=12)  # a little too high, as people place them
    sheet.inside("I10", drawing("green"))
    sheet.over("J11", drawing("orange"))
    sheet.over("I11", drawing("yellow"))
    sheet.over("C12", drawing("brown"))
    sheet.over("I13", io.BytesIO(red))
    sheet.over("I14", drawing("grey", "GIF"))
    sheet.inside("D15", drawing("pink"))
    sheet.over("I16", drawing("navy", "JPEG"))
    sheet.over("B40", drawing("black"))
    sheet.book.close()


def wayground_template() -> None:
    """The template with its row of instructions, every type, and the explanation."""
    sheet = Sheet("wayground/template.xlsx")
    link = "https://example.org/lima.png"
    sheet.rows(1, WAYGROUND, INSTRUCTIONS)
    sheet.rows(
        3,
        (
            "Capital of Peru?",
            "Multiple Choice",
            "Lima",
            "Quito",
            "La Paz",
            "",
            "",
            1,
            30,
            link,
            "Since 1535.",
        ),
        ("Prime numbers?", "Checkbox", 2, 3, 4, 5, 6, "1,2,4", 45, "", "2 is the only even one."),
        ("Type it", "Fill-in-the-Blank", "Lima", "lima", "", "", "", "", 30),
        ("What do you think?", "Open-Ended", "", "", "", "", "", "", 120),
        ("Your favourite?", "Poll", "Tea", "Coffee", "", "", "", "", 20),
        ("Draw a llama", "Draw", "", "", "", "", "", "", 300),
        ("Five of them", "Multiple Choice", "a", "b", "c", "d", "e", 5, 900),
        ("No type is Multiple Choice", "", "yes", "no", "", "", "", 1, ""),
        ("One key of a checkbox", "Checkbox", "yes", "no", "maybe", "", "", 1, 20),
    )
    sheet.book.close()


def wayground_pictures() -> None:
    """Pictures where a link is asked for, and times merged over rows."""
    sheet = Sheet("wayground/pictures.xlsx", "Create a Quiz")
    sheet.rows(
        1,
        WAYGROUND[:10],
        ("First", "Multiple Choice", "a", "b", "", "", "", 1),
        ("Second", "Multiple Choice", "a", "b", "", "", "", 2),
        ("Third", "Checkbox", "a", "b", "c", "", "", "1, 3", 60, "www.example.org/x.jpg"),
    )
    sheet.sheet.merge_range("I2:I3", 40)
    sheet.inside("J2", drawing("teal"))
    sheet.over("J3", drawing("olive"))
    sheet.book.close()


def calc(target: str, content: str, separator: str = ",") -> None:
    """A workbook as LibreOffice writes it: text typed into cells, dates and formulas as it takes them."""
    with tempfile.TemporaryDirectory() as folder:
        typed = Path(folder, Path(target).stem + ".csv")
        typed.write_text(content, encoding="utf-8")
        options = f"{ord(separator)},34,76,1,,1033,false,true,false,false,false,-1,true"
        command = (
            *("soffice", f"-env:UserInstallation=file://{folder}/profile", "--headless"),
            *(f"--infilter=CSV:{options}", "--convert-to", "xlsx:Calc MS Excel 2007 XML"),
            *("--outdir", str(HERE / Path(target).parent), str(typed)),
        )
        subprocess.run(command, check=True, capture_output=True)


KAHOOT_GERMAN = """Frage;Antwort 1;Antwort 2;Antwort 3;Antwort 4;Zeitlimit (Sek.);Richtige Antwort(en)
Wie heißt die Hauptstadt von Österreich?;Wien;Graz;Linz;Salzburg;20;1
Welche Länder grenzen an Österreich?;Deutschland;Spanien;Ungarn;Portugal;30;1,3
"Wie viel ist 3 × 4?
(ohne Taschenrechner)";10;11;12;13;20 Sek.;3
Über 50 % der Erde sind Meer.;Richtig;Falsch;;;10;A
Wer schrieb „Die Physiker“?;Dürrenmatt;Frisch;;;;Dürrenmatt
Keine Lösung;ja;nein;;;20;
"""
KAHOOT_TYPED = """Question,Answer 1,Answer 2,Answer 3,Answer 4,Time limit,Correct answer(s)
When did it begin?,1/3,2024-05-01,50%,1e3,20,4
"Which two, as a spreadsheet takes it?",a,b,c,d,20,1/3
Two and two?,=2+2,=2+3,,,=10*2,=3-2
An error?,=1/0,b,,,20,2
Is it true?,TRUE,FALSE,,,20,1
Large and small?,1234567890,0.1,-5,+7,20,2
"""
CLASSQUIZ = (
    "\n" * 4
    + ",,My first quiz\n,,About this and that\n"
    + "\n" * 6
    + ",Question,Answer 1,Answer 2,Answer 3,Answer 4,Time,Correct\n"
    + '1,What is H2O?,Water,Salt,Sugar,Air,20,"1"\n'
    + '2,Which are gases?,Helium,Iron,Argon,Gold,30,"1,3"\n'
    + "3,,,,,,,\n"
    + '4,Bad time,yes,no,,,3,"1"\n'
)
WAYGROUND_TYPED = ",".join(WAYGROUND[:10])
WAYGROUND_SPANISH = f"""{WAYGROUND_TYPED}
¿Cuál es la capital de España?,Multiple Choice,Madrid,Sevilla,Bilbao,,,1,30,
¿Cuáles son pares?,Checkbox,1,2,3,4,,"2,4",20,https://example.org/pares.png
¿Verdadero o falso?,Multiple Choice,Verdadero,Falso,,,,2,,
Sin respuesta,Multiple Choice,a,b,,,,,30,
"""
WAYGROUND_SCRIPTS = f"""{WAYGROUND_TYPED},Explanation
ما هي عاصمة مصر؟,Multiple Choice,القاهرة,الرباط,تونس,عمّان,,1,30,,القاهرة على النيل.
כמה ימים בשבוע?,Multiple Choice,שישה,שבעה,,,,2,30,,
どれが果物ですか。,Checkbox,りんご,机,みかん,,,"1,3",60,,
"""


def main() -> None:
    """All of them."""
    kahoot_template()
    kahoot_pictures()
    wayground_template()
    wayground_pictures()
    calc("kahoot/german.xlsx", KAHOOT_GERMAN, ";")
    calc("kahoot/typed.xlsx", KAHOOT_TYPED)
    calc("kahoot/classquiz.xlsx", CLASSQUIZ)
    calc("wayground/spanish.xlsx", WAYGROUND_SPANISH)
    calc("wayground/scripts.xlsx", WAYGROUND_SCRIPTS)


if __name__ == "__main__":
    main()
