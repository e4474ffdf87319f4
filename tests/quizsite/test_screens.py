"""The pages in a real Chromium, with a scripted server: what is seen, said and sent on the way to the podium.

`tests.quizsite.screens` explains the stage, `tests.quizsite.frames` holds the frames. A page that logs an
error, breaks its policy or asks for anything that the site has not, fails the test that opened it.
"""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from tests.quizsite import frames
from tests.quizsite.conftest import PHONE_HEIGHT, OpenTab
from tests.quizsite.screens import CODE, Rendered, Tab, open_tab
from tests.quizsite.states import ACCEPTED, CARD, HOST_AWAY

pytestmark = pytest.mark.browser

PLAY = f"/play/{CODE}"
HOSTILE = "<img src=x onerror=alert(1)>"

PASTE = """text => {
  const clipboardData = new DataTransfer();
  clipboardData.setData("text", text);
  const paste = new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true });
  document.getElementById("code").dispatchEvent(paste);
}"""
LISTEN = """() => {
  window.said = [];
  const live = document.getElementById("live");
  new MutationObserver(() => said.push(live.textContent)).observe(live, { childList: true });
}"""
"""What the page's live region says, in order."""


def texts(tab: Tab, selector: str) -> list[str]:
    return [text.strip() for text in tab.page.locator(selector).all_inner_texts()]


# ---------- the way in


def test_a_name_and_a_face_join_the_room(tab: OpenTab) -> None:
    """The page connects at once, so that a refusal is told before anything is typed; the button asks."""
    page = tab()
    assert page.sent() == [{"call": "connect"}]
    page.page.fill("#name", "  Ben ")
    page.page.check("input[value=fox]", force=True)
    page.page.check("input[name=colour][value='3']", force=True)
    page.page.click("button[data-act=join]")
    assert page.sent() == [
        {"call": "joinRoom", "roomCode": CODE, "name": "Ben", "avatar": {"id": "fox", "colour": 3}}
    ]
    expect(page.page.locator("button[data-act=join]")).to_have_attribute("aria-disabled", "true")
    page.receive(frames.joined())
    assert page.screen == "lobby"


def test_a_new_room_takes_over_the_hosts_page(tab: OpenTab) -> None:
    """Its address is from then on the room's, so that a reload comes back to it."""
    page = tab("/host").state("connected")
    page.page.fill("#name", "Ana")
    page.page.click("button[data-act=create]")
    assert page.sent()[-1]["call"] == "createRoom"
    page.receive(frames.joined("ana"))
    assert page.page.url.endswith(PLAY)
    assert page.page.get_attribute("[data-code]", "data-code") == CODE


@pytest.mark.parametrize(
    ("name", "complaint"), [("", "Type a name first."), ("x" * 25, "at most 24 characters")]
)
def test_a_name_that_cannot_be_is_said_beside_the_field(tab: OpenTab, name: str, complaint: str) -> None:
    """Without a round trip, where the page knows."""
    page = tab().state("connected")
    page.page.fill("#name", name)
    page.page.click("button[data-act=join]")
    expect(page.page.locator("#name-error")).to_contain_text(complaint)
    expect(page.page.locator("#name")).to_have_attribute("aria-invalid", "true")
    assert [sent for sent in page.sent() if sent.get("call") == "joinRoom"] == []


@pytest.mark.parametrize(
    ("error", "place", "words"),
    [
        (
            frames.error("NAME_INVALID", "JOIN_ROOM", reason="control", found="U+0007"),
            "#name-error",
            "U+0007",
        ),
        (frames.error("ROOM_FULL", "JOIN_ROOM"), "[data-slot=error]", "The room is full"),
        (frames.error("ROOM_LOCKED", "JOIN_ROOM"), "[data-slot=error]", "The room is locked"),
        (frames.error("BANNED", "JOIN_ROOM"), "[data-slot=error]", "removed you"),
        (
            frames.error("RATE_LIMIT_EXCEEDED", "JOIN_ROOM", retryAfter=11.2),
            "[data-slot=error]",
            "12 seconds",
        ),
    ],
    ids=lambda value: value.get("code") if isinstance(value, dict) else None,
)
def test_a_refused_join_says_why_beside_what_caused_it(
    tab: OpenTab, error: dict[str, Any], place: str, words: str
) -> None:
    """And the form is there again, with what was typed."""
    page = tab().state("connected")
    page.page.fill("#name", "Ben")
    page.page.click("button[data-act=join]")
    page.receive(error)
    expect(page.page.locator(place)).to_be_visible()
    expect(page.page.locator(place)).to_contain_text(words)
    expect(page.page.locator("button[data-act=join]")).to_have_attribute("aria-disabled", "false")
    assert page.page.input_value("#name") == "Ben"


def test_an_unknown_code_leads_back_to_the_code_field(tab: OpenTab) -> None:
    """Only the server knows its rooms, so the answer comes after the name; the name is kept."""
    page = tab().state("connected")
    page.page.fill("#name", "Ben")
    page.page.click("button[data-act=join]")
    page.rendered.answers.setdefault(f"/?unknown={CODE}", page.rendered.answers["/?unknown=K7QX2N"])
    page.page.evaluate("frame => receive('message', frame)", frames.error("ROOM_NOT_FOUND", "JOIN_ROOM"))
    page.page.wait_for_url("**/?unknown=*")
    expect(page.page.locator("#code-error")).to_contain_text("There is no room with this code")
    assert page.page.evaluate("JSON.parse(localStorage['halyard.me']).name") == "Ben"


def test_the_form_tells_whose_room_it_is(browser: Browser, rendered: Rendered) -> None:
    """As far as the site could tell when it made the page; the host's name is text."""
    status, headers, body = rendered.answers[PLAY]
    whose = body.replace(b'"room": {}', b'"room": {"host": "Ana \\u003Cb\\u003E", "people": 12}')
    told = Rendered({**rendered.answers, PLAY: (status, headers, whose)})
    page = open_tab(browser, told).open(PLAY)
    expect(page.page.locator("[data-slot=whose]")).to_have_text(
        "Ana <b> hosts this room. 12 people are in it."
    )
    assert page.troubles == []
    page.page.context.close()


def test_a_seat_that_is_live_elsewhere_is_taken_over_by_a_button_only(tab: OpenTab) -> None:
    """`takeOver` closes another tab, so a person asks for it."""
    page = tab(card=CARD).state("connected")
    page.page.click("button[data-act=continue]")
    assert page.sent()[-1] == {"call": "joinRoom", **CARD}
    page.receive(frames.error("ALREADY_IN_ROOM", "JOIN_ROOM"))
    page.page.click("text=Continue here as Ben")
    assert page.sent()[-1] == {"call": "joinRoom", **CARD, "takeOver": True}


def test_the_landing_page_leads_back_to_the_last_seat_in_one_tap(tab: OpenTab) -> None:
    """No form on the way: the card knows name and face."""
    page = tab("/", card=CARD)
    expect(page.page.locator("#back")).to_contain_text("You were here as Ben.")
    page.page.click("text=Go on as Ben")
    expect(page.page.locator("[data-screen=message]")).to_be_visible()
    assert page.sent() == [{"call": "joinRoom", **CARD}]
    assert page.screen == "message"


def test_the_code_field_takes_codes_and_links_and_nothing_else(tab: OpenTab) -> None:
    """Whatever is pasted, what can be a code stays."""
    page = tab("/")
    page.page.type("#code", "k7-0o1il qx2mz")
    assert page.page.input_value("#code") == "K7QX2M"
    page.page.fill("#code", "")
    page.page.evaluate(PASTE, f"http://192.168.1.20:8000{PLAY}")
    assert page.page.input_value("#code") == CODE
    page.page.fill("#code", "K7Q")
    page.page.click("button[data-act=join]")
    expect(page.page.locator("#code-error")).to_contain_text("A code has six characters.")


# ---------- the lobby


def test_the_lobby_shows_code_link_and_everybody(seated: OpenTab) -> None:
    """Twelve people by the order of their coming; the host has the crown, I have my mark."""
    page = seated()
    assert texts(page, ".roster .who") == [person[1] for person in frames.PEOPLE]
    expect(page.page.locator(".roster .is-you .who")).to_have_text("Ben")
    expect(page.page.locator("[data-slot=waiting]")).to_have_text("Ana starts the quiz.")
    expect(page.page.locator("button[data-act=start]")).to_be_hidden()
    assert page.page.evaluate("document.querySelector('.qr img').naturalWidth > 0")


def test_the_link_is_copied_without_a_secure_context(seated: OpenTab) -> None:
    """On plain http there is no clipboard API."""
    page = seated()
    page.page.evaluate(
        "document.addEventListener('copy', () => { window.copied = String(document.activeElement.value); })"
    )
    page.page.click("button[data-act=copy]")
    expect(page.page.locator("[data-slot=copy]")).to_have_text("Copied")
    assert page.page.evaluate("window.copied") == f"http://testserver{PLAY}"


def test_the_host_sets_starts_and_removes(seated: OpenTab) -> None:
    """Each setting is a patch of its own; removing a player takes two presses."""
    page = seated("ana")
    page.page.click("[data-slot=settings] summary")
    page.page.select_option("#region", "europe")
    page.page.check("input[name=secondsPerQuestion][value='20']", force=True)
    page.page.click("[data-slot=manage]")
    page.page.click("[data-kick=chen]")
    assert [sent["type"] for sent in page.sent()] == ["UPDATE_ROOM_SETTINGS", "UPDATE_ROOM_SETTINGS"]
    expect(page.page.locator("[data-kick=chen]")).to_have_text("Remove?")
    page.page.click("[data-kick=chen]")
    page.page.click("button[data-act=start]")
    assert page.sent() == [{"type": "KICK_USER", "userId": "chen", "ban": True}, {"type": "START_GAME"}]


def test_a_changed_setting_stays_while_the_server_answers(seated: OpenTab) -> None:
    """Whatever else comes in meanwhile, the host's choice does not jump back and forth."""
    page = seated("ana")
    page.page.click("[data-slot=settings] summary")
    page.page.check("input[name=scoring][value=order]", force=True)
    page.receive(
        {"type": "MEMBERS", "joined": [], "updated": [], "left": [{"userId": "ben", "reason": "left"}]}
    )
    assert page.page.is_checked("input[name=scoring][value=order]")


def test_a_refused_setting_goes_back_to_what_it_was(seated: OpenTab) -> None:
    """The server's settings fill the form, and the reason stands above it."""
    page = seated("ana")
    page.page.click("[data-slot=settings] summary")
    page.page.check("input[name=scoring][value=order]", force=True)
    page.receive(frames.error("SETTINGS_INVALID", "UPDATE_ROOM_SETTINGS"))
    expect(page.page.locator("[data-slot=settings-error]")).to_contain_text("The old one stays")
    assert page.page.is_checked("input[name=scoring][value=classic]")


# ---------- the question


STATES_OF_A_QUESTION: dict[str, Callable[[Tab], Any]] = {
    "open": lambda tab: tab,
    "locked": lambda tab: (tab.page.click("[data-answer=B]"), tab.receive(ACCEPTED)),
    "host away": lambda tab: tab.receive(HOST_AWAY),
    "reconnecting": lambda tab: tab.state("reconnecting", attempt=2),
    "reconnecting, with a reason": lambda tab: tab.state("reconnecting", attempt=2, code=1009),
    "locked and reconnecting": lambda tab: (
        tab.page.click("[data-answer=B]"),
        tab.receive(ACCEPTED),
        tab.state("reconnecting", attempt=2),
    ),
}


@pytest.mark.parametrize("state", STATES_OF_A_QUESTION)
def test_all_four_answers_are_above_the_fold_of_a_small_phone(seated: OpenTab, state: str) -> None:
    """360 by 640, whatever is said around them: nobody scrolls for an answer."""
    page = seated("ben", frames.question())
    STATES_OF_A_QUESTION[state](page)
    boxes = [page.page.locator(f"[data-answer={letter}]").bounding_box() for letter in "ABCD"]
    assert all(box is not None and box["height"] >= 44 for box in boxes)
    assert max(box["y"] + box["height"] for box in boxes if box) <= PHONE_HEIGHT
    assert page.page.evaluate("document.documentElement.scrollWidth") == 360


def test_several_right_answers_are_marked_and_sent_together(seated: OpenTab) -> None:
    """The button that sends them is above the fold too."""
    page = seated("ben", frames.question(multiple=True))
    submit = page.page.locator("button[data-act=submit]")
    expect(submit).to_have_attribute("aria-disabled", "true")
    page.page.click("[data-answer=A]")
    page.page.click("[data-answer=D]")
    page.page.click("[data-answer=A]")
    page.page.keyboard.press("b")
    expect(page.page.locator("[data-answer=D]")).to_have_attribute("aria-checked", "true")
    box = submit.bounding_box()
    assert box is not None
    assert box["y"] + box["height"] <= PHONE_HEIGHT
    assert page.sent() == []
    submit.click()
    assert page.sent() == [{"type": "SUBMIT_ANSWER", "questionId": "q2", "choices": ["c4", "c2"]}]


@pytest.mark.parametrize(("key", "choice"), [("1", "c1"), ("4", "c4"), ("b", "c2"), ("C", "c3")])
def test_a_key_answers_whatever_has_the_focus(seated: OpenTab, key: str, choice: str) -> None:
    """1 to 4 and A to D; a second key changes nothing."""
    page = seated("ben", frames.question())
    page.page.keyboard.press(key)
    page.page.keyboard.press("2")
    assert page.sent() == [{"type": "SUBMIT_ANSWER", "questionId": "q2", "choices": [choice]}]


def test_a_choice_locks_at_once_and_keeps_the_focus(seated: OpenTab) -> None:
    """The answers stay in place for the eye and for a screen reader; only the chosen one stays filled."""
    page = seated("ben", frames.question())
    page.page.click("[data-answer=C]")
    page.receive(ACCEPTED, {"type": "ANSWER_PROGRESS", "answered": 9, "expected": 12})
    expect(page.page.locator(".is-chosen")).to_have_attribute("data-answer", "C")
    expect(page.page.locator("[data-answer=A]")).to_have_attribute("aria-disabled", "true")
    assert page.page.evaluate("document.activeElement.dataset.answer") == "C"
    expect(page.page.locator(".q__said")).to_have_text("Locked in.9 of 12 have answered")


def test_an_answer_that_was_lost_with_its_socket_is_sent_again(seated: OpenTab) -> None:
    """Once the seat is back and the same question runs; the player has done his part."""
    page = seated("ben", frames.question())
    page.page.evaluate("window.line = 'cut'")
    page.page.click("[data-answer=A]")
    page.state("reconnecting", attempt=1)
    answer = {"type": "SUBMIT_ANSWER", "questionId": "q2", "choices": ["c1"]}
    assert page.sent() == [answer]
    back = {
        "type": "ROOM_STATE",
        "room": frames.room("question", question=frames.question()),
        "you": frames.you(),
    }
    page.state("connected").receive(back)
    assert page.sent() == [answer]
    expect(page.page.locator(".is-chosen")).to_have_attribute("data-answer", "A")


def test_an_answer_that_came_too_late_says_so(seated: OpenTab) -> None:
    """Nothing is locked that the server did not take."""
    page = seated("ben", frames.question())
    page.page.click("[data-answer=A]")
    page.receive(frames.error("QUESTION_CLOSED", "SUBMIT_ANSWER"))
    expect(page.page.locator(".q__said")).to_contain_text("Too late")
    assert page.page.locator(".is-chosen").count() == 0


def test_a_late_joiner_watches_this_question_and_plays_the_next(seated: OpenTab) -> None:
    """The page says so, and takes no answer that the server would refuse."""
    page = seated()
    late = frames.joined(phase="question", question=frames.question())
    page.receive({**late, "you": frames.you(waits=True)})
    expect(page.page.locator(".q__said")).to_contain_text("You play from the next question on.")
    page.page.keyboard.press("1")
    assert page.sent() == []
    page.receive(frames.question(3))
    page.page.keyboard.press("1")
    assert len(page.sent()) == 1


def test_the_countdown_runs_on_the_servers_remaining_time(browser: Browser, rendered: Rendered) -> None:
    """A wrong clock in the phone shifts nothing; ten and five seconds are read out once."""
    page = open_tab(browser, rendered)
    page.page.clock.install(time=0)  # 1970: half a century slow
    page.open(PLAY)
    page.page.clock.pause_at(60_000)  # from here it runs when it is told to
    page.page.evaluate(LISTEN)
    both = [frames.joined(), frames.question(remainingMs=12_000)]
    page.page.evaluate("list => list.forEach((frame) => receive('message', frame))", both)
    page.page.clock.run_for(1000)
    expect(page.page.locator(".ring__n")).to_have_text("11")
    page.page.clock.run_for(6500)
    expect(page.page.locator(".ring__n")).to_have_text("5")
    expect(page.page.locator(".ring")).to_have_attribute("aria-label", "5 seconds left")
    page.page.clock.run_for(10_000)
    expect(page.page.locator(".ring__n")).to_have_text("0")
    said = page.page.evaluate("said")
    assert said[1:] == ["10 seconds left", "5 seconds left"]
    assert page.troubles == []
    page.page.context.close()


def test_the_countries_are_named_and_the_flag_is_not(seated: OpenTab) -> None:
    """The picture's words are neutral: the answer must not be in what a screen reader says."""
    page = seated("ben", frames.question())
    assert texts(page, ".answer__text") == ["Mauritius", "Central African Republic", "Comoros", "Ethiopia"]
    expect(page.page.locator(".flag img")).to_have_attribute("alt", "The flag to recognise")
    assert page.page.evaluate("document.querySelector('.flag img').naturalWidth > 0")


# ---------- results and podium


def played(tab: Tab, **result: Any) -> Tab:
    tab.page.click("[data-answer=B]")
    return tab.receive(ACCEPTED, frames.results(), frames.your_result(**result))


def test_results_show_my_points_and_where_they_come_from(seated: OpenTab) -> None:
    """Base, streak, forgiven delay; and who is next above."""
    page = played(seated("ben", frames.question()))
    expect(page.page.locator(".verdict h1")).to_have_text("Correct")
    expect(page.page.locator(".points")).to_have_text("+1,033")
    expect(page.page.locator(".verdict__rank")).to_have_text("2nd of 12, 68 behind Chen")
    lines = [line.replace("\n", " ").replace("\xa0", " ") for line in texts(page, ".split > div")]
    assert lines == ["Right in 2.00 s of 15 933", "2 right in a row +100", "Network delay forgiven 0.04 s"]
    assert texts(page, ".dist__n") == ["2", "6", "3", "1"]
    expect(page.page.locator(".dist .is-right bdi")).to_have_text("Central African Republic")
    expect(page.page.locator("[data-bar=score]")).to_contain_text("2,967")


def test_a_miss_is_told_neutrally_with_the_right_answer(seated: OpenTab) -> None:
    """No red, no blame: the verdict has no answer's colour."""
    nothing = {"base": 0, "streak": 0, "lagCreditMs": 0, "responseMs": 3000}
    page = played(seated("ben", frames.question()), correct=False, points=0, breakdown=nothing)
    expect(page.page.locator(".verdict h1")).to_have_text("Not this time")
    expect(page.page.locator(".verdict")).to_have_class("verdict")
    expect(page.page.locator("[data-slot=right-text]")).to_have_text("Central African Republic")


def test_without_a_clock_the_host_moves_on(seated: OpenTab) -> None:
    """The others are told whom they wait for."""
    ana = seated("ana", frames.question(), frames.results(nextInMs=None), frames.your_result())
    ana.page.click("button[data-act=next]")
    assert ana.sent() == [{"type": "NEXT_QUESTION"}]
    ben = seated("ben", frames.question(), frames.results(nextInMs=None), frames.your_result())
    expect(ben.page.locator("[data-slot=next]")).to_have_text("Ana goes on when all are ready.")
    expect(ben.page.locator("button[data-act=next]")).to_be_hidden()


def test_the_podium_names_the_winner_and_my_place(seated: OpenTab) -> None:
    """The first three on their steps in the order of the ranks, the others below."""
    page = seated("ben", frames.question(9), frames.finished())
    expect(page.page.locator("main h1")).to_have_text("Chen wins, by 186 points")
    expect(page.page.locator("[data-slot=lead]")).to_have_text("10 questions. 7 players. You came 2nd.")
    assert texts(page, ".podium .who") == ["Chen", "Ben", "Hana"]
    assert texts(page, ".board .who") == ["Émile", "Lwazi", "Ana", "Dia"]
    expect(page.page.locator("button[data-act=again]")).to_be_hidden()


def test_the_host_plays_again_or_goes_back_to_the_lobby(seated: OpenTab) -> None:
    """From the podium; the settings are in the lobby."""
    page = seated("ana", frames.finished())
    page.page.click("button[data-act=again]")
    page.page.click("button[data-act=lobby]")
    assert page.sent() == [{"type": "RESTART_GAME"}, {"type": "STOP_GAME"}]


def test_stop_and_leave_are_in_the_menu(seated: OpenTab) -> None:
    """Nothing that ends a game is hit by accident; only the host can stop one."""
    ana = seated("ana", frames.question())
    ana.page.click(".menu summary")
    ana.page.click("button[data-act=stop]")
    assert ana.sent() == [{"type": "STOP_GAME"}]
    ben = seated("ben", frames.question())
    ben.page.click(".menu summary")
    expect(ben.page.locator("button[data-act=stop]")).to_be_hidden()
    ben.page.click("button[data-act=leave]")
    ben.page.wait_for_selector("[data-screen=landing]")


# ---------- the connection


@pytest.mark.parametrize(
    ("state", "detail", "words"),
    [
        ("connected", {}, "connected"),
        ("reconnecting", {"attempt": 2}, "Reconnecting, try 2 of 6"),
        ("offline", {}, "offline"),
        ("waiting", {"code": "unavailable"}, "waiting"),
        ("connecting", {}, "connecting"),
    ],
)
def test_the_bar_always_says_what_the_connection_does(
    seated: OpenTab, state: str, detail: dict[str, Any], words: str
) -> None:
    """By a hook for programs, a shape, and words for ears; the game stays where it is."""
    page = seated("ben", frames.question()).state(state, **detail)
    conn = page.page.locator("#conn")
    expect(conn).to_have_attribute("data-conn-state", state)
    expect(conn.locator("[data-slot=long]")).to_have_text(words)
    assert page.screen == "question"


def test_a_lost_line_says_why_as_far_as_its_code_tells_and_what_is_kept(seated: OpenTab) -> None:
    """In whole sentences of the page's language, not the client's English."""
    page = seated("ben", frames.question())
    page.state("reconnecting", attempt=1, code=1011, text="Something went wrong.")
    expect(page.page.locator("#notice")).to_contain_text("Something broke on our side.")
    expect(page.page.locator("#notice")).to_contain_text("Your seat and your points are kept.")
    page.state("reconnecting", attempt=1, code=1006, text="The connection was lost.")
    expect(page.page.locator("#notice [data-slot=why]")).to_be_hidden()


@pytest.mark.parametrize(
    ("code", "words"),
    [
        (1008, "twice in a minute"),
        ("unavailable", "no new connections at the moment. Try again"),
        ("ip_connection_cap", "Every place for this network is taken."),
        (None, "Check the network"),
    ],
)
def test_whoever_gives_up_says_on_what(seated: OpenTab, code: Any, words: str) -> None:
    """A reason that a code names is more use than a general one; nothing promises that the page goes on."""
    page = seated("ben").state("gave-up", code=code, text="client")
    expect(page.page.locator("#message-text")).to_contain_text(words)
    expect(page.page.locator("#message-text")).not_to_contain_text("by itself")


def test_the_latency_is_told_and_a_slow_line_looks_so(seated: OpenTab) -> None:
    """Another shape, not only another colour."""
    page = seated()
    for ms, look in ((38, "ok"), (240, "slow")):
        page.page.evaluate("ms => receive('latency', { ms })", ms)
        page.settle()
        expect(page.page.locator("#conn")).to_have_class(f"conn conn--{look}")
        expect(page.page.locator("#conn use")).to_have_attribute("href", f"#c-{look}")
        expect(page.page.locator("#conn [data-slot=short]")).to_have_text(f"{ms}\xa0ms")


@pytest.mark.parametrize(
    ("conn", "title", "button"),
    [
        ({"state": "replaced"}, "You’re playing in another tab", "Play here instead"),
        ({"state": "gave-up"}, "The server can’t be reached", "Try again"),
        ({"state": "gave-up", "code": "ip_connection_cap"}, "The server can’t be reached", "Try again"),
        ({"state": "refused", "code": "session_connection_cap"}, "Too many game tabs are open", "Try again"),
        ({"state": "closed", "code": 1000}, "The connection was closed", "Try again"),
    ],
    ids=lambda value: value.get("state") if isinstance(value, dict) else None,
)
def test_what_only_a_person_can_end_takes_the_page_and_has_a_button(
    seated: OpenTab, conn: dict[str, Any], title: str, button: str
) -> None:
    """It says what happened and what to do next."""
    page = seated("ben", frames.question()).state(**conn)
    assert page.screen == "message"
    expect(page.page.locator("main h1")).to_have_text(title)
    page.page.click(f'button:text-is("{button}")')
    assert page.sent() == [{"call": "retry"}]


@pytest.mark.parametrize(
    ("frame", "title"),
    [
        ({"type": "KICKED", "reason": "banned"}, "The host removed you"),
        ({"type": "ROOM_CLOSED", "reason": "idle"}, "This room is closed"),
    ],
)
def test_the_end_of_the_room_offers_no_retry(seated: OpenTab, frame: dict[str, Any], title: str) -> None:
    """There is nothing to come back to."""
    page = seated("ben", frames.question(), frame).state("closed", code=4005)
    expect(page.page.locator("main h1")).to_have_text(title)
    expect(page.page.locator("button[data-act=retry]")).to_be_hidden()


def test_a_returning_tab_waits_for_its_seat_without_a_form(tab: OpenTab) -> None:
    """And is told if the room has gone meanwhile."""
    page = tab(seat={"roomCode": CODE, "name": "Ben"}).state("connecting")
    assert page.screen == "message"
    page.receive(frames.error("ROOM_NOT_FOUND", "JOIN_ROOM"))
    expect(page.page.locator("main h1")).to_have_text("This room is closed")


# ---------- for all eyes and ears


def test_each_screen_is_read_out_from_its_heading_and_news_once(seated: OpenTab) -> None:
    """The heading gets the focus on arrival; options, the lock and the result are said once each."""
    page = seated()
    page.page.evaluate(LISTEN)
    focus = "document.activeElement.tagName + ' ' + document.activeElement.textContent"
    page.receive(frames.question())
    assert page.page.evaluate(focus) == "H1 Which country’s flag is this?"
    played(page)
    assert page.page.evaluate(focus) == "H1 Correct"
    page.receive(frames.finished())
    assert page.page.evaluate(focus) == "H1 Chen wins, by 186 points"
    assert page.page.evaluate("said") == [
        "A: Mauritius. B: Central African Republic. C: Comoros. D: Ethiopia",
        "Locked in.",
        "+1,033. 2nd of 12, 68 behind Chen",
        "You came 2nd.",
    ]


def test_names_are_text_wherever_they_stand(seated: OpenTab) -> None:
    """Markup in a name or a question is shown as it was typed, and nothing runs."""
    hostile = {"name": HOSTILE}
    page = seated("ben", members=frames.members(chen=hostile, ana=hostile))
    assert HOSTILE in texts(page, ".roster .who")
    choices = [{"id": f"c{n}", "text": f"{HOSTILE}{n}"} for n in range(1, 5)]
    page.receive(frames.question(prompt=HOSTILE, choices=choices, media=None))
    expect(page.page.locator("main h1")).to_have_text(HOSTILE)
    board = [{**row, "name": HOSTILE} for row in frames.BOARD]
    page.receive(frames.results(leaderboard=board, explanation=HOSTILE), frames.your_result())
    expect(page.page.locator(".verdict__rank")).to_contain_text(HOSTILE)
    page.receive({"type": "GAME_FINISHED", "leaderboard": board, "gameId": "g"}, HOST_AWAY)
    expect(page.page.locator("#notice")).to_contain_text(HOSTILE)
    assert page.page.locator("img[src=x]").count() == 0


def test_a_page_without_storage_still_joins(tab: OpenTab, browser: Browser, rendered: Rendered) -> None:
    """With cookies blocked, touching localStorage throws; the page then only forgets."""
    page = open_tab(browser, rendered)
    page.page.add_init_script(
        "Object.defineProperty(window, 'localStorage', { get() { throw new Error('no'); } });"
    )
    page.open(PLAY).state("connected")
    page.page.fill("#name", "Ben")
    page.page.click("button[data-act=join]")
    assert page.sent()[-1]["name"] == "Ben"
    assert page.troubles == []
    page.page.context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_page_follows_the_systems_theme(browser: Browser, rendered: Rendered, scheme: Any) -> None:
    """Both are complete: a light ground with dark ink, a dark one with light ink."""
    page = open_tab(browser, rendered, color_scheme=scheme).open("/")
    ground, ink = page.page.evaluate(
        """() => ["backgroundColor", "color"].map((name) => {
          const canvas = new OffscreenCanvas(1, 1).getContext("2d");
          canvas.fillStyle = getComputedStyle(document.body)[name];
          canvas.fillRect(0, 0, 1, 1);
          return canvas.getImageData(0, 0, 1, 1).data[0];
        })"""
    )
    assert (ground > 200 and ink < 60) if scheme == "light" else (ground < 60 and ink > 200)
    page.page.context.close()
