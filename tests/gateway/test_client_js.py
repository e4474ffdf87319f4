"""The JS client (spec 4.2): its tests pass under Node, its tables equal the server's, its files hash well.

What the client does is stated in tests/js/*.test.mjs; in a real browser it is driven by tests/e2e.
"""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from django.contrib.staticfiles.storage import ManifestStaticFilesStorage

from gateway.core import admission, closing
from gateway.core.closing import By, Ending

ROOT = Path(__file__).resolve().parents[2]
STATIC = ROOT / "gateway" / "static"
CLIENT = STATIC / "gateway"
OLDEST_NODE = 18
"""Debian 12's: the oldest that has `node --test`."""
NODE_TIMEOUT_S = 120
FROM_EVENT_TARGET = {"addEventListener", "removeEventListener"}
"""Declared again, to give each event its own type of detail."""
LIBRARY_CODES = {1002, 1007}
"""Sent by the servers' WebSocket libraries, never by us, so not in our table (spec 1.7)."""


@pytest.fixture(scope="session")
def node() -> str:
    path = shutil.which("node")
    version = subprocess.run([path, "--version"], capture_output=True, text=True).stdout if path else ""
    if path and int(version.lstrip("v").split(".")[0]) >= OLDEST_NODE:
        return path
    missing = (
        f"the JS client's tests need Node {OLDEST_NODE} or newer, found {version.strip() or 'none'}; "
        "on Debian: apt-get install nodejs"
    )
    # In CI a test that did not run must not look like one that passed.
    pytest.fail(missing) if os.environ.get("CI") else pytest.skip(missing)


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """The modules and their tests beside a package.json that tells older Nodes that `.js` is a module."""
    (tmp_path / "package.json").write_text('{"type": "module"}')
    shutil.copytree(CLIENT, tmp_path / "gateway" / "static" / "gateway")
    shutil.copytree(ROOT / "tests" / "js", tmp_path / "tests" / "js")
    return tmp_path


def run(node: str, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [node, *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=NODE_TIMEOUT_S)


def test_the_clients_own_tests_pass(node: str, checkout: Path) -> None:
    """Every rule of spec 4.2, on virtual time."""
    # One by one: what `node --test FOLDER` means differs between versions.
    files = sorted(str(path.relative_to(checkout)) for path in (checkout / "tests" / "js").glob("*.test.mjs"))
    ran = run(node, checkout, "--test", *files)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert re.search(r"^. tests [1-9]", ran.stdout, re.MULTILINE), ran.stdout


@pytest.fixture
def tables(node: str, checkout: Path) -> dict[str, Any]:
    """What closing.js says: its refusals, and what it makes of each ending that the server knows."""
    asked = [(ending.code, ending.reason, ending.by.value) for ending in server_endings()]
    script = f"""
        import {{ ENDINGS, REFUSALS, endingOf }} from "./gateway/static/gateway/closing.js";
        const known = {json.dumps(asked)}.map(([code, reason, by]) => endingOf(code, reason, by).retry);
        console.log(JSON.stringify({{ endings: ENDINGS, refusals: REFUSALS, known }}));
    """
    ran = run(node, checkout, "--input-type=module", "--eval", script)
    assert ran.returncode == 0, ran.stderr
    answer: dict[str, Any] = json.loads(ran.stdout)
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


def test_every_refusal_has_its_words_and_its_type(tables: dict[str, Any]) -> None:
    """A refusal without a text would reach a player as a bare code (spec 1.2, 4.2)."""
    codes = {refusal.code for refusal in admission.REFUSALS}
    assert {row["code"] for row in tables["refusals"]} == codes
    union = re.search(r"type RefusalCode =(.*?);", (CLIENT / "client.d.ts").read_text(), re.DOTALL)
    assert union is not None
    assert set(re.findall(r'"(\w+)"', union[1])) == codes


def test_the_declared_types_name_the_clients_public_members(node: str, checkout: Path) -> None:
    """client.d.ts is written by hand: a member that it lacks, or made up, misleads whoever trusts it."""
    script = """
        import { Client } from "./gateway/static/gateway/client.js";
        const inherited = ["length", "name", "prototype"];
        const names = [Client, Client.prototype].flatMap(Object.getOwnPropertyNames);
        console.log(JSON.stringify(names.filter((name) => !inherited.includes(name))));
    """
    ran = run(node, checkout, "--input-type=module", "--eval", script)
    declared = (CLIENT / "client.d.ts").read_text().split("export class Client", 1)[1]
    members = set(re.findall(r"^  (?:static |readonly )?(\w+)[(:]", declared, re.MULTILINE))
    assert {*json.loads(ran.stdout), *FROM_EVENT_TARGET} == members


class Hashed(ManifestStaticFilesStorage):
    support_js_module_import_aggregation = True


def test_hashing_renames_every_import(tmp_path: Path) -> None:
    """Django rewrites imports by pattern: one that it missed would load an old module from a cache."""
    shutil.copytree(CLIENT, tmp_path / "gateway")
    storage = Hashed(location=tmp_path, base_url="/static/")
    files = {f"gateway/{path.name}": (storage, f"gateway/{path.name}") for path in CLIENT.iterdir()}
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
