"""What a page costs and how steady it stands: bytes of the first load, shifts of the layout in a game."""

import gzip

import pytest
from django.contrib.staticfiles import finders
from django.test import override_settings

from tests.quizsite import frames
from tests.quizsite.conftest import OpenTab
from tests.quizsite.screens import CODE, ORIGIN, Rendered
from tests.quizsite.states import PLAY, PRESENT, PROGRESS, REACTIONS, STARTING, watching

pytestmark = pytest.mark.browser

FIRST_LOAD_BYTES = 150_000
CLIENT = ("client", "browser", "closing", "latency", "phases", "place", "policy")
"""The gateway's modules, which the scripted client stands for."""
SHIFTS = """async () => {
  await document.fonts.ready; // their first coming is the page's loading, and no change of a question
  await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  window.shifts = [];
  new PerformanceObserver((list) => {
    for (const { value, sources, hadRecentInput } of list.getEntries()) {
      if (hadRecentInput) continue; // a person pressed something, and something happened
      shifts.push(`${value}: ${sources.map(({ node }) => node?.className || node?.nodeName).join(", ")}`);
    }
  }).observe({ type: "layout-shift" });
}"""


@pytest.fixture(scope="module", params=["en", "ar"])
def rendered(request: pytest.FixtureRequest) -> Rendered:
    """In the language with no font of its own to load, and in the one with the largest."""
    with override_settings(SESSION_ENGINE="django.contrib.sessions.backends.cache"):
        return Rendered.by_django(language=request.param)


@pytest.mark.parametrize(
    ("path", "inside"), [(PLAY, (frames.joined(),)), (PRESENT, watching())], ids=["play", "big screen"]
)
def test_the_first_load_is_light(
    tab: OpenTab, rendered: Rendered, path: str, inside: tuple[dict[str, object], ...]
) -> None:
    """Everything up to the lobby, compressed as the server does, with the real client: under 150 kB."""
    page = tab("/")
    paths: list[str] = []
    page.page.on("request", lambda request: paths.append(request.url.removeprefix(ORIGIN)))
    page.open(path).state("connected").receive(*inside)
    page.page.wait_for_load_state("networkidle")
    assert f"/qr/{CODE}.svg" in paths
    assert len(set(paths)) > 20
    assert sum(weight(rendered, each) for each in set(paths)) + real_client() < FIRST_LOAD_BYTES


def weight(rendered: Rendered, path: str) -> int:
    """Bytes on the line; fonts are compressed already, and what stands in the page itself costs nothing."""
    answer = rendered.answers.get(path) or rendered.static(path)
    if answer is None:
        return 0
    return len(answer[2]) if path.endswith(".woff2") else len(gzip.compress(answer[2]))


def real_client() -> int:
    """What the scripted client stands for."""
    size = 0
    for name in CLIENT:
        found = finders.find(f"gateway/{name}.js")
        assert found is not None, name
        with open(found, "rb") as file:
            size += len(gzip.compress(file.read()))
    return size


@pytest.mark.parametrize("size", [(360, 640), (1280, 800)], ids=["phone", "laptop"])
def test_nothing_jumps_when_a_question_comes_or_goes(tab: OpenTab, size: tuple[int, int]) -> None:
    """From the countdown to the third question: what was drawn stays where it is.

    A screen that takes another's place is no shift; parts of one that move are.
    """
    page = tab(PLAY, *size).state("connected").receive(frames.joined(), STARTING)
    page.page.evaluate(SHIFTS)
    for number in (0, 1):
        page.receive(frames.question(number))
        page.receive(PROGRESS)
        page.receive(frames.results(number), frames.your_result(number))
    page.receive(frames.question(2))
    assert page.page.evaluate("shifts") == []


def test_nothing_jumps_on_the_big_screen_either(tab: OpenTab) -> None:
    """Answers and reactions come in below the question, in a line that has its height."""
    page = tab(PRESENT, 1280, 720).state("connected").receive(*watching(STARTING))
    page.page.evaluate(SHIFTS)
    page.receive(frames.question())
    page.receive(PROGRESS, REACTIONS)
    page.receive(frames.results())
    page.receive(frames.question(3))
    assert page.page.evaluate("shifts") == []
