"""Tokens in the admin and on the command line (spec 6.1): shown once, stored as a hash, all deeds logged."""

import re
from datetime import timedelta
from io import StringIO
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Permission, User
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from tunnel.core import tokens
from tunnel.models import BannedName, Token

pytestmark = pytest.mark.django_db

LIST = "admin:tunnel_token_changelist"
TEXT = re.compile(r"tnl_[a-z0-9]{12}_[\w-]{43}")


@pytest.fixture(autouse=True)
def relay(settings: Any) -> None:
    """A site that is a relay."""
    settings.TUNNEL = {"BASE_DOMAIN": "tunnel.localhost"}


def issued(**more: Any) -> tuple[Token, str]:
    """A token and its text."""
    return Token.issue("laptop", "preview", **more)


def act(admin: Client, action: str, *chosen: Token, confirmed: bool = True) -> Any:
    """Do something with the chosen tokens, as the list's form would."""
    data: dict[str, Any] = {"action": action, "_selected_action": [token.pk for token in chosen]}
    if confirmed:
        data["confirmed"] = "yes"
    return admin.post(reverse(LIST), data)


def works(text: str) -> bool:
    """Whether somebody can log in with this text."""
    token = tokens.parse(text)
    assert token is not None
    known = Token.objects.filter(token_id=token.id).first()
    grant = None if known is None else known.grant
    return tokens.authentic(token, grant) and grant is not None and not grant.revoked


def test_a_token_is_shown_in_one_response_and_stored_as_a_hash(admin_client: Client) -> None:
    """Nobody can read it again: not in the list, the log, a message or a cookie."""
    data = {"label": "Ana's laptop", "scope": "preview", "expires_at_0": "", "expires_at_1": ""}
    answer = admin_client.post(reverse("admin:tunnel_token_add"), data)
    found = TEXT.search(answer.content.decode())
    assert found is not None
    assert "no-store" in answer["Cache-Control"]
    assert works(found[0])
    secret = found[0].rsplit("_", 1)[0]
    token = Token.objects.get()
    assert token.created_by is not None
    assert found[0] not in str(token.__dict__)
    after = admin_client.get(reverse(LIST)).content.decode()
    assert token.token_id in after
    assert found[0] not in after + str(admin_client.cookies) + str(LogEntry.objects.values_list())
    assert secret  # the id alone is no secret


@pytest.mark.parametrize("scope", ["", "Preview", "a.b", "-a", "**"])
def test_a_scope_is_given_and_is_a_name(admin_client: Client, scope: str) -> None:
    """Every name is a scope that has to be asked for."""
    admin_client.post(reverse("admin:tunnel_token_add"), {"label": "x", "scope": scope})
    assert not Token.objects.exists()


def test_rotating_asks_first_and_then_shows_the_new_secret(admin_client: Client) -> None:
    """The old one is good for nothing."""
    token, old = issued()
    assert "Are you sure?" in act(admin_client, "rotate", token, confirmed=False).content.decode()
    assert works(old)
    new = TEXT.search(act(admin_client, "rotate", token).content.decode())
    assert new is not None
    assert works(new[0])
    assert not works(old)
    assert LogEntry.objects.get().change_message == "Rotated."


def test_revoking_asks_first_and_is_for_good(admin_client: Client) -> None:
    """A revoked token can be neither rotated nor extended."""
    token, text = issued(expires_at=timezone.now())
    act(admin_client, "revoke", token, confirmed=False)
    assert works(text)
    act(admin_client, "revoke", token)
    assert not works(text)
    act(admin_client, "rotate", token)
    act(admin_client, "extend", token)
    assert [entry.change_message for entry in LogEntry.objects.all()] == ["Revoked."]


def test_extending_counts_from_the_later_of_today_and_the_old_end(admin_client: Client) -> None:
    """A token without an end stays without one."""
    expired, _ = issued(expires_at=timezone.now() - timedelta(days=5))
    running, _ = issued(expires_at=timezone.now() + timedelta(days=5))
    endless, _ = issued()
    act(admin_client, "extend", expired, running, endless)
    for token, days in ((expired, 30), (running, 35)):
        token.refresh_from_db()
        assert token.expires_at is not None
        assert abs(token.expires_at - timezone.now() - timedelta(days=days)) < timedelta(minutes=1)
    endless.refresh_from_db()
    assert endless.expires_at is None


def test_tokens_are_not_deleted(admin_client: Client) -> None:
    """The log would lose what it speaks of."""
    token, _ = issued()
    assert admin_client.post(reverse("admin:tunnel_token_delete", args=[token.pk])).status_code == 403


def test_who_may_only_look_can_do_nothing(client: Client, django_user_model: type[User]) -> None:
    """Permissions are Django's."""
    user = django_user_model.objects.create_user("eve", is_staff=True)
    user.user_permissions.add(Permission.objects.get(codename="view_token"))
    client.force_login(user)
    token, text = issued()
    for action in ("rotate", "revoke", "extend"):
        act(client, action, token)
    assert works(text)
    assert client.post(reverse("admin:tunnel_token_kick"), {"name": "preview"}).status_code == 403


def test_sending_away_needs_somebody_to_send(admin_client: Client) -> None:
    """Without a live peer only the ban is left."""
    answer = admin_client.post(
        reverse("admin:tunnel_token_kick"), {"name": "preview", "ban": "1"}, follow=True
    )
    assert "Nobody serves preview." in answer.content.decode()
    assert BannedName.objects.get().name == "preview"
    assert admin_client.get(reverse("admin:tunnel_token_kick")).status_code == 403


def test_a_site_that_is_no_relay_has_no_tunnel_in_its_admin(admin_client: Client, settings: Any) -> None:
    """Its index does not offer what does nothing."""
    index = reverse("admin:index")
    assert reverse(LIST) in admin_client.get(index).content.decode()
    settings.TUNNEL = None
    assert reverse(LIST) not in admin_client.get(index).content.decode()
    assert admin_client.get(reverse(LIST)).status_code == 200


# The command line


def command(*arguments: str) -> str:
    """What the command prints."""
    out = StringIO()
    call_command("tunnel_token", *arguments, stdout=out, stderr=StringIO())
    return out.getvalue()


def test_the_command_issues_lists_rotates_and_revokes() -> None:
    """The whole life of a token, without the admin."""
    text = command("issue", "ci", "--scope", "*", "--days", "7").strip()
    assert works(text)
    token = Token.objects.get()
    assert token.expires_at is not None
    rotated = command("rotate", token.token_id).strip()
    assert works(rotated)
    assert not works(text)
    listed = command("list")
    assert token.token_id in listed
    assert " live " in listed
    assert rotated not in listed
    command("revoke", token.token_id)
    assert not works(rotated)
    assert " revoked " in command("list")


@pytest.mark.parametrize(
    "arguments",
    [
        ("issue", "x"),
        ("issue", "x", "--scope", "A.B"),
        ("issue", "x", "--scope", "a", "--days", "soon"),
        ("revoke", "nobody"),
    ],
)
def test_what_the_command_cannot_do_it_says(arguments: tuple[str, ...]) -> None:
    """And changes nothing."""
    with pytest.raises(CommandError):
        command(*arguments)
    assert not Token.objects.exists()
