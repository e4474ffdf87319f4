"""quizsite.environment: what the values of the environment may be."""

import re

import pytest
from django.core.exceptions import ImproperlyConfigured

from quizsite.environment import Environment


@pytest.fixture
def env(monkeypatch: pytest.MonkeyPatch) -> Environment:
    """An environment of its own."""
    monkeypatch.setattr(Environment, "ENVIRON", {})
    return Environment()


@pytest.mark.parametrize(
    ("text", "on"),
    [("on", True), ("TRUE", True), ("1", True), (" yes ", True), ("off", False), ("No", False), ("", False)],
)
def test_a_switch_is_on_or_off(env: Environment, text: str, on: bool) -> None:
    """In any case, by any of the usual words; what is not set is off."""
    assert env.switch("X") is False
    env.ENVIRON["X"] = text
    assert env.switch("X") is on


@pytest.mark.parametrize("text", ["maybe", "2", "onn"])
def test_a_switch_that_is_neither_is_refused(env: Environment, text: str) -> None:
    """`HTTPS=ture` must not be a site without it."""
    env.ENVIRON["X"] = text
    with pytest.raises(ImproperlyConfigured, match=re.escape(f"X must be on or off, not {text!r}.")):
        env.switch("X")


@pytest.mark.parametrize("text", ["-1", "1.5", "long", "", "²"])
def test_a_count_is_a_whole_number(env: Environment, text: str) -> None:
    """Of digits alone; 0 if it is not set."""
    assert env.count("X") == 0
    env.ENVIRON["X"] = "31536000"
    assert env.count("X") == 31_536_000
    env.ENVIRON["X"] = text
    with pytest.raises(ImproperlyConfigured, match="X must be a whole number"):
        env.count("X")


def test_a_database_is_read_from_its_address(env: Environment) -> None:
    """The usual ones."""
    env.ENVIRON["X"] = "postgres://ann:secret@db.example:5433/halyard"
    found = env.database("X")
    assert (found["ENGINE"], found["NAME"]) == ("django.db.backends.postgresql", "halyard")
    assert (found["HOST"], found["PORT"], found["PASSWORD"]) == ("db.example", 5433, "secret")
    env.ENVIRON["X"] = "sqlite:////srv/halyard.sqlite3"
    assert env.database("X")["NAME"] == "/srv/halyard.sqlite3"
