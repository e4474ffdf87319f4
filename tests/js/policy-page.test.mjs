/** The policy and the page's life (spec 4.2): waking, silence, leaving, the button; and the machine. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { MOVES } from "../../gateway/static/gateway/phases.js";
import { Policy } from "../../gateway/static/gateway/policy.js";
import { DOWN, Line, SILENT, UP, lost, refusing } from "./line.mjs";

describe("the page wakes (online, visible, back from the cache)", () => {
  const wake = (line) => line.apply({ type: "nudge" });

  test("an open socket with a frame in the last 11 s is left alone", () => {
    const line = Line.seated();
    line.advance(10_999);
    wake(line);
    assert.deepEqual(line.log, []);
  });

  test("an open socket that was silent for 11 s (the alarm slept too) is closed and replaced at once", () => {
    const line = Line.seated();
    line.now += 30_000;
    wake(line);
    assert.deepEqual(
      line.log.map(([, effect]) => effect.type),
      ["close", "closed", "open", "state", "state"],
    );
    assert.deepEqual(line.of("close")[0], { type: "close", code: 4000, reason: "Replacing socket" });
    assert.equal(line.state.state, "connected");
  });

  test("eleven seconds to the millisecond are silence already: the alarm thinks so too", () => {
    const line = Line.seated();
    line.now += 11_000;
    wake(line);
    assert.equal(line.times("open").length, 1);
  });

  test("after giving up it reconnects without a preflight first: the seat may still be held", () => {
    const line = lost(DOWN).advance(60_000);
    line.log.length = 0;
    wake(line);
    assert.deepEqual(line.of("state")[0], { type: "state", state: "reconnecting", attempt: 1, of: 6 });
    assert.equal(line.log[0][1].type, "open");
  });

  test("in a pause it tries at once, in a fresh series", () => {
    const line = lost(DOWN);
    line.advance(5000);
    wake(line);
    assert.deepEqual(line.times("open", 5000).at(-1), 5000);
    line.log.length = 0;
    line.advance(60_000);
    assert.equal(line.times("open").length, 5, "five more after the one at once");
  });

  test("a try younger than 2 s goes on, as the first of a fresh series", () => {
    const line = lost(SILENT);
    line.advance(1200 + 5200 + 2000);
    assert.equal(line.state.attempt, 2);
    wake(line);
    assert.equal(line.times("open").length, 2);
    assert.equal(line.state.attempt, 1);
  });

  test("a try older than 2 s is closed and replaced", () => {
    const line = lost(SILENT);
    line.advance(1200 + 2001);
    wake(line);
    assert.deepEqual(line.times("close", 5000), [3201]);
    assert.deepEqual(line.times("open", 5000), [1200, 3201]);
  });

  for (const end of ["gave-up", "refused", "closed"]) {
    test(`after '${end}' (not terminal) it starts a fresh series`, () => {
      const line =
        end === "gave-up"
          ? lost(DOWN)
          : end === "refused"
            ? lost(refusing("missing_session"))
            : Line.seated().apply({ type: "place", room: false, ticket: false }).lose();
      line.advance(60_000);
      assert.equal(line.state.state, end);
      line.far = UP;
      wake(line);
      assert.equal(line.state.state, "connected");
    });
  }

  test("before connect() it does nothing", () => {
    const line = wake(new Line());
    assert.deepEqual(line.log, []);
  });

  test("being offline is shown, and the network's return starts at once", () => {
    const line = lost(DOWN);
    line.apply({ type: "network", online: false });
    assert.deepEqual([line.state.state, line.state.code], ["offline", undefined]);
    line.advance(60_000);
    assert.equal(line.state.state, "offline", "still offline, not 'gave-up': it will come back by itself");
    line.far = UP;
    line.apply({ type: "network", online: true });
    assert.equal(line.state.state, "connected");
  });

  test("a browser that calls itself offline can still reach a server on the same machine", () => {
    const line = new Line().apply({ type: "network", online: false }).apply({ type: "connect" });
    assert.equal(line.state.state, "connected");
  });
});

describe("silence", () => {
  test("no frame for interval + timeout: the socket is given up, the ordinary series follows", () => {
    const line = Line.seated();
    line.far = DOWN;
    line.advance(60_000);
    assert.deepEqual(line.times("close", 5000), [11_000]);
    assert.deepEqual(line.of("closed")[0].by, "client");
    assert.deepEqual(line.times("open", 5000), [12_200, 13_400, 14_600, 15_800, 17_000, 18_200]);
  });

  test("every frame puts it off; CONNECTED says how long it may last", () => {
    const line = new Line({
      ...UP,
      open: () => [{ type: "opened" }, { type: "connected", silenceMs: 3000 }],
    });
    line.apply({ type: "connect" }).advance(2999).frame().advance(2999);
    assert.equal(line.state.state, "connected");
    line.advance(1);
    assert.equal(line.state.state, "closed");
  });
});

describe("leaving", () => {
  test("closes 1000 and never reconnects", () => {
    const line = Line.seated().apply({ type: "leave", reason: "User disconnected" });
    assert.deepEqual(line.of("close"), [{ type: "close", code: 1000, reason: "User disconnected" }]);
    line.lose(1006).apply({ type: "nudge" }).advance(120_000);
    assert.deepEqual(line.times("open"), []);
    assert.deepEqual([line.state.state, line.state.code], ["closed", 1000]);
  });

  test("in a pause, during a try, or after giving up it ends just the same", () => {
    for (const [far, ms] of [
      [DOWN, 100],
      [SILENT, 1300],
      [DOWN, 60_000],
    ]) {
      const line = lost(far);
      line.advance(ms).apply({ type: "leave", reason: "User disconnected" });
      line.log.length = 0;
      line.apply({ type: "nudge" }).advance(120_000);
      assert.deepEqual(line.log, []);
    }
  });
});

describe("the button", () => {
  test("starts a fresh series after giving up, as often as it is pressed", () => {
    const line = lost(DOWN);
    for (let press = 0; press < 3; press += 1) {
      line.advance(60_000);
      assert.equal(line.state.state, "gave-up");
      line.log.length = 0;
      line.apply({ type: "connect" }).advance(60_000);
      assert.equal(line.times("preflight").length, 6);
    }
  });

  test("asks the preflight first and does not repeat what ended the last series", () => {
    const line = lost(UP, 4001, "Unauthorized").apply({ type: "connect" });
    assert.deepEqual(line.of("state").at(-2), { type: "state", state: "connecting", attempt: 1, of: 6 });
    assert.equal(line.times("preflight").length, 1);
  });

  test("does nothing while the connection is alive", () => {
    const line = Line.seated().apply({ type: "connect" });
    assert.deepEqual(line.log, []);
  });
});

describe("the machine", () => {
  test("an event of an earlier try, or for another phase, changes nothing", () => {
    const line = lost(SILENT);
    line.advance(1200 + 4000 + 1200);
    const before = JSON.stringify(line.policy);
    for (const type of ["opened", "connected", "frame", "restarting", "preflight", "closed"]) {
      assert.deepEqual(
        line.policy.apply({ type, id: line.policy.id - 1, code: 4004, reason: "" }, line.now),
        [],
      );
    }
    assert.deepEqual(
      line.policy.apply({ type: "connected", id: line.policy.id, silenceMs: 1 }, line.now),
      [],
    );
    assert.equal(JSON.stringify(line.policy), before);
  });

  test("an event that does not exist is an error that names it", () => {
    assert.throws(() => new Policy().apply({ type: "opne" }, 0), /no such event: 'opne'/);
  });

  test("a call before the deadline, and a second call at it, do nothing", () => {
    const line = lost(DOWN);
    assert.deepEqual(line.policy.wake(line.policy.deadline() - 1), []);
    line.far = SILENT;
    line.advance(1200);
    assert.deepEqual(line.policy.wake(line.now), []);
  });

  /** A linear congruential generator: the same walk on every machine. */
  const dice = (seed) => () => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return seed / 2_147_483_648;
  };

  function anyEvent(roll) {
    const pick = (list) => list[Math.floor(roll() * list.length)];
    const code = pick([1000, 1001, 1006, 1008, 1011, 1012, 4000, 4001, 4002, 4003, 4005]);
    return pick([
      { type: "connect" },
      { type: "nudge" },
      { type: "nudge" },
      { type: "network", online: roll() < 0.5 },
      { type: "leave", reason: "User disconnected" },
      { type: "place", room: roll() < 0.8, ticket: roll() < 0.5 },
      { type: "preflight", outcome: pick(["ok", "unreachable", "unknown"]) },
      { type: "preflight", outcome: "refused", code: pick(["forbidden", "unavailable", "blocked_ip"]) },
      { type: "opened" },
      { type: "opened" },
      { type: "connected", silenceMs: 11_000 },
      { type: "frame" },
      { type: "restarting", retryAfterMs: roll() * 5000 },
      { type: "closed", code, reason: "", jitter: roll() },
    ]);
  }

  test("a random walk: never two sockets, only legal moves, and a restored copy does the same", () => {
    const roll = dice(7);
    const line = new Line(SILENT);
    const visited = new Set();
    for (let step = 0; step < 20_000; step += 1) {
      const from = line.policy.phase;
      if (roll() < 0.4) line.advance(roll() * 3000);
      const event = { id: line.policy.id, ...anyEvent(roll) };
      const copy = Object.assign(new Policy(), JSON.parse(JSON.stringify(line.policy)));
      const expected = copy.apply(event, line.now);
      const mark = line.log.length;
      line.apply(event);
      assert.deepEqual(
        line.log.slice(mark).map(([, effect]) => effect),
        expected,
      );
      assert.ok(line.policy.attempt >= 1 && line.policy.attempt <= line.policy.limit);
      visited.add(from);
    }
    assert.deepEqual([...visited].sort(), Object.keys(MOVES).sort());
  });

  test("duplicated tabs do not fight: the loser waits for its person", () => {
    const tabs = [Line.seated(), Line.seated()];
    tabs[0].lose(1000, "Seat attached elsewhere");
    for (let second = 0; second < 60; second += 1) {
      tabs[0].advance(1000).apply({ type: "nudge" });
      tabs[1].advance(1000).frame().apply({ type: "nudge" });
    }
    assert.deepEqual([tabs[0].times("open"), tabs[1].times("open")], [[], []]);
    assert.equal(tabs[0].state.state, "replaced");
    tabs[0].apply({ type: "connect" });
    tabs[1].lose(4000, "New session opened");
    assert.deepEqual([tabs[0].state.state, tabs[1].state.state], ["connected", "replaced"]);
  });
});
