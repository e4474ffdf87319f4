"""TypeScript declarations from JSON Schemas, as far as the wire's schemas go: objects, lists, unions,
literals.

Written for `gateway.protocol` alone: what a schema of another making could hold is an error here, not a
guess.
"""

import json
from typing import Any

from gateway.protocol import Protocol

SCALARS = {"string": "string", "integer": "number", "number": "number", "boolean": "boolean", "null": "null"}


def declarations(protocol: Protocol) -> str:
    """The declaration file: one interface a shape, and the two unions."""
    schemas = protocol.schemas("{name}")
    shapes = "\n\n".join(_interface(name, schema) for name, schema in schemas.items())
    commands = _union("Command", [kind.__name__ for kind in protocol.commands])
    events = _union("Event", [kind.__name__ for kind in protocol.events])
    head = f"/** {protocol.title}. Made by `manage.py protocol_docs`: edit the types on the server. */"
    return "\n\n".join((head, shapes, commands, events)) + "\n"


def _interface(name: str, schema: dict[str, Any]) -> str:
    required = set(schema.get("required", ()))
    fields = "\n".join(
        f"  {field}{'' if field in required else '?'}: {_type(of)};"
        for field, of in schema["properties"].items()
    )
    document = _comment(schema.get("description", ""))
    return (
        f"{document}export interface {name} {{\n{fields}\n}}" if fields else f"export interface {name} {{}}"
    )


def _comment(text: str) -> str:
    if not text:
        return ""
    lines = text.replace("``", "`").splitlines()
    if len(lines) == 1:
        return f"/** {lines[0]} */\n"
    body = "\n".join(f" * {line}".rstrip() for line in lines)
    return f"/**\n{body}\n */\n"


def _union(name: str, members: list[str]) -> str:
    return f"export type {name} =\n  | " + "\n  | ".join(members) + ";"


def _type(schema: dict[str, Any]) -> str:
    match schema:
        case {"$ref": name}:
            return str(name)
        case {"enum": values}:
            return " | ".join(json.dumps(value) for value in values)
        case {"anyOf": choices}:
            return " | ".join(_type(choice) for choice in choices)
        case {"type": "array", "items": items}:
            inner = _type(items)
            return f"({inner})[]" if " " in inner else f"{inner}[]"
        case {"type": "object", "additionalProperties": dict(values)}:
            return f"Record<string, {_type(values)}>"
        case {"type": "object"}:
            return "Record<string, unknown>"
        case {"type": scalar} if scalar in SCALARS:
            return SCALARS[scalar]
        case _ if not schema:
            return "unknown"
        case _:
            raise ValueError(f"no TypeScript for the schema {schema!r}")
