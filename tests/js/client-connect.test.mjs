/** The client on the wire: preflight, socket, frames, latency, in a tab on virtual time (spec 4.2). */
import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Client } from "../../gateway/static/gateway/client.js";
import { Stage, answer, joined, refusal } from "./stage.mjs";

describe("connecting", () => {
  test("asks the preflight with the socket's own query, then opens the socket", async () => {
    const stage = new Stage();
    (await stage.load()).connect();
    assert.equal(stage.sockets.length, 0);
    await stage.settle();
    assert.equal(stage.requests[0].pathname, "/api/ws/preflight");
    assert.equal(stage.socket.url.origin + stage.socket.url.pathname, "ws://quiz.lan:8000/ws");
    assert.equal(stage.socket.url.search, stage.requests[0].search);
    assert.match(stage.socket.url.searchParams.get("clientId"), /^[\w-]{16,64}$/);
    stage.socket.accept();
    assert.deepEqual(
      stage.of("state").map(({ state }) => state),
      ["connecting", "connected"],
    );
    assert.equal(stage.of("message")[0].type, "CONNECTED");
  });

  test("uses wss on https, and an absolute address as it is", async () => {
    const stage = new Stage();
    stage.options.location = { href: "https://quiz.example/" };
    (await stage.load()).connect();
    await stage.settle();
    assert.equal(stage.socket.url.protocol, "wss:");
    const other = new Client({ ...stage.options, url: "wss://ws.example/ws" });
    other.connect();
    await stage.settle();
    assert.equal(stage.socket.url.host, "ws.example");
  });

  test("a refusal is an event with the code, our text and the server's wait", async () => {
    const stage = new Stage();
    stage.preflight = refusal("session_connection_cap", { "Retry-After": "3" });
    (await stage.load()).connect();
    await stage.settle();
    assert.deepEqual(stage.of("refused"), [
      {
        code: "session_connection_cap",
        terminal: false,
        retryAfterMs: 3000,
        text: "Too many game tabs are open in this browser. Close one of the others, then try again.",
      },
    ]);
    assert.equal(stage.state, "waiting");
    stage.preflight = () => answer(200, '{"ok": true}');
    await stage.advance(3000);
    assert.equal(stage.live, 1);
  });

  test("a proxy's error page, or no JSON at all, does not keep the socket from being tried", async () => {
    for (const body of ["<html>", "null", '{"detail": "x"}', '{"ok": 1}']) {
      const stage = new Stage();
      stage.preflight = () => answer(502, body);
      (await stage.load()).connect();
      await stage.settle();
      assert.equal(stage.live, 1, body);
    }
  });

  test("an unreachable preflight opens no socket, and the tries end with a way on", async () => {
    const stage = new Stage();
    stage.preflight = () => Promise.reject(new TypeError("Failed to fetch"));
    (await stage.load()).connect();
    await stage.settle();
    await stage.advance(60_000);
    assert.deepEqual([stage.requests.length, stage.sockets.length, stage.state], [6, 0, "gave-up"]);
    stage.preflight = () => answer(200, '{"ok": true}');
    stage.client.retry();
    await stage.settle();
    stage.socket.accept();
    assert.equal(stage.state, "connected");
  });

  test("a preflight that hangs is aborted with its try", async () => {
    const stage = new Stage();
    const signals = [];
    stage.preflight = ({ signal }) =>
      new Promise((_, reject) => {
        signals.push(signal);
        signal.addEventListener("abort", () => reject(signal.reason));
      });
    (await stage.load()).connect();
    await stage.advance(4000);
    assert.equal(signals[0].aborted, true);
    assert.equal(stage.of("state").at(-1).attempt, 2);
  });
});

describe("frames", () => {
  test("a heartbeat is answered in the message handler and not shown to the page", async () => {
    const stage = new Stage();
    await stage.play();
    stage.socket.serve({ type: "HEARTBEAT", timestamp: 42 });
    assert.deepEqual(stage.socket.sent.at(-1), { type: "HEARTBEAT_RESPONSE", timestamp: 42 });
    assert.ok(!stage.of("message").some(({ type }) => type === "HEARTBEAT"));
  });

  test("the page sees a frame after the client has learned from it", async () => {
    const stage = new Stage();
    await stage.load();
    let seat = null;
    stage.client.addEventListener("message", ({ detail }) => {
      if (detail.type === "ROOM_JOINED") seat = stage.client.seat;
    });
    stage.client.createRoom({
      name: "Ana",
      avatar: { id: "fox", colour: 1 },
      settings: { questionCount: 3 },
    });
    await stage.settle();
    stage.socket.accept().serve(joined());
    assert.deepEqual(stage.socket.sent, [
      { type: "CREATE_ROOM", name: "Ana", avatar: { id: "fox", colour: 1 }, settings: { questionCount: 3 } },
    ]);
    assert.equal(seat.roomCode, "ABC234");
    assert.equal(JSON.stringify(seat).includes("secret"), false);
  });

  test("send() tells whether the frame went out; what did not is never sent later (C09)", async () => {
    const stage = new Stage();
    const client = await stage.play();
    const answerFrame = { type: "SUBMIT_ANSWER", questionId: "q1", choices: ["a"] };
    assert.equal(client.send(answerFrame), true);
    stage.socket.drop();
    assert.equal(client.send(answerFrame), false);
    await stage.advance(1200);
    assert.equal(client.send(answerFrame), false, "an opening socket takes no frames");
    stage.socket.accept();
    await stage.advance(3000);
    assert.deepEqual(stage.socket.frames, []);
    assert.equal(client.send(answerFrame), true);
  });

  test("a socket that the browser is closing takes nothing either", async () => {
    const stage = new Stage();
    const client = await stage.play();
    stage.socket.readyState = 2;
    assert.equal(client.send({ type: "START_GAME" }), false);
  });

  test("latency: the preflight's round trip, then an answer's, then the heartbeats' delay", async () => {
    const stage = new Stage();
    stage.preflight = () => {
      stage.now += 40;
      return answer(200, '{"ok": true}');
    };
    const client = await stage.play();
    client.send({ type: "SUBMIT_ANSWER", questionId: "q1", choices: ["a"] });
    stage.sleep(25);
    stage.socket.serve({ type: "ANSWER_ACCEPTED", questionId: "q1" });
    stage.socket.serve({ type: "HEARTBEAT", timestamp: 1000 });
    stage.sleep(7130);
    stage.socket.serve({ type: "HEARTBEAT", timestamp: 8000 });
    assert.deepEqual(stage.of("latency"), [{ ms: 40 }, { ms: 25 }, { ms: 25 }, { ms: 155 }]);
  });
});
