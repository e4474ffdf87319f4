"""The control bus: what one process of a site tells the others, over the channel layer.

One channel a process, all in one group; frames of rooms never travel here. A message is obeyed by this
process first, through the door, and published only if the layer reaches others: the in-memory one does not.
What is lost in an outage the database still knows, and every process looks there (``gateway.blocking``). A
pulse that comes back proves that the bus works, whatever the layer says.
"""

import asyncio
import logging
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any, Final, Protocol, assert_never

import msgspec
from asgiref.sync import async_to_sync
from channels.layers import InMemoryChannelLayer, get_channel_layer
from msgspec import Struct

from gateway import blocking, live
from gateway.core import closing
from gateway.duties import Duty
from gateway.models import BlocklistVersion, changed
from gateway.runtime import Runtime

log = logging.getLogger("gateway.bus")

GROUP: Final = "gateway.control"
TYPE: Final = "gateway.control"
"""Channels wants every message to have a type."""
VERSION: Final = 1
"""Of the vocabulary below; a process that is being replaced must not misread its successor."""
PULSE_S: Final = 5.0
"""An outage is noticed, and its end, within two of these."""
PATIENCE_S: Final = 2.0
"""For a layer that does not answer: longer, and the message is given up."""
RETRY_S: Final = 1.0
"""After a subscription was lost, or could not be made."""
UNHEARD: Final = 3
"""So many pulses that were taken and did not come back: the subscription is lost, and is made anew."""


class BlocksChanged(Struct, frozen=True, tag="blocks"):
    """The block list has this version now."""

    version: int


class Kick(Struct, frozen=True, tag="kick"):
    """Every socket of the account ends with 4005; nothing keeps it from coming back."""

    account: str


class Pulse(Struct, frozen=True, tag="pulse"):
    """The sender listens to hear this itself."""


Message = BlocksChanged | Kick | Pulse


class Envelope(Struct, frozen=True):
    """``sender`` is a process; it has obeyed already."""

    v: int
    sender: str
    message: msgspec.Raw


class Layer(Protocol):
    """What the bus needs of a channel layer with groups."""

    async def new_channel(self) -> str: ...
    async def group_add(self, group: str, channel: str) -> None: ...
    async def group_discard(self, group: str, channel: str) -> None: ...
    async def group_send(self, group: str, message: dict[str, Any]) -> None: ...
    async def receive(self, channel: str) -> dict[str, Any]: ...


class Bus:
    """One process's end of it."""

    def __init__(self, layer: Layer) -> None:
        self._layer = layer
        self._name = secrets.token_hex(8)
        self._heard = asyncio.Event()
        self._works = True
        self._puzzled = False
        # The loop holds its tasks weakly.
        self._sending: set[asyncio.Task[bool]] = set()

    async def attend(self, runtime: Runtime) -> None:
        """A duty: listen and prove it, until the subscription is lost; the next turn makes a new one."""
        try:
            with _hushed(self._failed):
                await self._converse(runtime)
        except Exception as error:
            self._failed(error)

    async def _converse(self, runtime: Runtime) -> None:
        await self.send(Pulse())  # first, for a layer that is down would keep every channel we ask for
        async with asyncio.timeout(PATIENCE_S):
            channel = await self._layer.new_channel()
            await self._layer.group_add(GROUP, channel)
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self._listen(runtime, channel))
            tasks.create_task(self._prove())

    def send_soon(self, message: Message) -> None:
        """On the loop: tell the others without waiting for them."""
        task = asyncio.get_running_loop().create_task(self.try_to_send(message))
        self._sending.add(task)
        task.add_done_callback(self._sending.discard)

    async def try_to_send(self, message: Message) -> bool:
        """Tell the others, if the layer is there."""
        try:
            await self.send(message)
        except Exception as error:
            self._failed(error)
            return False
        return True

    async def send(self, message: Message) -> None:
        """Tell the others; raises what the layer raises, or `TimeoutError`."""
        envelope = Envelope(VERSION, self._name, msgspec.Raw(msgspec.json.encode(message)))
        async with asyncio.timeout(PATIENCE_S):
            body = msgspec.json.encode(envelope).decode()
            await self._layer.group_send(GROUP, {"type": TYPE, "body": body})

    # ---------- listening

    async def _listen(self, runtime: Runtime, channel: str) -> None:
        try:
            while True:
                await self._hear(runtime, await self._layer.receive(channel))
        finally:
            await self._leave(channel)

    async def _leave(self, channel: str) -> None:
        try:
            async with asyncio.timeout(PATIENCE_S):
                await self._layer.group_discard(GROUP, channel)
        except Exception as error:
            self._failed(error)

    async def _hear(self, runtime: Runtime, received: dict[str, Any]) -> None:
        envelope, message = self._read(received)
        if message is None:
            return
        if isinstance(message, Pulse):
            if envelope is not None and envelope.sender == self._name:
                self._heard.set()
        elif envelope is not None and envelope.sender != self._name:
            try:
                await obey(runtime, message)
            except Exception:
                log.exception("a message of the bus was not obeyed")

    def _read(self, received: dict[str, Any]) -> tuple[Envelope | None, Message | None]:
        try:
            envelope = msgspec.json.decode(received["body"], type=Envelope)
            if envelope.v != VERSION:
                raise ValueError(f"version {envelope.v}")
            return envelope, msgspec.json.decode(envelope.message, type=Message)
        except (KeyError, TypeError, ValueError) as error:  # msgspec's errors are ValueErrors
            if not self._puzzled:
                log.warning("the bus said something that this process does not know: %s", error)
            self._puzzled = True
            return None, None

    # ---------- proving

    async def _prove(self) -> None:
        unheard = 0
        while unheard < UNHEARD:
            self._heard.clear()
            unheard = 0 if not await self.try_to_send(Pulse()) or await self._hears_itself() else unheard + 1
            await asyncio.sleep(PULSE_S)
        raise TimeoutError("nothing comes back")

    async def _hears_itself(self) -> bool:
        try:
            async with asyncio.timeout(PATIENCE_S):
                await self._heard.wait()
        except TimeoutError as error:
            self._failed(error)
            return False
        self._recovered()
        return True

    def _failed(self, error: BaseException) -> None:
        while isinstance(error, BaseExceptionGroup):
            error = error.exceptions[0]
        if self._works:
            log.error(
                "the bus to other processes is down (%s): they learn of blocks from the database",
                str(error) or type(error).__name__,
            )
        self._works = False

    def _recovered(self) -> None:
        if not self._works:
            log.warning("the bus to other processes works again")
        self._works = True


# ---------- for sync code, in any process


def kick(account: str) -> int:
    """End all sockets of an account, on every process; returns how many of this one."""
    try:
        ended = live.call(lambda runtime: kick_here(runtime, account))
    except live.NotServingError:
        ended = 0
    publish(Kick(account))
    return ended


def publish(message: Message) -> None:
    """Tell the other processes what was obeyed here; does nothing if the layer reaches none."""
    bus = this_bus()
    if bus is None:
        return
    try:
        live.call(lambda _: bus.send_soon(message))
    except live.NotServingError:
        async_to_sync(bus.try_to_send)(message)
    except live.LoopStuckError:
        log.exception("the bus was not told: %s", message)


@cache
def this_bus() -> Bus | None:
    """This process's end; None if the channel layer reaches no other process."""
    layer = get_channel_layer()
    return None if layer is None or isinstance(layer, InMemoryChannelLayer) else Bus(layer)


def duties() -> tuple[Duty, ...]:
    """What a serving process does for the bus."""
    bus = this_bus()
    return () if bus is None else (Duty("the control bus", RETRY_S, bus.attend),)


def connect() -> None:
    """Listen to changes of the block list that are made in this process; `blocking` has obeyed them."""
    changed.connect(_tell_of_blocks, dispatch_uid="gateway.bus")


def _tell_of_blocks(**_: Any) -> None:
    publish(BlocksChanged(BlocklistVersion.now()))


# ---------- on the loop


async def obey(runtime: Runtime, message: BlocksChanged | Kick) -> None:
    """Do here what the message says. On the loop."""
    match message:
        case BlocksChanged(version):
            if version != runtime.guard.blocklist.version:
                await blocking.watch(runtime)
        case Kick(account):
            kick_here(runtime, account)
        case _ as unreachable:
            assert_never(unreachable)


def kick_here(runtime: Runtime, account: str) -> int:
    """End the account's sockets of this process. On the loop."""
    theirs = [one for one in runtime.admitted.values() if one.peer.account == account]
    for admission in theirs:
        runtime.end(admission, closing.KICKED)
    return len(theirs)


@contextmanager
def _hushed(failed: Callable[[BaseException], None]) -> Iterator[None]:
    """channels-redis keeps an outage to itself and logs a traceback of it each second; we say it once."""

    def is_news(record: logging.LogRecord) -> bool:
        error = record.exc_info[1] if record.exc_info else None
        if error is not None:
            failed(error)
        return error is None

    theirs = logging.getLogger("channels_redis.pubsub")
    theirs.addFilter(is_news)
    try:
        yield
    finally:
        theirs.removeFilter(is_news)
