"""The client's declaration file, as it is made of client.js; that it fits the running client is told in
tests/js.
"""

import re

import pytest

from gateway import clienttypes
from gateway.clienttypes import Member, client_declarations, members
from gateway.core.admission import REFUSALS
from gateway.core.closing import By

CLASS = """\
export class Client extends EventTarget {
  #secret = 1;

  /** @param {Options} [options] */
  constructor(options = {}) {
    super();
  }

  /** Of this browser.
   * @param {Storage} [storage] @returns {Card | null} */
  static card(storage = undefined) {
    return null;
  }

  /** @returns {Seat} */
  get seat() {
    return this.#secret;
  }

  /** One sentence. */
  connect() {
    if (this.#secret) return;
  }

  #hidden(frame) {
    return frame;
  }
}
"""


def test_the_public_members_are_found_with_what_their_comments_say() -> None:
    """Private ones are nobody's business."""
    assert members(CLASS) == [
        Member("constructor", "", "@param {Options} [options]", True, False),
        Member(
            "card", "static", "Of this browser. @param {Storage} [storage] @returns {Card | null}", True, True
        ),
        Member("seat", "get", "@returns {Seat}", False, True),
        Member("connect", "", "One sentence.", False, False),
    ]


@pytest.mark.parametrize(
    ("member", "declared"),
    [
        (
            Member("constructor", "", "@param {Options} [options]", True, False),
            "  constructor(options?: Options);",
        ),
        (
            Member("card", "static", "It. @param {Storage} [storage] @returns {Card | null}", True, True),
            "  /** It. */\n  static card(storage?: Storage): Card | null;",
        ),
        (Member("seat", "get", "@returns {Seat}", False, True), "  readonly seat: Seat;"),
        (Member("connect", "", "", False, False), "  connect(): void;"),
    ],
)
def test_a_member_is_declared_as_its_comment_types_it(member: Member, declared: str) -> None:
    """With the comment's own words."""
    assert clienttypes._declared(member) == declared


@pytest.mark.parametrize(
    "member",
    [
        Member("send", "", "Sends. @returns {boolean}", True, True),
        Member("send", "", "Sends. @param {Frame} frame", True, True),
        Member("leave", "", "Leaves. @param {Frame} frame", False, False),
    ],
    ids=["no parameter", "no result", "a parameter too many"],
)
def test_a_member_without_its_types_is_an_error_not_a_guess(member: Member) -> None:
    """Whoever adds a method types it, or `manage.py protocol_docs` stops."""
    with pytest.raises(ValueError, match=f"the comment of {member.name} must give"):
        clienttypes._declared(member)


def test_refusals_and_enders_are_the_servers_own() -> None:
    """The two tables that the client shares with the server (spec 1.2, 1.7)."""
    text = client_declarations()
    for name, values in (
        ("RefusalCode", [refusal.code for refusal in REFUSALS]),
        ("Ender", [by.value for by in By]),
    ):
        union = re.search(rf"export type {name} =(.*?);", text, re.DOTALL)
        assert union is not None
        assert re.findall(r'"(\w+)"', union[1]) == values


def test_frames_are_those_of_the_protocol() -> None:
    """A page narrows a frame by its type; what the client answers itself is in no page's way."""
    text = client_declarations()
    assert 'Event as ServerEvent, Heartbeat, SettingsPatch } from "./protocol.js"' in text
    assert "export type ServerFrame = Exclude<ServerEvent, Heartbeat>;" in text
    assert "export type ClientFrame = Command;" in text
