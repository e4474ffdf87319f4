"""The rules of the page's modules are stated in tests/js/page; here they run, and their texts are compared.

What the modules do in a browser is in ``test_screens``.
"""

import re
from pathlib import Path
from typing import get_args

import pytest
from django.conf import settings

from gateway.core.closing import SERVER_ENDINGS, Retry
from quizsite import texts
from rooms.core.names import Flaw
from rooms.core.questions import Difficulty, Region
from rooms.core.rules import ErrorCode
from rooms.core.shapes import AvatarId, ReactionId, Scoring, Settings
from tests.node import Node, copied

ROOT = Path(settings.BASE_DIR)
SCRIPTS = ROOT / "quizsite" / "static" / "quizsite" / "js"
MODULES = sorted(SCRIPTS.glob("*.js"))
MODULE_LINES = 250
DEEPEST_IMPORTS = 4
"""Django rewrites the imports of hashed modules in five passes, the last of which must find nothing to do."""


def test_the_pages_own_tests_pass(node: Node, tmp_path: Path) -> None:
    """Store, selectors and texts: pure, and so tested without a browser."""
    node.passes(copied(tmp_path, "quizsite/static/quizsite/js", "tests/js/page"), "tests/js/page")


SOURCE = "\n".join(module.read_text() for module in MODULES)
ASKED = set(re.findall(r'(?:\bt\(|\bsay\(.*?, )"([^"]+)"', SOURCE))
PUT_TOGETHER = [
    re.compile(re.sub(r"\\\$\\\{.*?\\\}", r"[\\w.-]+", re.escape(literal)))
    for literal in re.findall(r"`([\w.${}-]*\$\{[^`/ ]*)`", SOURCE)
]
"""Keys that a module makes of what the server says, `error.${code}`, as patterns."""


def test_every_text_that_a_script_asks_for_is_in_the_catalogue() -> None:
    """A key with a slip in it would be shown to players as it is."""
    assert ASKED - set(texts.TEXTS) == set()
    assert len(ASKED) > 50


def test_every_text_of_the_catalogue_is_asked_for() -> None:
    """By its whole key, or by one that a module puts together; what nothing shows is not for translators."""
    unused = {key for key in texts.TEXTS if f'"{key}"' not in SOURCE}
    assert {key for key in unused if not any(pattern.fullmatch(key) for pattern in PUT_TOGETHER)} == set()


@pytest.mark.parametrize(
    ("family", "members"),
    [
        (
            "error",
            set(get_args(ErrorCode))
            - {"ALREADY_ANSWERED", "ROOM_NOT_FOUND", "NAME_INVALID", "VALIDATION_ERROR"},
        ),
        ("name", {flaw.value for flaw in Flaw}),
        ("region", set(get_args(Region))),
        ("difficulty", set(get_args(Difficulty))),
        ("split", set(get_args(Scoring))),
    ],
)
def test_whatever_the_server_may_say_has_words(family: str, members: set[str]) -> None:
    """Left out are codes that are never shown as words: a second answer, an unknown room, our own slip."""
    assert {f"{family}.{member}" for member in members} - set(texts.TEXTS) == set()


def test_every_refusal_of_a_connection_has_words() -> None:
    """The client's own English is the fallback for codes that are newer than the page."""
    closing = (ROOT / "gateway/static/gateway/closing.js").read_text()
    refusals = set(re.findall(r'\{ code: "([a-z_]+)"', closing))
    final = {str(ending.code) for ending in SERVER_ENDINGS if ending.retry in (Retry.STOP, Retry.ONCE_LATER)}
    replaced = {"4000"}  # has a page of its own
    assert {f"why.{code}" for code in refusals | final - replaced} - set(texts.TEXTS) == set()
    assert refusals


def test_faces_reactions_and_switches_are_those_of_the_wire() -> None:
    """The page offers what the server takes."""
    assert set(texts.FACES) == set(get_args(AvatarId))
    assert set(texts.REACTIONS) == set(get_args(ReactionId))
    defaults = {
        name: getattr(Settings(), field)
        for field, name in zip(Settings.__struct_fields__, Settings.__struct_encode_fields__, strict=True)
    }
    assert set(texts.SWITCHES) == {name for name, value in defaults.items() if isinstance(value, bool)}


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.name)
def test_a_module_is_short_and_opens_with_its_law(module: Path) -> None:
    """What lives here comes first; a file that grows past its limit is two things."""
    text = module.read_text()
    assert text.startswith("/* ")
    assert len(text.splitlines()) < MODULE_LINES


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.name)
def test_a_module_writes_no_markup_and_no_style(module: Path) -> None:
    """Names and questions are other people's words: they become text, never HTML."""
    forbidden = (
        r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\.style\b|cssText|\beval\b|new Function"
    )
    assert re.findall(forbidden, module.read_text()) == []


def test_imports_end_with_a_semicolon_and_are_not_nested_too_deep() -> None:
    """What Django needs to give the hashed modules their hashed names."""
    imports = {
        module.name: re.findall(r'^import [^;]*? from "\./([^"]+)"(;?)$', module.read_text(), re.M)
        for module in MODULES
    }
    assert all(semicolon for found in imports.values() for _, semicolon in found)

    def depth(name: str) -> int:
        return 1 + max((depth(other) for other, _ in imports[name]), default=0)

    assert {name: depth(name) for name in imports if depth(name) > DEEPEST_IMPORTS} == {}
