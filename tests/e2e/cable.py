"""A network cable between a browser and the server, which a test can pull out and plug in again.

A plain TCP relay in a thread of its own. Pulled, it cuts what is open (by reset, as a lost network does in
the end) and refuses what is new.
"""

import asyncio
import threading
from collections.abc import Coroutine
from types import TracebackType
from typing import Any

CHUNK = 65_536
UPGRADE = b"GET /ws"


class Line:
    """One relayed connection.

    ``is_socket``: it has begun as an upgrade. ``deaf``: the server hears no more of it; ``mute``: the browser
    does not.
    """

    def __init__(self, to_browser: asyncio.StreamWriter, to_server: asyncio.StreamWriter) -> None:
        self.to_browser = to_browser
        self.to_server = to_server
        self.is_socket = False
        self.deaf = False
        self.mute = False

    async def copy_out(self, reader: asyncio.StreamReader) -> None:
        """What the browser says, on to the server."""
        await self._copy(reader, self.to_server, outward=True)

    async def copy_back(self, reader: asyncio.StreamReader) -> None:
        """What the server says, back to the browser."""
        await self._copy(reader, self.to_browser, outward=False)

    async def _copy(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, outward: bool) -> None:
        try:
            while data := await reader.read(CHUNK):
                self.is_socket |= outward and data.startswith(UPGRADE)
                if self.deaf if outward else self.mute:
                    continue
                writer.write(data)
                await writer.drain()
            if writer.can_write_eof() and not writer.is_closing():
                writer.write_eof()
        except ConnectionError:
            writer.transport.abort()


class Cable:
    """A relay on a free port to ``target_port``, plugged in. The server sees it come from ``source``."""

    def __init__(self, target_port: int, source: str = "127.0.0.1") -> None:
        self._target_port = target_port
        self._source = source
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._plugged = True
        self._open: set[asyncio.StreamWriter] = set()
        self._relays: set[asyncio.Task[None]] = set()
        self._lines: list[Line] = []
        self.port = 0

    def __enter__(self) -> "Cable":
        self._thread.start()
        self._server = self._run(asyncio.start_server(self._relay, "127.0.0.1", 0))
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._run(self._stop())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def pull(self) -> None:
        """Cut everything, refuse everything."""
        self._run(self._cut(plugged=False))

    def plug(self) -> None:
        """Let connections through again."""
        self._run(self._cut(plugged=True))

    def _run(self, work: Coroutine[Any, Any, Any]) -> Any:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(10)

    async def _cut(self, plugged: bool) -> None:
        self._plugged = plugged
        for writer in list(self._open):
            writer.transport.abort()

    async def _stop(self) -> None:
        self._server.close()
        await self._cut(plugged=False)
        await asyncio.gather(*self._relays, return_exceptions=True)

    async def _relay(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._relays.add(task)
        self._open.add(writer)
        try:
            if self._plugged:
                await self._join(reader, writer)
        finally:
            writer.transport.abort()
            self._open.discard(writer)
            self._relays.discard(task)

    async def _join(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        far_reader, far_writer = await asyncio.open_connection(
            "127.0.0.1", self._target_port, local_addr=(self._source, 0)
        )
        self._open.add(far_writer)
        line = Line(writer, far_writer)
        self._lines.append(line)
        try:
            await asyncio.gather(line.copy_out(reader), line.copy_back(far_reader))
        finally:
            far_writer.transport.abort()
            self._open.discard(far_writer)
            self._lines.remove(line)
