"""Secrets are compared in constant time, everywhere: no `==` on a token, a hash of one, a key or a seal.

Found in the code itself, by the names of what is compared; a table key is no comparison that tells where it
failed, so looking something up by a hash is fine.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from tests.house.project import APPS, modules, name

SECRET = re.compile(
    r"(?:^|_)(token|secret|digest|signature|seal|hmac|password|auth_hash|token_hash|secret_hash)$"
)
PLACES = {
    "gateway/operations.py": "the metrics' token",
    "gateway/sessions.py": "the hash of a user's password that a session was signed in with",
    "rooms/core/seats.py": "the hash of a reconnect token, twice: for its claim, and for a forged one",
    "rooms/questions/pictures.py": "the seal of a picture that this site exported",
    "tunnel/client/inspector.py": "the key of the client's own page",
    "tunnel/core/tokens.py": "the hash of a tunnel's secret",
}
"""Where secrets are compared. Django signs and checks trust contexts, uploads and sessions itself."""
NO_GUESS = {
    "tunnel/relay/router.py: grant.secret_hash != peer.grant.secret_hash": "both are the database's own",
    "tunnel/wire.py: token == self._pinged[0]": "a ping's number, for the one who was pinged",
}
CONSTANT = {"compare_digest", "constant_time_compare"}


def comparisons(module: Path) -> Iterator[str]:
    """What compares a secret with something but None."""
    for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.Compare):
            continue
        sides = (node.left, *node.comparators)
        if any(isinstance(op, ast.Eq | ast.NotEq) for op in node.ops) and any(map(is_secret, sides)):
            yield ast.unparse(node)


def is_secret(node: ast.expr) -> bool:
    """Whether a name, an attribute or a call says that this is one."""
    if isinstance(node, ast.Call):
        return is_secret(node.func)
    named = node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")
    return bool(SECRET.search(named))


def compares(module: Path) -> bool:
    """Whether it compares in constant time."""
    tree = ast.parse(module.read_text(encoding="utf-8"))
    calls = (node.func for node in ast.walk(tree) if isinstance(node, ast.Call))
    return any(getattr(call, "attr", getattr(call, "id", "")) in CONSTANT for call in calls)


def test_no_secret_is_compared_as_a_text() -> None:
    """`==` stops at the first letter that differs, and a clock can tell which one that was."""
    found = {f"{name(module)}: {text}" for module in modules(*APPS) for text in comparisons(module)}
    assert found == set(NO_GUESS)


def test_each_place_that_compares_a_secret_is_known() -> None:
    """A new one belongs into the list above and into the threats of SECURITY.md."""
    assert {name(module) for module in modules(*APPS) if compares(module)} == set(PLACES)


def test_a_comparison_is_found(tmp_path: Path) -> None:
    """Else the tests above would hold for ever."""
    module = tmp_path / "module.py"
    module.write_text("a.token_hash == b\nif secret != x: pass\nhash_token(y) in table\ntokens == 3\n")
    assert list(comparisons(module)) == ["a.token_hash == b", "secret != x"]
