"""gateway.core.diagnosis: from facts to findings; a real nginx makes them in ``wire/test_doctor.py``."""

from typing import Any

import pytest
from msgspec.structs import replace

from gateway.core.admission import REFUSALS
from gateway.core.diagnosis import REMEDIES, Facts, Seen, Upgrade, diagnose

DIRECT = Seen("203.0.113.9", 5000, "quiz.example", [], [], False, "203.0.113.9", True)
FINE = Facts(True, "quiz.example", 5000, 7.0, health=200, seen=DIRECT, upgrade=Upgrade(101), greeted=True)
BEHIND = replace(DIRECT, peer="10.0.0.2", peer_port=6000, forwarded_for=["203.0.113.9"], trusted=True)


def titles(facts: Facts = FINE, **changed: Any) -> list[str]:
    return [finding.title for finding in diagnose(replace(facts, **changed))]


def test_nothing_is_found_where_nothing_is_wrong() -> None:
    """Direct or behind a proxy that does all it should."""
    assert titles() == []
    assert titles(seen=BEHIND) == []


def test_what_was_not_reached_is_not_judged() -> None:
    """A door that is shut is one finding, not seven."""
    shut = Facts(True, "quiz.example", 0, 7.0, unreachable="there is no such name")
    assert titles(shut) == ["Nothing answers at quiz.example: there is no such name."]


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"redirect": "https://quiz.example/", "seen": None, "upgrade": None}, "redirected to https://quiz"),
        ({"health": 400, "seen": None, "upgrade": None}, "does not answer to the name quiz.example"),
        ({"health": 502, "seen": None, "upgrade": None}, "reaches no server behind it (502)"),
        ({"health": 404, "seen": None, "upgrade": None}, "something else than this site"),
        ({"seen": None, "upgrade": None}, "does not know this command's signature"),
        ({"seen": replace(DIRECT, host="127.0.0.1:8000")}, "changes the Host from 'quiz.example'"),
        ({"seen": replace(BEHIND, trusted=False)}, "A proxy at 10.0.0.2 is not trusted"),
        ({"seen": replace(BEHIND, forwarded_for=[])}, "does not say whom it speaks for"),
        ({"seen": replace(DIRECT, https_known=False)}, "visited by https and does not know it"),
        ({"https": False}, "the proxy says https"),
        ({"upgrade": Upgrade(426)}, "/ws is answered with 426 instead of 101"),
        ({"upgrade": Upgrade(403, "blocked_ip")}, "The socket is refused: blocked_ip."),
        ({"upgrade": Upgrade(403, "unheard_of")}, "The socket is refused: unheard_of."),
        ({"upgrade": Upgrade(101, extensions="permessage-deflate")}, "adds 'permessage-deflate'"),
        ({"cut": True, "lived_s": 5.04}, "cuts a quiet socket after 5.0 s: heartbeats come every 7 s"),
        ({"cut": True, "greeted": False}, "cut before its first frame"),
    ],
)
def test_each_fault_is_one_finding(changed: dict[str, Any], said: str) -> None:
    """Named by what was seen."""
    (title,) = titles(**changed)
    assert said in title


def test_a_proxy_that_sends_nothing_is_asked_for_the_address_before_it_is_trusted() -> None:
    """Trusting what says nothing helps nobody: one finding, not two."""
    silent = replace(BEHIND, forwarded_for=[], trusted=False)
    assert ["does not say whom" in title for title in titles(seen=silent)] == [True]


def test_a_socket_that_the_server_closed_in_words_was_not_cut() -> None:
    """A server that restarts during the visit is no proxy's timeout."""
    assert titles(cut=False, lived_s=1.0) == []


def test_every_refusal_of_the_table_has_a_remedy() -> None:
    """A new code needs a line here."""
    assert set(REMEDIES) == {refusal.code for refusal in REFUSALS}


def test_every_finding_says_what_to_do() -> None:
    """A remedy is never empty and names something to write, start or look at."""
    everything = replace(
        FINE, health=404, upgrade=Upgrade(403, "forbidden"), seen=replace(BEHIND, host="x", trusted=False)
    )
    assert all(len(finding.remedy) > 20 for finding in diagnose(everything))
