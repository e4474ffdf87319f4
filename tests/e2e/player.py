"""A player in a browser, in the game's words. Waits for what it names, never for a time."""

import re

from playwright.sync_api import Locator, Page, expect

LONGEST_MS = 25_000
"""A countdown, a question of 15 s and a margin: nothing in a game takes longer than that to show."""


REMEMBER_SCREENS = """
window.screensShown = [];
new MutationObserver(() => {
  const screen = document.querySelector("[data-screen]")?.dataset.screen;
  if (screen && window.screensShown.at(-1) !== screen) window.screensShown.push(screen);
}).observe(document, { childList: true, subtree: true, attributes: true, attributeFilter: ["data-screen"] });
"""


class Player:
    """One page of the site."""

    def __init__(self, page: Page, home: str, name: str) -> None:
        page.add_init_script(REMEMBER_SCREENS)
        self.page = page
        self.home = home
        self.name = name

    def hosts(self, questions: int, seconds: int = 15) -> str:
        """Open a room from the landing page and set it up; returns its code."""
        self.page.goto(self.home)
        self.page.click("[data-act=host]")
        self.sits("host", "create")
        self.page.fill("#questionCount", str(questions))
        self.page.keyboard.press("Tab")
        self.page.check(f"input[name=secondsPerQuestion][value='{seconds}']", force=True)
        code = self.page.locator("[data-code]").first.inner_text()
        assert re.fullmatch(r"[A-HJKMNP-Z2-9]{6}", code), code
        return code

    def joins(self, code: str) -> None:
        """Type the code on the landing page and take a seat."""
        self.page.goto(self.home)
        self.page.fill("#code", code.lower())
        self.page.click("[data-act=join]")
        self.sits("join", "join")

    def sits(self, screen: str, act: str) -> None:
        """Fill in the form of this screen and press its button."""
        self.sees(screen)
        self.page.fill("#name", self.name)
        self.page.click(f"button[data-act={act}]")
        self.sees("lobby")

    def starts(self) -> None:
        """Start the quiz."""
        self.page.click("[data-act=start]")

    def sees(self, screen: str) -> Locator:
        """Wait until this screen is shown."""
        shown = self.page.locator(f"[data-screen={screen}]")
        expect(shown).to_be_visible(timeout=LONGEST_MS)
        return shown

    def sees_question(self, number: int) -> None:
        """Wait for the question with this number (from 1), flag and four answers."""
        question = self.page.locator(f"[data-screen=question][data-question='{number}']")
        expect(question).to_be_visible(timeout=LONGEST_MS)
        expect(question.locator("[data-answer]")).to_have_count(4)
        expect(question.locator("img")).to_be_visible()

    def answers(self, letter: str) -> None:
        """Tap one answer.

        The last one of all ends the question, so that what it leads to may be results at once.
        """
        self.page.click(f"[data-answer={letter}]")

    def chosen(self, letter: str) -> Locator:
        """The answer, if it is the chosen one."""
        return self.page.locator(f"[data-answer={letter}].is-chosen")

    def conn(self, state: str) -> None:
        """Wait until the bar tells this state of the connection."""
        expect(self.page.locator(f"[data-conn-state={state}]")).to_have_count(1, timeout=LONGEST_MS)

    def screens(self) -> list[str]:
        """The screens that this page has shown so far, in order: some pass faster than a test can look."""
        return list(self.page.evaluate("window.screensShown"))

    def podium(self) -> list[str]:
        """Wait for the end; the places as they are shown, names with their points."""
        screen = self.sees("podium")
        return [" ".join(line.split()) for line in screen.locator("li").all_inner_texts()]
