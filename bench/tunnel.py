"""The tunnel's figures, measured and written down: ``python -m bench.tunnel`` prints them and makes
``docs/figures-tunnel.md``; with names of sections it only prints those.

What a tunnel costs beside a direct connection, what one large download costs the others, what a visitor that
stops costs the relay, and whether the time of a refusal tells how wrong a token was. Relay, client and site
are processes of their own.
"""

import os
import platform
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from statistics import median, quantiles
from typing import Final

from bench.tunnel_load import Place, download_s, downloading, requests_per_s, site, waits
from tests.serving import Served, manage, serving
from tests.tunnel.kit import DOMAIN, RawPeer, serving_client
from tunnel.core.frames import Fatal

FIGURES: Final = Path(__file__).resolve().parents[1] / "docs" / "figures-tunnel.md"
SETTINGS: Final = "quizsite.settings"
MIB: Final = 1024 * 1024
ROUNDS: Final = 7
SMALL_REQUESTS: Final = 300
CONNECTIONS: Final = 8
RATE_S: Final = 2.0
SLOW_BYTES_PER_S: Final = 100_000
STANDING_S: Final = 5.0
MAX_GROWTH: Final = 8 * MIB
REFUSALS: Final = 200
TRIES_PER_ADDRESS: Final = 8
"""Fewer than close the door to an address."""
SLOW_HEADING: Final = "## A slow download to its end"
"""Where the part of ``bench.tunnel_slow`` begins, which takes too long to be made each time."""

Section = list[str]


COSTS: Final[tuple[tuple[str, str, Callable[[Place], float]], ...]] = (
    ("small requests in turn: p50", "ms", lambda place: median(waits(place, SMALL_REQUESTS)) * 1000),
    (
        f"small requests, {CONNECTIONS} at a time",
        "requests/s",
        lambda place: requests_per_s(place, CONNECTIONS, RATE_S),
    ),
    ("a download of 50 MiB", "MB/s", lambda place: 50 * MIB / 1e6 / download_s(place)),
)


class Tunnel:
    """A relay with one client, and both ways to its site."""

    def __init__(self, relay: Served, token: str, site_port: int) -> None:
        self.relay = relay
        self.token = token
        self.through = Place(relay.port, f"bench.{DOMAIN}")
        self.direct = Place(site_port, "127.0.0.1")

    def memory(self, what: str = "VmRSS") -> int:
        """Bytes that the relay's process has in memory, or had at most."""
        status = Path(f"/proc/{self.relay.process.pid}/status").read_text()
        return int(status.split(f"{what}:")[1].split()[0]) * 1024


@contextmanager
def tunnel(*serve: str) -> Iterator[Tunnel]:
    """All of it, started; ``serve`` are arguments of the relay's command."""
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder)
        manage(SETTINGS, data, "migrate", "--no-input")
        token = manage(SETTINGS, data, "tunnel_token", "issue", "bench", "--scope", "*").stdout.strip()
        with (
            site() as port,
            serving(SETTINGS, data, *serve, TUNNEL_BASE_DOMAIN=DOMAIN) as relay,
            serving_client(relay.port, "bench", port, token),
        ):
            yield Tunnel(relay, token, port)


def cost(tunnel: Tunnel) -> Section:
    """Beside a direct connection."""
    for place in (tunnel.direct, tunnel.through):
        waits(place, SMALL_REQUESTS)  # what is made at the first use is made
    lines = [
        "## Beside a direct connection",
        "",
        f"Medians of {ROUNDS} rounds in which both ways take turns; the ratio is that of the rounds' own.",
        "The site answers from memory, so a site that works for its answers has better ratios.",
        "",
        "| what | | direct | through the tunnel | ratio |",
        "|---|---|---|---|---|",
    ]
    for what, unit, measure in COSTS:
        rounds = [(measure(tunnel.direct), measure(tunnel.through)) for _ in range(ROUNDS)]
        direct, through = (median(values) for values in zip(*rounds, strict=True))
        ratio = median(b / a for a, b in rounds)
        lines.append(f"| {what} | {unit} | {_number(direct)} | {_number(through)} | {ratio:.2f} |")
        if unit == "ms":
            added = median(b - a for a, b in rounds)
            lines.append(f"| added to each | ms | | {_number(added)} | |")
    return lines


def beside_a_download(tunnel: Tunnel) -> Section:
    """What another visitor of the same peer notices of one large download."""
    lines = [
        "## Beside a large download",
        "",
        f"p95 of small requests to the same peer, in {ROUNDS} rounds that take turns with quiet ones, while",
        "one visitor loads 50 MiB files: as fast as it goes (which also takes the machine's cores), or at",
        "100 kB/s, where all but its window waits in the site.",
        "",
        "| the download | p95 quiet | p95 beside it | ratio | the relay grew by | asked for |",
        "|---|---|---|---|---|---|",
    ]
    for name, speed in (("at full speed", None), ("at 100 kB/s", SLOW_BYTES_PER_S)):
        before, rounds = tunnel.memory(), []
        for _ in range(ROUNDS):
            quiet = _p95(waits(tunnel.through, SMALL_REQUESTS))
            with downloading(tunnel.through, speed):
                time.sleep(1)  # until it runs
                rounds.append((quiet, _p95(waits(tunnel.through, SMALL_REQUESTS))))
        grown = tunnel.memory() - before
        quiet, beside = (median(values) * 1000 for values in zip(*rounds, strict=True))
        ratio = median(b / a for a, b in rounds)
        lines.append(
            f"| {name} | {quiet:.2f} ms | {beside:.2f} ms | {ratio:.2f} | {grown / MIB:.1f} MiB | "
            f"{_verdict(grown < MAX_GROWTH)} |"
        )
    return [*lines, "", "Asked for: less than 8 MiB."]


def stopped(tunnel: Tunnel) -> Section:
    """A visitor that is stopped in a download."""
    waits(tunnel.through, SMALL_REQUESTS)
    before = tunnel.memory()
    with downloading(tunnel.through, None) as visitor:
        time.sleep(1)
        assert visitor.pid is not None
        os.kill(visitor.pid, signal.SIGSTOP)
        time.sleep(STANDING_S)
        grown = tunnel.memory() - before
        others = _p95(waits(tunnel.through, SMALL_REQUESTS)) * 1000
    return [
        "## A visitor that is stopped",
        "",
        f"SIGSTOP in the middle of a download of 50 MiB. After {STANDING_S:g} s the relay's memory had grown",
        f"by {grown / MIB:.1f} MiB (asked for: less than 8; {_verdict(grown < MAX_GROWTH)}), and the p95 of",
        f"other visitors was {others:.2f} ms.",
    ]


def refusals(tunnel: Tunnel) -> Section:
    """Whether the time of a refusal says if a token's id exists."""
    known = f"{tunnel.token.rsplit('_', 1)[0]}_{'x' * 43}"
    kinds = {"a known id, a wrong secret": known, "an unknown id": f"tnl_{'a' * 12}_{'x' * 43}"}
    sources = (f"127.1.{number // 250}.{number % 250 + 1}" for number in range(10_000))
    times: dict[str, list[float]] = {kind: [] for kind in kinds}
    source = ""
    tries = REFUSALS * [*kinds.items()]
    Random(1).shuffle(tries)  # in turns, one kind always finds the relay as the other has left it
    for number, (kind, token) in enumerate(tries):
        if number % TRIES_PER_ADDRESS == 0:
            source = next(sources)
        began = time.perf_counter()
        with RawPeer(tunnel.relay.port, token, None, source) as peer:
            peer.next_of(Fatal)
            times[kind].append((time.perf_counter() - began) * 1000)
    lines = [
        "## A wrong token",
        "",
        f"From the first byte to the refusal, {REFUSALS} of each kind in random order, in milliseconds.",
        "",
        "| token | first quarter | median | third quarter |",
        "|---|---|---|---|",
    ]
    for kind, found in times.items():
        low, middle, high = quantiles(found, n=4)
        lines.append(f"| {kind} | {low:.2f} | {middle:.2f} | {high:.2f} |")
    medians = [median(found) for found in times.values()]
    spread = max(quantiles(found, n=4)[2] - quantiles(found, n=4)[0] for found in times.values())
    apart = abs(medians[0] - medians[1])
    return [
        *lines,
        "",
        f"The medians are {apart:.3f} ms apart, the middle halves {spread:.2f} ms wide. Asked for: apart by",
        f"less than that; {_verdict(apart < spread)}.",
    ]


SECTIONS: Final[dict[str, Callable[[Tunnel], Section]]] = {
    "cost": cost,
    "beside": beside_a_download,
    "stopped": stopped,
    "refusals": refusals,
}


def machine() -> Section:
    """What it was measured on."""
    cpu = Path("/proc/cpuinfo").read_text().splitlines()
    model = next((line.partition(":")[2].strip() for line in cpu if line.startswith("model name")), "")
    return [
        "# Figures of the tunnel",
        "",
        "Made by `python -m bench.tunnel`; not to be edited. Compare numbers of one run only.",
        "",
        f"{model or platform.machine()}, {os.cpu_count()} cores for relay, client, site and load together; "
        f"Python {platform.python_version()}, uvicorn. Loopback, no TLS.",
    ]


def main(wanted: list[str]) -> int:
    """All sections, or those named; only a full run is written down."""
    parts = [machine()]
    with tunnel() as running:
        for name, section in SECTIONS.items():
            if wanted and name not in wanted:
                continue
            busy = os.getloadavg()[0]
            parts.append([*section(running), "", f"The machine's load average before: {busy:.1f}."])
            print("\n".join(parts[-1]), "\n", flush=True)
    if not wanted:
        _, heading, slow = FIGURES.read_text().partition(SLOW_HEADING)
        made = "\n\n".join("\n".join(part) for part in parts) + "\n"
        FIGURES.write_text(f"{made}\n{heading}{slow}" if heading else made)
        print(f"written to {FIGURES}")
    return 0


def _p95(seconds: list[float]) -> float:
    return quantiles(seconds, n=20)[-1]


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.2f}"


def _verdict(good: bool) -> str:
    return "yes" if good else "NO"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
