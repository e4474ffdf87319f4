"""What a hostile client sends, as strategies: frames that lie about themselves, and JSON that is none."""

import json
import struct

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

# ---------- bytes: frames, broken frames, no frames

EXTENDED_16, EXTENDED_64 = 126, 127
"""The two lengths that say that the length follows in 2 or 8 bytes (RFC 6455, 5.2)."""
OPCODES = (0x0, 0x1, 0x1, 0x2, 0x8, 0x9, 0xA)
LIES = (
    0,
    1,
    125,
    126,
    65_535,
    65_536,
    131_073,
    1 << 20,
    (1 << 20) + 1,
    (1 << 63) - 1,
    1 << 63,
    (1 << 64) - 1,
)


@st.composite
def _frames(draw: st.DrawFn) -> bytes:
    """One frame: mostly honest about its length and masked, as most hostile clients are libraries."""
    payload = draw(st.binary(max_size=300) | _json.map(lambda text: text.encode("utf-8", "replace")[:300]))
    fin = draw(st.sampled_from((0x80, 0x80, 0x00)))
    rsv = draw(st.sampled_from((0, 0, 0, 0, 0x40, 0x20, 0x10)))
    opcode = draw(st.sampled_from(OPCODES) | st.integers(0, 15))
    masked = draw(st.sampled_from((0x80, 0x80, 0x80, 0x00)))
    length = draw(st.just(len(payload)) | st.just(len(payload)) | st.sampled_from(LIES))
    mask = draw(st.binary(min_size=4, max_size=4)) if masked else b""
    return bytes([fin | rsv | opcode]) + _length(length, masked) + mask + _masked(payload, mask)


def _length(length: int, masked: int) -> bytes:
    if length < EXTENDED_16:
        return bytes([masked | length])
    if length < 1 << 16:
        return bytes([masked | EXTENDED_16]) + struct.pack("!H", length)
    return bytes([masked | EXTENDED_64]) + struct.pack("!Q", length)


def _masked(payload: bytes, mask: bytes) -> bytes:
    return bytes(byte ^ mask[place % 4] for place, byte in enumerate(payload)) if mask else payload


def hostile_bytes() -> SearchStrategy[bytes]:
    """What is sent after the handshake: up to a dozen frames, whole or cut, with plain noise in between."""
    pieces = st.lists(_frames() | _frames() | st.binary(max_size=64), min_size=1, max_size=12)
    cut = st.none() | st.integers(0, 2_000)
    return st.tuples(pieces, cut).map(lambda drawn: b"".join(drawn[0])[: drawn[1]])


# ---------- messages: JSON, nearly JSON, and commands of the wrong shape

NUMBERS = (
    "0",
    "-0",
    "1e400",
    "-1e400",
    "1E-400",
    "NaN",
    "Infinity",
    "-Infinity",
    "01",
    "1.",
    "9" * 400,
    "0x10",
)
NAMES = (
    "type",
    "text",
    "word",
    "token",
    "timestamp",
    "\\u0074ype",
    "__proto__",
    "constructor",
    "\\ud800",
    "",
)
TYPES = (
    *("SIT", "SAY", "GUESS", "HEARTBEAT_RESPONSE", "SESSION_TRUST_CONTEXT"),
    *("SAID", "SEATED", "CONNECTED", "HEARTBEAT", "ERROR"),
    *("say", " SAY", "SAY\\u0000", "__init__", "websocket.disconnect", "http.request", "group_add", "close"),
)
"""Commands, server-only types, and names that mean something to somebody inside. Not those with which the toy
breaks itself on purpose.
"""
SURROGATES = st.characters(codec=None, categories=("Cs",))


def _quoted() -> SearchStrategy[str]:
    """String literals; a lone surrogate is legal in JSON's escapes and in nothing else."""
    escaped = st.text(st.characters(codec=None) | SURROGATES, max_size=20).map(json.dumps)
    plain = st.text(st.characters(codec="utf-8"), max_size=20).map(lambda text: f'"{text}"')
    return escaped | plain | st.sampled_from([f'"{name}"' for name in NAMES])


def _object(members: list[tuple[str, str]]) -> str:
    return "{" + ",".join(f"{name}:{value}" for name, value in members) + "}"


_leaves = (
    _quoted() | st.sampled_from((*NUMBERS, "true", "false", "null", "", "\ufeff")) | st.integers().map(str)
)
_json: SearchStrategy[str] = st.recursive(
    _leaves,
    lambda inner: (
        st.lists(inner, max_size=4).map(lambda items: f"[{','.join(items)}]")
        | st.lists(st.tuples(_quoted(), inner), max_size=4).map(_object)
    ),
    max_leaves=12,
)
_type = st.sampled_from([f'"{type_}"' for type_ in TYPES]) | _json
_members = st.lists(st.tuples(st.sampled_from([f'"{name}"' for name in NAMES]), _json), max_size=4)


@st.composite
def _commands(draw: st.DrawFn) -> str:
    """An object with a type, at any place among its members, sometimes twice."""
    members = [*draw(_members), ('"type"', draw(_type))]
    return _object(draw(st.permutations(members)))


def _towers() -> SearchStrategy[str]:
    """Nesting that no parser should follow to its end, closed or not; the tallest are over 10 000 bytes."""
    stairs = st.sampled_from((("[", "]"), ('{"a":', "}"), ('{"type":', "}")))
    return st.tuples(stairs, st.sampled_from((100, 1_100, 4_000)), st.booleans()).map(
        lambda drawn: drawn[0][0] * drawn[1] + ("1" + drawn[0][1] * drawn[1]) * drawn[2]
    )


def _honest(text: str) -> str:
    return text.encode("utf-8", "replace").decode()


def hostile_messages() -> SearchStrategy[list[str | bytes]]:
    """Up to twenty messages: text in UTF-8 (else the protocol layer ends it), or bytes that need not be."""
    texts = (_commands() | _commands() | _json | _towers()).map(_honest)
    binary = texts.map(lambda text: text.encode("utf-16")) | texts.map(str.encode) | st.binary(max_size=100)
    return st.lists(texts | texts | binary, min_size=1, max_size=20)
