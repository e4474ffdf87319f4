"""deploy/Dockerfile and compose.yaml: what a linter would ask, and that they fit the site and each other."""

import json
import os
import re
import subprocess
import sys
from typing import Any

import pytest
import yaml

from tests.deploy.conftest import Site
from tests.deploy.front import DEPLOY, ROOT
from tests.nginx import free_port

STOP_S = 10  # spec 4.4


def instructions() -> list[tuple[str, str]]:
    """The Dockerfile, one instruction a row, continued lines joined."""
    text = (DEPLOY / "Dockerfile").read_text()
    code = "\n".join(line for line in text.splitlines() if not line.startswith("#"))
    rows = re.sub(r"\\\n\s*", "", code).splitlines()
    return [(word, rest) for word, _, rest in (row.partition(" ") for row in rows if row)]


def said(word: str) -> list[str]:
    """What all instructions of one kind say."""
    return [rest for instruction, rest in instructions() if instruction == word]


@pytest.fixture(scope="module")
def compose() -> dict[str, Any]:
    """The compose file."""
    loaded: dict[str, Any] = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
    return loaded


def test_the_image_is_slim_and_pinned_to_a_python_that_is_supported() -> None:
    """No `latest`; every stage from the same base."""
    bases = {rest.split()[0] for rest in said("FROM")}
    assert len(bases) == 1
    assert re.fullmatch(r"python:3\.1[1-4]-slim", bases.pop())


def test_the_server_is_nobody_and_gets_the_signal() -> None:
    """It runs as a user without rights, made before; and it is the process that SIGTERM reaches."""
    (user,) = said("USER")
    assert any(f" {user} " in f"{rest} " and "useradd" in rest for rest in said("RUN"))
    words = [word for word, _ in instructions()]
    assert words.index("USER") > max(place for place, word in enumerate(words) if word == "RUN")
    (command,) = said("CMD")
    assert json.loads(command)[-1].rpartition("&& ")[2].startswith("exec python manage.py serve ")
    assert said("STOPSIGNAL") == ["SIGTERM"]


def test_what_is_copied_is_there_and_let_through() -> None:
    """A file that .dockerignore keeps out, or that is not in the tree, would fail on somebody's machine."""
    ignored = (DEPLOY / "Dockerfile.dockerignore").read_text().splitlines()
    sources = [rest.split()[0] for rest in said("COPY") if not rest.startswith("--from")]
    assert sources
    for source in sources:
        assert (ROOT / source).exists(), source
        assert f"!{source}" in ignored, source
    assert "*" in ignored


def test_no_package_comes_without_its_hash() -> None:
    """The image has what the lock file names, and nothing else."""
    (installs,) = [rest for rest in said("RUN") if "pip install" in rest]
    assert "--require-hashes" in installs
    assert "-r /requirements.txt" in installs


def test_the_image_has_every_app_of_the_site() -> None:
    """What settings.INSTALLED_APPS names of ours, and the site itself."""
    copied = {rest.split()[0] for rest in said("COPY")}
    assert copied >= {"gateway", "rooms", "debugger", "tunnel", "quizsite", "manage.py"}


@pytest.mark.parametrize("healthy", [True, False])
def test_the_health_check_tells_life_from_death(site: Site, healthy: bool) -> None:
    """The command as it stands in the image, against a site as the image configures it, and against none."""
    (check,) = said("HEALTHCHECK")
    _, option, script = json.loads(check.partition("CMD ")[2])
    port = site.port if healthy else free_port()
    assert ":8000/" in script
    asked = [sys.executable, option, script.replace(":8000/", f":{port}/")]
    ran = subprocess.run(asked, capture_output=True, timeout=30, env={"PATH": os.environ["PATH"]})
    assert (ran.returncode == 0) is healthy


def test_one_web_before_which_stands_the_proxy(compose: dict[str, Any]) -> None:
    """The server has no port of its own outside, is one, and is given time to drain."""
    web = compose["services"]["web"]
    assert "ports" not in web
    assert "deploy" not in web
    assert int(web["stop_grace_period"].removesuffix("s")) > STOP_S
    assert compose["services"]["caddy"]["ports"] == ["80:80", "443:443"]


def test_compose_names_what_is_there(compose: dict[str, Any]) -> None:
    """Build files, mounted files, volumes and the services that others wait for."""
    services = compose["services"]
    build = services["web"]["build"]
    assert (DEPLOY / build["context"] / build["dockerfile"]).resolve() == DEPLOY / "Dockerfile"
    for service in services.values():
        for source in (volume.partition(":")[0] for volume in service.get("volumes", ())):
            assert (DEPLOY / source).exists() if source.startswith(".") else source in compose["volumes"]
        for other in service.get("depends_on", {}):
            assert other in services
            assert "healthcheck" in services[other] or other == "web"  # whose image has one


def test_the_proxy_finds_the_server_and_is_believed(compose: dict[str, Any]) -> None:
    """Caddy's variables are those of the Caddyfile; its network is the one that the site trusts."""
    caddy, web = compose["services"]["caddy"], compose["services"]["web"]
    variables = set(re.findall(r"\{\$(\w+):", (DEPLOY / "Caddyfile").read_text()))
    assert set(caddy["environment"]) == variables
    assert caddy["environment"]["HALYARD"] == "web:8000"
    (network,) = compose["networks"]["default"]["ipam"]["config"]
    assert web["environment"]["TRUSTED_PROXIES"] == network["subnet"]


def test_every_setting_that_it_gives_is_one(compose: dict[str, Any]) -> None:
    """A name that the site does not read would be silence."""
    known = set(re.findall(r"^#?([A-Z_]+)=", (ROOT / ".env.example").read_text(), re.MULTILINE))
    given = set(compose["services"]["web"]["environment"])
    given |= {pair.partition("=")[0] for rest in said("ENV") for pair in rest.split()}
    assert given - known == {"PATH", "PYTHONUNBUFFERED", "PYTHONDONTWRITEBYTECODE"}


def test_no_secret_is_in_the_files() -> None:
    """The key is made at the first start and stays in the volume."""
    for path in (DEPLOY / "Dockerfile", DEPLOY / "compose.yaml"):
        assert not re.search(r"SECRET_KEY|PASSWORD|TOKEN", path.read_text())


def test_the_lock_has_what_compose_turns_on() -> None:
    """Redis needs its extra in the image."""
    assert re.search(r"^channels-redis==", (ROOT / "requirements.txt").read_text(), re.MULTILINE)
