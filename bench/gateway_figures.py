"""The gateway's figures, measured and written down: ``make bench-gateway`` prints them and makes
``docs/figures-gateway.md``.

Four questions of spec 1.5, 1.6 and 1.2, each put to a real server in a process of its own that serves the toy
game: what a client that never reads costs, what a flooding one costs the others, what is left of 10 000
sockets, and of 10 000 handshakes that die. What is done is in ``bench.gateway_scenarios``.
"""

import os
import platform
import sys
from collections.abc import Callable, Iterable
from importlib.metadata import version
from pathlib import Path
from statistics import median

from bench import gateway_scenarios as play

FIGURES = Path(__file__).resolve().parents[1] / "docs" / "figures-gateway.md"
SERVERS = ("uvicorn", "daphne")
MIB = 1024 * 1024
CYCLES = 10_000
ROUNDS = 5
MAX_GROWTH = 4 * MIB
MAX_CLOSE_S = 2.0
MAX_RATIO = 1.5
MAX_LEFT_KIB = 256
"""What may still differ between two moments of a process at work: caches, a request's own objects."""

Section = list[str]


def slow_readers() -> Section:
    """A client that never reads."""
    lines = [
        "## A client that never reads",
        "",
        "It sits down and stops reading, with a receive buffer of 4 KiB, while the room is sent 64 KB at a",
        "time. The clock starts with the piece that takes the process over 1 MiB for it, and stops when the",
        "kernel has forgotten the connection. Memory is the peak of the process's resident set, less what it",
        "was before.",
        "",
        "| server | most held for it | closed and gone after | the process grew by | asked for |",
        "|---|---|---|---|---|",
    ]
    for server in SERVERS:
        found = play.slow_reader(server)
        good = found.gone_after_s < MAX_CLOSE_S + play.STEP_S and found.growth < MAX_GROWTH
        lines.append(
            f"| {server} | {found.most_held / MIB:.2f} MiB | {found.gone_after_s:.2f} s | "
            f"{found.growth / MIB:.2f} MiB | {_verdict(good)} |"
        )
    return [*lines, "", "Asked for: gone within 2 s (plus the 0.1 s of one step), less than 4 MiB."]


def flooded() -> Section:
    """One client floods, 50 others play."""
    lines = [
        "## One client floods",
        "",
        f"{play.PLAYERS} players in one room say {1 / play.SAY_EVERY_S:g} things a second each and hear all",
        "that is said, while one more sends frames as fast as TCP takes them. Quiet and flooded phases of",
        f"{play.PHASE_S:g} s take turns, {ROUNDS} of each; server on one core, load on the other. Round",
        "trips of the players in milliseconds, medians of the rounds; the ratio is the median of the rounds'",
        "own.",
        "",
        "| server | p50 quiet | flooded | p99 quiet | flooded | ratio of p99 | flood sent | asked for |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for server in SERVERS:
        rounds = play.flood(server, ROUNDS)
        ratios = [each.flooded.p99 / each.quiet.p99 for each in rounds]
        cells = [
            server,
            _ms(each.quiet.p50 for each in rounds),
            _ms(each.flooded.p50 for each in rounds),
            _ms(each.quiet.p99 for each in rounds),
            _ms(each.flooded.p99 for each in rounds),
            f"{median(ratios):.2f} ({', '.join(f'{ratio:.2f}' for ratio in ratios)})",
            f"{median(each.frames_per_s for each in rounds):,.0f} frames/s",
            _verdict(median(ratios) <= MAX_RATIO),
        ]
        lines.append(_row(cells))
    return [*lines, "", "Asked for: a ratio of at most 1.5."]


def churned() -> Section:
    """Sockets come and go."""
    lines = [
        f"## {CYCLES:,} sockets come and go",
        "",
        f"{play.PHONES} phones connect, are greeted and close, again and again. Python's own memory by "
        "`tracemalloc` (which itself makes the process larger), after a collection of garbage.",
        "",
        "| server | after | traced | resident |",
        "|---|---|---|---|",
    ]
    for server in SERVERS:
        found = play.churn(server, CYCLES)
        for at in found.moments:
            lines.append(
                f"| {server} | {at.cycles:,} | {at.traced / 1024:,.0f} KiB | {at.rss / MIB:.1f} MiB |"
            )
        left = (found.moments[-1].traced - found.moments[0].traced) / 1024
        good = left < MAX_LEFT_KIB and found.nothing_left
        lines.append(f"| {server} | from first to last | {left:+,.0f} KiB | {_verdict(good)} |")
    return [*lines, "", "Asked for: flat, and all counters at zero in the end (they were looked at)."]


def torn() -> Section:
    """Handshakes die."""
    lines = [
        f"## {CYCLES:,} handshakes cut",
        "",
        "At a random byte of the request, damaged, with noise behind it, or whole and then dead at each",
        "later stage; by FIN, by RST, by hanging. The same generator as in the tests, another seed.",
        "",
        "| server | attempts | let in | refused | seconds | tracebacks | files left | counters, newcomer |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for server in SERVERS:
        found = play.cut(server, CYCLES)
        good = found.nothing_left and found.tracebacks == 0
        numbers = [f"{number:,}" for number in (found.attempts, found.accepted, found.refused)]
        left = [f"{found.tracebacks}", f"{found.files:+d}", "zero, let in" if good else "NOT zero"]
        lines.append(_row([server, *numbers, f"{found.seconds:.0f}", *left]))
    return lines


SECTIONS: dict[str, Callable[[], Section]] = {
    "slow": slow_readers,
    "flood": flooded,
    "churn": churned,
    "torn": torn,
}


def machine() -> Section:
    """What it was measured on."""
    cpu = Path("/proc/cpuinfo").read_text().splitlines()
    models = (line.partition(":")[2].strip() for line in cpu if line.startswith("model name"))
    model = next(models, platform.machine())
    names = ("uvicorn", "uvloop", "websockets", "daphne", "Twisted")
    packages = ", ".join(f"{name} {version(name)}" for name in names)
    return [
        "# Figures of the gateway",
        "",
        "Made by `make bench-gateway`; not to be edited. Compare numbers of one run only.",
        "",
        f"{model}, {os.cpu_count()} cores; Python {platform.python_version()}, {packages}. Loopback, no TLS.",
    ]


def main(wanted: list[str]) -> int:
    """All sections, or those named; only a full run is written down."""
    parts = [machine()]
    for name, section in SECTIONS.items():
        if wanted and name not in wanted:
            continue
        busy = os.getloadavg()[0]
        parts.append([*section(), "", f"The machine's load average before: {busy:.1f}."])
        print("\n".join(parts[-1]), "\n", flush=True)
    if not wanted:
        FIGURES.write_text("\n\n".join("\n".join(part) for part in parts) + "\n")
        print(f"written to {FIGURES}")
    return 0


def _ms(seconds: Iterable[float]) -> str:
    return f"{median(seconds) * 1000:.2f}"


def _row(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _verdict(good: bool) -> str:
    return "yes" if good else "NO"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
