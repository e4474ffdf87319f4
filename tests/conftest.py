"""What every test may use: Hypothesis without wall-clock verdicts, and the path of a real Chromium.

The settings are `tests/settings.py`; fixtures of one subject live in that subject's own conftest.
"""

import os
import shutil
from collections.abc import Iterator

import pytest
from django.utils import translation
from hypothesis import settings

from tests.node import Node

# A machine's speed is no rule of the project. In CI the examples are the same each time: what fails there
# fails again here, and new examples are for the developer's own runs.
settings.register_profile("developer", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True, print_blob=True)
settings.load_profile("ci" if os.environ.get("CI") else "developer")

CHROMIUM_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


@pytest.fixture(autouse=True)
def own_language() -> Iterator[None]:
    """A page asked for in Arabic leaves its thread speaking it: the next test must not be told so."""
    yield
    translation.deactivate()


@pytest.fixture(scope="session")
def chromium() -> str:
    """The browser's path: HALYARD_CHROMIUM as `make test` sets it, else one on the PATH."""
    path = os.environ.get("HALYARD_CHROMIUM") or next(filter(None, map(shutil.which, CHROMIUM_NAMES)), None)
    if path is None:
        missing = "no Chromium found; `make test` gets one, or set HALYARD_CHROMIUM to its path"
        # In CI a test that did not run must not look like one that passed.
        pytest.fail(missing) if os.environ.get("CI") else pytest.skip(missing)
    return path


@pytest.fixture(scope="session")
def node() -> Node:
    """What runs the modules of the pages."""
    return Node.found()
