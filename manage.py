#!/usr/bin/env python3
"""Django's command line for this project: `manage.py serve`, `migrate`, `check` and the rest."""

import os
import sys


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "quizsite.settings")
    try:
        from django.core.exceptions import ImproperlyConfigured
        from django.core.management import execute_from_command_line
    except ModuleNotFoundError as missing:
        sys.exit(f"{missing.name} is not installed for {sys.executable}; run: make run")
    try:
        execute_from_command_line(sys.argv)
    except ImproperlyConfigured as wrong:
        sys.exit(f"The settings cannot be used: {wrong}")


if __name__ == "__main__":
    main()
