"""How Sphinx builds this documentation: `make docs`. Pages printed from the code are written first."""

import os
import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent)]
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")

import django  # noqa: E402

django.setup()

import reference  # noqa: E402

reference.write(HERE / "printed")

project = "Halyard"
author = "the Halyard project"
extensions = ["myst_parser"]
myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3
exclude_patterns = ["protocol/*.json", "printed/budgets.md"]  # the second is part of limits.md
html_theme = "furo"
html_title = "Halyard"
nitpicky = True
