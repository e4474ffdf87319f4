/** The client and its seat: coming back, joining again, several tabs (spec 4.2; failures C03, C12). */
import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Client } from "../../gateway/static/gateway/client.js";
import { FOX, Stage, answer, joined, refusal } from "./stage.mjs";

const SAVED = ["roomId", "playerSeatId", "reconnectToken"];

describe("coming back to the seat", () => {
  test("a lost socket is replaced with the ticket in the query, without a preflight", async () => {
    const stage = new Stage();
    await stage.play();
    stage.socket.drop();
    await stage.advance(1200);
    assert.deepEqual(
      SAVED.map((key) => stage.socket.url.searchParams.get(key)),
      ["r1", "s1", "secret"],
    );
    assert.equal(stage.requests.length, 1);
    stage.socket.accept();
    assert.deepEqual(stage.socket.frames, [], "the claim is the whole way back");
    assert.equal(stage.state, "connected");
  });

  test("a reload of the tab comes back by the stored ticket", async () => {
    const stage = new Stage();
    await stage.play();
    const clientId = stage.socket.url.searchParams.get("clientId");
    const client = await stage.load();
    assert.equal(client.seat.seatId, "s1");
    client.connect();
    await stage.settle();
    assert.equal(stage.socket.claim, "secret");
    assert.equal(stage.socket.url.searchParams.get("clientId"), clientId);
  });

  test("a refused ticket: joins again by itself, with `resume` and without `takeOver`", async () => {
    const stage = new Stage();
    await stage.play();
    stage.preflight = refusal("forbidden");
    stage.socket.drop();
    await stage.advance(1200);
    stage.socket.drop();
    await stage.settle();
    assert.equal(stage.live, 1, "at once");
    assert.equal(stage.socket.claim, null);
    stage.socket.accept();
    assert.deepEqual(stage.socket.sent, [
      { type: "JOIN_ROOM", roomCode: "ABC234", name: "Ana", avatar: FOX, resume: "s1" },
    ]);
    stage.socket.serve(joined({ seatId: "s2", token: "fresh" }));
    stage.socket.drop();
    await stage.advance(1200);
    assert.equal(stage.socket.claim, "fresh");
  });

  test("a reload that finds its ticket dead joins again in the same way", async () => {
    const stage = new Stage();
    await stage.play();
    stage.preflight = refusal("forbidden");
    (await stage.load()).connect();
    await stage.settle();
    assert.equal(stage.socket.claim, null);
    const [{ type, resume, takeOver }] = stage.socket.accept().sent;
    assert.deepEqual([type, resume, takeOver], ["JOIN_ROOM", "s1", undefined]);
  });

  test("4003 does the same", async () => {
    const stage = new Stage();
    await stage.play();
    stage.socket.drop(4003, "Invalid seat credentials");
    assert.equal(stage.socket.claim, null);
    stage.socket.accept();
    assert.equal(stage.socket.sent[0].resume, "s1");
  });

  test("a room that is gone by then is forgotten, and no loop asks for it again", async () => {
    const stage = new Stage();
    await stage.play();
    stage.socket.drop(4003);
    stage.socket.accept().serve({
      type: "ERROR",
      code: "ROOM_NOT_FOUND",
      message: "",
      statusCode: 404,
      details: { action: "JOIN_ROOM" },
    });
    assert.equal(stage.client.seat, null);
    assert.equal(Client.resumeCard(stage.localStorage), null);
    stage.socket.drop();
    await stage.advance(60_000);
    assert.equal(stage.live, 0);
  });

  test("the card of an earlier visit is dropped once its room is gone", async () => {
    const stage = new Stage();
    stage.localStorage.setItem(
      "halyard.card",
      JSON.stringify({ roomCode: "ABC234", name: "Ana", avatar: null, seatId: "s0" }),
    );
    await stage.load();
    stage.client.joinRoom(Client.resumeCard(stage.localStorage));
    await stage.settle();
    const gone = { type: "ERROR", code: "ROOM_NOT_FOUND", message: "", statusCode: 404 };
    stage.socket.accept().serve({ ...gone, details: { action: "JOIN_ROOM" } });
    assert.equal(Client.resumeCard(stage.localStorage), null);
  });

  test("a JOIN_ROOM whose answer was lost with the socket is asked again", async () => {
    const stage = new Stage();
    await stage.load();
    assert.equal(stage.client.joinRoom({ roomCode: "ABC234", name: "Ana" }), false);
    await stage.settle();
    stage.socket.accept().drop();
    await stage.advance(1200);
    stage.socket.accept();
    assert.deepEqual(stage.socket.frames, ["JOIN_ROOM"]);
    stage.socket.serve(joined());
    stage.socket.drop();
    await stage.advance(1200);
    assert.deepEqual(stage.socket.accept().frames, []);
  });

  test("the big screen asks for its room again after each reconnect", async () => {
    const stage = new Stage();
    await stage.load();
    stage.client.watchRoom({ roomCode: "abc234" });
    await stage.settle();
    stage.socket
      .accept()
      .serve({ type: "ROOM_STATE", room: { roomId: "r1", roomCode: "ABC234", members: [] } });
    await stage.advance(3000);
    stage.socket.drop();
    await stage.advance(1200);
    assert.deepEqual(stage.socket.accept().sent, [{ type: "WATCH_ROOM", roomCode: "ABC234" }]);
    assert.equal(stage.client.seat, null);
  });

  test("SERVER_RESTARTING sets the time of the first try", async () => {
    const stage = new Stage();
    await stage.play();
    stage.socket.serve({ type: "SERVER_RESTARTING", retryAfterMs: 2500 }).drop(1012, "Service restart");
    assert.equal(stage.state, "waiting");
    await stage.advance(2499);
    assert.equal(stage.sockets.length, 1);
    await stage.advance(1);
    assert.equal(stage.sockets.length, 2);
  });

  test("KICKED and 4005: seat, ticket and card are gone, and nothing retries (C12)", async () => {
    for (const frames of [[{ type: "KICKED", reason: "" }], []]) {
      const stage = new Stage();
      await stage.play();
      for (const frame of frames) stage.socket.serve(frame);
      stage.socket.drop(4005, "Kicked");
      await stage.page("online");
      await stage.advance(60_000);
      assert.equal(stage.live, 0);
      assert.equal(stage.client.seat, null);
      assert.equal(stage.sessionStorage.getItem("halyard.seat"), null);
      assert.equal(Client.resumeCard(stage.localStorage), null);
    }
  });
});

describe("two tabs", () => {
  /** "Duplicate tab" copies the session storage, client id and ticket included. */
  async function duplicate(stage) {
    const copy = new Stage({ localStorage: stage.localStorage });
    for (const [key, value] of stage.sessionStorage.kept) copy.sessionStorage.setItem(key, value);
    (await copy.load()).connect();
    await copy.settle();
    copy.socket.accept();
    return copy;
  }

  test("a duplicated tab takes the seat, the older one waits for its person: no fight (C03)", async () => {
    const older = new Stage();
    await older.play();
    const newer = await duplicate(older);
    assert.equal(newer.socket.claim, "secret");
    older.socket.drop(1000, "Seat attached elsewhere");
    for (let second = 0; second < 60; second += 1) {
      await older.advance(1000);
      await older.page("visibilitychange");
      await older.page("online");
      newer.socket.serve({ type: "HEARTBEAT", timestamp: second });
      await newer.advance(1000);
    }
    assert.deepEqual([older.sockets.length, newer.sockets.length], [1, 1]);
    assert.equal(older.state, "replaced");
    assert.match(older.of("closed")[0].text, /another tab/);
  });

  test("its button brings the seat back, and then the other tab is the one that waits", async () => {
    const older = new Stage();
    await older.play();
    const newer = await duplicate(older);
    older.socket.drop(4000, "New session opened");
    older.client.retry();
    await older.settle();
    assert.equal(older.socket.claim, "secret");
    older.socket.accept();
    newer.socket.drop(1000, "Seat attached elsewhere");
    assert.deepEqual([older.state, newer.state], ["connected", "replaced"]);
  });

  test("pressed when the ticket is dead, the button takes the live seat over", async () => {
    const older = new Stage();
    await older.play();
    older.socket.drop(1000, "Seat attached elsewhere");
    older.preflight = refusal("forbidden");
    older.client.retry();
    await older.settle();
    older.socket.accept();
    assert.deepEqual([older.socket.sent[0].resume, older.socket.sent[0].takeOver], ["s1", true]);
    older.socket.drop();
    await older.advance(1200);
    older.socket.accept();
    assert.equal(older.socket.sent[0].takeOver, undefined, "one press, one take-over");
  });

  test("the button of another ending takes nothing over", async () => {
    const stage = new Stage();
    await stage.play();
    stage.socket.drop(4001, "Unauthorized");
    stage.preflight = refusal("forbidden");
    stage.client.retry();
    await stage.settle();
    assert.equal(stage.socket.accept().sent[0].takeOver, undefined);
  });

  test("a second tab is a second player: the other tab's card does not bind it", async () => {
    const first = new Stage();
    await first.play();
    const second = new Stage({ localStorage: first.localStorage });
    (await second.load()).joinRoom({ roomCode: "ABC234", name: "Ben" });
    await second.settle();
    second.socket.accept();
    assert.equal(second.socket.sent[0].resume, undefined);
  });

  test("a new tab continues as the card says, and only a button takes a live seat over", async () => {
    const first = new Stage();
    await first.play();
    const second = new Stage({ localStorage: first.localStorage });
    await second.load();
    const card = Client.resumeCard(second.localStorage);
    assert.deepEqual(card, { roomCode: "ABC234", name: "Ana", avatar: FOX, seatId: "s1" });
    second.client.joinRoom(card);
    await second.settle();
    second.socket.accept();
    assert.deepEqual([second.socket.sent[0].resume, second.socket.sent[0].takeOver], ["s1", undefined]);
    second.client.joinRoom({ roomCode: "ABC234", name: "Ana", takeOver: true });
    assert.deepEqual([second.socket.sent[1].resume, second.socket.sent[1].takeOver], ["s1", true]);
  });

  test("leaving does not wipe a card that another tab has written since", async () => {
    const first = new Stage();
    await first.play();
    const second = new Stage({ localStorage: first.localStorage });
    await second.play();
    second.socket.serve(joined({ seatId: "s2", token: "other", name: "Ben" }));
    first.client.leave();
    assert.equal(Client.resumeCard(first.localStorage).seatId, "s2");
  });
});
