"""The block list in the admin: staff blocks, unblocks and extends as far as it may; the log says who did."""

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.admin.models import ADDITION, CHANGE, DELETION, LogEntry
from django.contrib.auth import get_user_model
from django.contrib.auth.models import Permission
from django.test import Client, override_settings
from django.urls import reverse
from django.utils import timezone

from gateway import blocking
from gateway.core.strikes import Sentence, Strike, What
from gateway.models import Block

pytestmark = pytest.mark.django_db

LIST = "admin:gateway_block_changelist"
ADD = "admin:gateway_block_add"
BEHIND_PROXY = {"TRUSTED_PROXIES": ["127.0.0.0/8"]}
OWN = "198.51.100.20"
"""Where the staff sits, as a trusted proxy says."""


def staff(*permissions: str) -> Client:
    """A browser of staff with these permissions and no others."""
    user = get_user_model().objects.create_user("staff", is_staff=True)
    user.user_permissions.add(*Permission.objects.filter(codename__in=permissions))
    client = Client(headers={"X-Forwarded-For": OWN})
    client.force_login(user)
    return client


def adds(client: Client, value: str, **more: str) -> Any:
    """Fill the form in and send it."""
    return client.post(reverse(ADD), {"value": value, "reason": "rude", "until_0": "", "until_1": "", **more})


def does(client: Client, action: str, *blocks: Block) -> Any:
    """Choose these in the list and run an action."""
    data = {"action": action, "_selected_action": [block.pk for block in blocks]}
    return client.post(reverse(LIST), data, follow=True)


def logged(flag: int) -> list[str]:
    """What the admin's log says of blocks."""
    entries = LogEntry.objects.filter(action_flag=flag, content_type__model="block").order_by("pk")
    return [f"{entry.object_repr}: {entry.get_change_message()}" for entry in entries]


@pytest.fixture(autouse=True)
def _proxied() -> Any:
    """Staff comes through a trusted proxy."""
    with override_settings(GATEWAY=BEHIND_PROXY):
        yield


def test_staff_blocks_in_any_spelling_and_is_named() -> None:
    """Stored once, in the canonical one; for ever if no end is given."""
    client = staff("add_block", "view_block")
    assert adds(client, " 203.0.113.9/24 ").status_code == 302
    block = Block.objects.get()
    assert (block.value, block.kind, block.until, block.automatic) == (
        "203.0.113.0/24",
        "network",
        None,
        False,
    )
    assert str(block.created_by) == "staff"
    assert logged(ADDITION) == ["203.0.113.0/24: Added."]


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("::ffff:203.0.113.9", "in the list already"),
        ("203.0.113", "is neither an address"),
        ("127.0.0.1", "loopback"),
        ("127.0.0.0/8", "loopback"),
    ],
)
def test_the_form_says_what_is_wrong(value: str, words: str) -> None:
    """Beside the field, in words."""
    client = staff("add_block", "view_block")
    blocking.block("203.0.113.9", "first")
    page = adds(client, value)
    assert page.status_code == 200
    assert words in page.content.decode()
    assert Block.objects.count() == 1


def test_an_end_in_the_past_is_refused() -> None:
    """It would block nobody, and look as if."""
    client = staff("add_block", "view_block")
    page = adds(client, "203.0.113.9", until_0="2020-01-01", until_1="12:00:00")
    assert "This is in the past." in page.content.decode()


@pytest.mark.parametrize("value", [OWN, "198.51.100.0/24", "user:{pk}"])
def test_staff_that_would_block_itself_is_asked_first(value: str) -> None:
    """Nobody else may be there to undo it; who means it says so, and then it counts."""
    client = staff("add_block", "view_block")
    value = value.format(pk=get_user_model().objects.get().pk)
    page = adds(client, value).content.decode()
    assert "This blocks you yourself." in page
    assert '<input type="checkbox" name="own"' in page
    assert not Block.objects.exists()
    assert adds(client, value, own="on").status_code == 302
    assert Block.objects.get().value == value


def test_the_actions_unblock_extend_and_block_for_ever() -> None:
    """Each entry that was changed is in the log; what an action does not apply to is left alone."""
    client = staff("change_block", "view_block")
    hour = timezone.now() + timedelta(hours=1)
    short, endless = blocking.block("203.0.113.9", "a", hour), blocking.block("203.0.113.10", "b")
    does(client, "extend_a_day", short, endless)
    short.refresh_from_db()
    assert short.until == hour + timedelta(days=1)
    does(client, "unblock", short, endless)
    assert all(block.is_over for block in Block.objects.all())
    does(client, "block_for_ever", short)
    short.refresh_from_db()
    assert (short.until, str(short.created_by)) == (None, "staff")
    assert logged(CHANGE) == [
        "203.0.113.9: Extended by a day.",
        "203.0.113.10: Unblocked.",
        "203.0.113.9: Unblocked.",
        "203.0.113.9: Blocked for ever.",
    ]


def test_a_block_that_is_over_is_extended_from_now_on() -> None:
    """A day from the click, not from an end that lies a week back."""
    client = staff("change_block", "view_block")
    Block.objects.create(value="203.0.113.9", reason="a", until=timezone.now() - timedelta(days=7))
    does(client, "extend_a_day", Block.objects.get())
    until = Block.objects.get().until
    assert until is not None
    assert timedelta(hours=23) < until - timezone.now() < timedelta(hours=25)


@pytest.mark.parametrize("action", ["extend_a_day", "block_for_ever"])
def test_nobody_blocks_himself_by_ticking_a_row(action: str) -> None:
    """The row is left alone, and told about."""
    client = staff("change_block", "view_block")
    over = timezone.now() - timedelta(days=7)
    Block.objects.create(value=OWN, reason="a", until=over)
    page = does(client, action, Block.objects.get()).content.decode()
    assert f"{OWN} would block you yourself" in page
    assert Block.objects.get().until == over


@pytest.mark.parametrize("action", ["unblock", "extend_a_day", "block_for_ever"])
def test_who_may_only_look_changes_nothing(action: str) -> None:
    """The action is not offered, and not obeyed."""
    client = staff("view_block")
    block = blocking.block("203.0.113.9", "a", timezone.now() + timedelta(hours=1))
    assert action not in client.get(reverse(LIST)).content.decode()
    does(client, action, block)
    assert Block.objects.get().until == block.until
    assert client.get(reverse(ADD)).status_code == 403


def test_who_may_not_look_sees_nothing() -> None:
    """Staff or not."""
    assert staff("view_user").get(reverse(LIST)).status_code == 403


def test_who_may_delete_forgets_entries() -> None:
    """Many at once, by Django's own action; each is in the log."""
    client = staff("delete_block", "view_block")
    block = blocking.block("203.0.113.9", "a")
    data = {"action": "delete_selected", "_selected_action": [block.pk], "post": "yes"}
    client.post(reverse(LIST), data)
    assert not Block.objects.exists()
    assert len(logged(DELETION)) == 1


def test_an_address_finds_the_networks_that_hold_it() -> None:
    """Staff has an address from a complaint, and asks why it is refused."""
    client = staff("view_block")
    for value in ("203.0.113.9", "203.0.113.0/24", "203.0.0.0/16", "198.51.100.0/24", "2001:db8::/32"):
        blocking.block(value, "a")
    shown = {
        wanted: {value for value in Block.objects.values_list("value", flat=True) if f">{value}</a>" in page}
        for wanted in ("203.0.113.9", "203.0.113.10", "2001:db8::7", "198.51", "nothing")
        for page in [client.get(reverse(LIST), {"q": wanted}).content.decode()]
    }
    assert shown == {
        "203.0.113.9": {"203.0.113.9", "203.0.113.0/24", "203.0.0.0/16"},
        "203.0.113.10": {"203.0.113.0/24", "203.0.0.0/16"},
        "2001:db8::7": {"2001:db8::/32"},
        "198.51": {"198.51.100.0/24"},
        "nothing": set(),
    }


def test_the_state_can_be_filtered_by() -> None:
    """Most entries of a year are over."""
    client = staff("view_block")
    blocking.block("203.0.113.9", "a")
    Block.objects.create(value="203.0.113.10", reason="b", until=timezone.now() - timedelta(days=7))
    for state, shown, hidden in (("blocked", "9", "10"), ("over", "10", "9")):
        page = client.get(reverse(LIST), {"state": state}).content.decode()
        assert f">203.0.113.{shown}</a>" in page
        assert f">203.0.113.{hidden}</a>" not in page


def test_an_automatic_block_shows_its_evidence_and_becomes_the_staffs_when_saved() -> None:
    """Whoever saves it stands for it: from then on it closes sockets, too."""
    client = staff("change_block", "view_block")
    strikes = tuple(
        Strike(float(at), What.WRONG_TOKEN, "session:<x>", "203.0.113.9", None) for at in range(20)
    )
    blocking._store(Sentence("203.0.113.9", 1000.0, strikes), 100.0)
    block = Block.objects.get()
    page = client.get(reverse("admin:gateway_block_change", args=[block.pk]))
    text = page.content.decode()
    assert text.count("<td>wrong token</td>") == 20
    assert "<td>session:&lt;x&gt;</td>" in text
    assert '<td class="field-state">automatic</td>' in client.get(reverse(LIST)).content.decode()
    client.post(
        reverse("admin:gateway_block_change", args=[block.pk]),
        {"reason": "indeed", "until_0": "", "until_1": ""},
    )
    block.refresh_from_db()
    assert (block.automatic, str(block.created_by), block.reason) == (False, "staff", "indeed")
    assert len(block.evidence) == 20
