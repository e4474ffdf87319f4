"""Question sets in a real server: the database is asked from threads while the loop runs."""

import json
from pathlib import Path

from tests.rooms.questions.kit import kahoot
from tests.rooms.test_archive_served import SITE, hears, player, says
from tests.serving import manage, serving


def test_an_imported_set_is_chosen_and_played_to_the_end(tmp_path: Path) -> None:
    """From the file by the command into a room over a socket; the right answer is the file's."""
    file = tmp_path / "quiz.xlsx"
    file.write_bytes(kahoot(("Capital of Peru?", "Lima", "Quito", None, None, 20, 1)))
    assert manage(SITE, tmp_path, "migrate", "--no-input", "--verbosity", "0").returncode == 0
    imported = manage(SITE, tmp_path, "import_questions", str(file), "--format", "json")
    assert imported.returncode == 0, imported.stderr
    source = {"kind": "set", "id": json.loads(imported.stdout)["set"]}
    with serving(SITE, tmp_path) as server, player(server) as socket:
        says(socket, "CREATE_ROOM", name="Ana", settings={"questionSource": source})
        joined = hears(socket, "ROOM_JOINED")
        assert joined["room"]["settings"]["questionSource"] == source
        says(socket, "UPDATE_ROOM_SETTINGS", settings={"questionSource": {"kind": "set", "id": "gone"}})
        assert hears(socket, "ERROR")["code"] == "SETTINGS_INVALID"
        says(socket, "START_GAME")
        question = hears(socket, "NEW_QUESTION")
        assert (question["prompt"], question["durationMs"]) == ("Capital of Peru?", 20_000)
        (lima,) = [choice["id"] for choice in question["choices"] if choice["text"] == "Lima"]
        says(socket, "SUBMIT_ANSWER", questionId=question["questionId"], choices=[lima])
        assert hears(socket, "QUESTION_RESULTS")["correct"] == [lima]
        assert hears(socket, "GAME_FINISHED")["leaderboard"][0]["correct"] == 1
