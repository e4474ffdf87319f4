"""Runs one target under Atheris: ``python -m fuzz.inbound -max_total_time=600``, or other of its options.

Atheris is in an environment of its own (``make fuzz``); without it a target is a plain module, and its check
a plain function, for the tests. Knows no target.
"""

import hashlib
import os
import sys
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).resolve().parents[1]
FOUND: Final = ROOT / "fuzz" / "found"
"""Inputs that broke a rule once, by target."""
GROWN: Final = ROOT / "var" / "fuzz"
"""What a run has learnt, by target; the next run goes on from there."""

MAX_BYTES: Final = 16_384
"""Longer inputs are slower, and find the same."""
HANG_S: Final = 10
"""An input that takes longer is a finding, too: a person waits for it, or the loop does."""
MEMORY_MB: Final = 2_048

Check = Callable[[bytes], None]


def instrumented(*packages: str) -> AbstractContextManager[Any]:
    """Around the first imports of a target: what they load of these packages tells which ways it took."""
    try:
        import atheris  # type: ignore[import-untyped, import-not-found, unused-ignore]
    except ImportError:
        return nullcontext()
    return atheris.instrument_imports(include=list(packages))  # type: ignore[no-any-return]


def followed(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function that was imported long ago, and tells Atheris which ways it took all the same."""
    try:
        import atheris
    except ImportError:
        return function
    return atheris.instrument_func(function)  # type: ignore[no-any-return]


def with_django() -> None:
    """For targets whose code has texts in more than one language; it imports every app."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
    import django

    django.setup()


def main(name: str, check: Check, seeds: Iterable[bytes], words: Iterable[str]) -> None:
    """Fuzz until libFuzzer's options say that it is enough; a finding ends it, and its exit code is not 0.

    ``words`` are what the format is made of: bytes alone take for ever to find one.
    """
    import atheris

    grown, found = GROWN / name, FOUND / name
    for folder in (grown, found):
        folder.mkdir(parents=True, exist_ok=True)
    for seed in seeds:
        (grown / hashlib.sha256(seed).hexdigest()[:16]).write_bytes(seed)
    dictionary = GROWN / f"{name}.dict"
    dictionary.write_text("".join(f'"{escaped(word)}"\n' for word in words))
    options = [
        *(f"-max_len={MAX_BYTES}", f"-timeout={HANG_S}", f"-rss_limit_mb={MEMORY_MB}"),
        *(f"-artifact_prefix={found}/", f"-dict={dictionary}", "-print_final_stats=1"),
    ]
    atheris.Setup([sys.argv[0], *options, *sys.argv[1:], str(grown), str(found)], check)
    atheris.Fuzz()


def escaped(word: str) -> str:
    """As libFuzzer reads its dictionary."""
    return "".join(f"\\x{byte:02x}" for byte in word.encode())
