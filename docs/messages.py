"""The pages of the wire protocol, printed from ``protocol/asyncapi.json`` and from the code's own budgets.

`messages_page` has a table of fields for each message and each shape inside one; `budgets_page` says how
often what may be sent. ``reference.py`` writes them; the document comes from ``manage.py protocol_docs``.
"""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from gateway.contract import Budget, Per
from gateway.core.inbound import InboundPolicy
from gateway.wire import GATEWAY_LIMITS
from rooms.wire import LIMITS

DOCUMENT = Path(__file__).parent / "protocol" / "asyncapi.json"
WHOSE = {
    Per.USER: "a seat (before there is one: an account)",
    Per.CONNECTION: "a connection",
    Per.ADDRESS: "an address",
}
TITLES = {"clientSays": "What a client may say", "serverSays": "What a client hears"}

Schema = Mapping[str, Any]


def messages_page() -> Iterator[str]:
    """Every message and every shape, with its fields."""
    document = json.loads(DOCUMENT.read_text(encoding="utf-8"))
    schemas: Mapping[str, Schema] = document["components"]["schemas"]
    yield from [
        "# Messages",
        "",
        "JSON text frames over one WebSocket, each an object with a `type`. The first frame is `CONNECTED`.",
        "Unknown fields of what a client says are refused, and what it hears may grow new ones.",
        "For programs: {download}`asyncapi.json <../protocol/asyncapi.json>`,",
        "{download}`schema.json <../protocol/schema.json>`, and the declarations beside the client.",
        "",
    ]
    messages: set[str] = set()
    for operation, title in TITLES.items():
        yield from [f"## {title}", ""]
        for reference in document["operations"][operation]["messages"]:
            tag = name_in(reference)
            payload = name_in(document["components"]["messages"][tag]["payload"])
            messages.add(payload)
            yield from [f"(shape-{payload})=", *table(tag, schemas[payload])]
    yield from ["## Shapes inside them", ""]
    for name, schema in schemas.items():
        if name not in messages:
            yield from [f"(shape-{name})=", *table(name, schema)]


def table(title: str, schema: Schema) -> Iterator[str]:
    """A heading, what the shape is for, and its fields but for ``type``."""
    yield from [f"### {title}", ""]
    if said := schema.get("description"):
        yield from [said, ""]
    fields = {name: field for name, field in schema["properties"].items() if name != "type"}
    if not fields:
        yield from ["It has no fields.", ""]
        return
    yield from ["| field | | default |", "|---|---|---|"]
    for name, field in fields.items():
        default = "" if name in schema["required"] else f"`{json.dumps(field.get('default'))}`"
        yield f"| `{name}` | {kind_of(field)} | {default} |"
    yield ""


def kind_of(schema: Schema) -> str:
    """What may stand there, in words."""
    match schema:
        case {"$ref": _}:
            name = name_in(schema)
            return f"[{name}](#shape-{name})"
        case {"anyOf": options}:
            return " or ".join(kind_of(option) for option in options)
        case {"enum": values}:
            return ", ".join(f"`{value}`" for value in values)
        case {"type": "array", "items": items}:
            return f"list of {kind_of(items)}"
        case {"type": "object", "additionalProperties": values}:
            return f"object of {kind_of(values)}"
        case {"type": "string", "maxLength": most}:
            return f"string, at most {most}"
        case {"type": kind}:
            return str(kind)
    raise ValueError(f"the page has no words for {schema!r}")


def name_in(reference: Schema) -> str:
    """The last part of a ``$ref``."""
    return str(reference["$ref"]).rpartition("/")[2]


def budgets_page() -> Iterator[str]:
    """How often each command may come; a table without a heading, for the page about limits."""
    inbound = InboundPolicy()
    yield from ["| what | at most | in | counted for |", "|---|---|---|---|"]
    yield f"| all frames | {often(inbound.frames, inbound.window_s)} | a connection |"
    heartbeats = often(inbound.heartbeats, inbound.heartbeat_window_s)
    yield f"| `HEARTBEAT_RESPONSE` | {heartbeats} | a connection |"
    for type, budgets in {**LIMITS, **GATEWAY_LIMITS}.items():
        for budget in budgets:
            spent = often(budget.limit, budget.window_s)
            yield f"| {counted(type, budget)} | {spent} | {WHOSE[budget.per]} |"
    yield ""


def often(limit: int, window_s: float) -> str:
    """Two cells; number and unit stay on one line."""
    return f"{limit} | {window_s:g}&nbsp;s"


def counted(type: str, budget: Budget) -> str:
    """What one budget counts."""
    together = f" (one budget for all of *{budget.group}*)" if budget.group else ""
    failed = f" that failed with `{budget.charged_on}`" if budget.charged_on else ""
    return f"`{type}`{failed}{together}"
