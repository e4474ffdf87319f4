"""SECURITY.md says what is so: its tests exist, its models have those fields, its locks can be audited."""

import ast
import re
from collections.abc import Iterator

import pytest
from django.apps import apps

from tests.house.project import ROOT

TEXT = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
PROOF = re.compile(r"`(tests/[\w/]+\.py)::(test_\w+)`")

OUR_APPS = ("gateway", "rooms", "tunnel")
THEIRS = ("sessions.Session", "auth.User", "admin.LogEntry")
OF_NOBODY = {
    "rooms.GameRecord": {
        *("id", "game_id", "room_id", "room_code", "started_at", "ended_at", "finished", "question_total"),
        *("seed", "settings", "questions"),
    },
    "rooms.PlayerResult": {
        *("id", "game", "seat_id", "join_order", "score", "correct", "rank", "first_question"),
    },
    "rooms.AnswerRecord": {"id", "question_index", "question_id", "correct", "points", "base", "streak"},
    "rooms.QuestionSet": {
        *("id", "public_id", "title", "description", "public", "source_name", "created_at", "updated_at"),
    },
    "rooms.Upload": {"id", "token", "created_at"},
    "gateway.Block": {"id", "kind", "created_at", "until", "automatic", "hits", "last_hit"},
    "tunnel.Token": {"id", "token_id", "secret_hash", "scope", "created_at", "expires_at", "revoked_at"},
    "sessions.Session": {"expire_date"},
    "auth.User": {"id", "is_superuser", "is_staff", "is_active"},
    "admin.LogEntry": {"id", "action_time", "content_type", "object_id", "action_flag"},
}
"""What else these models have; a new field is in one of the two places."""
WITHOUT_PEOPLE = {
    *("gateway.BlocklistVersion", "rooms.Question", "rooms.Choice", "rooms.Picture", "tunnel.BannedName"),
}


def section(title: str) -> str:
    """The text under a heading."""
    return TEXT.partition(f"\n## {title}\n")[2].partition("\n## ")[0]


def rows(title: str) -> Iterator[list[str]]:
    """The lines of a section's table, without its head."""
    lines = [line for line in section(title).splitlines() if line.startswith("| ")]
    yield from (line.strip("| ").split(" | ") for line in lines[1:])


@pytest.mark.parametrize("row", list(rows("Threats")), ids=lambda row: row[0])
def test_every_threat_has_a_test_that_exists(row: list[str]) -> None:
    """A proof that was renamed or removed proves nothing."""
    proofs = PROOF.findall(row[2])
    assert proofs
    for path, wanted in proofs:
        tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
        names = {
            node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        }
        assert wanted in names, f"{path} has no {wanted}"


def told() -> dict[str, set[str]]:
    """The models of the table, and the fields of each."""
    return {row[0].strip("`"): set(re.findall(r"`(\w+)`", row[1])) for row in rows("Personal data")}


@pytest.mark.parametrize("label", list(OF_NOBODY))
def test_every_field_of_a_model_is_told_or_is_of_nobody(label: str) -> None:
    """Who adds a field says whose it is."""
    fields = {field.name for field in apps.get_model(label)._meta.concrete_fields}
    assert told()[label] | OF_NOBODY[label] == fields
    assert not told()[label] & OF_NOBODY[label]


def test_no_model_is_left_out() -> None:
    """Every table of ours, and those of Django's that hold people."""
    ours = {
        model._meta.label
        for app in OUR_APPS
        for model in apps.get_app_config(app).get_models()
        if not model._meta.proxy
    }
    assert ours | set(THEIRS) == set(told()) | WITHOUT_PEOPLE
    assert set(told()) == set(OF_NOBODY)


@pytest.mark.parametrize("lock", sorted(path.name for path in ROOT.glob("requirements*.txt")))
def test_a_lock_can_be_audited_without_installing_it(lock: str) -> None:
    """Exact versions with hashes, and nothing that has neither (a folder, an address, a branch)."""
    entries = re.split(r"^(?=[A-Za-z0-9])", (ROOT / lock).read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
    assert entries
    for entry in entries:
        assert re.match(r"[a-z0-9._-]+==\S+( ; [^\\]+)? \\\n", entry), entry[:80]
        assert "--hash=sha256:" in entry
