"""``manage.py gateway_doctor`` through a real nginx: each broken configuration is named in plain words."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.nginx import free_port, front
from tests.serving import Served, manage, serving

TOY = "tests.toy_game.settings"

HOST = "proxy_set_header Host $http_host;"
ADDRESS = "proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;"
SCHEME = "proxy_set_header X-Forwarded-Proto $scheme;"
UPGRADE = (
    "proxy_http_version 1.1; proxy_set_header Upgrade $http_upgrade;"
    "proxy_set_header Connection $connection_upgrade;"
)
PATIENT = "proxy_read_timeout 120s;"
GOOD = (HOST, ADDRESS, SCHEME, UPGRADE, PATIENT)

QUICK = {"HEARTBEAT_INTERVAL_MS": 1500, "HEARTBEAT_TIMEOUT_MS": 1000, "IP_CAP": 20}
TRUSTING = json.dumps({**QUICK, "TRUSTED_PROXIES": ["127.0.0.0/8"]})
WARY = json.dumps(QUICK)


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("doctor")


@pytest.fixture(scope="module")
def trusting(data: Path) -> Iterator[Served]:
    """A server that trusts the proxy."""
    with serving(TOY, data / "trusting", TOY_GATEWAY=TRUSTING) as served:
        yield served


@pytest.fixture(scope="module")
def wary(data: Path) -> Iterator[Served]:
    """A server that trusts nobody."""
    with serving(TOY, data / "wary", TOY_GATEWAY=WARY) as served:
        yield served


def without(*left_out: str) -> str:
    """The good configuration with something missing."""
    return " ".join(directive for directive in GOOD if directive not in left_out)


def examine(folder: Path, url: str, gateway: str, *flags: str) -> tuple[int, str]:
    """Run the doctor as an operator does; its exit code and all that it says."""
    ran = manage(TOY, folder, "gateway_doctor", url, *flags, TOY_GATEWAY=gateway)
    assert "Traceback" not in ran.stderr, ran.stderr
    return ran.returncode, ran.stdout + ran.stderr


def test_a_good_proxy_is_found_good(data: Path, trusting: Served, tmp_path: Path) -> None:
    """With the four headers, the upgrade and a long timeout."""
    with front(tmp_path, trusting.port, without()) as url:
        code, said = examine(data / "trusting", url, TRUSTING)
    assert (code, "Players can play" in said) == (0, True), said


def test_a_server_without_a_proxy_is_found_good(data: Path, wary: Served) -> None:
    """A classroom's laptop has none."""
    code, said = examine(data / "wary", wary.http, WARY)
    assert (code, "Players can play" in said) == (0, True), said


@pytest.mark.parametrize(
    ("directives", "named", "remedy"),
    [
        pytest.param(
            without(UPGRADE), "The upgrade does not arrive", "proxy_http_version 1.1", id="no upgrade headers"
        ),
        pytest.param(
            without(PATIENT) + " proxy_read_timeout 1s;",
            "The proxy cuts a quiet socket after",
            "proxy_read_timeout 120s",
            id="a timeout below the heartbeat",
        ),
        pytest.param(
            without(HOST),
            "The proxy changes the Host",
            "proxy_set_header Host $http_host",
            id="Host rewritten",
        ),
        pytest.param(
            without(ADDRESS), "no X-Forwarded-For", "$proxy_add_x_forwarded_for", id="no X-Forwarded-For"
        ),
        pytest.param(
            without(SCHEME) + " proxy_set_header X-Forwarded-Proto https;",
            "the proxy says https",
            "X-Forwarded-Proto $scheme",
            id="https where it is http",
        ),
    ],
)
def test_a_broken_proxy_is_named_with_the_line_to_write(
    data: Path, trusting: Served, tmp_path: Path, directives: str, named: str, remedy: str
) -> None:
    """As the first finding: it is what to mend first."""
    with front(tmp_path, trusting.port, directives) as url:
        code, said = examine(data / "trusting", url, TRUSTING)
    assert code == 1
    assert said.startswith("1. "), said
    first = said.partition("2. ")[0]
    assert named in first, said
    assert remedy in first, said


def test_a_proxy_that_the_site_does_not_trust_is_named(data: Path, wary: Served, tmp_path: Path) -> None:
    """Everybody behind it shares one cap, and nothing else tells the operator."""
    with front(tmp_path, wary.port, without()) as url:
        code, said = examine(data / "wary", url, WARY)
    assert code == 1
    assert "TRUSTED_PROXIES=127.0.0.1" in said, said


def test_a_proxy_before_nothing_is_named(data: Path, tmp_path: Path) -> None:
    """The site behind it is not started."""
    with front(tmp_path, free_port(), without()) as url:
        code, said = examine(data / "wary", url, WARY)
    assert (code, "reaches no server behind it (502)" in said) == (1, True), said


def test_an_address_where_nothing_listens_is_named(data: Path) -> None:
    """In words, not in an errno."""
    code, said = examine(data / "wary", f"http://127.0.0.1:{free_port()}", WARY)
    assert (code, "nothing listens there" in said) == (1, True), said


def test_another_sites_mirror_stays_shut(data: Path, wary: Served, tmp_path: Path) -> None:
    """The note is signed with the site's own key: a stranger's opens nothing, and says so."""
    code, said = examine(tmp_path, wary.http, WARY)
    assert (code, "same SECRET_KEY" in said) == (1, True), said


def test_what_is_no_address_is_refused_with_an_example(data: Path) -> None:
    """Before anything is visited."""
    code, said = examine(data / "wary", "quiz.example", WARY)
    assert (code, "https://quiz.example" in said) == (2, True), said


def test_the_visit_leaves_no_session_behind(data: Path, wary: Served) -> None:
    """It makes one to be admitted, and takes it away."""
    before = sorted((data / "wary").glob("sessionid*"))
    examine(data / "wary", wary.http, WARY)
    assert sorted((data / "wary").glob("sessionid*")) == before


def test_a_program_reads_facts_and_findings_as_json(data: Path, wary: Served, tmp_path: Path) -> None:
    """For a monitor that asks every hour."""
    with front(tmp_path, wary.port, without()) as url:
        ran = manage(TOY, data / "wary", "gateway_doctor", url, "--json", TOY_GATEWAY=WARY)
    told = json.loads(ran.stdout)
    assert told["facts"]["seen"]["peer"] == "127.0.0.1"
    assert [finding["title"][:20] for finding in told["findings"]] == ["A proxy at 127.0.0.1"]
