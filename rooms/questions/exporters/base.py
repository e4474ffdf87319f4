"""What every exporter is given and gives: a set's questions and words about it; a file and what it lacks."""

from msgspec import Struct

from rooms.questions.drafts import Draft


class Sheaf(Struct, frozen=True):
    """A whole set as plain values."""

    questions: tuple[Draft, ...]
    title: str = ""
    description: str = ""
    attribution: str = ""
    set_id: str = ""


class Exported(Struct, frozen=True):
    """A file; ``lacks`` says what it does not hold, question by question."""

    content: bytes
    mime: str
    extension: str
    lacks: tuple[str, ...] = ()
