"""What the pages say of connections, of refusals and of what went wrong, by key.

The other sentences, and the catalogue into which these go too, are in ``quizsite.texts``.
"""

from typing import Final

from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext_lazy

CONNECTION: Final = {
    "conn.idle": _("not connected"),
    "conn.connecting": _("connecting"),
    "conn.connected": _("connected"),
    "conn.waiting": _("waiting"),
    "conn.offline": _("offline"),
    "conn.replaced": _("closed"),
    "conn.refused": _("refused"),
    "conn.closed": _("closed"),
    "conn.gave-up": _("no connection"),
    "conn.ms": _("{n} ms"),
    "conn.connected.long": ngettext_lazy("Connected, {n} millisecond", "Connected, {n} milliseconds", "n"),
    "conn.slow.long": ngettext_lazy(
        "Connected, slow, {n} millisecond", "Connected, slow, {n} milliseconds", "n"
    ),
    "health.short": _("{n} of {of}"),
    "health.connected": ngettext_lazy("{n} person is connected.", "{n} people are connected.", "n"),
    "health.slow": ngettext_lazy("{n} has a slow connection.", "{n} have slow connections.", "n"),
    "health.away": ngettext_lazy(
        "{n} is away; the seat is held.", "{n} are away; their seats are held.", "n"
    ),
    "conn.try": _("{n} of {of}"),
    "conn.try.long": _("Reconnecting, try {n} of {of}"),
    "kept.seat": _("Your seat and your points are kept."),
    "kept.answer": _("Your seat and your answer are kept."),
    "kept.again": _("This page joins the room again by itself."),
    "kept.none": _("It goes on as soon as there is a connection."),
    "news.offline": _("You’re offline"),
    "news.waiting": _("Waiting for the server"),
    "news.restart": _("The server restarts"),
    "news.restart.text": _("Back in a few seconds, at the same place in the game."),
    "host.away": _("{name}, the host, is away"),
    "host.away.text": _("The quiz goes on."),
    "host.away.next": _("The quiz goes on. If the host stays away, {name} takes over."),
    "host.away.you": _("The quiz goes on. If the host stays away, you take over."),
    "host.you": _("You’re the host now"),
    "host.you.text": _("You start the quiz, move it on and stop it."),
    "host.now": _("{name} is the host now"),
    "host.now.text": _("The quiz goes on."),
    "stopped": _("The host stopped the quiz"),
    "stopped.text": _("Its points don’t count."),
}
REASONS: Final = {
    "why.unknown": _("Wait a moment, then try again."),
    "why.invalid_origin": _(
        "The game does not know the address of this page. Open it at the game’s own address."
    ),
    "why.unavailable": _("It takes no new connections at the moment. This page tries again by itself."),
    "why.blocked_ip": _("The people who run this site can lift the block."),
    "why.missing_session": _("Allow cookies for this site, then load the page again."),
    "why.session_connection_cap": _("Close one of the other game tabs of this browser, then try again."),
    "why.ip_connection_cap": _("Every place for this network is taken. Close a game that nobody plays."),
    "why.arcjet_denied": _("Connections follow each other too fast. Wait a moment, then try again."),
    "why.forbidden": _("Your seat was no longer held."),
    "why.1002": _("A message was damaged on the way."),
    "why.1007": _("A message was damaged on the way."),
    "why.1009": _("A message was too large for the room."),
    "why.1011": _("Something broke on our side."),
    "why.1013": _("The line could not keep up."),
    "why.4000": _("The line went quiet."),
    "why.4002": _("The line went quiet."),
    "why.4003": _("Your seat was no longer held."),
    "why.1000": _("The server ended the connection. Try again to go on."),
    "why.1008": _("This page sent more than the room can take. It comes back in a few seconds."),
    "why.4001": _("Your visit has ended or your sign-in has changed."),
    "why.4004": _("The people who run this site can lift the block."),
    "why.4005": _("Another room is open to you."),
}
ERRORS: Final = {
    "error.ALREADY_IN_ROOM": _("You are still in this room, in another tab or window."),
    "error.BANNED": _("The host removed you from this room."),
    "error.INVALID_STATE": _("That is not possible right now."),
    "error.NOT_HOST": _("Only the host can do that."),
    "error.NOT_IN_ROOM": _("You are not in this room any more. Load the page again."),
    "error.NO_SUCH_MEMBER": _("This player has already left."),
    "error.QUESTION_CLOSED": _("Too late: the question was over."),
    "error.QUESTION_SET_EMPTY": _("There are no such questions. Choose others in the settings."),
    "error.RATE_LIMIT_EXCEEDED": ngettext_lazy(
        "Too many tries. Wait {n} second, then try again.",
        "Too many tries. Wait {n} seconds, then try again.",
        "n",
    ),
    "error.ROOM_FULL": _("The room is full. The host can make room, or open another one."),
    "error.ROOM_LOCKED": _("The room is locked. Ask the host to open it, then try again."),
    "error.SERVER_FULL": _("No more rooms can be opened at the moment. Try again in a few minutes."),
    "error.SETTINGS_INVALID": _("This setting is not possible. The old one stays."),
    "error.INTERNAL_ERROR": _("Something broke on our side. Try again."),
}
