"""``python -m tests.conformance.matrix``: run the suite on every server and write docs/servers.md.

Nothing is written unless the suite passes; then each server's results are its expectations, which is why the
page can be compared with the code without running it (`test_matrix`).
"""

import inspect
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

from tests.conformance.expected import FAILURES

HERE = Path(__file__).parent
PAGE = HERE.parents[1] / "docs" / "servers.md"
MODULES = ("test_handshake", "test_messages", "test_closes", "test_flow", "test_process")
COLUMNS = {
    "fast": "uvicorn, fast",
    "uvicorn": "uvicorn",
    "daphne": "Daphne",
    "stock-uvicorn": "stock uvicorn",
    "stock-daphne": "stock Daphne",
}

INTRODUCTION = """\
# Servers

The gateway needs more of a server than ASGI offers: refusals with a body, any close code, a look at what
waits for a slow socket, a reset. `gateway/transports/` has two adapters for uvicorn and one for Daphne. All
hand the socket to the same code once the handshake is done: a frame that is a whole message is unmasked and
delivered at once, every other one is parsed by websockets' library.

The two for uvicorn differ in how they write. The fast one sends past uvicorn's loop, straight to the kernel,
one write for each socket and turn of the loop; the other hands every frame to the loop's own transport.
`manage.py serve` takes the fast one unless it is told `--transport uvicorn`. Below TLS of uvicorn's own, and
on Windows, the fast one writes like the other.

| server | how it gets its adapter |
|---|---|
| uvicorn, fast | `manage.py serve`, or `uvicorn --ws gateway.transports.fast:FastWebSocketProtocol` |
| uvicorn | `serve --transport uvicorn`, or `--ws gateway.transports.uvicorn:GatewayWebSocketProtocol` |
| Daphne | the stock `daphne` command and `manage.py runserver`: `asgi.py` installs it |
| any other | none: it works through plain ASGI, and `manage.py check --deploy` says what is lost |

One suite, `tests/conformance/`, puts the same cases to each server over real TCP: with its adapter, and as it
comes from its makers, with the gateway's plain port on top. It writes this page
(`python -m tests.conformance.matrix`), with the versions of `requirements.txt`. A stock server that starts to
pass a case fails the suite, as one that ceases to.
"""


def cases(module: ModuleType) -> Iterator[str]:
    """The names of the cases in the order of the file."""
    for name, function in vars(module).items():
        if name.startswith("test_") and "server" in inspect.signature(function).parameters:
            yield name


def sentence(name: str) -> str:
    """A test's name as the rule that it states."""
    return name.removeprefix("test_").replace("_", " ").capitalize()


def render() -> str:
    """The whole page."""
    lines = [INTRODUCTION]
    for module in (import_module(f"tests.conformance.{name}") for name in MODULES):
        assert module.__doc__
        lines += [f"## {module.__doc__.splitlines()[0]}", ""]
        lines += ["| case | " + " | ".join(COLUMNS.values()) + " |", "|---" * (1 + len(COLUMNS)) + "|"]
        for case in cases(module):
            results = [FAILURES.get(kind, {}).get(case, "✓") for kind in COLUMNS]
            lines.append(f"| {sentence(case)} | " + " | ".join(results) + " |")
        lines.append("")
    return "\n".join(lines)


def main() -> int:
    """The exit code of the suite."""
    code = pytest.main(["-q", str(HERE), "--deselect", f"{HERE.name}/test_matrix.py"])
    if code == pytest.ExitCode.OK:
        PAGE.write_text(render(), encoding="utf-8")
    return code


if __name__ == "__main__":
    sys.exit(main())
