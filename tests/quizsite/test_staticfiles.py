"""Static files: served from where they lie on a fresh checkout, hashed and cached once they are collected."""

import re
from pathlib import Path

import pytest
from django.conf import settings
from django.templatetags.static import static
from django.test import AsyncClient

from tests.quizsite.process import run

FILE = "admin/css/base.css"


async def test_a_fresh_checkout_serves_static_files_with_debug_off() -> None:
    """Nothing was collected; the middleware finds the file in its app, on the asynchronous road."""
    assert (settings.DEBUG, settings.STATIC_COLLECTED) == (False, False)
    response = await AsyncClient().get(static(FILE))
    assert static(FILE) == f"/static/{FILE}"
    assert response.status_code == 200
    assert b"body" in b"".join([part async for part in response])
    assert response.headers["Content-Type"] == 'text/css; charset="utf-8"'


async def test_a_plain_name_is_asked_for_again_each_time() -> None:
    """The name stays the same when the file changes, so that a browser must not keep it unasked."""
    response = await AsyncClient().get(static(FILE))
    assert response.headers["Cache-Control"] == "max-age=0, public"
    unchanged = {"If-Modified-Since": response.headers["Last-Modified"]}
    assert (await AsyncClient().get(static(FILE), headers=unchanged)).status_code == 304


async def test_other_sites_get_no_leave_to_read_static_files() -> None:
    """No page elsewhere needs them."""
    response = await AsyncClient().get(static(FILE))
    assert "Access-Control-Allow-Origin" not in response.headers


AFTER_COLLECTING = """
import asyncio, django
django.setup()
from django.templatetags.static import static
from django.test import AsyncClient

response = asyncio.run(AsyncClient().get(static("admin/css/base.css")))
print(static("admin/css/base.css"), response.status_code, response.headers["Cache-Control"])
"""


IMPORTED = re.compile(r"""\bfrom ["'](\.{1,2}/.+?)["']""")


@pytest.fixture(scope="module")
def collected(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder in which collectstatic has run."""
    data = tmp_path_factory.mktemp("collected")
    run("manage.py", "collectstatic", "--noinput", "-v0", DATA_DIR=str(data))
    return data


def test_collected_files_have_their_content_in_the_name_and_are_kept_for_ever(collected: Path) -> None:
    """The next start after collectstatic hands out hashed names, which browsers need never ask for again."""
    environment = {"DATA_DIR": str(collected), "DJANGO_SETTINGS_MODULE": "quizsite.settings"}
    name, status, caching = run("-c", AFTER_COLLECTING, **environment).strip().split(" ", 2)
    assert re.fullmatch(r"/static/admin/css/base\.[0-9a-f]{12}\.css", name)
    assert (status, caching) == ("200", "max-age=315360000, public, immutable")  # ten years, in seconds


def test_a_collected_module_imports_collected_modules(collected: Path) -> None:
    """A module under a plain name could be an old one from the cache, and would exist twice in the page."""
    hashed = re.compile(r"\.[0-9a-f]{12}\.js$")
    static = collected / "static"
    modules = [path for path in static.rglob("*.js") if hashed.search(path.name)]
    imported = [name for path in modules for name in IMPORTED.findall(path.read_text())]
    assert imported
    assert [name for name in imported if not hashed.search(name)] == []
