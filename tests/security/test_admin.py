"""Every address of the staff, asked for by people who are none: nothing is shown and nothing is done.

The addresses are those that are registered, so that a new one is in here the day it is made.
"""

from collections.abc import Iterator

import pytest
from django.contrib import admin
from django.contrib.admin.models import LogEntry
from django.contrib.auth import get_user_model
from django.contrib.auth.models import Permission
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver

pytestmark = pytest.mark.django_db

STAFFS = ("admin/", "debugger/")
OPEN = {"/admin/login/", "/admin/jsi18n/"}
"""The door itself, and its words in the browser's language."""
EVERY_STAFFS = {"/admin/", "/admin/logout/", "/admin/password_change/", "/admin/password_change/done/"}
"""What whoever is staff may do, whatever else they may."""


def addresses(patterns: list[URLPattern | URLResolver], before: str = "/") -> Iterator[str]:
    """All addresses below, with a 1 wherever a view wants something."""
    for pattern in patterns:
        route = str(pattern.pattern)
        named = "".join("1" if index % 2 else part for index, part in enumerate(_split(route)))
        if isinstance(pattern, URLResolver):
            if before != "/" or route in STAFFS:
                yield from addresses(pattern.url_patterns, before + named)
        elif before != "/":
            yield before + named.replace("^", "").replace("$", "")


def _split(route: str) -> list[str]:
    """Text, placeholder, text, placeholder, ...; a regular expression of the admin's is its first choice."""
    if route.startswith("(?P<url>"):
        return ["", "1"]
    return route.replace(">", "<").split("<")


ALL = sorted(set(addresses(get_resolver().url_patterns)))


def client_of(name: str) -> Client:
    """A browser: nobody's, a plain user's, or that of staff without a single permission."""
    client = Client()
    if name != "nobody":
        user = get_user_model().objects.create_user(name, is_staff=name == "staff")
        client.force_login(user)
    return client


def answers(client: Client) -> dict[tuple[str, str], tuple[int, str]]:
    """The status, and where it leads, of every address by every method."""
    found = {}
    for address in ALL:
        for method in ("get", "post"):
            response = getattr(client, method)(address)
            found[method, address] = (response.status_code, response.headers.get("Location", ""))
    return found


def test_the_list_is_not_empty() -> None:
    """An address that was not found would be one that nobody looks at."""
    assert len(ALL) > 60
    for known in ("/admin/gateway/block/add/", "/admin/rooms/gamerecord/1/change/", "/debugger/run"):
        assert known in ALL


@pytest.mark.parametrize("who", ["nobody", "user"])
def test_who_is_no_staff_is_sent_to_the_door_from_every_address(who: str) -> None:
    """GET and POST alike, also where there would be nothing to find; nothing is in the admin's log."""
    for (method, address), (status, to) in answers(client_of(who)).items():
        if address in OPEN | {"/admin/logout/"}:
            continue
        sent_away = status in (301, 302) and "/admin/login/" in to
        assert sent_away or status in (403, 404, 405), (method, address, status, to)
    assert not LogEntry.objects.exists()


def test_staff_without_permissions_reach_their_own_password_and_nothing_else() -> None:
    """403 everywhere, or as if nothing were there (Django's answer to a key without an object, which it also
    sends to where it would be changed).
    """
    for (method, address), (status, to) in answers(client_of("staff")).items():
        if address in OPEN | EVERY_STAFFS:
            continue
        away = status in (301, 302) and (to in {"/admin/", f"{address}change/"} or "/admin/login/" in to)
        assert away or status in (403, 404, 405), (method, address, status, to)
    assert not LogEntry.objects.exists()


def actions() -> list[tuple[str, str]]:
    """Every action of every list: where it is posted to, and its name."""
    found = []
    for model, model_admin in admin.site._registry.items():
        options = model._meta
        for action in model_admin.actions or ():
            name = action if isinstance(action, str) else action.__name__
            found.append((f"/admin/{options.app_label}/{options.model_name}/", name))
    return found


@pytest.mark.parametrize(("address", "action"), actions())
def test_no_action_is_done_for_a_user_who_is_no_staff(address: str, action: str) -> None:
    """Not even with every permission that there is: staff is a thing of its own."""
    user = get_user_model().objects.create_user("mighty")
    user.user_permissions.set(Permission.objects.all())
    client = Client()
    client.force_login(user)
    response = client.post(address, {"action": action, "_selected_action": ["1"], "post": "yes"})
    assert response.status_code == 302
    assert "/admin/login/" in response.headers["Location"]
    assert not LogEntry.objects.exists()
