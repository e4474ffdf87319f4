"""Frames of the server as the tests of the pages need them: one room, twelve people, flags."""

from typing import Any

PEOPLE = [
    ("ana", "Ana", "owl", 1),
    ("ben", "Ben", "bear", 2),
    ("chen", "Chen", "fox", 6),
    ("dia", "Dia", "octopus", 5),
    ("emile", "Émile", "frog", 3),
    ("farah", "Farah", "cat", 4),
    ("goran", "Goran", "whale", 1),
    ("hana", "Hana", "rabbit", 4),
    ("inaki", "Iñaki", "penguin", 2),
    ("jonas", "Jonas", "turtle", 3),
    ("kaethe", "Käthe", "chick", 6),
    ("lwazi", "Lwazi", "panda", 5),
]
SETTINGS = {
    "secondsPerQuestion": 15,
    "questionCount": 10,
    "questionSource": {"kind": "flags", "region": "world", "difficulty": "medium"},
    "maxPlayers": 50,
    "allowLateJoin": True,
    "locked": False,
    "scoring": "classic",
    "streakBonus": True,
    "hostPlays": True,
    "showLeaderboard": True,
    "autoAdvance": True,
}
FLAG = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 640 480"><path fill="#00f" d="M0 0h640v120H0z"/>'
    '<path fill="#fff" d="M0 120h640v120H0z"/><path fill="#090" d="M0 240h640v120H0z"/>'
    '<path fill="#ff0" d="M0 360h640v120H0z"/><path fill="red" d="M260 0h120v480H260z"/>'
    '<path fill="#ff0" d="m60 18 9.4 29.1 30.6-.1-24.7 18 9.5 29L60 76l-24.8 18 9.5-29L20 47l30.6.1z"/></svg>'
)
CHOICES = [
    {"id": "c1", "text": "Mauritius", "country": "MU"},
    {"id": "c2", "text": "Central African Republic", "country": "CF"},
    {"id": "c3", "text": "Comoros", "country": "KM"},
    {"id": "c4", "text": "Ethiopia", "country": "ET"},
]


def members(count: int = 12, **changes: Any) -> list[dict[str, Any]]:
    return [
        {
            "userId": user_id,
            "name": name,
            "avatar": {"id": face, "colour": colour},
            "status": "connected",
            "score": 0,
            "joinOrder": index,
            "isHost": index == 0,
            "plays": True,
            **changes.get(user_id, {}),
        }
        for index, (user_id, name, face, colour) in enumerate(PEOPLE[:count])
    ]


def you(user_id: str = "ben", **fields: Any) -> dict[str, Any]:
    return {"userId": user_id, "isHost": user_id == "ana", "score": 0, "rank": 1, **fields}


def room(phase: str = "lobby", **fields: Any) -> dict[str, Any]:
    base = {"roomId": "r1", "roomCode": "K7QX2M", "phase": phase, "settings": SETTINGS, "members": members()}
    return base | fields


def joined(user_id: str = "ben", **fields: Any) -> dict[str, Any]:
    return {"type": "ROOM_JOINED", "seatId": user_id, "room": room(**fields), "you": you(user_id)}


def question(index: int = 2, **fields: Any) -> dict[str, Any]:
    return {
        "type": "NEW_QUESTION",
        "questionId": f"q{index}",
        "index": index,
        "total": 10,
        "prompt": "Which country’s flag is this?",
        "media": {"kind": "svg", "data": FLAG},
        "choices": CHOICES,
        "multiple": False,
        "durationMs": 15000,
        "remainingMs": 9000,
        **fields,
    }


def board(*scores: tuple[str, int, int]) -> list[dict[str, Any]]:
    people = {user_id: (name, face, colour) for user_id, name, face, colour in PEOPLE}
    return [
        {
            "userId": user_id,
            "name": people[user_id][0],
            "avatar": {"id": people[user_id][1], "colour": people[user_id][2]},
            "score": score,
            "rank": rank,
            "correct": 3,
        }
        for user_id, score, rank in scores
    ]


BOARD = board(
    ("chen", 3035, 1),
    ("ben", 2967, 2),
    ("hana", 2880, 3),
    ("emile", 2544, 4),
    ("ana", 2068, 5),
    ("lwazi", 1990, 6),
)


def results(index: int = 2, **fields: Any) -> dict[str, Any]:
    return {
        "type": "QUESTION_RESULTS",
        "questionId": f"q{index}",
        "correct": ["c2"],
        "counts": {"c1": 2, "c2": 6, "c3": 3, "c4": 1, "none": 0},
        "leaderboard": BOARD,
        "nextInMs": 5000,
        **fields,
    }


def your_result(index: int = 2, **fields: Any) -> dict[str, Any]:
    return {
        "type": "YOUR_RESULT",
        "questionId": f"q{index}",
        "correct": True,
        "points": 1033,
        "breakdown": {"base": 933, "streak": 100, "lagCreditMs": 40, "responseMs": 2000},
        "total": 2967,
        "rank": 2,
        "streak": 2,
        **fields,
    }


def finished() -> dict[str, Any]:
    scores = [
        ("chen", 9120),
        ("ben", 8934),
        ("hana", 8610),
        ("emile", 8024),
        ("lwazi", 7790),
        ("ana", 7345),
        ("dia", 6980),
    ]
    return {
        "type": "GAME_FINISHED",
        "leaderboard": board(*((user_id, score, rank + 1) for rank, (user_id, score) in enumerate(scores))),
        "gameId": "g1",
    }


def error(code: str, action: str, message: str = "refused", **details: Any) -> dict[str, Any]:
    return {
        "type": "ERROR",
        "code": code,
        "message": message,
        "statusCode": 400,
        "details": {"action": action, **details},
    }
