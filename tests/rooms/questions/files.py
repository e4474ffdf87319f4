"""The files in ``tests/data``, which other programs wrote, and what each is expected to be read as.

Beside each lies its report, checked by eye: ``FILE.report.json``. After a change that is meant to show there,
``python -m tests.rooms.questions.files`` writes them anew; the difference is to be read, line by line.
"""

import io
import json
import os
from pathlib import Path
from typing import Any

import django
from PIL import Image

DATA = Path(__file__).parents[2] / "data"
REPORT = ".report.json"
NO_QUIZ = ("README.md", "make.py", ".gitattributes")

FILES = sorted(
    path
    for path in DATA.rglob("*")
    if path.is_file() and not path.name.endswith((REPORT, ".pyc")) and path.name not in NO_QUIZ
)


def name(path: Path) -> str:
    """As the tests are called: ``kahoot/template.xlsx``."""
    return path.relative_to(DATA).as_posix()


def expected(path: Path) -> dict[str, Any]:
    """What the file beside it says."""
    told: dict[str, Any] = json.loads(_report_of(path).read_text(encoding="utf-8"))
    return told


def told(data: bytes) -> dict[str, Any]:
    """The report of a file and its questions, in words that are easy to check."""
    from rooms.questions import importers  # Django is set up by now

    try:
        imported = importers.parse(data)
    except importers.UnreadableError as error:
        return {"refused": str(error)}
    about = {name: getattr(imported, name) for name in ("title", "description", "attribution")}
    return {
        "format": imported.report.format,
        **{name: text for name, text in about.items() if text},
        "notes": imported.report.notes,
        "unit": imported.report.unit,
        "entries": [
            [entry.number, entry.outcome, entry.text, *entry.notes] for entry in imported.report.entries
        ],
        "questions": [_question(draft) for draft in imported.questions],
    }


def _report_of(path: Path) -> Path:
    return path.with_name(path.name + REPORT)


def _question(draft: Any) -> dict[str, Any]:
    every = {
        "prompt": draft.prompt,
        "kind": draft.kind,
        "right": [option.text for option in draft.options if option.correct],
        "wrong": [option.text for option in draft.options if not option.correct],
        "seconds": draft.time_limit_s,
        "weight": None if draft.weight == 1 else draft.weight,
        "explanation": draft.explanation or None,
        "picture": None if draft.picture is None else _picture(draft.picture),
    }
    return {name: value for name, value in every.items() if value is not None}


def _picture(picture: Any) -> list[Any]:
    """Its kind and the colour of its corner: enough to tell whose it is, and the same for every Pillow."""
    image = Image.open(io.BytesIO(picture.data)).convert("RGB")
    pixel = image.getpixel((0, 0))
    assert isinstance(pixel, tuple)
    corner = [round(channel / 32) * 32 for channel in pixel]
    return [picture.mime, *image.size, "#" + "".join(f"{min(channel, 255):02x}" for channel in corner)]


def _text(report: dict[str, Any]) -> str:
    """A line for each entry and each question, so that a difference is one."""
    lines = []
    for key, value in report.items():
        if isinstance(value, list) and value:
            items = ",\n".join(f"    {json.dumps(item, ensure_ascii=False)}" for item in value)
            lines.append(f"  {json.dumps(key)}: [\n{items}\n  ]")
        else:
            lines.append(f"  {json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}")
    return "{\n" + ",\n".join(lines) + "\n}\n"


if __name__ == "__main__":
    os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"
    django.setup()
    for path in FILES:
        _report_of(path).write_text(_text(told(path.read_bytes())), encoding="utf-8")
