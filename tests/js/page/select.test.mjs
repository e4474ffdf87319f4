/** What follows from a view: which screen, how much time, whose turn, what the verdict is (select.js, bar.js). */
import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { newsOf } from "../../../quizsite/static/quizsite/js/bar.js";
import * as select from "../../../quizsite/static/quizsite/js/select.js";
import { choose, start } from "../../../quizsite/static/quizsite/js/store.js";
import { speak } from "../../../quizsite/static/quizsite/js/text.js";
import * as room from "./room.mjs";

const { after, then, NOW } = room;
const CONNECTED = { state: "connected" };
const screen = (view, conn = CONNECTED, mode = "join") => select.screenOf(view, conn, mode, false);
const playing = (fields) => after(room.joined(fields), room.question());
speak("en", {});

describe("the screen", () => {
  test("before there is a room it is what the tab was opened for, or the wait for the seat it had", () => {
    assert.equal(screen(start()), "join");
    assert.equal(screen(start(), CONNECTED, "host"), "host");
    assert.equal(select.screenOf(start(), CONNECTED, "join", true), "message");
  });
  test("in a room it is the phase's", () => {
    assert.equal(screen(after(room.joined())), "lobby");
    assert.equal(screen(after(room.joined(), { type: "GAME_STARTING", countdownMs: 3000 })), "starting");
    assert.equal(screen(playing()), "question");
    assert.equal(screen(then(playing(), room.results())), "results");
    assert.equal(screen(then(playing(), { type: "GAME_FINISHED", leaderboard: [] })), "podium");
  });
  test("a connection that comes back by itself leaves the game where it is", () => {
    for (const state of ["reconnecting", "waiting", "offline", "connecting"]) assert.equal(screen(playing(), { state }), "question");
  });
  test("one that only a button brings back takes the page", () => {
    for (const state of ["replaced", "refused", "gave-up"]) assert.equal(screen(playing(), { state }), "message");
    for (const code of [1000, 4001, 4004, 4005]) assert.equal(screen(playing(), { state: "closed", code }), "message");
  });
  test("a form that nobody has sent yet stays when its idle socket is lost", () => {
    assert.equal(screen(start(), { state: "closed", code: 1006 }), "join");
  });
  test("the end of the room is said before the end of the connection", () => {
    const kicked = then(playing(), { type: "KICKED", reason: "banned" });
    assert.equal(select.ending(kicked, { state: "closed", code: 4005 }).kind, "kicked");
  });
  test("each question is a screen of its own, a returning snapshot of it is not", () => {
    const key = (view) => select.screenKey(view, "question");
    const again = then(playing(), room.state({ phase: "question", question: room.question() }));
    assert.equal(key(again), key(playing()));
    assert.notEqual(key(then(playing(), room.question({ questionId: "q2" }))), key(playing()));
  });
});

describe("time", () => {
  test("what is left runs down on the page's own steady clock and stops at zero", () => {
    assert.equal(select.remaining(playing(), NOW + 5000), 10_000);
    assert.equal(select.remaining(playing(), NOW + 20_000), 0);
    assert.equal(select.remaining(after(room.joined()), NOW), null);
  });
  test("it stands still while the server restarts", () => {
    const paused = then(playing(), { type: "SERVER_RESTARTING", retryAfterMs: 900 }, NOW + 5000);
    assert.equal(select.remaining(paused, NOW + 60_000), 10_000);
  });
});

describe("people", () => {
  test("without the host the earliest who is connected is next, else the earliest", () => {
    const away = (userId) => ({ type: "MEMBERS", joined: [], updated: [{ userId, status: "grace" }], left: [] });
    const view = after(room.joined());
    assert.equal(select.nextHost(view).userId, "ben");
    assert.equal(select.nextHost(then(view, away("ben"))).userId, "chen");
    assert.equal(select.nextHost(then(then(view, away("ben")), away("chen"))).userId, "ben");
  });
  test("a host who only presents does not play", () => {
    const members = [room.member("ben", 0, { plays: false }), room.member("ana", 1)];
    const view = after(room.joined({ members }));
    assert.deepEqual([select.isHost(view), select.plays(view), select.players(view).length], [true, false, 1]);
  });
  test("my row of a board is found under an old seat id too, by the name", () => {
    const view = after(room.joined());
    assert.equal(select.ownRow(view, [room.row("ben", 1, 1)]).score, 1);
    assert.equal(select.ownRow(view, [{ ...room.row("old-ben", 2, 1), name: "BEN" }]).score, 2);
    assert.equal(select.ownRow(view, [room.row("ana", 3, 1)]), null);
  });
});

describe("the verdict", () => {
  const graded = (choices, result) => {
    const chosen = choices ? then(choose(playing(), choices), room.accepted) : playing();
    const shown = then(chosen, room.results());
    return select.verdict(result ? then(shown, room.mine(result)) : shown);
  };
  const nothing = { correct: false, breakdown: { base: 0, streak: 0, lagCreditMs: 0, responseMs: 0 } };

  test("is the server's word once it has come", () => {
    assert.deepEqual(graded(["c2"], {}), { kind: "right", index: 1 });
    assert.deepEqual(graded(["c1"], { ...nothing }), { kind: "wrong", index: 1 });
    assert.deepEqual(graded(null, nothing), { kind: "silent", index: 1 });
  });
  test("knows after a reload that there was an answer, by the time it took", () => {
    const reloaded = { correct: false, breakdown: { base: 0, streak: 0, lagCreditMs: 0, responseMs: 2000 } };
    assert.equal(graded(null, reloaded).kind, "wrong");
  });
  test("is none for who was not asked", () => {
    assert.equal(graded(null, null).kind, "none");
  });
  test("shows of several right answers the one that was mine", () => {
    const view = then(then(choose(playing(), ["c3"]), room.accepted), room.results({ correct: ["c1", "c3"] }));
    assert.equal(select.verdict(view).index, 2);
  });
});

describe("the big screen", () => {
  const watching = after({ ...room.state({ phase: "lobby" }), you: undefined });

  test("is in the room without a seat, and moves the quiz on like the host", () => {
    assert.deepEqual([watching, playing(), start()].map(select.watches), [true, false, false]);
    const host = after({ ...room.joined(), you: room.you({ userId: "ana" }) });
    assert.deepEqual([watching, host, playing(), start()].map(select.leads), [true, true, false, false]);
    assert.equal(select.plays(watching), false);
  });
  test("tells how many are there and how many are away", () => {
    const away = { type: "MEMBERS", joined: [], updated: [{ userId: "ben", status: "grace" }], left: [] };
    assert.deepEqual(select.health(then(watching, away)), { connected: 2, slow: 0, away: 1, of: 3 });
  });
  test("counts a slow line only of those who are connected and still there", () => {
    const slow = then(watching, { type: "LAGGING", userIds: ["ben", "chen", "gone"] });
    const away = { type: "MEMBERS", joined: [], updated: [{ userId: "ben", status: "grace" }], left: [] };
    assert.deepEqual(select.health(slow), { connected: 3, slow: 2, away: 0, of: 3 });
    assert.deepEqual(select.health(then(slow, away)), { connected: 2, slow: 1, away: 1, of: 3 });
  });
});

describe("the rank", () => {
  test("is told with who is next above, and by how much", () => {
    assert.deepEqual(select.above(then(then(playing(), room.results()), room.mine())), { name: "CHEN", points: 400 });
  });
  test("is told alone by the first, and by those whom the board does not reach", () => {
    const first = then(then(playing(), room.results()), room.mine({ total: 900, rank: 1 }));
    assert.equal(select.above(first), null);
    const far = then(then(playing(), room.results()), room.mine({ total: 0, rank: 30 }));
    assert.equal(select.above(far), null);
  });
  test("moves are counted against the board before, and unknown to the first", () => {
    const first = then(playing(), room.results());
    assert.equal(select.gained(first, room.row("ben", 500, 2)), null);
    const second = then(first, room.results({ leaderboard: [room.row("ben", 950, 1), room.row("chen", 900, 2)] }));
    assert.equal(select.gained(second, room.row("ben", 950, 1)), 1);
    assert.equal(select.gained(second, room.row("chen", 900, 2)), -1);
  });
});

describe("the band", () => {
  const title = (view, conn, now = NOW) => newsOf(view, conn, now)?.title[0] ?? null;

  test("is not there when nothing is wrong", () => {
    assert.equal(title(playing(), CONNECTED), null);
  });
  test("tells a broken line first, and what of mine is safe", () => {
    const away = { type: "MEMBERS", joined: [], updated: [{ userId: "ana", status: "grace" }], left: [] };
    const conn = { state: "reconnecting", attempt: 2, of: 6 };
    const news = newsOf(choose(then(playing(), away), ["c1"]), conn, NOW);
    assert.deepEqual([news.title, news.text], [["conn.try.long", { n: 2, of: 6 }], ["kept.answer"]]);
    assert.deepEqual(newsOf(playing(), { state: "offline" }, NOW).text, ["kept.seat"]);
    assert.deepEqual(newsOf(start(), { state: "offline" }, NOW).text, ["kept.none"]);
  });
  test("tells why a line broke that comes back, if the code says so", () => {
    speak("en", { "why.1011": "Ours." });
    const news = (code) => newsOf(playing(), { state: "reconnecting", attempt: 1, of: 6, code }, NOW);
    assert.deepEqual([news(1011).why, news(1011).text], [["why.1011"], ["kept.seat"]]);
    assert.equal(news(1006).why, null);
    speak("en", {});
  });
  test("says of a seat that was given away that it is asked for anew, not that it is kept", () => {
    const conn = { state: "reconnecting", attempt: 1, of: 6, code: 4003 };
    assert.deepEqual(newsOf(playing(), conn, NOW).text, ["kept.again"]);
  });
  test("speaks of no seat on the big screen, and of no heir where there is none", () => {
    const alone = room.state({ phase: "lobby", members: [room.member("ana", 0, { status: "grace" })] });
    const watching = after({ ...alone, you: undefined });
    assert.deepEqual(newsOf(watching, { state: "offline" }, NOW).text, ["kept.watching"]);
    assert.deepEqual(newsOf(watching, CONNECTED, NOW).text, ["host.away.text"]);
  });
  test("tells that the host is away, and who would take over", () => {
    const away = { type: "MEMBERS", joined: [], updated: [{ userId: "ana", status: "grace" }], left: [] };
    const news = newsOf(then(playing(), away), CONNECTED, NOW);
    assert.deepEqual([news.title, news.text], [["host.away", { name: "ANA" }], ["host.away.you"]]);
  });
  test("tells a restart as such, not as a lost line", () => {
    assert.equal(title(playing(), { state: "waiting", code: 1012 }), "news.restart");
    assert.equal(title(then(playing(), { type: "SERVER_RESTARTING", retryAfterMs: 1 }), CONNECTED), "news.restart");
    assert.equal(title(playing(), { state: "reconnecting", attempt: 9, of: 50 }), "news.restart");
    assert.equal(title(playing(), { state: "waiting", code: "unavailable", text: "x" }), "news.waiting");
  });
  test("tells a new host by name, once the roster has it, for a while", () => {
    const changed = then(after(room.joined()), { type: "HOST_CHANGED", userId: "dia" });
    assert.equal(title(changed, CONNECTED), null);
    const frame = { type: "MEMBERS", joined: [room.member("dia", 3, { isHost: true })], updated: [], left: [] };
    assert.deepEqual(newsOf(then(changed, frame), CONNECTED, NOW).title, ["host.now", { name: "DIA" }]);
    assert.equal(title(then(changed, frame), CONNECTED, NOW + 60_000), null);
  });
});
