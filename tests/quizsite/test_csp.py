"""quizsite.csp: every page says what a browser may load for it, and the admin can live with that."""

import re
from typing import Any

import pytest
from django.conf import settings
from django.contrib import admin
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.test import AsyncClient, Client
from django.urls import path

from quizsite.csp import HEADER, header_value


def page(request: HttpRequest) -> HttpResponse:
    return HttpResponse("a page")


def page_with_its_own_policy(request: HttpRequest) -> HttpResponse:
    return HttpResponse("a page", headers={HEADER: "sandbox"})


urlpatterns = [
    path("page", page),
    path("own", page_with_its_own_policy),
    path("admin/", admin.site.urls),
]

pytestmark = pytest.mark.urls(__name__)


def directives(response: Any) -> dict[str, list[str]]:
    return {name: sources for name, *sources in map(str.split, response.headers[HEADER].split(";"))}


def test_a_policy_becomes_one_header_line_in_the_order_of_the_dict() -> None:
    """Directives are parted by semicolons, sources by spaces."""
    assert header_value({"default-src": ["'none'"], "img-src": ["'self'", "data:"]}) == (
        "default-src 'none'; img-src 'self' data:"
    )


def test_a_page_may_load_nothing_but_what_the_site_itself_serves() -> None:
    """No other origin, no inline script or style, no eval, no frame around it; flags come as data: images."""
    policy = directives(Client().get("/page"))
    assert policy.pop("img-src") == ["'self'", "data:"]
    forbidden = {name for name, sources in policy.items() if sources == ["'none'"]}
    assert forbidden == {"default-src", "base-uri", "frame-ancestors"}
    rest = {name: sources for name, sources in policy.items() if name not in forbidden}
    assert set(rest) == {"script-src", "style-src", "font-src", "connect-src", "manifest-src", "form-action"}
    assert all(sources == ["'self'"] for sources in rest.values())


async def test_an_asynchronous_request_gets_the_same_header() -> None:
    """The servers take the asynchronous road, most tests the synchronous one."""
    response = await AsyncClient().get("/page")
    assert response.headers[HEADER] == header_value(settings.CSP_POLICY)


def test_a_view_that_set_its_own_policy_keeps_it() -> None:
    """The middleware fills a gap, it does not overrule."""
    assert Client().get("/own").headers[HEADER] == "sandbox"


# What the policy would silence: an inline script or style, an inline handler, something from elsewhere.
REFUSED = re.compile(
    r"<script(?![^>]*\bsrc=)(?![^>]*type=.(?:application/json|text/template))[^>]*>"
    r"|<style\b|<[a-z][^>]*\s(?:style|on[a-z]+)=|(?:src|action)=\"(?:https?:)?//"
)

ADMIN_PAGES = [
    "",
    "login/",
    "auth/user/",
    "auth/user/add/",
    "auth/user/{pk}/change/",
    "auth/user/{pk}/delete/",
]


@pytest.mark.parametrize("name", ADMIN_PAGES)
def test_an_admin_page_asks_for_nothing_that_the_policy_refuses(
    name: str, admin_client: Client, admin_user: User
) -> None:
    """Django's admin keeps its scripts and styles in files; a page that did not would break."""
    client = Client() if name == "login/" else admin_client
    response = client.get(f"/admin/{name.format(pk=admin_user.pk)}")
    assert response.status_code == 200
    assert REFUSED.findall(response.text) == []


@pytest.mark.parametrize(
    "html",
    [
        "<script>alert(1)</script>",
        "<style>p {}</style>",
        '<p style="color: red">',
        '<a href="/" onclick="go()">',
        '<script src="https://cdn.example/x.js">',
    ],
)
def test_the_search_for_refused_things_finds_them(html: str) -> None:
    """The test above would pass on any page if its pattern matched nothing."""
    assert REFUSED.search(html)
