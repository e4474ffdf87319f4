/** What a tab holds of a room: the seat, its ticket, and what it asked for. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Place } from "../../gateway/static/gateway/place.js";

const ANA = { userId: "s1", name: "Ana 2", avatar: { id: "fox", colour: 3 } };
const room = (roomCode = "ABC234") => ({
  roomId: "r1",
  roomCode,
  members: [{ userId: "s0", name: "Ben" }, ANA],
});
const JOINED = {
  type: "ROOM_JOINED",
  seatId: "s1",
  reconnectToken: "secret",
  room: room(),
  you: { userId: "s1" },
};
const JOIN = { type: "JOIN_ROOM", roomCode: "ABC234", name: "Ana" };
const denied = (code, action) => ({ type: "ERROR", code, statusCode: 400, details: { action } });

function seated() {
  const place = new Place();
  place.ask(JOIN);
  place.receive(JOINED);
  return place;
}

describe("the seat", () => {
  test("comes with ROOM_JOINED, under the name that the room gave it", () => {
    assert.deepEqual(seated().seat, {
      roomId: "r1",
      seatId: "s1",
      roomCode: "ABC234",
      name: "Ana 2",
      avatar: ANA.avatar,
    });
    assert.deepEqual(seated().ticket, { roomId: "r1", playerSeatId: "s1", reconnectToken: "secret" });
  });

  test("survives being stored and restored; the landing page's card holds no token", () => {
    const stored = JSON.parse(JSON.stringify(seated().saved()));
    assert.deepEqual(Place.restore(stored).ticket, seated().ticket);
    assert.ok(!JSON.stringify(seated().card()).includes("secret"));
    assert.deepEqual(Object.keys(seated().card()).sort(), ["avatar", "name", "roomCode", "seatId"]);
  });

  for (const stored of [null, 5, "x", {}, [], { seatId: 1, roomCode: "A" }, { seatId: "s1" }]) {
    test(`is not restored from ${JSON.stringify(stored)}`, () => {
      assert.equal(Place.restore(stored).seat, null);
      assert.equal(Place.restore(stored).ticket, null);
    });
  }

  test("keeps its token when the server joins it again without issuing a new one", () => {
    const place = seated();
    place.receive({ ...JOINED, reconnectToken: undefined });
    assert.equal(place.ticket.reconnectToken, "secret");
  });

  test("under a new id without a token it has no ticket: the old one is another seat's", () => {
    const place = seated();
    place.receive({ ...JOINED, seatId: "s9", reconnectToken: undefined });
    assert.equal(place.ticket, null);
  });

  test("follows a change of its own avatar, and of nobody else's", () => {
    const place = seated();
    place.receive({
      type: "MEMBERS",
      updated: [{ userId: "s1", avatar: { id: "owl", colour: 1 } }, { userId: "s0" }],
    });
    assert.deepEqual(place.seat.avatar, { id: "owl", colour: 1 });
    assert.equal(place.seat.name, "Ana 2");
    place.receive({ type: "ROOM_STATE", room: room(), you: { userId: "s1" } });
    assert.deepEqual(place.seat.avatar, ANA.avatar);
  });

  for (const frame of [
    { type: "KICKED", reason: "" },
    { type: "ROOM_CLOSED", reason: "idle" },
  ]) {
    test(`goes with ${frame.type}: nothing is left to come back to`, () => {
      const place = seated();
      place.receive(frame);
      assert.deepEqual(
        [place.seat, place.ticket, place.saved(), place.card(), place.wanted],
        [null, null, null, null, false],
      );
    });
  }

  for (const type of ["GAME_FINISHED", "GAME_STOPPED", "SERVER_RESTARTING", "CONNECTED"]) {
    test(`stays with ${type}`, () => {
      const place = seated();
      place.receive({ type });
      assert.ok(place.ticket);
    });
  }
});

describe("coming back", () => {
  test("with a valid claim nothing needs asking", () => {
    assert.equal(seated().greeting(true, false), null);
  });

  test("without its ticket the tab joins again with `resume`, never with `takeOver` by itself", () => {
    const place = seated();
    place.dropTicket();
    assert.deepEqual(place.greeting(false, false), {
      type: "JOIN_ROOM",
      roomCode: "ABC234",
      name: "Ana 2",
      avatar: ANA.avatar,
      resume: "s1",
    });
    assert.equal(place.wanted, true);
  });

  test("`takeOver` is asked when a person pressed the button of a replaced tab", () => {
    const place = seated();
    place.dropTicket();
    assert.equal(place.greeting(false, true).takeOver, true);
  });

  test("a room that is gone, or closed to this account, is forgotten", () => {
    for (const code of ["ROOM_NOT_FOUND", "BANNED"]) {
      const place = seated();
      place.dropTicket();
      place.receive(denied(code, "JOIN_ROOM"));
      assert.deepEqual([place.seat, place.wanted], [null, false]);
    }
  });

  test("a seat that is live elsewhere is kept for the take-over button", () => {
    const place = seated();
    place.dropTicket();
    place.receive(denied("ALREADY_IN_ROOM", "JOIN_ROOM"));
    assert.equal(place.seat.seatId, "s1");
  });

  test("an error about something else leaves it alone", () => {
    const place = seated();
    place.receive(denied("ROOM_NOT_FOUND", "KICK_USER"));
    place.receive({ type: "ERROR", code: "VALIDATION_ERROR" });
    assert.ok(place.ticket);
  });
});

describe("what was asked", () => {
  test("is asked again after a reconnect until it is answered", () => {
    const place = new Place();
    place.ask(JOIN);
    assert.deepEqual([place.greeting(false), place.greeting(false), place.wanted], [JOIN, JOIN, true]);
    place.receive(JOINED);
    assert.equal(place.greeting(true), null);
  });

  test("is dropped when the server says no", () => {
    const place = new Place();
    place.ask(JOIN);
    place.receive(denied("ROOM_FULL", "JOIN_ROOM"));
    assert.deepEqual([place.greeting(false), place.wanted], [null, false]);
  });

  test("a claim that brought the seat answers a JOIN_ROOM for the same room", () => {
    const place = seated();
    place.ask(JOIN);
    assert.ok(place.ticket);
    assert.equal(place.greeting(true), null);
    place.dropTicket();
    assert.equal(place.greeting(false).resume, "s1", "the wish is spent, the seat is not");
  });

  for (const entry of [
    { ...JOIN, roomCode: "XYZ789" },
    { type: "CREATE_ROOM", name: "Ana" },
    { type: "WATCH_ROOM", roomCode: "ABC234" },
  ]) {
    test(`${entry.type} of another place suspends the claim; refused, the seat is back`, () => {
      const place = seated();
      place.ask(entry);
      assert.equal(place.ticket, null);
      assert.equal(place.greeting(true, false), entry);
      place.receive(denied("ROOM_NOT_FOUND", entry.type));
      assert.equal(place.seat?.seatId, entry.roomCode === "ABC234" ? undefined : "s1");
    });
  }

  test("a watched room is asked for after each reconnect, until it closes", () => {
    const place = new Place();
    place.ask({ type: "WATCH_ROOM", roomCode: "ABC234" });
    place.receive({ type: "ROOM_STATE", room: room() });
    assert.equal(place.greeting(false).type, "WATCH_ROOM");
    assert.deepEqual([place.seat, place.wanted], [null, true]);
    place.receive({ type: "ROOM_CLOSED", reason: "idle" });
    assert.equal(place.wanted, false);
  });
});
