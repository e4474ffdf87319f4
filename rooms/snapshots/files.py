"""Snapshots in a file: it is whole or not there, and nobody else may read it.

It holds names and scores, so its mode is 0600. What is in a room's bytes is for ``rooms.core.snapshot``.
"""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import msgspec

from rooms.core.snapshot import UnreadableError

OWNER_ONLY: Final = 0o600
FOLDER_OWNER_ONLY: Final = 0o700

_encode: Final = msgspec.msgpack.Encoder().encode
_decode: Final = msgspec.msgpack.Decoder(tuple[bytes, dict[str, bytes]]).decode


class FileStore:
    """Implements `rooms.snapshots.Store`."""

    def __init__(self, path: Path) -> None:
        self.name = str(path)
        self._path = path
        self._new = path.with_name(f"{path.name}.new")

    def read(self) -> tuple[bytes, Mapping[str, bytes]] | None:
        """All of it."""
        try:
            return _decode(self._path.read_bytes())
        except FileNotFoundError:
            return None
        except msgspec.MsgspecError as error:
            raise UnreadableError(f"it is damaged ({error})") from error

    def write(self, head: bytes, rooms: Mapping[str, bytes]) -> None:
        """Beside the old one first, and on the disk, before it takes its name."""
        if not rooms:
            self._path.unlink(missing_ok=True)
            return
        try:
            self._write_new(_encode((head, rooms)))
            self._new.replace(self._path)
        finally:
            self._new.unlink(missing_ok=True)
        self._sync_folder()

    def set_aside(self) -> str:
        """A later one that is refused too takes the place of this one."""
        aside = self._path.with_name(f"{self._path.name}.refused")
        self._path.replace(aside)
        return str(aside)

    def _write_new(self, data: bytes) -> None:
        self._new.parent.mkdir(mode=FOLDER_OWNER_ONLY, parents=True, exist_ok=True)
        # A leftover of a crash may have another mode.
        self._new.unlink(missing_ok=True)
        descriptor = os.open(self._new, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, OWNER_ONLY)
        with open(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(descriptor)

    def _sync_folder(self) -> None:
        folder = os.open(self._path.parent, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
