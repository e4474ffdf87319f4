"""``manage.py protocol_docs``: write the documents of the wire protocol, or say that they are stale."""

import json
from pathlib import Path
from typing import Any, Final

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from gateway.clienttypes import client_declarations
from gateway.protocol import Protocol, async_api, json_schema
from gateway.typescript import declarations
from rooms.wire import COMMANDS, EVENTS

PROTOCOL: Final = Protocol.of_game(
    "Halyard quiz protocol",
    "JSON text frames over one WebSocket, one object each, tagged by `type`. The first frame is CONNECTED.",
    COMMANDS,
    EVENTS,
)


def documents() -> dict[str, str]:
    """Each document's path in the project, and its text."""
    return {
        "docs/protocol/schema.json": _json(json_schema(PROTOCOL)),
        "docs/protocol/asyncapi.json": _json(async_api(PROTOCOL)),
        "gateway/static/gateway/protocol.d.ts": declarations(PROTOCOL),
        "gateway/static/gateway/client.d.ts": client_declarations(),
    }


class Command(BaseCommand):
    """Writes the documents; with ``--check`` compares and exits 1 if one is stale."""

    help = (
        "Write the JSON Schema, the AsyncAPI document and the TypeScript declarations of the wire protocol "
        "and of its JS client."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--check", action="store_true", help="write nothing, fail if a document is stale")

    def handle(self, *args: Any, **options: Any) -> None:
        stale = [path for path, text in documents().items() if _read(path) != text]
        if options["check"]:
            if stale:
                raise CommandError(f"stale: {', '.join(stale)}. Run 'manage.py protocol_docs'.")
            return
        for path in stale:
            file = Path(settings.BASE_DIR) / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(documents()[path], encoding="utf-8")
            self.stdout.write(f"wrote {path}")


def _read(path: str) -> str:
    file = Path(settings.BASE_DIR) / path
    return file.read_text(encoding="utf-8") if file.exists() else ""


def _json(document: Any) -> str:
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"
