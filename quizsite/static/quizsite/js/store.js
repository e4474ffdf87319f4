/* What this tab knows of its room, as plain data: `reduce(view, frame, now)` takes one frame of the server and
   returns the next view. No DOM, no clock, no socket in here: `now` is performance.now() of the moment the frame came
   in, and every deadline is that plus the milliseconds the server said are left, so a wrong clock in a phone shifts
   nothing. What follows from a view is asked in select.js. */

export function start() {
  return {
    room: null, // {code, settings}; the phase stands beside it
    phase: "none", // none, lobby, starting, question, results, finished
    you: null, // {userId, score, rank}
    members: [], // by joinOrder, as on the wire
    question: null, // as NEW_QUESTION, without the times
    endsAt: null, // of the phase that is running, in performance.now() milliseconds
    lasts: null, // how long that phase lasts in all, in milliseconds
    pausedAt: null, // the server restarts: its clock stands still from here on
    answered: null, // choice ids that the server has accepted
    pending: null, // choice ids that were sent and not yet answered for
    progress: null, // {answered, expected}
    results: null, // as QUESTION_RESULTS
    mine: null, // as YOUR_RESULT
    ranksBefore: {}, // user id -> rank on the board before the newest one
    final: null, // the last board
    gameId: null, // of the game that is over: its results have a page of their own
    reactions: {}, // reaction -> how often since the question began
    late: false, // joined while this question was running: waits for the next one
    notice: null, // {key, userId?, until}: news about the room
    lagging: [], // user ids of those whose line is slow: known to the host alone
    removed: [], // {userId, name, avatar} of all whom a host removed: the host may let them back in
    error: null, // {code, action, details, message}: the newest refusal
    ended: null, // {kind: "kicked" | "room-closed", reason}: the room is over for this tab
  };
}

export function reduce(view, frame, now) {
  const handle = HANDLERS.get(frame.type);
  return handle ? handle(view, frame, now) : view;
}

/** The player chose: shown at once, and sent again if the socket breaks before the server has answered for it. */
export function choose(view, choices) {
  return { ...view, pending: choices, error: null };
}

/** The host lets somebody back in, who is then no longer in the list of those who may not. */
export function pardon(view, userId) {
  return { ...view, removed: view.removed.filter((member) => member.userId !== userId) };
}

/** A new try of anything makes the last refusal old news. */
export function forget(view) {
  return view.error ? { ...view, error: null } : view;
}

const HANDLERS = new Map([
  ["ROOM_JOINED", enter],
  ["ROOM_STATE", enter],
  ["MEMBERS", roster],
  ["HOST_CHANGED", hostChanged],
  ["LAGGING", (view, { userIds }) => ({ ...view, lagging: userIds })],
  ["BANS", (view, { banned }) => ({ ...view, removed: banned })],
  ["ROOM_SETTINGS", settings],
  ["GAME_STARTING", starting],
  ["NEW_QUESTION", newQuestion],
  ["ANSWER_ACCEPTED", accepted],
  ["ANSWER_PROGRESS", (view, { answered, expected }) => ({ ...view, progress: { answered, expected } })],
  ["QUESTION_RESULTS", results],
  ["YOUR_RESULT", yourResult],
  ["GAME_FINISHED", (view, { leaderboard, gameId }) => ({ ...view, ...clock("finished"), final: leaderboard, gameId })],
  ["GAME_STOPPED", stopped],
  ["REACTIONS", reactions],
  ["KICKED", (view, { reason }) => ({ ...view, ended: { kind: "kicked", reason } })],
  ["ROOM_CLOSED", (view, { reason }) => ({ ...view, ended: { kind: "room-closed", reason } })],
  ["SERVER_RESTARTING", (view, frame, now) => ({ ...view, pausedAt: view.pausedAt ?? now })],
  ["ERROR", refused],
]);

/** A phase begins; without a length it has no clock. */
function clock(phase, now = null, left = null, lasts = left) {
  return { phase, endsAt: left === null ? null : now + left, lasts, notice: null, error: null };
}

/** A snapshot: first entry, or the way back after a lost connection, in whatever phase the room is. */
function enter(old, { room, you }, now) {
  const view = old.room?.code === room.roomCode ? old : start();
  const question = room.question ?? null;
  const same = question !== null && view.question?.questionId === question.questionId;
  const accepted = question && you?.answered?.questionId === question.questionId ? you.answered.choices : null;
  // Once it is graded the server no longer tells one's own answer: what this tab knows of it stays.
  const answered = accepted ?? (same && room.results ? view.answered : null);
  return {
    ...view,
    ...clockOf(room, now),
    room: { code: room.roomCode, settings: room.settings },
    you: you ? { userId: you.userId, score: you.score, rank: you.rank } : null,
    members: ordered(room.members),
    ...TOLD_TO_HOSTS,
    question,
    answered,
    // Kept only while it may still count: play.js sends it again, and a second one would only be refused.
    pending: same && room.phase === "question" && answered === null ? view.pending : null,
    progress: same ? view.progress : null,
    results: room.results ?? null,
    mine: same && room.results ? view.mine : null,
    final: room.finished?.leaderboard ?? null,
    gameId: room.finished?.gameId ?? null,
    late: you?.waits ?? false,
    pausedAt: null,
    ended: null,
  };
}

/** With each whole room and each new host: what isn't empty is told to the host next. */
const TOLD_TO_HOSTS = { lagging: [], removed: [] };

function clockOf({ phase, question, results, nextInMs }, now) {
  if (phase === "question") return clock(phase, now, question.remainingMs, question.durationMs);
  return clock(phase, now, nextInMs ?? null, results?.nextInMs ?? nextInMs);
}

function roster(view, { joined, updated, left }) {
  const gone = new Set(left.map((departure) => departure.userId));
  const patches = new Map(updated.map((patch) => [patch.userId, patch]));
  const arrived = new Set(joined.map((member) => member.userId));
  const stayed = view.members.filter((member) => !gone.has(member.userId) && !arrived.has(member.userId));
  const members = [...stayed, ...joined].map((member) => ({ ...member, ...patches.get(member.userId) }));
  return { ...view, members: ordered(members) };
}

/** Long enough to be read twice. */
const NOTICE_MS = 8000;

function hostChanged(view, { userId }, now) {
  const members = view.members.map((member) => ({ ...member, isHost: member.userId === userId }));
  const key = userId === view.you?.userId ? "host.you" : "host.now";
  // By id: a host who came back under a new one is announced before the roster that holds it.
  return { ...view, ...TOLD_TO_HOSTS, members, notice: { key, userId, until: now + NOTICE_MS } };
}

function settings(view, { settings: changed }) {
  return view.room ? { ...view, error: null, room: { ...view.room, settings: changed } } : view;
}

function starting(view, { countdownMs }, now) {
  return { ...cleared(view), ...clock("starting", now, countdownMs) };
}

function stopped(view, frame, now) {
  const notice = view.phase === "finished" ? null : { key: "stopped", until: now + NOTICE_MS };
  return { ...cleared(view), ...clock("lobby"), notice };
}

/** The room without a game: its people at zero points. */
function cleared({ room, you, members, removed }) {
  const anew = members.map((member) => ({ ...member, score: 0 }));
  return { ...start(), room, you: you && { ...you, score: 0, rank: 1 }, members: anew, removed };
}

function newQuestion(view, question, now) {
  return {
    ...view,
    ...clock("question", now, question.remainingMs, question.durationMs),
    question,
    answered: null,
    pending: null,
    progress: null,
    mine: null,
    reactions: {},
    late: false,
  };
}

function accepted(view, { questionId }) {
  if (view.question?.questionId !== questionId) return view;
  return { ...view, answered: view.answered ?? view.pending ?? [], pending: null, error: null };
}

function results(view, frame, now) {
  const before = Object.fromEntries((view.results?.leaderboard ?? []).map((entry) => [entry.userId, entry.rank]));
  return { ...view, ...clock("results", now, frame.nextInMs), results: frame, ranksBefore: before, pending: null };
}

function yourResult(view, frame) {
  return { ...view, mine: frame, you: view.you && { ...view.you, score: frame.total, rank: frame.rank } };
}

function reactions(view, { batch }) {
  const counts = { ...view.reactions };
  for (const { reaction } of batch) counts[reaction] = (counts[reaction] ?? 0) + 1;
  return { ...view, reactions: counts };
}

function refused(view, { code, message, details = {} }) {
  const error = { code, message, details, action: details.action ?? null };
  if (error.action === "SEND_REACTION") return view; // one heart less is no news
  if (error.action !== "SUBMIT_ANSWER") return { ...view, error };
  // ALREADY_ANSWERED is the echo of an answer that was sent twice: the first one counts, so it is no news.
  if (code === "ALREADY_ANSWERED") return { ...view, answered: view.answered ?? view.pending ?? [], pending: null };
  return { ...view, error, pending: null };
}

function ordered(members) {
  return [...members].sort((a, b) => a.joinOrder - b.joinOrder);
}
