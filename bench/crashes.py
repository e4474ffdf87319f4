"""Kills a server in the middle of a game, again and again: ``python -m bench.crashes [ROUNDS] [SEED]``.

What must be left each time is in ``tests.faults.crashes``; this plays the 20 rounds that a test run has no
time for, and prints what became of the answers.
"""

import sys
import tempfile
from pathlib import Path

from tests.faults import crashes
from tests.faults.players import migrated

ROUNDS = 20
SEED = 1


def main(rounds: int = ROUNDS, seed: int = SEED) -> None:
    """Play and print."""
    with tempfile.TemporaryDirectory() as folder:
        data = migrated(Path(folder) / "template", Path(folder) / "data")
        tally = crashes.play(data, rounds, seed, print)
    print(
        f"{rounds} crashes: {tally.safe} answers were older than {crashes.SAFE_S:g} s, none of them lost; "
        f"{tally.kept} counted in all, {tally.lost} were given again"
    )


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
