"""Every state in which a page of the site can be seen, by name: for checks that look at all of them.

`show` brings a tab of `tests.quizsite.screens` into one. A new screen, message or band belongs in this table:
what is not in it is looked at by nobody.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from tests.quizsite import frames
from tests.quizsite.screens import CODE, SETS, Tab

PLAY = f"/play/{CODE}"
PRESENT = f"/present/{CODE}"
CARD = {"roomCode": CODE, "name": "Ben", "avatar": {"id": "bear", "colour": 2}, "seatId": "s1"}
CONNECTED: dict[str, Any] = {"state": "connected"}

Frame = dict[str, Any]


@dataclass(frozen=True)
class State:
    """An opened page, what the server told it, what became of its connection, what a person did then.

    ``given`` are globals that the page finds when it loads.
    """

    path: str
    frames: tuple[Frame, ...] = ()
    conn: Mapping[str, Any] = field(default_factory=lambda: CONNECTED)
    do: Callable[[Tab], object] = lambda tab: None
    given: Mapping[str, Any] = field(default_factory=dict)


def show(tab: Tab, state: State) -> Tab:
    """Open the page and bring it there."""
    tab.open(state.path, **state.given)
    if "client" in tab.page.evaluate("Object.keys(window)"):
        tab.state("connected").page.evaluate("receive('latency', { ms: 38 })")
        tab.receive(*state.frames)
        if state.conn is not CONNECTED:
            tab.state(**state.conn)
    state.do(tab)
    return tab.settle()


# ---------- frames of these states

ACCEPTED: Frame = {"type": "ANSWER_ACCEPTED", "questionId": "q2"}
PROGRESS: Frame = {"type": "ANSWER_PROGRESS", "answered": 9, "expected": 12}
STARTING: Frame = {"type": "GAME_STARTING", "countdownMs": 3000}
HOST_AWAY: Frame = {
    "type": "MEMBERS",
    "joined": [],
    "updated": [{"userId": "ana", "status": "grace"}],
    "left": [],
}
CHEN_REMOVED: Frame = {
    "type": "MEMBERS",
    "joined": [],
    "updated": [],
    "left": [{"userId": "chen", "reason": "kicked"}],
}
CHEN_BANNED: Frame = {
    "type": "BANS",
    "banned": [{"userId": "chen", "name": "Chen", "avatar": {"id": "chick", "colour": 3}}],
}
TWO_LAG: Frame = {"type": "LAGGING", "userIds": ["chen", "dia"]}
REACTIONS: Frame = {
    "type": "REACTIONS",
    "batch": [{"userId": "ben", "reaction": "heart"}, {"userId": "dia", "reaction": "star"}],
}
PLANETS = ["Mercury", "Venus", "Earth", "Mars", "Jupiter", "Saturn", "Uranus", "Neptune"]
EIGHT = [{"id": f"c{n}", "text": name} for n, name in enumerate(PLANETS, 1)]
OF_EIGHT: Frame = {"prompt": "Which planet is the third from the Sun?", "choices": EIGHT, "media": None}
A_SET = {**frames.SETTINGS, "questionSource": {"kind": "set", "id": SETS[0]["id"]}}
MISSED = {
    "correct": False,
    "points": 0,
    "breakdown": {"base": 0, "streak": 0, "lagCreditMs": 0, "responseMs": 3000},
}


def seated(user_id: str, *more: Frame, **room: Any) -> tuple[Frame, ...]:
    """In the room with a seat."""
    return (frames.joined(user_id, **room), *more)


def watching(*more: Frame, **room: Any) -> tuple[Frame, ...]:
    """In the room without one."""
    return ({"type": "ROOM_STATE", "room": frames.room(**room)}, *more)


def crowd(count: int) -> list[Frame]:
    """More people than there are in the class of the other states; every ninth is away."""
    people = []
    for n in range(count):
        like = frames.members()[n % len(frames.PEOPLE)]
        status = "grace" if n % 9 == 5 else "connected"
        who = {"userId": f"u{n}", "joinOrder": n, "name": f"{like['name']} {n + 1}", "isHost": n == 0}
        people.append({**like, **who, "status": status})
    return people


# ---------- what a person does


def answer(tab: Tab) -> None:
    """Choose B, and the server takes it."""
    tab.page.click("[data-answer=B]")
    tab.receive(ACCEPTED, PROGRESS)


def answer_and_see(**result: Any) -> Callable[[Tab], None]:
    """Choose B, and see what became of it."""

    def done(tab: Tab) -> None:
        answer(tab)
        tab.receive(frames.results(), frames.your_result(**result))

    return done


def answer_and_lose(tab: Tab) -> None:
    """Choose B, then the line goes for a reason of ours."""
    answer(tab)
    tab.state("reconnecting", attempt=2, code=1011)


def open_settings(tab: Tab) -> None:
    """On a phone they are folded away."""
    tab.page.evaluate("document.querySelector('details.settings').open = true")


def manage(tab: Tab) -> None:
    """Ask for a player's removal, once."""
    if tab.page.is_visible("[data-slot=manage]"):
        tab.page.click("[data-slot=manage]")
    tab.page.click("[data-kick=dia]")


def submit_nothing(tab: Tab) -> None:
    """The form without a name."""
    tab.page.click("button[data-act=join]")


def refused(code: str, action: str = "JOIN_ROOM", **details: Any) -> tuple[Frame, ...]:
    return (frames.error(code, action, **details),)


STATES: dict[str, State] = {
    "landing": State("/"),
    "landing unknown code": State("/?unknown=K7QX2N"),
    "landing with a way back": State("/", given={"card": CARD}),
    "host": State("/host"),
    "join": State(PLAY),
    "join with a way back": State(PLAY, given={"card": CARD}),
    "join without a name": State(PLAY, do=submit_nothing),
    "join refused": State(PLAY, refused("ROOM_FULL")),
    "join taken over": State(PLAY, refused("ALREADY_IN_ROOM"), given={"card": CARD}),
    "returning": State(PLAY, given={"seat": {"roomCode": CODE, "name": "Ben"}}),
    "lobby": State(PLAY, seated("ben")),
    "lobby of the host": State(PLAY, seated("ana", CHEN_REMOVED, CHEN_BANNED), do=open_settings),
    "lobby of the host, with a set": State(PLAY, seated("ana", settings=A_SET), do=open_settings),
    "lobby of the host, removing": State(PLAY, seated("ana"), do=manage),
    "lobby, refused": State(PLAY, (*seated("ana"), *refused("QUESTION_SET_EMPTY", "START_GAME"))),
    "starting": State(PLAY, seated("ben", STARTING)),
    "question": State(PLAY, seated("ben", frames.question())),
    "question of several": State(PLAY, seated("ben", frames.question(multiple=True))),
    "question of eight": State(PLAY, seated("ben", frames.question(**OF_EIGHT))),
    "question, locked": State(PLAY, seated("ben", frames.question()), do=answer),
    "question, late": State(
        PLAY,
        (
            {
                **frames.joined(phase="question", question=frames.question()),
                "you": frames.you(waits=True),
            },
        ),
    ),
    "question, presenting": State(
        PLAY, seated("ana", frames.question(), members=frames.members(ana={"plays": False}))
    ),
    "question, slow lines": State(PLAY, seated("ana", frames.question(), TWO_LAG)),
    "question, host away": State(PLAY, seated("ben", frames.question(), HOST_AWAY)),
    "question, reconnecting": State(PLAY, seated("ben", frames.question()), do=answer_and_lose),
    "question, offline": State(PLAY, seated("ben", frames.question()), {"state": "offline"}),
    "question, menu": State(
        PLAY, seated("ana", frames.question()), do=lambda tab: tab.page.click(".menu summary")
    ),
    "right": State(PLAY, seated("ben", frames.question()), do=answer_and_see()),
    "wrong": State(PLAY, seated("ben", frames.question()), do=answer_and_see(**MISSED)),
    "no answer": State(
        PLAY, seated("ben", frames.question(), frames.results(), frames.your_result(**MISSED))
    ),
    "results of the host": State(
        PLAY, seated("ana", frames.question(), frames.results(nextInMs=None), frames.your_result())
    ),
    "podium": State(PLAY, seated("ben", frames.question(9), frames.finished())),
    "podium of the host": State(PLAY, seated("ana", frames.question(9), frames.finished())),
    "replaced": State(PLAY, seated("ben"), {"state": "replaced"}),
    "refused": State(PLAY, (), {"state": "refused", "code": "session_connection_cap"}),
    "blocked": State(PLAY, seated("ben"), {"state": "closed", "code": 4004}),
    "gave up": State(PLAY, seated("ben"), {"state": "gave-up", "text": "No answer."}),
    "kicked": State(PLAY, seated("ben", {"type": "KICKED", "reason": "banned"})),
    "closed": State(PLAY, seated("ben", {"type": "ROOM_CLOSED", "reason": "idle"})),
    "big screen, opening": State(PRESENT),
    "big screen, lobby": State(PRESENT, watching()),
    "big screen, crowd": State(PRESENT, watching(members=crowd(50))),
    "big screen, more than fit": State(PRESENT, watching(members=crowd(70))),
    "big screen, starting": State(PRESENT, watching(STARTING)),
    "big screen, question": State(PRESENT, watching(frames.question(), PROGRESS, REACTIONS)),
    "big screen, question of eight": State(PRESENT, watching(frames.question(**OF_EIGHT, multiple=True))),
    "big screen, host away": State(PRESENT, watching(frames.question(), PROGRESS, HOST_AWAY)),
    "big screen, reconnecting": State(
        PRESENT, watching(frames.question()), {"state": "reconnecting", "attempt": 3, "code": 1013}
    ),
    "big screen, results": State(PRESENT, watching(frames.question(), REACTIONS, frames.results())),
    "big screen, results of eight": State(
        PRESENT,
        watching(
            frames.question(**OF_EIGHT),
            frames.results(
                correct=["c3"], nextInMs=None, explanation="Mercury and Venus are nearer to it, Mars is next."
            ),
        ),
    ),
    "big screen, podium": State(PRESENT, watching(frames.question(9), frames.finished())),
    "big screen, not the host": State(PRESENT, refused("NOT_HOST", "WATCH_ROOM")),
    "big screen, no room": State(PRESENT, refused("ROOM_NOT_FOUND", "WATCH_ROOM")),
    "big screen, replaced": State(PRESENT, watching(), {"state": "replaced"}),
}
