"""What is measured: the scenarios of ``make bench``, who takes part in each, with what load, and the quick
choice of them.

Plain data. How it is played is in ``bench.play``, what is made of it in ``bench.ratios``.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from bench import contestants as who
from bench.contestants import Contestant
from bench.served import limits

ROUNDS: Final = 5
"""Of everything, interleaved: a machine's mood changes in minutes, and the median bears two bad ones."""


@dataclass(frozen=True)
class Scenario:
    """``letter`` is its name in the results, ``plays`` the generator's scenario.

    ``figure`` is what is compared, a key of the generator's result or of `bench.play.DERIVED`. With ``fresh``
    each round has a new process, for what is measured is memory, or what a process remembers of its clients.
    """

    letter: str
    title: str
    plays: str
    contestants: tuple[Contestant, ...]
    options: Mapping[str, object]
    figure: str
    unit: str
    fresh: bool = False
    rounds: int = ROUNDS
    note: str = ""


HALYARD: Final = who.halyard()
CHANNELS: Final = who.channels_on_uvicorn()
ALL: Final = (
    HALYARD,
    CHANNELS,
    who.CHANNELS_ON_DAPHNE,
    who.STARLETTE,
    who.PYTHON_SOCKETIO,
    who.BUN_ECHO,
    who.BUN_PIPELINE,
    who.NODE_WS,
    who.SOCKETIO,
    who.COLYSEUS,
)
GROWTH: Final = (250, 1000, 4000, 16000)
MEMBERS: Final = 50
"""Of a room, in (b) and (h)."""
AWAKE: Final[Mapping[str, object]] = {"awake": 1}
"""Where a server's core is full, the generator never sleeps but looks again: that core would pay for waking
it, and clients on other machines cost it no such thing.
"""
SHARED_COOKIES: Final = 200
"""In (h): so that 16 000 sockets open in seconds, sessions are found where they were remembered."""
HIGH_LIMITS: Final = (
    "Our limits are out of reach, so that everything is counted and nothing denied: "
    f"{limits.NEVER:.0e} frames of a connection and {limits.NEVER:.0e} commands of each type in 10 s, "
    f"{limits.NEVER:.0e} sockets of a session and of an address."
)


def inbound(contestants: tuple[Contestant, ...], seconds: float) -> Scenario:
    """(a)"""
    return Scenario(
        "a",
        "Inbound: 50 sockets send reactions through the whole pipeline and wait for each answer",
        "echo",
        contestants,
        {**AWAKE, "sockets": 50, "warm": 0.5, "seconds": seconds},
        "per_s",
        "frames/s",
        note=HIGH_LIMITS,
    )


def pipelined(seconds: float) -> Scenario:
    """(a) again, with more under way: what comes together can be read and written together."""
    some = (HALYARD, CHANNELS, who.BUN_ECHO, who.BUN_PIPELINE, who.NODE_WS)
    return Scenario(
        "a16",
        "Inbound, with 16 reactions of each socket under way",
        "echo",
        some,
        {**AWAKE, "sockets": 50, "window": 16, "warm": 0.5, "seconds": seconds},
        "per_s",
        "frames/s",
        note=HIGH_LIMITS,
    )


def fanout(contestants: tuple[Contestant, ...], seconds: float) -> Scenario:
    """(b)"""
    return Scenario(
        "b",
        f"Fan-out: 20 rooms of {MEMBERS}, one frame to each member for each thing that is said",
        "fanout",
        contestants,
        {**AWAKE, "sockets": 20 * MEMBERS, "rooms": 20, "warm": 0.5, "seconds": seconds},
        "per_s",
        "deliveries/s",
        note=HIGH_LIMITS,
    )


def game() -> Scenario:
    """(c)"""
    return Scenario(
        "c",
        "A game: 25 rooms of 40 answer within 200 ms; from a room's last answer to each member's results",
        "game",
        (who.halyard("quiz", "real"), CHANNELS, who.STARLETTE, who.BUN_ECHO, who.NODE_WS),
        {"sockets": 1000, "rooms": 25, "rounds": 8},
        "p99_us",
        "µs (p99)",
        fresh=True,
        note="Ours is the quiz itself with its real limits, with progress and roster frames; the peers' game "
        "does less (see their files). Socket.IO and Colyseus frame messages otherwise and are left out.",
    )


def idle(contestants: tuple[Contestant, ...], sockets: int, seconds: float, rounds: int = ROUNDS) -> Scenario:
    """(d)"""
    return Scenario(
        "d",
        f"Idle: {sockets:,} sockets that only answer heartbeats",
        "idle",
        contestants,
        {"sockets": sockets, "warm": 2, "seconds": seconds},
        "bytes_per_socket",
        "bytes/socket",
        fresh=True,
        rounds=rounds,
        note="Heartbeats are each server's own: ours every 7 s, uvicorn's pings every 20 s, Bun's before "
        "120 s, Node's ws none.",
    )


def connects() -> Scenario:
    """(e)"""
    return Scenario(
        "e",
        "Connects: 2,000 sockets are let in, each with a session of its own, 64 at once",
        "connects",
        (HALYARD, CHANNELS, who.CHANNELS_ON_DAPHNE, who.STARLETTE, who.BUN_ECHO, who.NODE_WS, who.SOCKETIO),
        {"sockets": 2000},
        "per_s",
        "connects/s",
        fresh=True,
        note="Ours and Channels look the session up in the database; the others let everybody in.",
    )


def flood(seconds: float) -> Scenario:
    """(f)"""
    return Scenario(
        "f",
        "A flood: 50 sockets react 4 times a second each while one more sends all that TCP takes",
        "flood",
        (who.halyard("table", "real"),),
        {"sockets": 51, "rate": 200, "seconds": seconds, "rounds": ROUNDS},
        "flood_ratio",
        "times the quiet p99",
        rounds=1,
        note="Real limits; the flooder comes back whenever it is thrown out. Quiet and flooded phases take "
        "turns in one run.",
    )


def storm() -> Scenario:
    """(g)"""
    return Scenario(
        "g",
        "A reconnect storm: 1,000 sockets in 25 rooms in a game are cut at once and come back at once",
        "storm",
        (who.halyard("quiz", "real"),),
        {"sockets": 1000, "rooms": 25, "concurrency": 50, "rounds": ROUNDS},
        "restore_s",
        "s until 99 % sit",
        rounds=1,
        note="Real limits, no delays on the client's side.",
    )


def growth(sockets: int, plays: str) -> Scenario:
    """(h)"""
    shared: dict[str, object] = {"sockets": sockets, "shared_cookies": SHARED_COOKIES}
    if plays == "fanout":
        return Scenario(
            f"h-fanout-{sockets}",
            f"Growth: fan-out to {sockets:,} sockets in rooms of {MEMBERS}",
            "fanout",
            (HALYARD,),
            {**shared, **AWAKE, "rooms": sockets // MEMBERS, "warm": 1, "seconds": 3},
            "us_per_delivery",
            "µs of the server's core for each delivery",
        )
    return Scenario(
        f"h-idle-{sockets}",
        f"Growth: {sockets:,} idle sockets",
        "idle",
        (HALYARD,),
        {**shared, "warm": 2, "seconds": 8},
        "bytes_per_socket",
        "bytes/socket",
        fresh=True,
    )


def whole() -> list[Scenario]:
    """``make bench``."""
    everybody = (HALYARD, CHANNELS, who.STARLETTE, who.BUN_ECHO, who.NODE_WS)
    grown = [growth(sockets, plays) for plays in ("fanout", "idle") for sockets in GROWTH]
    return [
        inbound(ALL, 3),
        pipelined(3),
        fanout(ALL, 3),
        game(),
        idle(everybody, 5000, 10),
        connects(),
        flood(6),
        storm(),
        *grown,
    ]


def quick() -> list[Scenario]:
    """``make bench-quick``."""
    return [
        inbound((HALYARD, CHANNELS, who.BUN_ECHO, who.BUN_PIPELINE), 1.5),
        fanout((HALYARD, CHANNELS, who.BUN_ECHO), 1.5),
        idle((HALYARD, CHANNELS), 500, 1),
        flood(2.5),
    ]
