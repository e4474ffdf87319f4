"""Bytes on the wire: one encoder for everything that is sent, one strict decoder for what a game lets clients
say.

The vocabulary itself is in ``gateway.core.messages`` and in the game's own messages; here they become unions
and codecs.
"""

from typing import Final

import msgspec

from gateway.contract import Budget, Per
from gateway.core.decoding import Decoder
from gateway.core.inbound import InboundPolicy
from gateway.core.messages import HeartbeatResponse, LimitShown, SessionTrustContext

GATEWAY_COMMANDS: Final[tuple[type[msgspec.Struct], ...]] = (HeartbeatResponse, SessionTrustContext)
GATEWAY_LIMITS: Final = {"SESSION_TRUST_CONTEXT": (Budget(10, 60),)}

_encoder: Final = msgspec.json.Encoder()


def encode(event: msgspec.Struct) -> bytes:
    """The event as one UTF-8 JSON text frame's payload."""
    return _encoder.encode(event)


def decoder_for(commands: tuple[type[msgspec.Struct], ...]) -> Decoder:
    """The decoder of all that clients of a game may send, the gateway's own words included."""
    return Decoder((*commands, *GATEWAY_COMMANDS))


def limits_shown(inbound: InboundPolicy, limits: dict[str, tuple[Budget, ...]]) -> dict[str, LimitShown]:
    """What ``CONNECTED`` tells a client about its own budgets, so that it can stay within them."""
    shown = {
        action: LimitShown(budget.limit, round(budget.window_s * 1000))
        for action, budgets in limits.items()
        for budget in budgets
        if budget.per is not Per.ADDRESS
    }
    shown["GLOBAL"] = LimitShown(inbound.frames, round(inbound.window_s * 1000))
    shown["HEARTBEAT_RESPONSE"] = LimitShown(inbound.heartbeats, round(inbound.heartbeat_window_s * 1000))
    return shown
