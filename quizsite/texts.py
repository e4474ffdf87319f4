"""The sentences that the pages' scripts write, by key: translated with the pages, handed over as plain data.

Words of the templates stand in the templates; what a script puts together at run time stands here, once.
``{name}`` marks a value that the script fills in. `catalogue` is what a page carries, for its ``text.js``.
"""

from collections.abc import Mapping
from typing import Any, Final

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext_lazy, pgettext_lazy

from quizsite.troubles import CONNECTION, ERRORS, REASONS

# A sentence with a number has as many forms as its language has plural categories (CLDR). A browser asks for
# a form by the category's name, gettext by a number: these stand for their categories in every language.
CATEGORIES: Final = {"zero": 0, "one": 1, "two": 2, "few": 3, "many": 11, "other": 100}


REGIONS: Final = {
    "world": _("Whole world"),
    "africa": _("Africa"),
    "americas": _("Americas"),
    "asia": _("Asia"),
    "europe": _("Europe"),
    "oceania": _("Oceania"),
}
DIFFICULTIES: Final = {"easy": _("Easy"), "medium": _("Medium"), "hard": _("Hard")}
SCORINGS: Final = {"classic": _("Speed"), "accuracy": _("Accuracy"), "order": _("Order")}
SWITCHES: Final = {
    "streakBonus": _("Bonus for right answers in a row"),
    "hostPlays": _("I play too"),
    "autoAdvance": _("Go on by itself"),
    "showLeaderboard": _("Show the standings"),
    "allowLateJoin": _("Late joiners welcome"),
    "locked": _("Lock the room"),
}
REACTIONS: Final = {
    "thumbs": _("Thumbs up"),
    "heart": _("Heart"),
    "smile": _("Smile"),
    "surprised": _("Surprised"),
    "star": _("Star"),
}
FACES: Final = {
    "owl": _("Owl"),
    "fox": _("Fox"),
    "cat": _("Cat"),
    "bear": _("Bear"),
    "whale": _("Whale"),
    "frog": _("Frog"),
    "penguin": _("Penguin"),
    "rabbit": _("Rabbit"),
    "octopus": _("Octopus"),
    "turtle": _("Turtle"),
    "panda": _("Panda"),
    "chick": _("Chick"),
}
COLOURS: Final = {1: _("Blue"), 2: _("Sand"), 3: _("Green"), 4: _("Rose"), 5: _("Violet"), 6: _("Clay")}

SEAT: Final = {
    "join.title": _("Who’s playing?"),
    "join.lead": _("Pick a name and a face for room {code}."),
    "join.go": _("Join room"),
    "join.busy": _("Joining…"),
    "host.title": _("Who’s hosting?"),
    "host.lead": _("Pick a name and a face. The room’s code comes next."),
    "host.go": _("Open the room"),
    "host.busy": _("Opening…"),
    "name.count": _("{n} of {of}"),
    "name.empty": _("Type a name first."),
    "name.too-long": _("A name has at most {n} characters."),
    "name.control": _("A name is one line of plain text. Leave out {found}."),
    "name.direction": _("A name can’t turn the direction of writing. Leave out {found}."),
    "name.invisible": _("This name contains an invisible character ({found}). Type it again without it."),
    "name.unknown": _("Other devices can’t show {found}. Leave it out."),
    "name.loose-mark": _("This name has an accent ({found}) without a letter. Add the letter."),
    "name.too-many-marks": _("One letter carries too many accents ({found}). Use fewer."),
    "name.oversized": _("One character ({found}) is made of too many parts. Use a simpler one."),
    "card.title": _("You were here as {name}."),
    "card.room": _("Room {code} keeps your points."),
    "card.go": _("Go on as {name}"),
    "takeover": _("Continue here as {name}"),
}
LOBBY: Final = {
    "lobby.at": _("Join at {host} with"),
    "lobby.count": _("{n} of {of}"),
    "lobby.waiting": _("{name} starts the quiz."),
    "qr.alt": _("QR code of {url}"),
    "copy": _("Copy link"),
    "copied": _("Copied"),
    "copy.failed": _("Copy it from the address bar"),
    "manage": _("Manage"),
    "manage.done": _("Done"),
    "kick": _("Remove {name}"),
    "kick.sure": _("Remove?"),
    "unban.name": _("Let {name} back in"),
    "terms.flags": _("Flags: {region}, {difficulty}."),
    "terms.set": _("Questions from a set that the host chose."),
    "terms.count": ngettext_lazy("{n} question, {seconds} s.", "{n} questions, {seconds} s each.", "n"),
    "set.option": ngettext_lazy("{title} ({n} question)", "{title} ({n} questions)", "n"),
    "set.other": _("A set of another host"),
    "whose": _("{name} hosts this room."),
    "whose.count": ngettext_lazy("{n} person is in it.", "{n} people are in it.", "n"),
}
BIG_SCREEN: Final = {
    "big.at": _("Scan, or go to {host} and type"),
    "big.more": ngettext_lazy("and {n} more", "and {n} more", "n"),
    "kept.watching": _("The quiz goes on. This screen catches up by itself."),
    "title.opening": _("Opening the big screen"),
    "text.opening": _("One moment."),
    "title.denied": _("The big screen can’t be opened"),
    "title.NOT_HOST": _("The big screen belongs to the host"),
    "text.denied.NOT_HOST": _(
        "Open it in the browser that hosts the room: the lobby has a button for it, the menu too."
    ),
    "title.replaced.watching": _("The big screen is open in another tab"),
    "text.replaced.watching": _("This tab has stopped, so that it is shown once."),
    "message.here.watching": _("Show it here instead"),
    "text.gave-up.watching": _("Check the network, then try again. The quiz goes on without this screen."),
}
QUESTION: Final = {
    "letters": pgettext_lazy("the answers' letters, in order", "A B C D E F G H I J K L M N O P"),
    "question.of": _("{n} of {of}"),
    "flag.prompt": _("Which country’s flag is this?"),
    "flag.alt": _("The flag to recognise"),
    "seconds.left": ngettext_lazy("{n} second left", "{n} seconds left", "n"),
    "submit": _("Lock in"),
    "pick.all": _("Pick every right answer."),
    "sending": _("Sending…"),
    "locked": _("Locked in."),
    "locked.short": _("Locked in"),
    "late": _("You play from the next question on."),
    "presenting": _("You present, the others play."),
    "progress": _("{n} of {of} have answered"),
}
RESULTS: Final = {
    "verdict.right": _("Correct"),
    "verdict.wrong": _("Not this time"),
    "verdict.silent": _("No answer"),
    "verdict.none": _("The answer"),
    "rank": _("{rank} of {of}"),
    "rank.behind": _("{rank} of {of}, {points} behind {name}"),
    "split.classic": _("Right in {seconds} s of {of}"),
    "split.accuracy": _("Right answer"),
    "split.order": _("Right answer, in order of arrival"),
    "split.streak": ngettext_lazy("{n} right in a row", "{n} right in a row", "n"),
    "split.lag": _("Network delay forgiven"),
    "seconds.short": _("{seconds} s"),
    "dist.none": ngettext_lazy("{n} player gave no answer.", "{n} players gave no answer.", "n"),
    "moved.up": ngettext_lazy("up {n} place", "up {n} places", "n"),
    "moved.down": ngettext_lazy("down {n} place", "down {n} places", "n"),
    "next.question": _("Next question in {n} s"),
    "next.podium": _("The podium in {n} s"),
    "next.go": _("Next question"),
    "next.go.podium": _("To the podium"),
    "next.waits": _("{name} goes on when all are ready."),
}
PODIUM: Final = {
    "podium.by": ngettext_lazy("{name} wins, by {n} point", "{name} wins, by {n} points", "n"),
    "podium.alone": ngettext_lazy("{name} finishes with {n} point", "{name} finishes with {n} points", "n"),
    "podium.tie": _("A tie: {names}"),
    "podium.questions": ngettext_lazy("{n} question.", "{n} questions.", "n"),
    "podium.players": ngettext_lazy("{n} player.", "{n} players.", "n"),
    "podium.you": _("You came {rank}."),
    "podium.waiting": _("{name} can start another quiz."),
}
MESSAGES: Final = {
    "title.host": _("Host a room"),
    "title.room": _("Room {code}"),
    "title.starting": _("Get ready"),
    "title.question": _("Question {n}"),
    "title.results": _("Result of question {n}"),
    "title.podium": _("Final standings"),
    "title.returning": _("Going back to your seat"),
    "text.returning": _("One moment."),
    "title.replaced": _("You’re playing in another tab"),
    "text.replaced": _("One seat, one tab. The newer tab has your seat and your answers."),
    "text.replaced.points": ngettext_lazy(
        "One seat, one tab. The newer tab has your seat, your answers and your {n} point.",
        "One seat, one tab. The newer tab has your seat, your answers and your {n} points.",
        "n",
    ),
    "title.kicked": _("The host removed you"),
    "text.kicked": _("You can’t come back to this room. Another one is open to you."),
    "text.kicked.removed": _(
        "Your seat is free again. The room’s code brings you back, without your points."
    ),
    "title.room-closed": _("This room is closed"),
    "text.room-closed": _("The host can open a new one and share its code."),
    "text.room-closed.idle": _("Nothing happened in it for a long time. The host can open a new one."),
    "text.room-closed.gone": _("Everybody left, or it was closed. Ask the host for a new code."),
    "title.refused": _("The server did not let you in"),
    "title.closed": _("The connection was closed"),
    "title.gave-up": _("The server can’t be reached"),
    "text.gave-up.1008": _(
        "This page sent more than the room can take, twice in a minute. Wait a moment, then try again."
    ),
    "text.gave-up.unavailable": _("It takes no new connections at the moment. Try again in a minute."),
    "text.gave-up": _("Check the network, then try again. Your seat and your points wait for a while."),
    "title.session_connection_cap": _("Too many game tabs are open"),
    "title.missing_session": _("This browser sent no cookie"),
    "title.blocked_ip": _("Connections from here are blocked"),
    "title.4004": _("Connections from here are blocked"),
    "title.4005": _("The host removed you"),
    "message.again": _("Try again"),
    "message.reload": _("Load the page again"),
    "message.here": _("Play here instead"),
    "message.leave": _("Leave this tab"),
    "message.home": _("To the start"),
}
# English takes its ordinal's ending from the last digits; most languages have one form for all.
NTH: Final = {
    "one": pgettext_lazy("ordinal: 1, 21, 31", "{n}st"),
    "two": pgettext_lazy("ordinal: 2, 22, 32", "{n}nd"),
    "few": pgettext_lazy("ordinal: 3, 23, 33", "{n}rd"),
    "other": pgettext_lazy("ordinal: any other number", "{n}th"),
}

TEXTS: Final[Mapping[str, Any]] = {
    **{f"region.{id}": text for id, text in REGIONS.items()},
    **{f"difficulty.{id}": text for id, text in DIFFICULTIES.items()},
    **SEAT,
    **LOBBY,
    **BIG_SCREEN,
    **QUESTION,
    **RESULTS,
    **PODIUM,
    **CONNECTION,
    **MESSAGES,
    **REASONS,
    **ERRORS,
}


def catalogue() -> dict[str, str | dict[str, str]]:
    """All sentences in the active language, with every plural form that differs from ``other``."""
    nth = {category: str(text) for category, text in NTH.items()}
    return {key: _forms(text) for key, text in TEXTS.items()} | {"nth": nth}


def _forms(text: Any) -> str | dict[str, str]:
    if isinstance(text, Promise) and not hasattr(text, "_get_number_value"):
        return str(text)
    forms = {category: str(text % {"n": number}) for category, number in CATEGORIES.items()}
    other = forms.pop("other")
    return {category: form for category, form in forms.items() if form != other} | {"other": other}
