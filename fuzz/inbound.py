"""The inbound decoder: any bytes are a command or our one error, and a strict reader agrees (spec 1.3).

python -m fuzz.inbound -max_total_time=600
"""

import json
from json import decoder, scanner
from typing import Any, NoReturn

from fuzz import harness

with harness.instrumented("gateway", "rooms"):
    import msgspec

    from gateway.contract import ClientError
    from gateway.core.inbound import Inbound, InboundPolicy, Passed
    from gateway.wire import decoder_for
    from rooms.core.shapes import SettingsPatch
    from rooms.wire import COMMANDS

DECODER = decoder_for(COMMANDS)
LONGEST_WORDS = 600
"""Of an error: it echoes enough to find the fault, and not a frame."""

SEEDS = [
    json.dumps(message).encode()
    for message in (
        {"type": "CREATE_ROOM", "name": "Ana", "settings": {"questionCount": 3, "scoring": "order"}},
        {"type": "CREATE_ROOM", "name": "Ana", "settings": {"questionSource": {"kind": "flags"}}},
        {"type": "JOIN_ROOM", "roomCode": "ABC234", "name": "Ben", "avatar": {"id": "owl", "colour": 3}},
        {"type": "JOIN_ROOM", "roomCode": "ABC234", "name": "Ben", "resume": "seat", "takeOver": True},
        {"type": "UPDATE_ROOM_SETTINGS", "settings": {"locked": True, "maxPlayers": 5}},
        {"type": "SUBMIT_ANSWER", "questionId": "q", "choices": ["a", "b"]},
        {"type": "SEND_REACTION", "reaction": "heart"},
        {"type": "KICK_USER", "userId": "seat", "ban": False},
        {"type": "UPDATE_AVATAR", "avatar": {"id": "fox", "colour": 1}},
        {"type": "WATCH_ROOM", "roomCode": "ABC234"},
        {"type": "START_GAME"},
        {"type": "HEARTBEAT_RESPONSE", "timestamp": 1},
        {"type": "SESSION_TRUST_CONTEXT", "token": "x"},
    )
]
WORDS = sorted(
    {
        *('{"', '":', '",', '"}', "[]", "{}", "null", "true", "1e400", "-0", "\\ud800", "\\u0000", "NaN"),
        *(str(command.__struct_config__.tag) for command in COMMANDS),
        *(field.encode_name for command in COMMANDS for field in msgspec.structs.fields(command)),
        *(field.encode_name for field in msgspec.structs.fields(SettingsPatch)),
    }
)


class Strict(json.JSONDecoder):
    """Python's own reader in Python, made strict: what it takes, and what it does not, leads the fuzzer."""

    def __init__(self) -> None:
        super().__init__(
            object_pairs_hook=_unrepeated, parse_constant=_no_constant, parse_int=str, parse_float=str
        )
        self.parse_object, self.parse_array = OBJECT, ARRAY
        self.parse_string = STRING
        self.scan_once = SCANNER(self)


OBJECT, ARRAY, STRING = (
    harness.followed(getattr(decoder, name)) for name in ("JSONObject", "JSONArray", "py_scanstring")
)
SCANNER = harness.followed(getattr(scanner, "py_make_scanner"))  # noqa: B009  (typeshed does not know it)


def check(data: bytes) -> None:
    """Guard and decoder, as a frame meets them."""
    verdict = Inbound.fresh(InboundPolicy(), 0.0).judge(data, 0.0)
    if not isinstance(verdict, Passed):
        return
    read = strictly(data)
    try:
        command = DECODER.decode(data)
    except ClientError as error:
        assert error.code == "VALIDATION_ERROR"
        assert len(error.message) <= LONGEST_WORDS
        assert len(str(error.details)) <= LONGEST_WORDS
        msgspec.json.encode(error.details)
        return
    assert read is not None, "a strict reader refuses what the decoder took"
    assert read["type"] == command.__struct_config__.tag
    assert DECODER.decode(msgspec.json.encode(command)) == command


def strictly(data: bytes) -> Any:
    """What a strict reader makes of it; None if it refuses."""
    try:
        return STRICT.decode(data.decode())
    except (ValueError, RecursionError):
        return None


def _unrepeated(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    read = dict(pairs)
    if len(read) < len(pairs):
        raise ValueError("a repeated key")
    return read


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"JSON has no {name}")


STRICT = Strict()


if __name__ == "__main__":
    harness.main("inbound", check, SEEDS, WORDS)
