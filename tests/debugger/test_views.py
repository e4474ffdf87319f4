"""The debugger's page and its one endpoint: who may use them, what is refused, what the page contains."""

import json
import re
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client, override_settings
from django.urls import reverse

from debugger.views import MAX_BODY_BYTES

pytestmark = pytest.mark.django_db
PAGE = "/debugger/"
RUN = "/debugger/run"


@pytest.fixture
def staff(client: Client) -> Client:
    """Somebody who may sign in to the admin."""
    client.force_login(User.objects.create_user("teacher", is_staff=True))
    return client


def post(client: Client, scenario: Any, **options: Any) -> Any:
    """Ask for a run."""
    data = scenario if isinstance(scenario, bytes) else json.dumps(scenario).encode()
    return client.post(RUN, data, content_type="application/json", **options)


def test_strangers_are_asked_to_sign_in(client: Client) -> None:
    """Nobody but the staff sees the debugger of a site in production."""
    answer = client.get(PAGE)
    assert answer.status_code == 302
    assert answer["Location"] == f"{reverse('admin:login')}?next={PAGE}"
    assert post(client, {}).status_code == 403


def test_a_user_without_staff_rights_is_no_staff(client: Client) -> None:
    """Signed in is not enough."""
    client.force_login(User.objects.create_user("pupil"))
    assert client.get(PAGE).status_code == 302
    assert post(client, {}).json() == {"error": "the debugger is for staff"}


@override_settings(DEBUG=True)
def test_on_a_developers_machine_it_is_open(client: Client) -> None:
    """DEBUG is on: no account is needed."""
    assert client.get(PAGE).status_code == 200
    assert post(client, {}).status_code == 200


def test_a_run_is_the_whole_timeline(staff: Client) -> None:
    """Rows, snapshots and limits, and the scenario as it was understood."""
    answer = post(staff, {"players": 4, "actions": [{"at": 1000, "do": "start_game"}]})
    assert (answer.status_code, answer["Content-Type"]) == (200, "application/json")
    assert "no-store" in answer["Cache-Control"]
    run = answer.json()
    assert run["scenario"]["players"] == 4
    assert [row["type"] for row in run["rows"]].count("NEW_QUESTION") == 3
    assert {"rows", "snapshots", "limits", "end", "scenario"} == set(run)


@pytest.mark.parametrize(
    ("scenario", "says"),
    [
        ({"actions": [{"at": 1, "do": "explodes"}]}, "$.actions[0].do"),
        (b"{", "line 1"),
        (b" " * (MAX_BODY_BYTES + 1), f"at most {MAX_BODY_BYTES} bytes"),
        ({"actions": [{"at": 1, "do": "start_game"}] * 300}, "$.actions"),
    ],
)
def test_bad_input_is_a_400_that_says_what_is_wrong(staff: Client, scenario: Any, says: str) -> None:
    """Before anything is computed."""
    answer = post(staff, scenario)
    assert answer.status_code == 400
    assert says in answer.json()["error"]


@pytest.mark.parametrize(
    "type_", ["application/x-www-form-urlencoded", "multipart/form-data", "text/plain", ""]
)
def test_what_is_no_json_is_refused_whatever_it_calls_itself(staff: Client, type_: str) -> None:
    """A form that somebody posts here is no scenario."""
    answer = staff.generic("POST", RUN, b"players=3", content_type=type_)
    assert answer.status_code == 400
    assert "error" in answer.json()


def test_a_run_is_asked_for_by_this_site_alone() -> None:
    """A page of another site must not make a teacher's browser compute."""
    client = Client(enforce_csrf_checks=True)
    client.force_login(User.objects.create_user("teacher", is_staff=True))
    assert post(client, {}).status_code == 403
    token = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', client.get(PAGE).content.decode())
    assert token is not None
    assert post(client, {}, headers={"X-CSRFToken": token[1]}).status_code == 200


def test_only_the_methods_that_make_sense_are_answered(staff: Client) -> None:
    """A run changes nothing, yet it is work: not for GET."""
    assert staff.get(RUN).status_code == 405
    assert staff.post(PAGE).status_code == 405


def test_the_page_is_live_under_the_strict_policy(staff: Client) -> None:
    """No inline script, style or handler (spec 5 in the look of the design)."""
    html = staff.get(PAGE).content.decode()
    assert not re.search(r"<script(?![^>]*\bsrc=)|<style|\sstyle=|\son\w+=", html)
