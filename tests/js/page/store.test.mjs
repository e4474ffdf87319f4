/** What a tab knows of its room after the server's frames (store.js). */
import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { choose, forget, pardon } from "../../../quizsite/static/quizsite/js/store.js";
import * as room from "./room.mjs";

const { after, then, NOW } = room;
const names = (view) => view.members.map((member) => member.userId);
const playing = () => after(room.joined(), room.question());

describe("entering", () => {
  test("a frame of a type that no page knows changes nothing", () => {
    const view = playing();
    assert.equal(then(view, { type: "CONNECTED" }), view);
    assert.equal(then(view, { type: "constructor" }), view);
  });
  test("the snapshot brings the room, its people by join order, and who I am", () => {
    const view = after(room.joined({ members: [room.member("chen", 2), room.member("ana", 0)] }));
    assert.deepEqual([view.phase, view.room.code, view.you.userId], ["lobby", "K7QX2M", "ben"]);
    assert.deepEqual(names(view), ["ana", "chen"]);
  });
  test("a question that is running goes on with what is left of it, not with all of it", () => {
    const running = room.question({ remainingMs: 4000 });
    const view = after(room.joined({ phase: "question", question: running }));
    assert.deepEqual([view.endsAt, view.lasts], [NOW + 4000, 15_000]);
  });
  test("whoever comes late waits for the next question, and plays that one", () => {
    const late = after(room.joined({ phase: "question", question: room.question() }, { waits: true }));
    assert.equal(late.late, true);
    assert.equal(then(late, room.question({ questionId: "q2" })).late, false);
  });
  test("another room starts from nothing", () => {
    const view = then(then(playing(), room.results()), { ...room.joined(), room: room.room({ roomCode: "ABCDEF" }) });
    assert.deepEqual([view.results, view.question, view.room.code], [null, null, "ABCDEF"]);
  });
});

describe("coming back", () => {
  const back = (own) => room.state({ phase: "question", question: room.question({ remainingMs: 3000 }) }, own);

  test("the answer that the server has is shown as given", () => {
    const view = then(playing(), back({ answered: { questionId: "q1", choices: ["c2"] } }));
    assert.deepEqual([view.answered, view.pending], [["c2"], null]);
  });
  test("an answer that was lost with its socket is kept, to be sent again", () => {
    assert.deepEqual(then(choose(playing(), ["c1"]), back()).pending, ["c1"]);
  });
  test("an answer to a question that is over is not kept", () => {
    const next = room.question({ questionId: "q2" });
    const view = then(choose(playing(), ["c1"]), room.state({ phase: "question", question: next }));
    assert.equal(view.pending, null);
  });
  test("in the results my own answer stays known, though the server no longer tells it", () => {
    const graded = room.state({ phase: "results", question: room.question(), results: room.results(), nextInMs: 2000 });
    const view = then(then(then(choose(playing(), ["c2"]), room.accepted), room.results()), graded);
    assert.deepEqual(view.answered, ["c2"]);
    assert.deepEqual([view.endsAt, view.lasts], [NOW + 2000, 5000]);
  });
  test("after the end the last board is there again", () => {
    const board = [room.row("ben", 500, 1)];
    const view = after(room.state({ phase: "finished", finished: { leaderboard: board, gameId: "g" } }));
    assert.deepEqual(view.final, board);
    assert.equal(view.gameId, "g");
  });
  test("the restart is over as soon as the room is back", () => {
    const paused = then(playing(), { type: "SERVER_RESTARTING", retryAfterMs: 900 });
    assert.equal(paused.pausedAt, NOW);
    assert.equal(then(paused, back()).pausedAt, null);
  });
});

describe("the roster", () => {
  test("snapshot plus deltas is the room as it is: joined, changed, left", () => {
    const view = then(after(room.joined()), {
      type: "MEMBERS",
      joined: [room.member("dia", 3)],
      updated: [{ userId: "ben", score: 70 }, { userId: "chen", status: "grace" }],
      left: [{ userId: "ana", reason: "left" }],
    });
    assert.deepEqual(names(view), ["ben", "chen", "dia"]);
    assert.deepEqual([view.members[0].score, view.members[1].status], [70, "grace"]);
  });
  test("a member that is announced twice is there once, as announced last", () => {
    const frame = { type: "MEMBERS", joined: [room.member("ben", 1, { name: "Ben 2" })], updated: [], left: [] };
    const view = then(after(room.joined()), frame);
    assert.deepEqual(names(view), ["ana", "ben", "chen"]);
    assert.equal(view.members[1].name, "Ben 2");
  });
  test("one is host at a time, and the news of it ends by itself", () => {
    const view = then(after(room.joined()), { type: "HOST_CHANGED", userId: "ben" });
    assert.deepEqual(view.members.map((member) => member.isHost), [false, true, false]);
    assert.equal(view.notice.key, "host.you");
    assert.ok(view.notice.until > NOW);
  });
});

describe("what only the host is told", () => {
  const bans = { type: "BANS", banned: [{ userId: "chen", name: "CHEN", avatar: { id: "owl", colour: 1 } }] };
  const told = () => then(then(playing(), bans), { type: "LAGGING", userIds: ["ana"] });

  test("whom a host removed is remembered, through a stopped game too, until they are let back in", () => {
    const view = then(told(), { type: "GAME_STOPPED" });
    assert.deepEqual(view.removed, bans.banned);
    assert.deepEqual(pardon(view, "chen").removed, []);
  });
  test("the server's newest list is the whole list", () => {
    const view = then(then(told(), { type: "BANS", banned: [] }), { type: "LAGGING", userIds: [] });
    assert.deepEqual([view.removed, view.lagging], [[], []]);
  });
  test("a whole room and a new host begin with nothing, and what there is follows", () => {
    for (const frame of [room.state(), room.joined(), { type: "HOST_CHANGED", userId: "ben" }]) {
      const view = then(told(), frame);
      assert.deepEqual([view.removed, view.lagging], [[], []]);
    }
  });
  test("a new game begins with nobody lagging", () => {
    assert.deepEqual(then(told(), { type: "GAME_STARTING", countdownMs: 3000 }).lagging, []);
  });
});

describe("a game", () => {
  test("starting sets all points to zero and forgets the game before", () => {
    const won = then(then(then(playing(), room.results()), room.mine()), { type: "GAME_FINISHED", leaderboard: [], gameId: "g" });
    const view = then(won, { type: "GAME_STARTING", countdownMs: 3000 });
    assert.deepEqual([view.phase, view.endsAt, view.you.score], ["starting", NOW + 3000, 0]);
    assert.deepEqual([view.question, view.results, view.mine, view.final], [null, null, null, null]);
    assert.equal(view.room.code, "K7QX2M");
  });
  test("a choice is pending until it is accepted, and then it is the answer", () => {
    const pending = choose(playing(), ["c2"]);
    assert.deepEqual([pending.pending, pending.answered], [["c2"], null]);
    const view = then(pending, room.accepted);
    assert.deepEqual([view.pending, view.answered], [null, ["c2"]]);
  });
  test("what is accepted of another question is not news for this one", () => {
    const pending = choose(playing(), ["c2"]);
    assert.equal(then(pending, { ...room.accepted, questionId: "q0" }), pending);
  });
  test("a second answer that was refused leaves the first as it is", () => {
    const view = then(choose(playing(), ["c2"]), room.error("ALREADY_ANSWERED", "SUBMIT_ANSWER"));
    assert.deepEqual([view.answered, view.error], [["c2"], null]);
  });
  test("any other refusal of an answer unlocks the question and says why", () => {
    const view = then(choose(playing(), ["c2"]), room.error("QUESTION_CLOSED", "SUBMIT_ANSWER"));
    assert.deepEqual([view.pending, view.answered, view.error.code], [null, null, "QUESTION_CLOSED"]);
  });
  test("results keep the ranks of the board before, so that moves can be told", () => {
    const first = then(playing(), room.results());
    const second = then(then(first, room.question({ questionId: "q2" })), room.results({ questionId: "q2" }));
    assert.deepEqual(second.ranksBefore, { chen: 1, ben: 2, ana: 3 });
  });
  test("my result is my score", () => {
    assert.deepEqual(then(then(playing(), room.results()), room.mine()).you, { userId: "ben", score: 500, rank: 2 });
  });
  test("results that wait for the host have no clock", () => {
    assert.equal(then(playing(), room.results({ nextInMs: null })).endsAt, null);
  });
  test("a stopped game leads to the lobby and says so; from the podium it is the host's ordinary way back", () => {
    const stopped = then(playing(), { type: "GAME_STOPPED" });
    assert.deepEqual([stopped.phase, stopped.question, stopped.notice.key], ["lobby", null, "stopped"]);
    const ended = then(playing(), { type: "GAME_FINISHED", leaderboard: [], gameId: "g" });
    assert.equal(then(ended, { type: "GAME_STOPPED" }).notice, null);
  });
  test("reactions are counted until the next question", () => {
    const batch = [{ userId: "ana", reaction: "heart" }, { userId: "chen", reaction: "heart" }];
    const view = then(playing(), { type: "REACTIONS", batch });
    assert.deepEqual(view.reactions, { heart: 2 });
    assert.deepEqual(then(view, room.question({ questionId: "q2" })).reactions, {});
  });
});

describe("refusals and ends", () => {
  test("a refusal is kept with the command it belongs to, until the next try", () => {
    const view = then(after(room.joined()), room.error("NOT_HOST", "START_GAME"));
    assert.deepEqual([view.error.action, view.error.code], ["START_GAME", "NOT_HOST"]);
    assert.equal(forget(view).error, null);
  });
  test("one reaction too many is no news", () => {
    const view = playing();
    assert.equal(then(view, room.error("RATE_LIMIT_EXCEEDED", "SEND_REACTION")), view);
  });
  test("new settings are the room's, and end the complaint about the old ones", () => {
    const complained = then(after(room.joined()), room.error("SETTINGS_INVALID", "UPDATE_ROOM_SETTINGS"));
    const view = then(complained, { type: "ROOM_SETTINGS", settings: { ...room.SETTINGS, locked: true } });
    assert.deepEqual([view.room.settings.locked, view.error], [true, null]);
  });
  test("kicked and closed are two ends", () => {
    assert.deepEqual(then(playing(), { type: "KICKED", reason: "banned" }).ended, { kind: "kicked", reason: "banned" });
    const closed = then(playing(), { type: "ROOM_CLOSED", reason: "idle" });
    assert.deepEqual(closed.ended, { kind: "room-closed", reason: "idle" });
  });
});
