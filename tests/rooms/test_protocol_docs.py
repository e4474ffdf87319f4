"""The documents of the protocol are made from the types on the wire, and the committed ones are fresh."""

import json
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import override_settings

from gateway.protocol import async_api, json_schema
from gateway.typescript import _type, declarations
from rooms.management.commands.protocol_docs import PROTOCOL, documents


def test_the_committed_documents_are_fresh() -> None:
    """A message type that was changed without them fails here; the message says what to run."""
    call_command("protocol_docs", "--check")


def test_a_stale_document_is_named(tmp_path: Any) -> None:
    """With the command that mends it; writing does."""
    with override_settings(BASE_DIR=tmp_path):
        with pytest.raises(CommandError, match=r"asyncapi\.json.*manage\.py protocol_docs"):
            call_command("protocol_docs", "--check")
        call_command("protocol_docs", verbosity=0)
        call_command("protocol_docs", "--check")
        for path, text in documents().items():
            assert (tmp_path / path).read_text(encoding="utf-8") == text


def test_every_message_is_in_the_asyncapi_document_once() -> None:
    """What clients say is received, what they hear is sent, and nothing is both."""
    operations = async_api(PROTOCOL)["operations"]
    said = [message["$ref"].rpartition("/")[2] for message in operations["clientSays"]["messages"]]
    heard = [message["$ref"].rpartition("/")[2] for message in operations["serverSays"]["messages"]]
    assert said == [str(kind.__struct_config__.tag) for kind in PROTOCOL.commands]
    assert heard == [str(kind.__struct_config__.tag) for kind in PROTOCOL.events]
    assert set(said).isdisjoint(heard)


@pytest.mark.parametrize("document", [async_api(PROTOCOL), json_schema(PROTOCOL)], ids=["asyncapi", "schema"])
def test_every_reference_resolves(document: dict[str, Any]) -> None:
    """A reader that follows a ``$ref`` never falls into nothing."""
    references = list(_references(document))
    assert references
    for reference in references:
        target: Any = document
        for part in reference.removeprefix("#/").split("/"):
            target = target[part]


def test_the_right_answer_is_in_no_shape_that_is_sent_before_results() -> None:
    """Of all messages only results name what is correct (spec 2.2)."""
    schemas = PROTOCOL.schemas()
    named = {name for name, schema in schemas.items() if "correct" in schema.get("properties", {})}
    assert named == {"QuestionResults", "YourResult", "LeaderboardEntry"}


def test_the_declarations_name_each_shape_and_both_unions() -> None:
    """A page written in TypeScript can narrow a frame by its type."""
    text = declarations(PROTOCOL)
    for name in PROTOCOL.schemas():
        assert f"export interface {name} {{" in text
    assert "export type Command =\n  | CreateRoom\n" in text
    assert 'type: "JOIN_ROOM";' in text
    assert "takeOver?: boolean;" in text
    assert "choices: string[];" in text
    assert "nextInMs: number | null;" in text


def test_a_schema_that_has_no_typescript_is_an_error_not_a_guess() -> None:
    """The generator knows the wire's shapes and no more."""
    with pytest.raises(ValueError, match="no TypeScript"):
        _type({"type": "tuple"})


def _references(document: Any) -> Any:
    if isinstance(document, dict):
        for key, value in document.items():
            if key == "$ref":
                yield value
            else:
                yield from _references(value)
    elif isinstance(document, list):
        for value in document:
            yield from _references(value)


def test_the_documents_are_json() -> None:
    """Two of the three; the third is code."""
    for path, text in documents().items():
        if path.endswith(".json"):
            assert json.loads(text)
