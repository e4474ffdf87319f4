/** A small room and its frames, for the tests of the page's store and of what follows from it. */
import { reduce, start } from "../../../quizsite/static/quizsite/js/store.js";

export const NOW = 50_000;

export const member = (userId, joinOrder, fields = {}) => ({
  userId,
  name: userId.toUpperCase(),
  avatar: { id: "owl", colour: 1 },
  status: "connected",
  score: 0,
  joinOrder,
  isHost: joinOrder === 0,
  plays: true,
  ...fields,
});
export const SETTINGS = {
  secondsPerQuestion: 15,
  questionCount: 10,
  questionSource: { kind: "flags", region: "asia", difficulty: "hard" },
  maxPlayers: 50,
  locked: false,
  scoring: "classic",
};
export const MEMBERS = [member("ana", 0), member("ben", 1), member("chen", 2)];
export const room = (fields = {}) => ({
  roomId: "r1",
  roomCode: "K7QX2M",
  phase: "lobby",
  settings: SETTINGS,
  members: MEMBERS,
  ...fields,
});
export const you = (fields = {}) => ({ userId: "ben", isHost: false, score: 0, rank: 1, ...fields });
export const joined = (fields, own) => ({ type: "ROOM_JOINED", seatId: "ben", room: room(fields), you: you(own) });
export const state = (fields, own) => ({ type: "ROOM_STATE", room: room(fields), you: you(own) });
export const question = (fields = {}) => ({
  type: "NEW_QUESTION",
  questionId: "q1",
  index: 0,
  total: 2,
  prompt: "?",
  choices: [{ id: "c1", text: "One" }, { id: "c2", text: "Two" }, { id: "c3", text: "Three" }],
  multiple: false,
  durationMs: 15_000,
  remainingMs: 15_000,
  ...fields,
});
export const row = (userId, score, rank) => ({ userId, name: userId.toUpperCase(), score, rank });
export const results = (fields = {}) => ({
  type: "QUESTION_RESULTS",
  questionId: "q1",
  correct: ["c2"],
  counts: { c1: 1, c2: 1, c3: 0, none: 1 },
  leaderboard: [row("chen", 900, 1), row("ben", 500, 2), row("ana", 0, 3)],
  nextInMs: 5000,
  ...fields,
});
export const mine = (fields = {}) => ({
  type: "YOUR_RESULT",
  questionId: "q1",
  correct: true,
  points: 500,
  breakdown: { base: 500, streak: 0, lagCreditMs: 0, responseMs: 7500 },
  total: 500,
  rank: 2,
  streak: 1,
  ...fields,
});
export const accepted = { type: "ANSWER_ACCEPTED", questionId: "q1" };
export const error = (code, action, details = {}) => ({ type: "ERROR", code, message: "!", details: { action, ...details } });

/** The view after these frames, all at one instant. */
export const after = (...frames) => frames.reduce((view, frame) => reduce(view, frame, NOW), start());
/** More frames on a view, at `now`. */
export const then = (view, frame, now = NOW) => reduce(view, frame, now);
