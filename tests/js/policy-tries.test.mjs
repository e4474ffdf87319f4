/** The policy's tries (spec 4.2): first connection, lost connection, refusals, on virtual time. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { DOWN, Line, SILENT, UP, lost, refusing } from "./line.mjs";

describe("the first connection", () => {
  test("asks the preflight first, then opens the socket", () => {
    const line = new Line().apply({ type: "connect" });
    assert.deepEqual(
      line.log.map(([, effect]) => effect.type),
      ["preflight", "state", "open", "state"],
    );
    assert.deepEqual(
      line.of("state").map(({ state }) => state),
      ["connecting", "connected"],
    );
  });

  test("opens no socket while the preflight cannot reach the server, and asks again in each try", () => {
    const line = new Line(DOWN).apply({ type: "connect" }).advance(60_000);
    assert.deepEqual(line.times("preflight"), [0, 1200, 2400, 3600, 4800, 6000]);
    assert.deepEqual(line.times("open"), []);
    assert.equal(line.state.state, "gave-up");
    assert.equal(line.state.text, "The server could not be reached. Check the network, then try again.");
  });

  test("goes on to the socket when the preflight's answer is not one of ours (a proxy's page)", () => {
    const line = new Line({ ...UP, preflight: () => ({ type: "preflight", outcome: "unknown" }) });
    line.apply({ type: "connect" });
    assert.equal(line.state.state, "connected");
  });

  test("an upgrade that fails after its own preflight is explained by that of the next try", () => {
    const line = new Line({ ...DOWN, preflight: UP.preflight }).apply({ type: "connect" }).advance(60_000);
    assert.equal(line.times("preflight").length, 6);
    assert.equal(line.times("open").length, 6);
  });

  test("says `connecting` in the first try, then `reconnecting` with the number of the try", () => {
    const line = new Line(DOWN).apply({ type: "connect" }).advance(1300);
    const seen = line.of("state").map(({ state, attempt, of }) => [state, attempt, of]);
    assert.deepEqual(seen.slice(0, 2), [
      ["connecting", 1, 6],
      ["reconnecting", 2, 6],
    ]);
  });
});

describe("a lost connection", () => {
  test("is replaced in six tries, 1200 ms after the failure before: instant failures span 7.2 s", () => {
    const line = lost(DOWN);
    line.advance(120_000);
    assert.deepEqual(line.times("open", 5000), [1200, 2400, 3600, 4800, 6000, 7200]);
    assert.equal(line.state.state, "gave-up");
    assert.equal(line.policy.deadline(), null);
  });

  test("a try may take 4 s and is closed then; the pause counts from there", () => {
    const line = lost(SILENT);
    line.advance(120_000);
    assert.deepEqual(line.times("open", 5000), [1200, 6400, 11_600, 16_800, 22_000, 27_200]);
    assert.deepEqual(line.times("close", 5000), [5200, 10_400, 15_600, 20_800, 26_000, 31_200]);
  });

  test("each try has its own id, and a socket that never opened is not reported as closed", () => {
    const line = lost(SILENT);
    line.log.length = 0;
    line.advance(120_000);
    assert.equal(new Set(line.of("open").map(({ id }) => id)).size, 6);
    assert.deepEqual(line.of("closed"), []);
  });

  test("a socket that opens but never says CONNECTED is a try of 4 s like any other", () => {
    const line = lost({ ...SILENT, open: () => ({ type: "opened" }) });
    line.advance(5300);
    assert.deepEqual(line.of("close"), [{ type: "close", code: 4000, reason: "Replacing socket" }]);
    assert.equal(line.state.attempt, 2);
  });

  test("runs no preflight before a try, only after an upgrade failed without a reason", () => {
    const line = lost(SILENT);
    line.advance(1200);
    assert.deepEqual([line.times("open").length, line.times("preflight").length], [1, 0]);
    line.lose();
    assert.equal(line.times("preflight").length, 1);
  });

  test("an explanation that explains nothing leaves the schedule as it was", () => {
    for (const outcome of ["ok", "unknown", "unreachable"]) {
      const line = lost({ ...DOWN, preflight: () => ({ type: "preflight", outcome }) }).advance(60_000);
      assert.deepEqual(line.times("open", 5000), [1200, 2400, 3600, 4800, 6000, 7200], outcome);
    }
  });

  test("a try that timed out is not explained: where nobody answers, neither would the preflight", () => {
    const line = lost(SILENT);
    line.advance(120_000);
    assert.deepEqual(line.times("preflight"), []);
  });

  test("an explanation that takes longer than the pause delays the next try, but not beyond 4 s", () => {
    const line = lost({ ...DOWN, preflight: () => null });
    line.advance(5300);
    assert.deepEqual(line.times("open", 5000), [1200, 5200]);
    assert.deepEqual(line.times("close", 5000), [5200], "the preflight that hangs is given up");
    line.advance(1300).apply({ type: "preflight", outcome: "ok" });
    line.advance(0);
    assert.equal(line.times("open").length, 3, "an answer later than the pause starts the next try at once");
  });

  test("shows which try of six it is at, and how long the pause still is", () => {
    const line = lost(DOWN);
    assert.deepEqual(line.state, {
      type: "state",
      state: "reconnecting",
      attempt: 1,
      of: 6,
      retryInMs: 1200,
      code: 1006,
      text: "The connection was lost. Your answers and points are kept; this page reconnects by itself.",
    });
    line.advance(1200);
    assert.equal(line.state.attempt, 2);
  });

  test("a success ends the series: the next loss has six tries again", () => {
    const line = lost(DOWN);
    line.advance(6000);
    line.far = UP;
    line.advance(1300);
    assert.equal(line.state.state, "connected");
    assert.equal(line.state.attempt, 0);
    line.far = DOWN;
    line.advance(3000).lose();
    line.log.length = 0;
    line.advance(60_000);
    assert.equal(line.times("open").length, 6);
  });

  test("a server that greets and drops at once is asked six times, not for ever", () => {
    const line = lost({
      ...UP,
      open: () => [...UP.open(), { type: "closed", code: 1011, reason: "", jitter: 0 }],
    });
    line.advance(120_000);
    assert.equal(line.times("open").length, 6);
    assert.equal(line.state.state, "gave-up");
  });

  test("is not replaced when no room is held", () => {
    const line = Line.seated().apply({ type: "place", room: false, ticket: false });
    line.lose().advance(60_000);
    assert.deepEqual(line.times("open"), []);
    assert.equal(line.state.state, "closed");
    assert.equal(line.of("closed")[0].text, "The connection is closed. It opens again when you join a room.");
  });
});

describe("a refusal", () => {
  for (const code of ["invalid_origin", "blocked_ip", "missing_session"]) {
    test(`${code} ends the series with its message`, () => {
      const line = lost(refusing(code));
      line.advance(120_000);
      assert.equal(line.times("open").length, 1);
      assert.deepEqual([line.state.state, line.state.code], ["refused", code]);
      const [refused] = line.of("refused");
      assert.equal(refused.terminal, true);
      assert.equal(refused.text, line.state.text);
    });
  }

  for (const code of [
    "session_connection_cap",
    "ip_connection_cap",
    "arcjet_denied",
    "unavailable",
    "news_to_us",
  ]) {
    test(`${code} waits for Retry-After, within the six tries`, () => {
      const line = lost(refusing(code, 9000));
      line.advance(1200);
      const { state, attempt, retryInMs, code: why } = line.state;
      assert.deepEqual([state, attempt, retryInMs, why], ["waiting", 2, 9000, code]);
      assert.deepEqual(line.of("refused")[0].retryAfterMs, 9000);
      assert.equal(line.of("refused")[0].terminal, false);
      line.advance(120_000);
      assert.equal(line.of("refused").length, 6);
      assert.equal(line.of("refused").at(-1).terminal, true);
      assert.deepEqual([line.state.state, line.state.code], ["gave-up", code]);
    });
  }

  test("without Retry-After the ordinary pause holds", () => {
    const line = lost(refusing("session_connection_cap"));
    line.advance(2400);
    assert.deepEqual(line.times("refused", 5000), [1200, 2400]);
  });

  test("after a refusal the next try asks the preflight before it opens a socket", () => {
    const line = lost(refusing("unavailable", 2000));
    line.advance(1200);
    line.far = UP;
    line.log.length = 0;
    line.advance(2000);
    const done = line.log.map(([, effect]) => effect.type).filter((type) => type !== "state");
    assert.deepEqual(done, ["preflight", "open"]);
    assert.equal(line.state.state, "connected");
  });

  test("forbidden drops the ticket and comes back at once without it, even in the sixth try", () => {
    const line = lost(DOWN);
    line.advance(6500);
    line.far = refusing("forbidden");
    line.advance(700);
    assert.deepEqual(line.times("dropTicket", 5000), [7200]);
    assert.deepEqual(line.times("open", 5000).slice(-2), [7200, 7200]);
    assert.deepEqual(line.of("refused")[0].terminal, false);
  });

  test("the comeback without a ticket is a fresh series, and says why there is one", () => {
    const line = lost(DOWN).advance(6500);
    line.far = { ...SILENT, preflight: refusing("forbidden").preflight };
    line.advance(700).lose();
    const { state, attempt, code } = line.state;
    assert.deepEqual([state, attempt, code], ["reconnecting", 1, "forbidden"]);
  });

  test("forbidden to a client that claims nothing ends: there is nothing to drop", () => {
    const line = new Line(refusing("forbidden")).apply({ type: "connect" });
    assert.deepEqual([line.state.state, line.of("refused")[0].terminal], ["refused", true]);
  });

  test("forbidden for a claim that was superseded meanwhile goes on without it", () => {
    const line = new Line({ ...SILENT }).apply({ type: "place", room: true, ticket: true });
    line.apply({ type: "connect" }).apply({ type: "place", room: true, ticket: false });
    line.apply({ type: "preflight", outcome: "refused", code: "forbidden" });
    assert.equal(line.times("open").length, 1);
  });
});
