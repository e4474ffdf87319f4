"""What the pages name is there: commands, settings, figures, targets; and their numbers are the code's."""

import re
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.core.management import get_commands

import gateway.conf
import rooms.conf
import tunnel.conf
from gateway import metrics
from gateway.core.heartbeat import HeartbeatPolicy
from gateway.core.inbound import InboundPolicy
from gateway.runtime import Runtime
from gateway.testing import VirtualClock
from rooms.archive import Archive
from rooms.core import rules
from rooms.service import QuizGame
from scripts import bootstrap
from tests.docs.pages import DOCS, ROOT, name, pages

KEYS = {"GATEWAY": gateway.conf.Keys, "ROOMS": rooms.conf.Keys, "TUNNEL": tunnel.conf.Keys}
DJANGOS = {
    "createsuperuser",
    "migrate",
    "check",
    "test",
    "collectstatic",
    "clearsessions",
    "runserver",
    "shell",
}


def words(page: Path) -> str:
    return page.read_text(encoding="utf-8")


@pytest.mark.parametrize("page", pages(), ids=name)
def test_every_command_that_a_page_names_is_there(page: Path) -> None:
    """Somebody types it."""
    named = set(re.findall(r"manage\.py ([a-z][a-z_]+)", words(page)))
    assert named - DJANGOS <= set(get_commands())


@pytest.mark.parametrize("page", pages(), ids=name)
def test_every_make_target_that_a_page_names_is_there(page: Path) -> None:
    """In code, for prose makes this and that as well."""
    named = set(re.findall(r"(?:`|\$ |^ {4})make ([a-z-]+)", words(page), re.MULTILINE))
    assert named <= set(re.findall(r"^([a-z][a-z-]*):", words(ROOT / "Makefile"), re.MULTILINE))


def test_every_make_target_does_something() -> None:
    """Whatever the Makefile hands on is a command of scripts/bootstrap.py, and the other way round."""
    handed_on = re.findall(r"\$\(BOOTSTRAP\) ([a-z-]+)$", words(ROOT / "Makefile"), re.MULTILINE)
    assert set(handed_on) == set(bootstrap.COMMANDS)


@pytest.mark.parametrize("page", [*pages(), DOCS / "operators.toml"], ids=name)
def test_every_setting_that_a_page_names_is_one(page: Path) -> None:
    """As ``GATEWAY["KEY"]``, with either quotes."""
    for setting, key in re.findall(r"(GATEWAY|ROOMS|TUNNEL)\[['\"]([A-Z_]+)['\"]\]", words(page)):
        assert key.lower() in KEYS[setting].__struct_fields__, f"{setting}[{key!r}]"


def test_every_figure_that_operators_are_told_of_is_counted() -> None:
    """An alarm on a name that nothing exports never rings."""
    make_game: Any = partial(QuizGame, archive=Archive())
    runtime = Runtime(make_game, gateway.conf.config(), VirtualClock())
    counted = {family.name for family in metrics.gathered(runtime)}
    named = set()
    for page in (DOCS / "operations.md", DOCS / "operators.toml"):
        named |= set(re.findall(r"\b(?:gateway|rooms)_[a-z_]+", words(page)))
    named -= set(get_commands())
    assert {figure for figure in named if figure.removesuffix("_total") not in counted} == set()
    assert len(named) >= 5


KEYS_OF_GATEWAY = gateway.conf.Keys()
INBOUND, BEATS = InboundPolicy(), HeartbeatPolicy()
KIB, MIB = 1024, 1024 * 1024


@pytest.mark.parametrize(
    ("what", "bound"),
    [
        (
            "one message",
            f"{INBOUND.max_parsed_bytes:,} bytes are parsed, {INBOUND.max_message_bytes // KIB} KiB arrive",
        ),
        ("bytes that wait for one slow client", f"{KEYS_OF_GATEWAY.max_buffered_bytes // MIB} MiB"),
        ("sockets of one browser session", str(KEYS_OF_GATEWAY.session_cap)),
        ("sockets of one address (IPv6: /64)", str(KEYS_OF_GATEWAY.ip_cap)),
        ("players in a room", str(rules.ROOM_MAX_PLAYERS)),
        ("rooms in a process", str(rules.MAX_ROOMS)),
        ("questions in a game", str(rules.QUESTION_COUNT_MAX)),
        (
            "a client that has died is noticed",
            f"{BEATS.interval_s + BEATS.timeout_s:g} to {2 * BEATS.interval_s + BEATS.timeout_s:g} s",
        ),
        ("seats are held over a restart", f"{rules.RESTART_HOLD_S:g} s"),
        ("a room whose people all dropped out waits for them", f"{rules.EMPTY_S / 60:g} min"),
        ("a room that nobody touches", f"{rules.IDLE_S / 3600:g} h"),
    ],
)
def test_a_limit_is_the_codes(what: str, bound: str) -> None:
    """The tables of docs/limits.md, row by row."""
    assert f"| {what} | {bound} |" in words(DOCS / "limits.md")


def test_before_a_commit_the_same_is_checked_as_in_make_lint() -> None:
    """By the project's own tools, so that nobody's other version has another opinion."""
    hooks = yaml.safe_load(words(ROOT / ".pre-commit-config.yaml"))["repos"][0]["hooks"]
    entries = [hook["entry"].replace(" --force-exclude", "") for hook in hooks]
    for checked in ("ruff check", "ruff format --check", "lint-imports", "mypy"):
        assert f".venv/bin/{checked}" in entries
    assert all(hook["language"] == "system" for hook in hooks)
