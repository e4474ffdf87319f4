"""Decoding: hostile bytes become our error or a command, and nothing else (spec 1.3, steps 4 and 5)."""

import json
import math
from typing import Any

import msgspec
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gateway.contract import ClientError
from gateway.core.connection import error_event
from gateway.core.decoding import ECHO_MAX_CHARS, Decoder, invalid
from gateway.core.messages import HeartbeatResponse
from tests.gateway.core.vocabulary import DECODER, Ask, Place, Shout, SubmitAnswer, frame, on_the_wire, pong


def refusal(data: bytes) -> ClientError:
    """The error that ``data`` is answered with; it always has one shape, and can be sent."""
    with pytest.raises(ClientError) as refused:
        DECODER.decode(data)
    error = refused.value
    assert (error.code, error.status) == ("VALIDATION_ERROR", 400)
    assert error.details.keys() <= {"path", "action"}
    assert on_the_wire(error_event(error))["statusCode"] == 400
    assert refused.value.__cause__ is None
    return error


@pytest.mark.parametrize(
    ("data", "command"),
    [
        (frame("SHOUT"), Shout()),
        (b' \t\r\n{ "type" : "SHOUT" } \n', Shout()),
        (frame("SHOUT", text="hé", volume=2, to=["a"], place={"row": 1, "marks": {"x": 2}}), None),
        (b'{"volume":1E2,"type":"SHOUT"}', Shout(volume=100.0)),
        (b'{"type":"SHOUT","extra":[{"a":1},{"a":1}]}', Shout(extra=[{"a": 1}, {"a": 1}])),
        ('{"type":"SHOUT","text":"\\ud83c\\udff3 🏳 \\u0000"}'.encode(), Shout("🏳 🏳 \0")),
        (frame("SUBMIT_ANSWER"), SubmitAnswer()),
        (pong(5), HeartbeatResponse(5)),
    ],
)
def test_a_command_is_decoded(data: bytes, command: object) -> None:
    """Of any member of the union, fields in any order, any legal spelling."""
    expected = Shout("hé", 2, ["a"], Place(1, {"x": 2})) if command is None else command
    assert DECODER.decode(data) == expected


NOT_JSON = "The message is not valid JSON."
DEEP = "The message is nested too deeply."
NOT_UTF8 = "The message is not valid UTF-8."


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", NOT_JSON),
        (b" ", NOT_JSON),
        (b"{", NOT_JSON),
        (b"garbage", NOT_JSON),
        (b"\xef\xbb\xbf" + frame("SHOUT"), NOT_JSON),
        (frame("SHOUT") + b"x", NOT_JSON),
        (b"\0" + frame("SHOUT"), NOT_JSON),
        (b'{"type":"SHOUT",}', NOT_JSON),
        (b"{'type':'SHOUT'}", NOT_JSON),
        (b'{"type":"SHOUT","volume":NaN}', NOT_JSON),
        (b'{"type":"SHOUT","volume":Infinity}', NOT_JSON),
        (b'{"type":"SHOUT","extra":-Infinity}', NOT_JSON),
        (b'{"type":"SHOUT","extra":01}', NOT_JSON),
        (b'{"type":"SHOUT","text":"\n"}', NOT_JSON),
        (b'{"type":"SHOUT","text":"\\ud800"}', NOT_JSON),
        (b'{"type":"SHOUT","extra":{"\\udfff":1}}', NOT_JSON),
        (b'{"\\ud800":1,"type":"SHOUT"}', NOT_JSON),
        (b'{"type":"\\ud800"}', NOT_JSON),
        (b'{"type":"SHOUT","text":"\xc3\x28"}', NOT_UTF8),
        (b'{"type":"SHOUT","nobody reads this":"\xff"}', NOT_UTF8),
        (b'{"type":"SHOUT","text":"\xed\xa0\x80"}', NOT_UTF8),
        (b'{"type":"SHOUT","extra":' + b"[" * 5000 + b"]" * 5000 + b"}", DEEP),
        (b'{"deep":' + b'{"a":' * 5000 + b"1" + b"}" * 5000 + b',"type":"SHOUT"}', DEEP),
    ],
)
def test_what_is_not_strict_json_is_refused_in_one_sentence(data: bytes, message: str) -> None:
    """No NaN, no BOM, no lone surrogate, no stack to exhaust, no invalid UTF-8 even where nobody reads."""
    error = refusal(data)
    assert (error.message, error.details) == (message, {})


@pytest.mark.parametrize(
    ("data", "path", "message"),
    [
        (b"[]", "$", "Expected `object`, got `array`: $"),
        (b"null", "$", "Expected `object`, got `null`: $"),
        (b"5", "$", "Expected `object`, got `int`: $"),
        (b'"x"', "$", "Expected `object`, got `str`: $"),
        (b"true", "$", "Expected `object`, got `bool`: $"),
        (b"{}", "$.type", "This field is missing: $.type"),
        (b'{"type":[]}', "$.type", "Expected `str`: $.type"),
        (b'{"type":{}}', "$.type", "Expected `str`: $.type"),
        (b'{"type":null}', "$.type", "Expected `str`: $.type"),
        (b'{"type":7}', "$.type", "Expected `str`: $.type"),
        (frame("NEW_QUESTION"), "$.type", "Invalid value 'NEW_QUESTION': $.type"),
        (frame("__init__"), "$.type", "Invalid value '__init__': $.type"),
        (frame(""), "$.type", "Invalid value '': $.type"),
        (frame("shout"), "$.type", "Invalid value 'shout': $.type"),
        (frame("ASK"), "$.choice", "This field is missing: $.choice"),
        (frame("SHOUT", to=["a", 1]), "$.to[1]", "Expected `str`, got `int`: $.to[1]"),
        (frame("SHOUT", place={"row": "1"}), "$.place.row", "Expected `int`, got `str`: $.place.row"),
        (frame("SHOUT", more=1), "$.more", "There is no such field: $.more"),
        (frame("SHOUT", place={"col": 1}), "$.place.col", "There is no such field: $.place.col"),
        (frame("SHOUT", **{"a` b": 1}), "$.a` b", "There is no such field: $.a` b"),
        (frame("SHOUT", **{"a` - at `b": 1}), "$.a` - at `b", "There is no such field: $.a` - at `b"),
        (frame("SHOUT", **{"a\nb": 1}), "$.a\nb", "There is no such field: $.a\nb"),
        (frame("SHOUT", place={"a\nb": 1}), "$.place.a\nb", "There is no such field: $.place.a\nb"),
        (b'{"type":"SHOUT","volume":1e400}', "$.volume", "Number out of range: $.volume"),
        (b'{"type":"SHOUT","extra":-1e400}', "$.extra", "Number out of range: $.extra"),
        (b'{"type":"SHOUT","volume":' + b"9" * 9000 + b"}", "$.volume", "Number out of range: $.volume"),
    ],
)
def test_what_has_the_wrong_shape_is_refused_with_its_path(data: bytes, path: str, message: str) -> None:
    """`details.path` names the field, an unknown one's own and not its parent's."""
    error = refusal(data)
    assert (error.message, error.details["path"]) == (message, path)


@pytest.mark.parametrize(
    ("data", "action"),
    [
        (frame("ASK"), "ASK"),
        (frame("SHOUT", more=1), "SHOUT"),
        (frame("NOPE"), None),
        (b'{"type":5}', None),
        (b"[]", None),
    ],
)
def test_the_error_of_a_known_command_names_it(data: bytes, action: str | None) -> None:
    """As every other error that a command causes (spec 1.3); what is no command of ours is not echoed."""
    assert refusal(data).details.get("action") == action


@pytest.mark.parametrize("choice", ["true", "false", "1.0", '"1"', "null", "[1]", "{}", "9" * 5000])
def test_a_whole_number_is_neither_coerced_nor_guessed(choice: str) -> None:
    """Known failure B10: booleans, floats and strings are no indexes."""
    assert refusal(b'{"type":"ASK","choice":%b}' % choice.encode()).details["path"] == "$.choice"


@pytest.mark.parametrize(
    ("data", "path"),
    [
        (b'{"type":"SHOUT","text":"a","text":"b"}', "$.text"),
        (b'{"type":"SHOUT","text":"a","te\\u0078t":"b"}', "$.text"),
        (b'{"type":"SHOUT","text":"a","text":"a"}', "$.text"),
        (b'{"type":"SHOUT","type":"SHOUT"}', "$.type"),
        (b'{"type":"SHOUT","type":"ASK","choice":1}', "$.type"),
        (b'{"type":"ASK","choice":1,"type":"SHOUT"}', "$.type"),
        (b'{"type":"SHOUT","place":{"row":1,"row":2}}', "$.place.row"),
        (b'{"type":"SHOUT","place":{"marks":{"x":1,"y":2,"\\u0078":3}}}', "$.place.marks.x"),
        (b'{"type":"SHOUT","extra":[0,{"a":[{"b":1,"b":2}]}]}', "$.extra[1].a[0].b"),
        (b'{"type":"SHOUT","extra":{"":1,"":2}}', "$.extra."),
        (b'{"type":"SHOUT","extra":{"a":[{"c":1,"c":1}],"b":1,"b":1}}', "$.extra.a[0].c"),
        (b'{"type":"SHOUT","extra":{"b":1,"b":1,"a":{"c":1,"c":1}}}', "$.extra.b"),
        (b'{"type":"SHOUT","place":{"row":1},"to":["a"],"extra":1,"extra":2}', "$.extra"),
    ],
)
def test_a_repeated_key_is_refused_however_it_is_spelled_and_nested(data: bytes, path: str) -> None:
    """Known failure B05: the last one would win in silence, and two layers could see two commands."""
    assert refusal(data).details["path"] == path


@pytest.mark.parametrize("times", range(2, 12))
def test_a_repeated_key_is_found_however_many_pairs_there_are(times: int) -> None:
    """Fewer than the command has fields, as many, or more."""
    pairs = b",".join([b'"text":"a"'] * times)
    with pytest.raises(ClientError, match="stands twice"):
        DECODER.decode(b'{"type":"SHOUT",' + pairs + b"}")


def test_a_colon_in_a_text_is_no_pair() -> None:
    """Whoever writes one is looked at closer, and let in."""
    assert DECODER.decode(frame("SHOUT", text="a:b :c:")) == Shout(text="a:b :c:")
    assert DECODER.decode(b'{"type" : "ASK" , "choice" : 1}') == Ask(1)


def test_a_repeated_key_says_so() -> None:
    """The client's author reads this."""
    assert refusal(b'{"type":"SHOUT","text":"a","text":"b"}').message == (
        "A key stands twice in one object: $.text"
    )


@pytest.mark.parametrize("number", ["9" * 4000, "0.5", "1e5", "-7"])
def test_a_repeated_key_is_found_beside_any_number(number: str) -> None:
    """Reading keys does not read numbers: Python refuses very long ones."""
    data = b'{"type":"SHOUT","extra":{"a":%b,"a":1}}' % number.encode()
    assert refusal(data).details["path"] == "$.extra.a"


def test_the_clients_own_text_is_echoed_in_part() -> None:
    """An error is no amplifier: 120 characters are enough to find the field."""
    error = refusal(frame("SHOUT", **{"x" * 5000: 1}))
    assert error.details["path"] == "$." + "x" * (ECHO_MAX_CHARS - 3) + "…"
    assert len(refusal(frame("y" * 5000)).message) < 300
    assert (
        refusal(b'{"type":"SHOUT","extra":{"%b":1,"%b":2}}' % (b"z" * 200, b"z" * 200)).details["path"]
        == "$.extra." + "z" * (ECHO_MAX_CHARS - 9) + "…"
    )
    exact = "w" * (ECHO_MAX_CHARS - 2)
    assert refusal(frame("SHOUT", **{exact: 1})).details["path"] == f"$.{exact}"


def test_a_union_may_have_one_member() -> None:
    """Each game brings its own words."""
    only = Decoder((Ask,))
    assert only.decode(frame("ASK", choice=1)) == Ask(1)
    with pytest.raises(ClientError):
        only.decode(frame("SHOUT"))


def test_an_error_may_have_no_path() -> None:
    """What is no JSON has no fields."""
    assert invalid("No.").details == {}
    assert invalid("No.", "$").details == {"path": "$"}


# ---------- against a strict reference


class _Refuse(Exception):
    """The reference does not take it."""


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(dict(pairs)) != len(pairs):
        raise _Refuse
    return dict(pairs)


def _no_constant(text: str) -> Any:
    raise _Refuse(text)


def _finite(text: str) -> float:
    if not math.isfinite(float(text)):
        raise _Refuse(text)
    return float(text)


def _is(value: Any, kind: type) -> bool:
    return isinstance(value, kind) and not (kind is int and isinstance(value, bool))


def _need(condition: object) -> None:
    if not condition:
        raise _Refuse


def _number(value: Any) -> float:
    _need(_is(value, int) or isinstance(value, float))
    return float(value)


def _fields(value: Any, names: set[str]) -> dict[str, Any]:
    _need(isinstance(value, dict) and value.keys() <= names)
    return dict(value)


def _place(value: Any) -> Place:
    fields = _fields(value, {"row", "marks"})
    marks = fields.get("marks", {})
    _need(_is(fields.get("row", 0), int) and isinstance(marks, dict))
    _need(all(_is(mark, int) for mark in marks.values()))
    return Place(**fields)


def _shout(fields: dict[str, Any]) -> Shout:
    _need(fields.keys() <= {"text", "volume", "to", "place", "extra"})
    _need(isinstance(fields.get("text", ""), str))
    if "volume" in fields:
        fields["volume"] = _number(fields["volume"])
    _need(isinstance(fields.get("to", []), list) and all(isinstance(to, str) for to in fields.get("to", [])))
    if "place" in fields:
        fields["place"] = _place(fields["place"])
    return Shout(**fields)


def reference(data: bytes) -> object:
    """What `data` says to Python's own JSON module, read strictly; None if it says nothing we take."""
    try:
        text = data.decode("utf-8")
        _need(not text.startswith("\ufeff"))
        value = json.loads(text, object_pairs_hook=_object, parse_constant=_no_constant, parse_float=_finite)
        json.dumps(value, ensure_ascii=False).encode("utf-8")
        _need(isinstance(value, dict))
        match value.pop("type", None):
            case "SHOUT":
                return _shout(value)
            case "ASK":
                _need(value.keys() == {"choice"} and _is(value["choice"], int))
                return Ask(**value)
            case "SUBMIT_ANSWER":
                _need(not value)
                return SubmitAnswer()
            case "HEARTBEAT_RESPONSE":
                _need(value.keys() == {"timestamp"})
                return HeartbeatResponse(_number(value["timestamp"]))
    except (_Refuse, ValueError, OverflowError, RecursionError):
        return None
    return None


PIECES = [
    *(
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        '"',
        " ",
        "\t",
        "\n",
        "\\",
        "null",
        "true",
        "1",
        "-",
        ".5",
        "e9",
        "1e400",
        "NaN",
    ),
    *(
        '"type":',
        '"SHOUT"',
        '"ASK"',
        '"choice":',
        '"HEARTBEAT_RESPONSE"',
        '"timestamp":',
        '"text":',
        '"x"',
        '"extra":',
    ),
    *(
        '"place":',
        '"marks":',
        '"row":',
        '"\\u0078"',
        '"\\ud800"',
        "\ufeff",
        "\u00e9",
        "\0",
        "\x0c",
        "\u2028",
        "0",
        "-0",
    ),
]
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)
NAMES = st.sampled_from(
    ["text", "volume", "to", "place", "extra", "choice", "timestamp", "row", "marks", "more"]
)
TYPES = st.sampled_from(["SHOUT", "ASK", "SUBMIT_ANSWER", "HEARTBEAT_RESPONSE", "ERROR"])
PLACES = st.fixed_dictionaries(
    {}, optional={"row": st.integers() | VALUES, "marks": st.dictionaries(st.text(max_size=2), st.integers())}
)
ALMOST = st.builds(
    lambda type_, fields: frame(type_, **fields),
    TYPES,
    st.dictionaries(NAMES, VALUES | PLACES | st.lists(st.text(max_size=2), max_size=2), max_size=3),
)
MUTATED = st.builds(
    lambda data, at, piece, cut: data[: at % (len(data) + 1)] + piece + data[at % (len(data) + 1) + cut :],
    ALMOST,
    st.integers(0, 200),
    st.binary(max_size=3) | st.sampled_from([piece.encode() for piece in PIECES]),
    st.integers(0, 3),
)


@given(
    st.binary(max_size=80)
    | st.lists(st.sampled_from(PIECES), max_size=25).map(lambda pieces: "".join(pieces).encode())
    | ALMOST
    | MUTATED
)
@example(b'{"type":"SHOUT","volume":1' + b"0" * 308 + b"}")
@example(b'{"type":"SHOUT","volume":1' + b"0" * 309 + b"}")
@example(b'{"type":"SHOUT","extra":1' + b"0" * 30 + b"}")
@example(b'{"type":"SHOUT","volume":-0.0}')
def test_any_bytes_are_a_command_or_our_error_and_a_strict_reader_agrees(data: bytes) -> None:
    """What is accepted is exactly what Python's JSON module, made strict, says it is."""
    expected = reference(data)
    if expected is None:
        refusal(data)
    else:
        command = DECODER.decode(data)
        assert command == expected
        assert msgspec.json.encode(command) == msgspec.json.encode(expected)
