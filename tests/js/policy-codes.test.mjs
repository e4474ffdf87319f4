/** What each close code makes the policy do (spec 1.7, 4.2), the server's restart and 1008 included. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { DOWN, Line, UP, lost } from "./line.mjs";

describe("close codes", () => {
  for (const code of [1001, 1002, 1005, 1006, 1007, 1009, 1011, 1013, 4002, 3999]) {
    test(`${code} reconnects`, () => {
      const line = lost(UP, code);
      line.advance(1200);
      assert.equal(line.state.state, "connected");
    });
  }

  for (const [code, reason, state] of [
    [1000, "Seat attached elsewhere", "replaced"],
    [4000, "New session opened", "replaced"],
    [4001, "Unauthorized", "closed"],
    [4004, "Blocked", "closed"],
    [4005, "Kicked", "closed"],
  ]) {
    test(`${code} ${reason} stops; waking changes nothing, only the person's button connects`, () => {
      const line = lost(UP, code, reason);
      assert.equal(line.state.state, state);
      assert.equal(line.state.code, code);
      line.apply({ type: "nudge" }).apply({ type: "network", online: true }).advance(120_000);
      assert.deepEqual(line.times("open"), []);
      line.apply({ type: "connect" });
      assert.equal(line.state.state, "connected");
    });
  }

  test("tells the page who closed, with the text", () => {
    assert.deepEqual(lost(UP, 4005, "Kicked").of("closed"), [
      {
        type: "closed",
        code: 4005,
        reason: "Kicked",
        by: "server",
        text: "The host removed you from the room. You can join another one.",
      },
    ]);
    assert.equal(lost(UP, 1006).of("closed")[0].by, "network");
    assert.equal(lost(UP, 1005).of("closed")[0].by, "network");
  });

  test("4005 forgets the seat; the other ends keep it for the button", () => {
    assert.equal(lost(UP, 4005).of("forget").length, 1);
    assert.equal(lost(UP, 4000).of("forget").length, 0);
  });

  test("4003 drops the ticket and comes back at once without it", () => {
    const line = lost(UP, 4003, "Invalid seat credentials");
    assert.deepEqual(line.times("dropTicket", 5000), [0]);
    assert.deepEqual(line.times("open", 5000), [0]);
    assert.equal(line.policy.ticket, false);
  });

  test("4003 without a ticket is a plain loss: it must not spin", () => {
    const line = Line.seated();
    line.apply({ type: "place", room: true, ticket: false });
    line.far = {
      ...UP,
      open: () => [{ type: "opened" }, { type: "closed", code: 4003, reason: "", jitter: 0 }],
    };
    line.lose(1006).advance(120_000);
    assert.equal(line.of("dropTicket").length, 0);
    assert.equal(line.times("open").length, 6);
    assert.equal(line.state.state, "gave-up");
  });
});

describe("1008", () => {
  test("one try, 5 s later", () => {
    const line = lost(DOWN, 1008, "Rate limit exceeded");
    assert.deepEqual([line.state.state, line.state.retryInMs, line.state.of], ["waiting", 5000, 1]);
    line.advance(120_000);
    assert.deepEqual(line.times("open", 5000), [5000]);
    assert.equal(line.state.state, "gave-up");
  });

  test("counts as the first of one, whatever went before", () => {
    const line = lost(DOWN).advance(3000);
    line.far = UP;
    line.advance(3000).lose(1008, "Rate limit exceeded");
    assert.deepEqual([line.state.attempt, line.state.of], [1, 1]);
  });

  test("a second one within 60 s ends the series with its message", () => {
    const line = lost(UP, 1008, "Rate limit exceeded");
    for (let i = 0; i < 6; i += 1) line.advance(9000).frame();
    line.lose(1008, "Rate limit exceeded").advance(120_000);
    assert.deepEqual(line.times("open", 5000), [5000]);
    assert.deepEqual([line.state.state, line.state.code], ["gave-up", 1008]);
    assert.match(line.state.text, /Wait a few seconds/);
  });

  test("a second one after 60 s is a first one again", () => {
    const line = lost(UP, 1008);
    for (let i = 0; i < 8; i += 1) line.advance(9000).frame();
    line.lose(1008).advance(5000);
    assert.equal(line.times("open").length, 2);
  });
});

describe("a restart of the server", () => {
  test("SERVER_RESTARTING: the first try after retryAfterMs, then one every 1200 ms up to 60 s", () => {
    const line = Line.seated().restarting(3000);
    line.far = DOWN;
    line.advance(500).lose(1012, "Service restart");
    assert.deepEqual([line.state.state, line.state.retryInMs, line.state.of], ["waiting", 2500, 50]);
    line.advance(120_000);
    const tries = line.times("open", 5500);
    assert.deepEqual(tries.slice(0, 3), [2500, 3700, 4900]);
    assert.ok(tries.at(-1) <= 60_000 && tries.at(-1) > 58_000, `the last try came at ${tries.at(-1)}`);
    assert.equal(line.state.state, "gave-up");
  });

  test("a server that dies without its 1012 after the notice is waited for just the same", () => {
    const line = Line.seated().restarting(3000);
    line.far = DOWN;
    line.lose(1006).advance(30_000);
    assert.ok(line.times("open").length > 6);
  });

  for (const [jitter, first] of [
    [0, 0],
    [0.5, 600],
    [0.999, 1198.8],
  ]) {
    test(`1012 without the notice: the first try at random within 1200 ms (${jitter} → ${first})`, () => {
      const line = Line.seated();
      line.far = DOWN;
      line.jitter = jitter;
      line.lose(1012, "Service restart").advance(3000);
      const [one, two] = line.times("open", 5000);
      assert.ok(Math.abs(one - first) < 1e-6 && Math.abs(two - first - 1200) < 1e-6, `${one}, ${two}`);
    });
  }

  test("a second 1012 in a series that never settled does not extend the 60 s", () => {
    const line = Line.seated();
    line.far = {
      ...UP,
      open: () => [{ type: "opened" }, { type: "closed", code: 1012, reason: "", jitter: 0 }],
    };
    line.lose(1012).advance(300_000);
    assert.ok(line.times("open", 5000).at(-1) <= 60_000);
  });

  test("a second restart, later, has its own 60 s", () => {
    const line = lost(UP, 1012).advance(9000).frame();
    line.far = DOWN;
    line.lose(1012);
    line.log.length = 0;
    line.advance(60_000);
    assert.ok(line.times("open").length > 45);
  });

  test("waking in the middle tries at once and keeps the long series", () => {
    const line = lost(DOWN, 1012);
    line.advance(30_000).apply({ type: "nudge" });
    line.log.length = 0;
    line.advance(59_000);
    assert.ok(line.times("open").length > 40);
  });

  test("once back, the notice is over: no reason is shown, and an ordinary loss has six tries", () => {
    const line = Line.seated().restarting(8000);
    line.advance(8000).lose(1012).advance(600);
    assert.deepEqual(line.state, { type: "state", state: "connected", attempt: 0, of: 50 });
    line.apply({ type: "network", online: true }).advance(5000);
    line.far = DOWN;
    line.lose();
    line.log.length = 0;
    line.advance(120_000);
    assert.equal(line.times("open").length, 6);
  });
});
