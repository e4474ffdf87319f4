"""The relay's settings and its system checks (spec 6.5), and that a site without them is no relay."""

import subprocess
import sys
from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured

from tests.serving import ROOT, environment_of
from tunnel import checks, conf
from tunnel.core.hosts import HostPolicy


def test_the_defaults_are_the_numbers_of_the_spec() -> None:
    """An empty dict is complete, but serves nobody: no domain, no peers."""
    config = conf.build({})
    keys = config.keys
    assert (keys.max_requests, keys.max_body_bytes, keys.head_timeout_ms) == (256, 10_485_760, 30_000)
    assert (keys.ping_interval_ms, keys.dead_after_ms) == (15_000, 40_000)
    assert not config.serves
    assert conf.build({"BASE_DOMAIN": "t.example"}).hosts == HostPolicy(
        "t.example", frozenset({"www", "admin", "mail", "static"})
    )
    assert conf.build({"PATH_ROUTING": True}).serves


@pytest.mark.parametrize(
    "raw",
    [
        {"BASE_DOMIAN": "t.example"},
        {"BASE_DOMAIN": "T.Example"},
        {"BASE_DOMAIN": ".t.example"},
        {"BASE_DOMAIN": "t.example:8000"},
        {"MAX_REQUESTS": 0},
        {"TRUSTED_PROXIES": ["10.0.0.1/8"]},
        {"PATH_ROUTING": "yes"},
    ],
)
def test_what_cannot_be_used_is_named_with_a_hint(raw: dict[str, Any], settings: Any) -> None:
    """By the check, and by the process, which does not start with it."""
    settings.TUNNEL = raw
    (found,) = checks.check_settings()
    assert found.id == "tunnel.E001"
    assert next(iter(raw)) in found.msg
    assert found.hint.endswith(".")
    with pytest.raises(ImproperlyConfigured, match="TUNNEL"):
        conf.build(raw)
    assert checks.check_cookies() == checks.check_hosts() == []


@pytest.mark.parametrize("domain", ["example.net", ".example.net", "t.example.net", ".T.example.net"])
def test_a_cookie_that_peers_would_get_is_an_error(settings: Any, domain: str) -> None:
    """The site's session, sent to every visitor's laptop."""
    settings.TUNNEL = {"BASE_DOMAIN": "t.example.net"}
    settings.SESSION_COOKIE_DOMAIN = domain
    assert [error.id for error in checks.check_cookies()] == ["tunnel.E002"]
    settings.SESSION_COOKIE_DOMAIN = "quiz.example.net"
    assert checks.check_cookies() == []


def test_a_site_under_its_own_tunnels_is_an_error(settings: Any) -> None:
    """No request would ever reach it."""
    settings.TUNNEL = {"BASE_DOMAIN": "t.example.net"}
    settings.ALLOWED_HOSTS = ["example.net", "quiz.t.example.net"]
    assert [error.id for error in checks.check_hosts()] == ["tunnel.E003"]


def test_without_the_setting_there_is_nothing_to_check(settings: Any) -> None:
    """And no relay."""
    settings.TUNNEL = None
    assert checks.check_settings() == checks.check_cookies() == checks.check_hosts() == []
    assert not conf.configured()
    with pytest.raises(ImproperlyConfigured):
        conf.config()


@pytest.mark.parametrize("domain", ["", "t.localhost"])
def test_the_router_is_there_only_where_it_is_configured(tmp_path: Any, domain: str) -> None:
    """A site without tunnels loads nothing of the relay and has nothing around its application."""
    script = (
        "import sys, quizsite.asgi as a; "
        "print(type(a.application).__name__, any(m.startswith('tunnel.relay') for m in sys.modules))"
    )
    environment = {**environment_of("quizsite.settings", tmp_path), "TUNNEL_BASE_DOMAIN": domain}
    ran = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, env=environment, capture_output=True, text=True, timeout=60
    )
    assert ran.stdout.split() == (["TunnelRouter", "True"] if domain else ["WithBodyLimit", "False"]), (
        ran.stderr
    )
