"""``make bench`` and ``make bench-quick``: measure ourselves beside what people would use instead.

``python -m bench.run [--quick] [LETTER ...]``: all scenarios of the plan, or those named (as ``a b h``).
What was measured is written even if a later scenario fails; then the exit code is 1.
"""

import argparse
import sys
import time

from bench import installing, plan, ratios, report
from bench.generator import CountsDifferError
from bench.play import Played, play


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="bench.run", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="under 4 minutes, against Channels and Bun only")
    parser.add_argument("letters", nargs="*", help="scenarios to play (default: all)")
    options = parser.parse_args(arguments)
    scenarios = plan.quick() if options.quick else plan.whole()
    if options.letters:
        scenarios = [one for one in scenarios if one.letter.split("-")[0] in options.letters]
    installing.everything(1 + max(int(str(one.options["sockets"])) for one in scenarios))
    command = " ".join(["make", "bench-quick" if options.quick else "bench", *options.letters])
    failed = measure(scenarios, command)
    for text in failed:
        print(f"FAILED: {text}", file=sys.stderr)
    return 1 if failed else 0


def measure(scenarios: list[plan.Scenario], command: str) -> list[str]:
    """Play them all and write what they gave; returns what went wrong."""
    played: dict[str, Played] = {}
    failed = []
    began = time.monotonic()
    for scenario in scenarios:
        print(f"({scenario.letter}) {scenario.title} [{time.monotonic() - began:.0f} s]", flush=True)
        try:
            played[scenario.letter] = play(scenario, lambda line: print(line, flush=True))
        except (CountsDifferError, RuntimeError) as error:
            failed.append(f"({scenario.letter}): {error}")
    if played:
        report.write(played, command)
    for ratio, value, _ in ratios.measured(played).values():
        verdict = "reached" if ratio.met(value) else "NOT reached"
        promised = f" ({ratio.promise}: {verdict})" if ratio.promise else ""
        print(f"{ratio.key} = {value:.3f}{promised}")
    print(f"{time.monotonic() - began:.0f} s; written to {report.RESULTS_JSON} and {report.RESULTS_MD}")
    return failed


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
