"""The documentation builds without a warning, and what can be checked of its words is so."""

import ast
import re
import subprocess
import sys
import tomllib
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

from gateway.core.admission import REFUSALS
from gateway.core.closing import CLIENT_ENDINGS, DROPPED, SERVER_ENDINGS
from rooms.management.commands.protocol_docs import PROTOCOL
from rooms.wire import LIMITS
from tests.docs.pages import DOCS, Block, blocks, links, name, pages

BUILD_S = 240
PYTHON = [
    pytest.param(block, id=f"{name(page)}:{block.line}")
    for page in pages()
    for block in blocks(page)
    if block.language == "python"
]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The pages as HTML, built once; a warning is an error, and every reference must lead somewhere."""
    target = tmp_path_factory.mktemp("docs")
    strict = ["-W", "--keep-going", "-n", "-q", "-d", str(target / "doctrees")]
    command = [sys.executable, "-m", "sphinx", *strict, str(DOCS), str(target / "html")]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=BUILD_S)
    assert ran.returncode == 0, ran.stderr
    return target / "html"


@pytest.fixture
def reference(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """What prints pages from the code."""
    monkeypatch.syspath_prepend(str(DOCS))
    return import_module("reference")


def test_every_page_is_built(built: Path) -> None:
    """What is written is also found: a page that stands in no table of contents would be a warning."""
    written = {path.relative_to(DOCS).with_suffix("") for path in DOCS.rglob("*.md")}
    made = {path.relative_to(built).with_suffix("") for path in built.rglob("*.html")}
    assert written - made == {Path("printed/budgets")}  # part of the page about limits


@pytest.mark.usefixtures("built")
@pytest.mark.parametrize("page", pages(), ids=name)
def test_every_link_to_a_file_finds_it(page: Path) -> None:
    """Also what Sphinx does not see: links of the README and its neighbours, and out of docs/."""
    missing = [
        target
        for target in links(page)
        if not target.startswith(("https://", "http://", "mailto:", "#"))
        and not (page.parent / target.partition("#")[0]).exists()
    ]
    assert missing == []


@pytest.mark.parametrize("block", PYTHON)
def test_python_in_the_pages_is_python(block: Block) -> None:
    """Whatever else a block leaves out, it can be compiled."""
    ast.parse(block.text)


def test_every_setting_says_what_it_does(reference: ModuleType) -> None:
    """Each key of each dict has its text, which the page of settings prints."""
    for module in reference.SETTINGS.values():
        said = reference.field_docs(module.Keys)
        assert set(module.Keys.__struct_fields__) == set(said)
        assert all(text.endswith(".") for text in said.values())


def test_every_code_says_what_an_operator_does(reference: ModuleType) -> None:
    """One entry for each refusal and each close, and none for what is not there any more."""
    operators = tomllib.loads((DOCS / "operators.toml").read_text(encoding="utf-8"))
    endings = {reference.code_name(ending) for ending in (*SERVER_ENDINGS, *CLIENT_ENDINGS, DROPPED)}
    assert set(operators["refusals"]) == {refusal.code for refusal in REFUSALS}
    assert set(operators["closes"]) == endings


def test_every_code_has_a_page(built: Path) -> None:
    """With what the player sees and what the operator does."""
    for code in ("invalid_origin", "4005-kicked", "1006-network"):
        text = (built / "printed" / "codes" / f"{code}.html").read_text(encoding="utf-8")
        assert "What the player sees" in text
        assert "What the operator does" in text


def test_every_message_has_its_table(reference: ModuleType) -> None:
    """Of both directions, by its name on the wire."""
    printed = list(reference.messages.messages_page())
    tags = [str(kind.__struct_config__.tag) for kind in (*PROTOCOL.commands, *PROTOCOL.events)]
    assert [tag for tag in tags if f"### {tag}" not in printed] == []


def test_every_budget_is_printed(reference: ModuleType) -> None:
    """The page about limits cannot forget one, or tell another number."""
    printed = "\n".join(reference.messages.budgets_page())
    for type, budgets in LIMITS.items():
        for budget in budgets:
            often = reference.messages.often(budget.limit, budget.window_s)
            assert re.search(rf"^\| `{type}`.* \| {re.escape(often)} \| ", printed, re.MULTILINE)
