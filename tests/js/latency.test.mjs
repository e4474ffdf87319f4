/** The latency for the eye: last round trip plus how late the newest heartbeat came. */
import assert from "node:assert/strict";
import { test } from "node:test";

import { Latency } from "../../gateway/static/gateway/latency.js";

const HEARTBEAT = (timestamp) => ({ type: "HEARTBEAT", timestamp });

test("nothing is shown before a round trip was measured", () => {
  assert.equal(new Latency().received(HEARTBEAT(0), 5), null);
});

test("a heartbeat that comes later than its kin adds its delay, whatever the server's clock reads", () => {
  const latency = new Latency();
  assert.equal(latency.measured(38.4), 38);
  const shown = [
    [7000, 1_000_000],
    [14_000, 1_007_000],
    [21_250, 1_014_000],
    [28_000, 1_021_000],
  ].map(([now, timestamp]) => latency.received(HEARTBEAT(timestamp), now));
  assert.deepEqual(shown, [38, 38, 288, 38]);
});

test("the answer to SUBMIT_ANSWER is a round trip; an acceptance of another question is not", () => {
  const latency = new Latency();
  latency.sent({ type: "SUBMIT_ANSWER", questionId: "q1", choices: [] }, 100);
  latency.sent({ type: "SEND_REACTION" }, 120);
  assert.equal(latency.received({ type: "ANSWER_ACCEPTED", questionId: "q0" }, 130), null);
  assert.equal(latency.received({ type: "ANSWER_ACCEPTED", questionId: "q1" }, 145), 45);
  assert.equal(latency.received({ type: "QUESTION_RESULTS" }, 150), null);
});

test("a new measurement holds the delay of its moment: it is not added a second time", () => {
  const latency = new Latency();
  latency.measured(20);
  latency.received(HEARTBEAT(0), 0);
  latency.measured(220);
  assert.equal(latency.received(HEARTBEAT(7000), 7200), 220);
});

test("the youngest heartbeat is looked for in the last minute only: clocks drift", () => {
  const latency = new Latency();
  latency.measured(20);
  latency.received(HEARTBEAT(0), 0);
  let shown = null;
  for (let beat = 1; beat <= 9; beat += 1) shown = latency.received(HEARTBEAT(beat * 7000), beat * 7000 + 50);
  assert.equal(shown, 20);
});

test("a new connection starts without the old one's heartbeats: the server may be another process", () => {
  const latency = new Latency();
  latency.measured(20);
  latency.received(HEARTBEAT(5_000_000), 7000);
  latency.received({ type: "CONNECTED" }, 9000);
  assert.equal(latency.received(HEARTBEAT(3), 14_000), 20);
});
