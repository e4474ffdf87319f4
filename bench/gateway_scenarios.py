"""What is done to a server for ``bench.gateway_figures``, and what was seen: one function a question."""

import asyncio
import json
import time
from collections.abc import Iterator
from dataclasses import dataclass
from statistics import quantiles

from bench.gateway_load import Flooder, Player, forget_peak, join, knock, memory_of, pinned, sit
from tests.conformance.raw import CLOSE, Raw, frame, kernel_state
from tests.faults.torn import NOTHING, attempts, counters, descriptors, settled, tear_all, upgrade
from tests.gateway.wire.client import Browser
from tests.serving import Served

TOY, FAULTS = "tests.toy_game.settings", "tests.faults.settings"

# ---------- a client that never reads

STEP_FRAMES = 64
"""Of 1000 bytes and a little each."""
STEP_S = 0.1
STEPS_READ = 40
RECEIVE_BUFFER = 4096
LOOK_S = 0.005
GIVE_UP_S = 20.0


@dataclass
class SlowReader:
    """What became of it."""

    most_held: int
    gone_after_s: float
    growth: int


def slow_reader(server: str) -> SlowReader:
    """Feed a client that does not read until the server has had enough of it."""
    with pinned(TOY, server) as served:
        _warm(served)
        browser = Browser(served)
        feeder, victim = knock(browser), sit(browser, "victim", RECEIVE_BUFFER)
        _, conn_id = _held(browser)  # in the order in which they came
        before = memory_of(served, "VmRSS")
        forget_peak(served)
        most, began = 0, time.monotonic()
        while (held := _held(browser).get(conn_id)) is not None:
            most = max(most, held)
            time.sleep(max(0.0, began + STEP_S - time.monotonic()))
            began = time.monotonic()
            _feed(feeder)
        while kernel_state(served.port, victim.local_port) and time.monotonic() < began + GIVE_UP_S:
            time.sleep(LOOK_S)
        return SlowReader(most, time.monotonic() - began, memory_of(served, "VmHWM") - before)


def _warm(served: Served) -> None:
    """The same with one who reads: what Python keeps for the next time, it has kept before we look."""
    browser = Browser(served)
    feeder, reader = knock(browser), sit(browser, "reader")
    for _ in range(STEPS_READ):
        _feed(feeder)
        for _ in range(STEP_FRAMES):
            reader.receive()
        _held(browser)
    for raw in (feeder, reader):
        raw.close(1000)
        raw.closed_with()


def _feed(feeder: Raw) -> None:
    feeder.text(json.dumps({"type": "FLOOD", "size": STEP_FRAMES}))


def _held(browser: Browser) -> dict[str, int]:
    """The bytes that the process holds for each socket."""
    answer = json.loads(browser.get("/counters").body)  # type: ignore[attr-defined]
    held: dict[str, int] = answer["buffered"]
    return held


# ---------- one client floods

PLAYERS = 50
SAY_EVERY_S = 0.5
PHASE_S = 5.0
SETTLE_S = 0.5


@dataclass
class Trips:
    """Round trips of one phase, in seconds."""

    p50: float
    p99: float


@dataclass
class Round:
    """A quiet phase and a flooded one, one after the other."""

    quiet: Trips
    flooded: Trips
    frames_per_s: float


def flood(server: str, rounds: int) -> list[Round]:
    """Players in a room, with and without a flooding client."""
    with pinned(TOY, server) as served:
        return asyncio.run(_flood(served, rounds))


async def _flood(served: Served, rounds: int) -> list[Round]:
    browser = Browser(served)
    players = [await join(browser, number) for number in range(PLAYERS)]
    lives = [
        asyncio.create_task(player.live(SAY_EVERY_S * number / PLAYERS, SAY_EVERY_S))
        for number, player in enumerate(players)
    ]
    done = []
    for _ in range(rounds):
        quiet = await _phase(players)
        # Each a visitor of its own: a flooder's windows are kept per account, and close it in the end.
        flooder = Flooder(await asyncio.to_thread(Browser, served))
        with flooder:
            flooded = await _phase(players)
        done.append(Round(quiet, flooded, flooder.frames_per_s))
    for life in lives:
        life.cancel()
    for player in players:
        player.transport.abort()
    return done


async def _phase(players: list[Player]) -> Trips:
    await asyncio.sleep(SETTLE_S)
    for player in players:
        player.trips.clear()
    await asyncio.sleep(PHASE_S)
    cuts = quantiles([trip for player in players for trip in player.trips], n=100)
    return Trips(cuts[49], cuts[98])


# ---------- sockets come and go

PHONES = 100
MOMENTS = 5
AT_ONCE = 10
SWEEP_S = 3.0
"""Daphne holds what has ended until it looks for it, once a second: that is no leak."""


@dataclass
class Moment:
    """The process after so many sockets."""

    cycles: int
    traced: int
    rss: int


@dataclass
class Churn:
    """All moments, and whether the counters were at zero in the end."""

    moments: list[Moment]
    nothing_left: bool


def churn(server: str, cycles: int) -> Churn:
    """Connect, be greeted, close; over and over."""
    with pinned(FAULTS, server, PYTHONTRACEMALLOC="1") as served:
        phones = [Browser(served) for _ in range(PHONES)]
        requests = [upgrade(phone, clientId=f"tab-{number}") for number, phone in enumerate(phones)]
        moments = []
        for moment in range(MOMENTS):
            visits = (requests[number % PHONES] for number in range(cycles // MOMENTS))
            asyncio.run(_visit_all(served.port, visits))
            time.sleep(SWEEP_S)
            traced = json.loads(phones[0].get("/memory").body)["traced"]  # type: ignore[attr-defined]
            moments.append(Moment((moment + 1) * cycles // MOMENTS, traced, memory_of(served, "VmRSS")))
        return Churn(moments, settled(phones[0]) == NOTHING)


async def _visit_all(port: int, visits: Iterator[bytes]) -> None:
    async def phone() -> None:
        for request in visits:
            await _visit(port, request)

    async with asyncio.TaskGroup() as phones:
        for _ in range(AT_ONCE):
            phones.create_task(phone())


async def _visit(port: int, request: bytes) -> None:
    """One socket from its request to the end of its connection."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(request)
    await reader.readuntil(b'"CONNECTED"')
    writer.write(frame(CLOSE, b"\x03\xe8"))
    await reader.read()
    writer.close()


# ---------- handshakes die

SEED = 10_000
SESSIONS = 20


@dataclass
class Cut:
    """What 10 000 of them left."""

    attempts: int
    accepted: int
    refused: int
    seconds: float
    tracebacks: int
    files: int
    nothing_left: bool


def cut(server: str, count: int) -> Cut:
    """Handshakes that die at every stage, then a newcomer."""
    with pinned(FAULTS, server) as served:
        browsers = [Browser(served) for _ in range(SESSIONS)]
        counters(browsers[0])
        files, began = descriptors(served), time.monotonic()
        prey = sit(browsers[0], "prey")
        lived = asyncio.run(tear_all(served.port, attempts(browsers, count, SEED)))
        seconds = time.monotonic() - began
        prey.sock.close()
        nothing_left = settled(browsers[0]) == NOTHING
        left = descriptors(served) - files
        # Somebody else: the accounts that showed wrong tickets for the seat are blocked by now, rightly.
        sit(Browser(served), "newcomer").close(1000)
        log = served.log
        return Cut(
            lived,
            log.count("gateway: socket closed"),
            log.count("gateway.admission: refused"),
            seconds,
            log.count("Traceback"),
            left,
            nothing_left,
        )
