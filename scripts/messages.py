"""`make messages`: collects what the player's pages say, brings each catalogue in step, compiles it.

The catalogues lie in quizsite/locale (a README there says how to translate). Django's own makemessages would
collect the admin too, which is nobody's page here, and needs GNU gettext; this needs Babel alone, and its
collection is what the tests compare the catalogues with.
"""

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from babel.messages.catalog import Catalog, Message
from babel.messages.extract import extract
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po
from django.template import Engine
from django.template.base import Node
from django.templatetags.i18n import BlockTranslateNode, TranslateNode

ROOT = Path(__file__).resolve().parent.parent
LOCALES = ROOT / "quizsite" / "locale"
LANGUAGES = ("de", "ar")
"""Besides English, which stands in the pages themselves."""

TEMPLATES = (ROOT / "quizsite" / "templates", ROOT / "rooms" / "templates" / "rooms")
FOR_THE_TEAM = ("admin", "debugger")
"""Folders of templates that no player sees."""
MODULES = tuple(ROOT / path for path in ("quizsite/texts.py", "quizsite/troubles.py", "rooms/exports.py"))
CALLS = {"_": None, "ngettext_lazy": (1, 2), "pgettext_lazy": ((1, "c"), 2)}
"""The names under which these modules import Django's functions, and which arguments are the message."""

Found = tuple[str, str | tuple[str, str], str | None]
"""Where, the message (with its plural), the context."""


def main() -> int:
    """Write all catalogues; what still waits for a translator is printed, and makes the command fail."""
    missing = [line for language in LANGUAGES for line in _renew(language)]
    print("\n".join(missing) or f"{', '.join(LANGUAGES)}: complete")
    return 1 if missing else 0


def _renew(language: str) -> list[str]:
    catalogue = read(language)
    catalogue.update(collected(), no_fuzzy_matching=True, update_creation_date=False)
    catalogue.obsolete.clear()
    with source(language).open("wb") as file:
        write_po(file, catalogue, width=0, sort_output=False)
    with source(language).with_suffix(".mo").open("wb") as file:
        write_mo(file, catalogue)
    return [f"{language}: {message.id!r}" for message in catalogue if message.id and not all(forms(message))]


def forms(message: Message) -> tuple[str, ...]:
    """The translations of one sentence, in the order of the language's plural forms."""
    told = message.string or ""
    return (told,) if isinstance(told, str) else tuple(told)


def source(language: str) -> Path:
    """The file in which a translator writes."""
    return LOCALES / language / "LC_MESSAGES" / "django.po"


def read(language: str) -> Catalog:
    """The catalogue as it is on the disk."""
    with source(language).open("rb") as file:
        return read_po(file, locale=language)


def collected() -> Catalog:
    """All that the player's pages say, in the order of their files."""
    catalogue = Catalog()
    for place, message, context in (*_of_modules(), *_of_templates()):
        catalogue.add(message, locations=[(place, 0)], context=context)
    return catalogue


def _of_modules() -> Iterator[Found]:
    for path in MODULES:
        with path.open("rb") as file:
            yield from _of_module(path, file)


def _of_module(path: Path, file: IO[bytes]) -> Iterator[Found]:
    for _, message, _, context in extract("python", file, keywords=CALLS):
        yield _place(path), message if isinstance(message, str) else (message[0], message[1]), context


def _of_templates() -> Iterator[Found]:
    """As Django itself reads them."""
    engine = Engine(libraries={name: f"django.templatetags.{name}" for name in ("i18n", "static")})
    for path in templates():
        nodes = engine.from_string(path.read_text(encoding="utf-8")).nodelist
        for node in nodes.get_nodes_by_type(Node):
            if isinstance(node, TranslateNode | BlockTranslateNode):
                yield _place(path), _said_by(node), None


def _said_by(node: TranslateNode | BlockTranslateNode) -> str | tuple[str, str]:
    if node.message_context is not None:
        raise NotImplementedError(f"a template's sentence with a context: {node.message_context}")
    if isinstance(node, TranslateNode):
        return str(node.filter_expression.var.literal)
    one, _ = node.render_token_list(node.singular)
    if not node.plural:
        return str(one)
    return str(one), str(node.render_token_list(node.plural)[0])


def templates() -> list[Path]:
    """The templates of the player's pages, of the big screen and of the results."""
    found = (path for folder in TEMPLATES for path in folder.rglob("*.html"))
    return sorted(path for path in found if path.parent.name not in FOR_THE_TEAM)


def _place(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def placeholders(text: str) -> set[str]:
    """What a sentence leaves open: ``{name}`` of the scripts, ``%(name)s`` of the templates."""
    return set(re.findall(r"\{\w+\}|%\(\w+\)[sd]", text))


if __name__ == "__main__":
    sys.exit(main())
