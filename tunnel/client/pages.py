"""One request for a page: its body up, the response down, each at its own speed (spec 6.1). No Django."""

import asyncio

import h11

from tunnel.client.calls import Call
from tunnel.client.target import Broken
from tunnel.core import headers as rules
from tunnel.core.frames import Data, Headers, Open
from tunnel.exchange import StreamEnded


async def carry_page(call: Call) -> str:
    """A `calls.Carry`."""
    await call.ask((*rules.to_target(call.frame.content), *_framing(call.frame)))
    upload = asyncio.create_task(_upload(call))
    try:
        response = await call.http.response()
        if not isinstance(response, h11.Response):
            raise Broken("it answered 101 to a request for a page")
        await call.pass_on(response)
    finally:
        upload.cancel()
        await asyncio.gather(upload, return_exceptions=True)
    return ""


def _framing(frame: Open) -> Headers:
    """How the body is framed for the target: by its length if the visitor said one."""
    chunked = not frame.end and not rules.values(frame.content.headers, "content-length")
    return (("connection", "close"), *((("transfer-encoding", "chunked"),) if chunked else ()))


async def _upload(call: Call) -> None:
    """The request's body; what goes wrong with it is told by the response, or by its absence."""
    ended = call.frame.end
    try:
        while not ended:
            piece = await call.exchange.next()
            if not isinstance(piece, Data):
                break
            ended = piece.end
            call.journal.keep(call.entry, piece.payload)
            if piece.payload:
                await call.http.say(h11.Data(data=piece.payload))
        await call.http.say(h11.EndOfMessage())
        await call.exchange.next()  # nothing but a reset can come: the visitor left
    except StreamEnded:
        call.http.writer.transport.abort()  # whoever reads the response sees it end
    except (h11.LocalProtocolError, OSError):
        return  # the target answered early and reads no more
