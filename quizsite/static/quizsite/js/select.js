/* What follows from a view (store.js): who am I, which screen, how much time is left. Pure, and asked anew for each
   drawing. */

export const LAST_SECONDS = 5; // from here on the ring is thick and the time is read out

export const self = (view) => view.members.find((member) => member.userId === view.you?.userId) ?? null;

export const host = (view) => view.members.find((member) => member.isHost) ?? null;

export const isHost = (view) => self(view)?.isHost ?? false;

/** The big screen: in the room, without a seat. */
export const watches = (view) => view.room !== null && view.you === null;

/** Who may move the quiz on: the host, and the big screen of the host's account (others are told by the server). */
export const leads = (view) => isHost(view) || watches(view);

/** A host who only presents sees the question and answers nothing. */
export const plays = (view) => self(view)?.plays ?? !watches(view);

export const players = (view) => view.members.filter((member) => member.plays);

/** How many of the room's people are connected, how many of these on a slow line, and how many are away while their
    seat is held. */
export function health({ members, lagging }) {
  const here = members.filter((member) => member.status === "connected");
  const slow = here.filter((member) => lagging.includes(member.userId)).length;
  return { connected: here.length, slow, away: members.length - here.length, of: members.length };
}

/** Milliseconds left of the running phase, never below 0; null where no clock runs. */
export function remaining(view, now) {
  return view.endsAt === null ? null : Math.max(0, view.endsAt - (view.pausedAt ?? now));
}

/** What the player picked, accepted or on its way. */
export const picked = (view) => view.answered ?? view.pending ?? [];

export const locked = (view) => view.answered !== null || view.pending !== null;

/** Who becomes host if the host does not come back: the earliest of those who are connected (spec 2.3). */
export function nextHost(view) {
  const others = view.members.filter((member) => !member.isHost);
  return others.find((member) => member.status === "connected") ?? others[0] ?? null;
}

/** The connection's states that only a person's button ends. */
const OVER = new Set(["replaced", "refused", "gave-up"]);
/** Close codes after which the client stays away; an idle tab that merely lost its socket has none of these. */
const FINAL_CODES = new Set([1000, 4001, 4004, 4005]);

/** Which message takes the whole page, if any: {kind, code?, text?, reason?}. */
export function ending(view, conn) {
  if (view.ended) return view.ended;
  const over = OVER.has(conn.state) || (conn.state === "closed" && FINAL_CODES.has(conn.code));
  return over ? { kind: conn.state, code: conn.code ?? null, text: conn.text ?? null } : null;
}

const SCREENS = { starting: "starting", question: "question", results: "results", finished: "podium" };

/** One of the screens' names (the data-screen of its root). `mode` is join or host: what the tab was opened for. */
export function screenOf(view, conn, mode, returning) {
  if (ending(view, conn)) return "message";
  if (view.room) return SCREENS[view.phase] ?? "lobby";
  return returning ? "message" : mode;
}

/** A new value draws the screen from nothing; the same value only brings it up to date. */
export function screenKey(view, name) {
  const id = view.question?.questionId ?? "";
  return name === "question" || name === "results" ? `${name} ${id}` : name;
}

export function rightChoices({ question, results }) {
  return question.choices.filter((choice) => results.correct.includes(choice.id));
}

/** What became of my answer: {kind: "right" | "wrong" | "silent" | "none", index}. "none" is for those who did not
    take part (late, presenting), `index` the right choice that is shown: my own one, if I had it. */
export function verdict(view) {
  const { question, results, mine } = view;
  const chosen = picked(view);
  const isRight = ({ id }) => results.correct.includes(id);
  const own = question.choices.findIndex((choice) => isRight(choice) && chosen.includes(choice.id));
  const index = own >= 0 ? own : question.choices.findIndex(isRight);
  return { kind: verdictKind(view, mine ? mine.correct : own >= 0 && !question.multiple), index };
}

function verdictKind(view, correct) {
  const chosen = picked(view);
  const tookPart = plays(view) && !view.late && (view.mine !== null || chosen.length > 0);
  if (!tookPart) return "none";
  if (correct) return "right";
  // After a reload the page no longer knows its choice; whoever chose took some time for it.
  return chosen.length === 0 && !view.mine?.breakdown.responseMs ? "silent" : "wrong";
}

/** Who stands above me, and by how much: {name, points}; null when nobody does or the board does not show it. */
export function above(view) {
  const mine = view.mine;
  if (!mine) return null;
  const better = (view.results?.leaderboard ?? []).filter((entry) => entry.score > mine.total);
  const next = better.at(-1);
  if (!next || mine.rank - next.rank > tied(better, next)) return null;
  return { name: next.name, points: next.score - mine.total };
}

/** With a board of ten, the tenth is only next above the eleventh: who is further down is told the rank alone. */
const tied = (entries, last) => entries.filter((entry) => entry.score === last.score).length;

/** My own row of a board. Who came back under a new seat id is known by the name, which is unique in a room. */
export function ownRow(view, board) {
  const me = self(view);
  return board.find((row) => row.userId === me?.userId) ?? board.find((row) => row.name === me?.name) ?? null;
}

/** Places gained since the board before: positive is up, 0 is none, null is not known. */
export function gained(view, entry) {
  const before = view.ranksBefore[entry.userId];
  return before === undefined ? null : before - entry.rank;
}
