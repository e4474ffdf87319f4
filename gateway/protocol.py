"""Documents of the wire protocol, made from the types that are on the wire: they cannot drift from the code.

`Protocol` names the two unions of a game; from it come a JSON Schema of all messages, an AsyncAPI 3 document
and a TypeScript declaration file. ``manage.py protocol_docs`` of the game writes them, a test compares.
"""

import inspect
from collections.abc import Mapping
from typing import Any, Final

import msgspec
from msgspec import Struct

from gateway.core import messages as gateway
from gateway.core.closing import SERVER_ENDINGS
from gateway.core.messages import PROTOCOL_VERSION
from gateway.wire import GATEWAY_COMMANDS

GATEWAY_EVENTS: Final[tuple[type[Struct], ...]] = (
    gateway.Connected,
    gateway.Heartbeat,
    gateway.Error,
    gateway.RateLimit,
)
REF: Final = "#/components/schemas/{name}"
JsonObject = dict[str, Any]


class Protocol(Struct, frozen=True):
    """What clients may say and what they hear, the gateway's own words included."""

    title: str
    description: str
    commands: tuple[type[Struct], ...]
    events: tuple[type[Struct], ...]

    @classmethod
    def of_game(
        cls,
        title: str,
        description: str,
        commands: tuple[type[Struct], ...],
        events: tuple[type[Struct], ...],
    ) -> "Protocol":
        """The protocol of a game on this gateway."""
        return cls(title, description, (*commands, *GATEWAY_COMMANDS), (*GATEWAY_EVENTS, *events))

    def schemas(self, ref_template: str = REF) -> JsonObject:
        """A JSON Schema for each message and each shape inside one, by the name of its class."""
        _, components = msgspec.json.schema_components(
            (*self.commands, *self.events), ref_template=ref_template
        )
        return {name: components[name] for name in sorted(components)}


def json_schema(protocol: Protocol) -> JsonObject:
    """One JSON Schema (2020-12): a message is any of the commands or of the events."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": protocol.title,
        "description": protocol.description,
        "anyOf": [{"$ref": "#/$defs/Command"}, {"$ref": "#/$defs/Event"}],
        "$defs": {
            "Command": {"anyOf": [{"$ref": f"#/$defs/{kind.__name__}"} for kind in protocol.commands]},
            "Event": {"anyOf": [{"$ref": f"#/$defs/{kind.__name__}"} for kind in protocol.events]},
            **protocol.schemas("#/$defs/{name}"),
        },
    }


def async_api(protocol: Protocol) -> JsonObject:
    """An AsyncAPI 3 document: one channel, the socket, with what is received and what is sent on it."""
    messages = {_tag(kind): _message(kind) for kind in (*protocol.commands, *protocol.events)}
    return {
        "asyncapi": "3.0.0",
        "info": {
            "title": protocol.title,
            "version": str(PROTOCOL_VERSION),
            "description": protocol.description,
            "license": {"name": "MIT"},
        },
        "defaultContentType": "application/json",
        "channels": {
            "socket": {
                "address": "/ws",
                "description": _closes(),
                "messages": {name: {"$ref": f"#/components/messages/{name}"} for name in messages},
            }
        },
        "operations": {
            "clientSays": _operation("receive", protocol.commands),
            "serverSays": _operation("send", protocol.events),
        },
        "components": {"messages": messages, "schemas": _without_discriminators(protocol.schemas())},
    }


def _tag(kind: type[Struct]) -> str:
    return str(kind.__struct_config__.tag)


def _message(kind: type[Struct]) -> JsonObject:
    document = inspect.cleandoc(kind.__doc__) if kind.__doc__ and not _is_inherited(kind) else ""
    message: JsonObject = {"name": _tag(kind), "payload": {"$ref": REF.format(name=kind.__name__)}}
    return {**message, "description": document} if document else message


def _is_inherited(kind: type[Struct]) -> bool:
    return any(kind.__doc__ == base.__doc__ for base in kind.__mro__[1:])


def _operation(action: str, kinds: tuple[type[Struct], ...]) -> JsonObject:
    return {
        "action": action,
        "channel": {"$ref": "#/channels/socket"},
        "messages": [{"$ref": f"#/channels/socket/messages/{_tag(kind)}"} for kind in kinds],
    }


def _closes() -> str:
    rows = "\n".join(f"- {ending.code} {ending.reason}: {ending.retry.value}" for ending in SERVER_ENDINGS)
    return f"Closes by the server, and what the client does about each:\n\n{rows}"


def _without_discriminators(schemas: Any) -> Any:
    """AsyncAPI's ``discriminator`` is a plain name, OpenAPI's an object; the tags tell the shapes apart
    anyway.
    """
    if isinstance(schemas, Mapping):
        return {
            key: _without_discriminators(value) for key, value in schemas.items() if key != "discriminator"
        }
    if isinstance(schemas, list):
        return [_without_discriminators(value) for value in schemas]
    return schemas
