"""What a player hears who can't see the screen: a whole game, word for word and in order.

A screen reader reads out the heading that gets the focus, the live region when its text changes, the band
when it appears, and an alert at once. Each is written down here as it happens.
"""

import pytest
from playwright.sync_api import Browser

from tests.quizsite import frames
from tests.quizsite.screens import Rendered, Tab, open_tab
from tests.quizsite.states import HOST_AWAY, PLAY, PRESENT, PROGRESS, STARTING, watching

pytestmark = pytest.mark.browser

HEAR = """() => {
  window.heard = [];
  const words = (element) => element.textContent.replace(/\\s+/g, " ").trim();
  const hear = (element) => { if (words(element)) heard.push(words(element)); };
  document.addEventListener("focusin", ({ target }) => { if (target.matches("h1")) hear(target); });
  for (const id of ["live", "notice"]) {
    const region = document.getElementById(id);
    new MutationObserver((changes) => {
      if (changes.some(({ target }) => target.closest("[hidden]") === null)) hear(region);
    }).observe(region, { childList: true, subtree: true });
  }
  new MutationObserver(() => {
    for (const alert of document.querySelectorAll("main [role=alert]:not([hidden])")) {
      if (alert.dataset.heard !== words(alert)) hear(alert);
      alert.dataset.heard = words(alert);
    }
  }).observe(document.getElementById("main"), { childList: true, subtree: true, attributes: true });
}"""
OPTIONS = "A: Mauritius. B: Central African Republic. C: Comoros. D: Ethiopia"
MISS = {"base": 0, "streak": 0, "lagCreditMs": 0, "responseMs": 0}


@pytest.fixture
def listener(browser: Browser, rendered: Rendered) -> Tab:
    """A tab whose clock stands still until it is told."""
    return open_tab(browser, rendered)


def hear(tab: Tab, *told: dict[str, object]) -> None:
    """Frames of the server, and the drawing that follows them, on a clock that stands still."""
    tab.page.evaluate("frames => frames.forEach((frame) => receive('message', frame))", list(told))
    tab.page.clock.run_for(40)


def connection(tab: Tab, **view: object) -> None:
    """What becomes of the line."""
    tab.page.evaluate("view => receive('state', { of: 6, ...view })", view)
    tab.page.clock.run_for(40)


def opened(tab: Tab, path: str, first: dict[str, object]) -> Tab:
    """In the room, ears open."""
    tab.page.clock.install(time=0)
    tab.open(path)
    tab.page.clock.pause_at(60_000)
    connection(tab, state="connected", attempt=0)
    hear(tab, first)
    tab.page.evaluate(HEAR)
    return tab


def test_a_whole_game_is_announced_once_and_in_order(listener: Tab) -> None:
    """Ben answers the first question, hears the clock run out on the second, loses his line in the third, and
    hears the podium; nothing is said twice.
    """
    page = opened(listener, PLAY, frames.joined())
    hear(page, STARTING)
    hear(page, frames.question(0, remainingMs=15_000))
    page.page.keyboard.press("2")
    hear(page, {"type": "ANSWER_ACCEPTED", "questionId": "q0"}, PROGRESS)
    hear(page, {**PROGRESS, "answered": 10})
    page.page.clock.run_for(12_000)  # whoever has answered is not told the time
    hear(page, frames.results(0), frames.your_result(0))
    page.page.clock.run_for(4_000)
    hear(page, frames.question(1, remainingMs=15_000), HOST_AWAY)
    hear(page, {**HOST_AWAY, "updated": [{"userId": "ana", "status": "connected"}]})
    page.page.clock.run_for(15_000)
    hear(page, frames.results(1), frames.your_result(1, correct=False, points=0, breakdown=MISS))
    hear(page, frames.question(9, remainingMs=15_000))
    connection(page, state="reconnecting", attempt=1, code=1013)
    connection(page, state="reconnecting", attempt=2, code=1013)
    connection(page, state="connected", attempt=0)
    page.page.keyboard.press("a")
    hear(page, frames.error("QUESTION_CLOSED", "SUBMIT_ANSWER"))
    hear(page, frames.results(9), frames.your_result(9, correct=False, points=0, breakdown=MISS))
    hear(page, frames.finished())
    assert page.page.evaluate("heard") == [
        "Get ready",
        "Which country’s flag is this?",
        OPTIONS,
        "Locked in.",
        "Correct",
        "+1,033. 2nd of 12, 68 behind Chen",
        "Which country’s flag is this?",
        OPTIONS,
        "Ana, the host, is away The quiz goes on. If the host stays away, you take over.",
        "10 seconds left",
        "5 seconds left",
        "No answer",
        "+0. 2nd of 12, 68 behind Chen. Central African Republic",
        "Which country’s flag is this?",
        OPTIONS,
        "Reconnecting, try 1 of 6 The line could not keep up. Your seat and your points are kept.",
        "Reconnecting, try 2 of 6 The line could not keep up. Your seat and your points are kept.",
        "Locked in.",
        "Too late: the question was over.",
        "No answer",
        "+0. 2nd of 12, 68 behind Chen. Central African Republic",
        "Chen wins, by 186 points",
        "You came 2nd.",
    ]
    assert page.troubles == []
    page.page.context.close()


def test_the_big_screen_reads_out_questions_and_right_answers(listener: Tab) -> None:
    """For a host who can't see it: what the room sees, without the ticking."""
    page = opened(listener, PRESENT, watching()[0])
    hear(page, STARTING)
    hear(page, frames.question(0, remainingMs=15_000), PROGRESS)
    page.page.clock.run_for(15_000)
    hear(page, frames.results(0))
    hear(page, frames.finished())
    assert page.page.evaluate("heard") == [
        "Get ready",
        "Which country’s flag is this?",
        OPTIONS,
        "Central African Republic",
        "Chen wins, by 186 points",
    ]
    assert page.troubles == []
    page.page.context.close()
