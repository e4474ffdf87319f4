"""Pages of the documentation that are printed from the code: settings, and one page for each code.

`write` is called by ``conf.py`` before each build; nothing of it is committed, so nothing of it can be out of
date. What an operator does about a code stands in ``operators.toml``; tests/docs asks for every code there.
"""

import ast
import inspect
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import messages
import msgspec
from msgspec import Struct

import gateway.conf
import rooms.conf
import tunnel.conf
from gateway.admission import REASON_HEADER
from gateway.core.admission import REFUSALS
from gateway.core.closing import CLIENT_ENDINGS, DROPPED, SERVER_ENDINGS, Ending, Retry, Treatment
from quizsite.texts import TEXTS

HERE = Path(__file__).parent
SETTINGS = {"GATEWAY": gateway.conf, "ROOMS": rooms.conf, "TUNNEL": tunnel.conf}

TREATMENTS = {
    Treatment.REPLACED: "Nothing: the seat is already held by the newer socket.",
    Treatment.EVICT: "The seat is free at once.",
    Treatment.GRACE: "Mid-game the seat is held for 10 s, else it is free at once.",
    Treatment.SUCCESSOR: "The seat waits up to 10 s for the socket that follows.",
    Treatment.KEEP: "The seat is kept for the process that follows.",
}
RETRIES = {
    Retry.RECONNECT: "reconnects: up to six tries, 1.2 s apart",
    Retry.JOIN_AGAIN: "joins the room again by itself; points and answers come back",
    Retry.ONCE_LATER: "tries once more after 5 s; a second time within a minute it stops with a message",
    Retry.AFTER_RESTART: "waits for as long as the server said, then tries for up to a minute",
    Retry.STOP: "stops; only the page's button connects again",
}


def write(folder: Path) -> None:
    """All printed pages, into ``folder``."""
    codes = folder / "codes"
    codes.mkdir(parents=True, exist_ok=True)
    (folder / "settings.md").write_text("\n".join(settings_page()))
    (folder / "messages.md").write_text("\n".join(messages.messages_page()))
    (folder / "budgets.md").write_text("\n".join(messages.budgets_page()))
    names = []
    for name, lines in code_pages():
        (codes / f"{name}.md").write_text("\n".join(lines) + "\n")
        names.append(name)
    (codes / "index.md").write_text("\n".join(codes_index(names)))


# ---------- settings


def settings_page() -> Iterator[str]:
    yield "# Settings"
    yield ""
    yield "Each app reads one dict of the Django settings. `manage.py check` names every unknown key and"
    yield "every impossible value, with what to write instead."
    for name, module in SETTINGS.items():
        yield from ["", f"## {name}", "", (module.__doc__ or "").split("\n\n")[0].replace("\n", " "), ""]
        for key in keys_of(module):
            yield from key


def keys_of(module: ModuleType) -> Iterator[list[str]]:
    """One definition for each key of the module's ``Keys``: name, type, default, and what it does."""
    said = field_docs(module.Keys)
    for field in msgspec.structs.fields(module.Keys):
        yield [
            f"(setting-{module.__name__.partition('.')[0]}-{field.name})=",
            f"`{field.encode_name}` (default `{default_of(field)!r}`)",
            f": {said[field.name]}",
            "",
        ]


def field_docs(keys: type[Struct]) -> dict[str, str]:
    """The string that stands under each field, as editors show it."""
    (body,) = [node for node in ast.parse(inspect.getsource(keys)).body if isinstance(node, ast.ClassDef)]
    return {
        field.target.id: inspect.cleandoc(text.value.value).replace("\n", " ")
        for field, text in zip(body.body, body.body[1:], strict=False)
        if isinstance(field, ast.AnnAssign)
        and isinstance(field.target, ast.Name)
        and isinstance(text, ast.Expr)
        and isinstance(text.value, ast.Constant)
        and isinstance(text.value.value, str)
    }


def default_of(field: msgspec.structs.FieldInfo) -> Any:
    """Its value where the setting is not given."""
    return field.default if field.default_factory is msgspec.NODEFAULT else field.default_factory()


# ---------- codes


def code_pages() -> Iterator[tuple[str, list[str]]]:
    """A page's name and its lines, for refusals first, then for closes."""
    operators = tomllib.loads((HERE / "operators.toml").read_text())
    for refusal in REFUSALS:
        wait = "" if refusal.retry_after is None else f", `Retry-After: {refusal.retry_after:g}`"
        yield (
            refusal.code,
            page(
                f"{refusal.code}",
                f"The upgrade is refused: HTTP {refusal.status}{wait}, `{REASON_HEADER}: {refusal.code}`.",
                player=[refusal.text, sentence(f"why.{refusal.code}")],
                operator=operators["refusals"][refusal.code],
            ),
        )
    for ending in (*SERVER_ENDINGS, *CLIENT_ENDINGS, DROPPED):
        name = code_name(ending)
        yield (
            name,
            page(
                f"{ending.code} {ending.reason}".strip(),
                f"The socket is closed by the {ending.by.value}. {TREATMENTS[ending.treatment]}",
                player=[sentence(f"why.{ending.code}"), f"The page {RETRIES[ending.retry]}."],
                operator=operators["closes"][name],
            ),
        )


def code_name(ending: Ending) -> str:
    """As a file is named: the code, and the reason where there is one."""
    slug = re.sub(r"[^a-z0-9]+", "-", ending.reason.lower()).strip("-")
    return f"{ending.code}-{slug}" if slug else f"{ending.code}-{ending.by.value}"


def page(title: str, what: str, player: list[str], operator: str) -> list[str]:
    seen = " ".join(part for part in player if part)
    player_part = ["## What the player sees", "", seen, ""]
    return [f"# {title}", "", what, "", *player_part, "## What the operator does", "", operator]


def sentence(key: str) -> str:
    """What the site's pages say, in English; empty if they say nothing of their own."""
    return str(TEXTS.get(key, ""))


def codes_index(names: list[str]) -> Iterator[str]:
    yield from [
        "# Refusals and closes",
        "",
        "Every way in which a socket is refused or ends, and what it means.",
        "",
    ]
    yield from ["```{toctree}", ":maxdepth: 1", "", *names, "```", ""]
