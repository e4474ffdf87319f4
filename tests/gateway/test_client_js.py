"""The JS client (spec 4.2): its tests pass under Node, its tables equal the server's, its files hash well.

What the client does is stated in tests/js/*.test.mjs; in a real browser it is driven by tests/e2e.
"""

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from django.contrib.staticfiles.storage import ManifestStaticFilesStorage

from gateway.core import admission, closing
from gateway.core.closing import By, Ending
from tests.node import Node, copied

ROOT = Path(__file__).resolve().parents[2]
STATIC = ROOT / "gateway" / "static"
CLIENT = STATIC / "gateway"
LIBRARY_CODES = {1002, 1007}
"""Sent by the servers' WebSocket libraries, never by us, so not in our table (spec 1.7)."""


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """The client's modules and their tests."""
    return copied(tmp_path, "gateway/static/gateway", "tests/js")


def test_the_clients_own_tests_pass(node: Node, checkout: Path) -> None:
    """Every rule of spec 4.2, on virtual time."""
    node.passes(checkout, "tests/js")


@pytest.fixture
def tables(node: Node, checkout: Path) -> dict[str, Any]:
    """What closing.js says: its refusals, and what it makes of each ending that the server knows."""
    asked = [(ending.code, ending.reason, ending.by.value) for ending in server_endings()]
    script = f"""
        import {{ ENDINGS, REFUSALS, endingOf }} from "./gateway/static/gateway/closing.js";
        const known = {json.dumps(asked)}.map(([code, reason, by]) => endingOf(code, reason, by).retry);
        console.log(JSON.stringify({{ endings: ENDINGS, refusals: REFUSALS, known }}));
    """
    answer: dict[str, Any] = node.answer(checkout, script)
    return answer


def server_endings() -> list[Ending]:
    """All endings that a web client may see or cause; going away (1001) is the browser's own doing."""
    return [*closing.SERVER_ENDINGS, closing.USER_DISCONNECTED, closing.REPLACING_SOCKET, closing.DROPPED]


def test_client_and_server_agree_on_what_follows_an_ending(tables: dict[str, Any]) -> None:
    """The table in gateway/core/closing.py decides; the client's copy may not drift from it (spec 1.7)."""
    assert tables["known"] == [ending.retry.value for ending in server_endings()]


def test_the_client_knows_no_ending_that_the_server_does_not(tables: dict[str, Any]) -> None:
    """A row for a code that nobody sends is a rule that nobody needs."""
    sent = {(ending.code, ending.by.value) for ending in server_endings()}
    sent |= {(code, By.SERVER.value) for code in LIBRARY_CODES}
    assert {(row["code"], row["by"]) for row in tables["endings"]} == sent


def test_every_refusal_has_its_words(tables: dict[str, Any]) -> None:
    """A refusal without a text would reach a player as a bare code (spec 1.2, 4.2)."""
    codes = {refusal.code for refusal in admission.REFUSALS}
    assert {row["code"] for row in tables["refusals"]} == codes


class Hashed(ManifestStaticFilesStorage):
    support_js_module_import_aggregation = True


def test_hashing_renames_every_import(tmp_path: Path) -> None:
    """Django rewrites imports by pattern: one that it missed would load an old module from a cache."""
    shutil.copytree(CLIENT, tmp_path / "gateway")
    storage = Hashed(location=tmp_path, base_url="/static/")
    files = {f"gateway/{path.name}": (storage, f"gateway/{path.name}") for path in CLIENT.glob("*.js")}
    hashed = {old: new for old, new, _ in storage.post_process(files)}
    for old in files:
        text = (tmp_path / str(hashed[old])).read_text()
        imported = re.findall(r'from "\./([^"]+)"', text)
        assert {f"gateway/{name}" for name in imported} <= set(hashed.values()), old
        assert old != "gateway/client.js" or imported


@pytest.mark.parametrize("module", sorted(CLIENT.glob("*.js")), ids=lambda module: module.name)
def test_a_module_of_the_client_fits_in_a_readers_head(module: Path) -> None:
    """The house's rule for Python files (tests/house) holds for these too: a law first, below 300 lines."""
    text = module.read_text()
    assert text.startswith("/**\n")
    assert len(text.splitlines()) < 300
    assert max(map(len, text.splitlines())) <= 110


@pytest.mark.parametrize("module", sorted(CLIENT.glob("*.js")), ids=lambda module: module.name)
def test_the_client_runs_on_plain_http_under_a_strict_policy(module: Path) -> None:
    """A LAN has no https: no secure-context API; and a strict CSP has no eval (spec 4.1)."""
    code = re.sub(r"/\*.*?\*/|//.*", "", module.read_text(), flags=re.DOTALL)
    assert not re.search(r"\beval\b|new Function|randomUUID|crypto\.subtle|serviceWorker|https?://", code)
