"""The shapes inside messages (spec 3): avatars, settings, members, boards, what only one player may know.

Wire types as much as the messages that they travel in; whole commands and events are in
``rooms.core.messages``.
"""

from typing import Annotated, Literal

from msgspec import Meta, Struct

from rooms.core.questions import FlagSource, QuestionSource

DEFAULT_SOURCE: QuestionSource = FlagSource()

# The shipped faces (spec 3, Shapes): the stems of the files that the pages show.
AvatarId = Literal[
    "bear", "cat", "chick", "fox", "frog", "octopus", "owl", "panda", "penguin", "rabbit", "turtle", "whale"
]
Colour = Annotated[int, Meta(ge=1, le=6)]
ReactionId = Literal["thumbs", "heart", "smile", "surprised", "star"]
Scoring = Literal["classic", "accuracy", "order"]
MemberStatus = Literal["connected", "grace"]
PhaseName = Literal["lobby", "starting", "question", "results", "finished"]
CloseReason = Literal["left", "empty", "idle", "closed"]

# Wide enough for 24 of the longest emoji, and for a name that is too long to be told so (NAME_INVALID).
Name = Annotated[str, Meta(max_length=512)]
Code = Annotated[str, Meta(max_length=32)]
Id = Annotated[str, Meta(max_length=64)]


class Avatar(Struct, frozen=True, forbid_unknown_fields=True):
    """A face and the colour of its disc."""

    id: AvatarId = "owl"
    colour: Colour = 1


class Settings(Struct, frozen=True, rename="camel"):
    """A room's settings, complete; defaults as in spec 2.1."""

    seconds_per_question: int = 15
    question_count: int = 10
    question_source: QuestionSource = DEFAULT_SOURCE
    max_players: int = 50
    allow_late_join: bool = True
    locked: bool = False
    scoring: Scoring = "classic"
    streak_bonus: bool = False
    host_plays: bool = True
    show_leaderboard: bool = True
    auto_advance: bool = True


class SettingsPatch(Struct, frozen=True, rename="camel", forbid_unknown_fields=True, omit_defaults=True):
    """A partial update: what is None stays. Ranges are rules (``SETTINGS_INVALID``), not shapes."""

    seconds_per_question: int | None = None
    question_count: int | None = None
    question_source: QuestionSource | None = None
    max_players: int | None = None
    allow_late_join: bool | None = None
    locked: bool | None = None
    scoring: Scoring | None = None
    streak_bonus: bool | None = None
    host_plays: bool | None = None
    show_leaderboard: bool | None = None
    auto_advance: bool | None = None


# ---------- in events


class Member(Struct, frozen=True, rename="camel"):
    user_id: str
    name: str
    avatar: Avatar
    status: MemberStatus
    score: int
    join_order: int
    is_host: bool
    plays: bool


class MemberPatch(Struct, frozen=True, rename="camel", omit_defaults=True):
    """The changed fields of one member; who is host travels in ``HOST_CHANGED``, a name never changes."""

    user_id: str
    avatar: Avatar | None = None
    status: MemberStatus | None = None
    score: int | None = None
    plays: bool | None = None


class Departure(Struct, frozen=True, rename="camel"):
    user_id: str
    reason: Literal["left", "lost", "kicked"]


class Banned(Struct, frozen=True, rename="camel"):
    """Somebody who may not come back; ``UNBAN_USER`` with this id frees the whole account."""

    user_id: str
    name: str
    avatar: Avatar


class LeaderboardEntry(Struct, frozen=True, rename="camel"):
    user_id: str
    name: str
    avatar: Avatar
    score: int
    rank: int
    correct: int


class Breakdown(Struct, frozen=True, rename="camel"):
    """Why an answer got its points (spec 2.4)."""

    base: int
    streak: int
    lag_credit_ms: int
    response_ms: int


class ReactionSeen(Struct, frozen=True, rename="camel"):
    user_id: str
    reaction: ReactionId


class OwnAnswer(Struct, frozen=True, rename="camel"):
    question_id: str
    choices: tuple[str, ...]


class You(Struct, frozen=True, rename="camel", omit_defaults=True):
    """What only the receiver may know of itself.

    ``rank`` is 0 for one who doesn't play; ``waits`` is true while a late joiner waits for the next question.
    """

    user_id: str
    is_host: bool
    score: int
    rank: int
    answered: OwnAnswer | None = None
    waits: bool = False
