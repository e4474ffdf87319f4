"""A session is the server's own word (spec 1.2): nobody can choose it for somebody else, or keep one that is
over.
"""

from pathlib import Path

import pytest
from django.contrib.auth import get_user_model
from django.contrib.sessions.models import Session
from django.test import Client

from tests.security.stranger import AGENT, get, session, upgrade
from tests.serving import Served, session_cookie

PLANTED = "sessionid=attackersattackersattackersattac"


def knocks(server: Served, cookie: str, *lines: str) -> int:
    """The status of an upgrade from the site's own page with this cookie."""
    origin = f"Origin: http://127.0.0.1:{server.port}"
    return upgrade(server, "/ws", origin, f"Cookie: {cookie}", f"User-Agent: {AGENT}", *lines).status


def test_a_planted_key_becomes_nobodys_session(server: Served) -> None:
    """A page that is asked with a key of the attacker's choice answers with one of its own, and the planted
    one opens no socket, before and after.
    """
    assert knocks(server, PLANTED) == 403
    answer = get(server, "/host", f"Cookie: {PLANTED}", f"User-Agent: {AGENT}")
    given = session_cookie(answer.values("set-cookie"))
    assert given != PLANTED
    assert knocks(server, PLANTED) == 403
    assert knocks(server, given) == 101


def test_two_cookies_of_one_name_do_not_add_up(server: Served) -> None:
    """Whichever is taken, it is a session of its own or none: the good one is not reached through the bad."""
    good = session(server)
    assert knocks(server, f"{PLANTED}; {good}") in (101, 403)
    assert knocks(server, f"{good}; {PLANTED}") in (101, 403)
    assert knocks(server, f"sessionid={good}") == 403


def test_a_cookie_is_out_of_reach_of_scripts_and_foreign_posts(server: Served) -> None:
    """HttpOnly and SameSite; over HTTPS Secure too (``tests/quizsite/test_settings.py``)."""
    set_cookies = get(server, "/host", f"User-Agent: {AGENT}").values("set-cookie")
    (given,) = [value.lower() for value in set_cookies if value.startswith("sessionid=")]
    assert "httponly" in given
    assert "samesite=lax" in given


@pytest.mark.django_db
def test_the_key_of_before_a_sign_in_is_worth_nothing_after_it() -> None:
    """Who knew a visitor's key (a shared machine, a planted cookie) does not become the user by waiting."""
    get_user_model().objects.create_superuser("ana", password="a long enough secret")
    browser = Client()
    browser.get("/host")
    before = browser.cookies["sessionid"].value
    answer = browser.post("/admin/login/", {"username": "ana", "password": "a long enough secret"})
    assert answer.status_code == 302
    after = browser.cookies["sessionid"].value
    assert after != before
    assert not Session.objects.filter(session_key=before).exists()
    eavesdropper = Client()
    eavesdropper.cookies["sessionid"] = before
    assert eavesdropper.get("/admin/").status_code == 302


@pytest.mark.django_db
def test_a_key_that_was_logged_out_stays_out(tmp_path: Path) -> None:
    """The cookie that a browser forgot to forget opens nothing."""
    user = get_user_model().objects.create_superuser("ana")
    browser = Client()
    browser.force_login(user)
    key = browser.cookies["sessionid"].value
    assert browser.post("/admin/logout/").status_code == 200
    kept = Client()
    kept.cookies["sessionid"] = key
    assert kept.get("/admin/").status_code == 302
