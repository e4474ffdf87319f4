"""The bench as tests run it: in a folder of its own, and all that it needs made once."""

import atexit
import os
import shutil
import tempfile

import pytest

_home = tempfile.TemporaryDirectory(prefix="halyard-bench-")
atexit.register(_home.cleanup)
os.environ["BENCH_HOME"] = _home.name  # read when `bench.contestants` is imported

from bench import generator, installing  # noqa: E402

SOCKETS = 500


@pytest.fixture(scope="session")
def bench() -> None:
    """The generator and the sessions of its clients; peers come from our own environment."""
    if shutil.which("cc") is None and not os.environ.get("CI"):
        pytest.skip("no C compiler")
    generator.compile_program()
    installing.sessions(SOCKETS + 1)
