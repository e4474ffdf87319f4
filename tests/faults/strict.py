"""JSON as a browser reads it: no NaN, no Infinity, no lone surrogate, UTF-8 throughout."""

import json
from typing import Any, NoReturn


def strictly(payload: bytes) -> dict[str, Any]:
    """The frame, or `ValueError` where ``JSON.parse`` would throw or ``TextDecoder`` would replace."""
    frame = json.loads(payload.decode(), parse_constant=_no_such)
    json.dumps(frame, ensure_ascii=False).encode()
    if not isinstance(frame, dict):
        raise ValueError(f"every frame is an object, not {frame!r}")
    return frame


def _no_such(constant: str) -> NoReturn:
    raise ValueError(f"JSON has no {constant}")
