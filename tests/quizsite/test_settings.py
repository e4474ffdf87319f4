"""quizsite.settings: a fresh checkout needs no environment, and the documented one makes a public site.

Settings are read once per process, so each test asks a process of its own.
"""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.quizsite.process import ROOT, ended, run


def settings(names: str, **environment: str) -> list[Any]:
    """The named settings (comma-separated), as a process with `environment` reads them."""
    code = f"import json; from quizsite.settings import *; print(json.dumps([{names}], default=str))"
    answer: list[Any] = json.loads(run("-c", code, **environment))
    return answer


@pytest.fixture
def data(tmp_path: Path) -> str:
    return str(tmp_path / "var")


def documented_production() -> dict[str, str]:
    """The commented settings of .env.example's first section."""
    section = (ROOT / ".env.example").read_text().split("# ---")[1]
    return dict(re.findall(r"^#([A-Z_]+)=(.*)$", section, re.MULTILINE))


def test_a_fresh_checkout_is_closed_to_all_but_this_machine(data: str) -> None:
    """DEBUG off, loopback names only, no foreign origin, no trusted proxy."""
    assert settings("DEBUG, ALLOWED_HOSTS, GATEWAY", DATA_DIR=data) == [
        False,
        ["localhost", "127.0.0.1", "[::1]"],
        {"ALLOWED_ORIGINS": [], "TRUSTED_PROXIES": [], "METRICS_TOKEN": "", "METRICS_NETWORKS": []},
    ]


def test_a_fresh_checkout_keeps_what_it_writes_in_one_folder(data: str) -> None:
    """The database and the secret key are in DATA_DIR, and the key is the same the next time."""
    database, key = settings("DATABASES['default']['NAME'], SECRET_KEY", DATA_DIR=data)
    (again,) = settings("SECRET_KEY", DATA_DIR=data)
    assert Path(database).parent == Path(data)
    assert (Path(data) / "secret-key").read_text().strip() == key == again


def test_a_site_with_its_own_key_and_database_writes_nothing(data: str) -> None:
    """A container's file system may be read-only."""
    settings("SECRET_KEY", DATA_DIR=data, SECRET_KEY="k" * 50, DATABASE_URL="sqlite://:memory:")
    assert not Path(data).exists()


@pytest.mark.parametrize("url", ["", "sqlite:///{data}/other.sqlite3"])
def test_sqlite_readers_do_not_wait_for_the_writer(data: str, url: str) -> None:
    """Write-ahead log and a bounded wait, for the default database and for one that is named."""
    Path(data).mkdir()
    code = (
        "import django; django.setup()\n"
        "from django.db import connection\n"
        "def pragma(name): return connection.cursor().execute('PRAGMA ' + name).fetchone()[0]\n"
        "print(pragma('journal_mode'), pragma('busy_timeout'), connection.transaction_mode)\n"
        "connection.close()"
    )
    environment = {"DATABASE_URL": url.format(data=data)} if url else {}
    answer = run("-c", code, DJANGO_SETTINGS_MODULE="quizsite.settings", DATA_DIR=data, **environment)
    assert answer.split() == ["wal", "5000", "IMMEDIATE"]


def test_hosts_of_the_network_are_added_to_the_allowed_ones(data: str) -> None:
    """`make run` opens the site to the network without overruling what .env allows."""
    environment = {"ALLOWED_HOSTS": "quiz.example.org", "LAN_HOSTS": "192.168.1.20,laptop.local"}
    assert settings("ALLOWED_HOSTS", DATA_DIR=data, **environment) == [
        ["quiz.example.org", "192.168.1.20", "laptop.local"]
    ]


def test_the_environment_wins_over_the_env_file(data: str, tmp_path: Path) -> None:
    """A variable given for one start is meant for that start."""
    file = tmp_path / "dotenv"
    file.write_text("LOG_LEVEL=DEBUG\nALLOWED_ORIGINS=https://a.example,https://b.example\n")
    names = "env('LOG_LEVEL'), GATEWAY['ALLOWED_ORIGINS']"
    assert settings(names, DATA_DIR=data, ENV_FILE=str(file), LOG_LEVEL="WARNING") == [
        "WARNING",
        ["https://a.example", "https://b.example"],
    ]


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("HTTPS", "maybe", "HTTPS must be on or off, not 'maybe'."),
        ("HSTS_SECONDS", "a year", "HSTS_SECONDS must be a whole number, not 'a year'."),
        ("LOG_LEVEL", "loud", "LOG_LEVEL must be one of DEBUG, INFO, WARNING, ERROR, CRITICAL, not 'loud'."),
        ("LOG_FORMAT", "xml", "LOG_FORMAT must be one of text, json, not 'xml'."),
    ],
)
def test_a_value_that_means_nothing_stops_every_command_with_one_sentence(
    data: str, name: str, value: str, said: str
) -> None:
    """No traceback, and above all no silent "off" for what was meant to be on."""
    done = ended("manage.py", "check", DATA_DIR=data, **{name: value})
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == f"The settings cannot be used: {said}\n"


@pytest.mark.parametrize("url", ["nonsense", "foo://ann:secret@host/db", "postgres://ann:secret@host:abc/db"])
def test_an_address_of_no_database_is_refused_without_its_password(data: str, url: str) -> None:
    """The value may be a secret: the sentence says what to write, and not what was written."""
    done = ended("manage.py", "serve", DATA_DIR=data, DATABASE_URL=url)
    assert done.returncode == 1
    assert "DATABASE_URL cannot be read as the address of a database: write postgres://" in done.stderr
    assert done.stderr.count("\n") == 1
    assert url not in done.stderr
    assert "secret" not in done.stderr


def test_control_messages_go_through_redis_when_there_is_one(data: str) -> None:
    """In memory else: no other service is needed."""
    name = "CHANNEL_LAYERS['default']['BACKEND']"
    assert settings(name, DATA_DIR=data) == ["channels.layers.InMemoryChannelLayer"]
    redis = settings(name, DATA_DIR=data, REDIS_URL="redis://localhost:6379/0")
    assert redis == ["channels_redis.pubsub.RedisPubSubChannelLayer"]


def test_the_documented_production_settings_pass_djangos_deployment_check(data: str) -> None:
    """What .env.example says of a public site is enough: `check --deploy` has not one remark."""
    environment = documented_production()
    assert len(environment) >= 6
    answer = run("manage.py", "check", "--deploy", "--fail-level", "DEBUG", DATA_DIR=data, **environment)
    assert answer == "System check identified no issues (0 silenced).\n"


def test_a_fresh_checkout_passes_the_ordinary_check(data: str) -> None:
    """Nothing has to be set for a first look."""
    answer = run("manage.py", "check", "--fail-level", "DEBUG", DATA_DIR=data)
    assert answer == "System check identified no issues (0 silenced).\n"


def test_every_setting_of_the_environment_is_in_the_example(data: str) -> None:
    """.env.example is the reference; ENV_FILE, which names the file itself, is the one exception."""
    read = set(re.findall(r"env(?:\.\w+)?\(\s*\"([A-Z_]+)\"", (ROOT / "quizsite/settings.py").read_text()))
    documented = set(re.findall(r"^#([A-Z_]+)=", (ROOT / ".env.example").read_text(), re.MULTILINE))
    assert read - documented == {"ENV_FILE"}
    assert documented <= read


def test_no_script_and_no_foreign_form_gets_the_session(data: str) -> None:
    """Scripts do not see the cookie; it goes along with a followed link but not with a foreign POST."""
    assert settings("SESSION_COOKIE_HTTPONLY, SESSION_COOKIE_SAMESITE", DATA_DIR=data) == [True, "Lax"]


def test_a_public_site_sends_its_cookies_by_https_only(data: str) -> None:
    """HTTPS=on redirects, but for the probes, which ask the process itself."""
    names = "SECURE_SSL_REDIRECT, SESSION_COOKIE_SECURE, CSRF_COOKIE_SECURE, SECURE_PROXY_SSL_HEADER"
    assert settings(names, DATA_DIR=data, **documented_production()) == [
        True,
        True,
        True,
        ["HTTP_X_FORWARDED_PROTO", "https"],
    ]
