/**
 * The words of policy.js: its numbers, phases and legal moves, what goes in, what comes out, and what the
 * page is shown. Nothing here decides, and nothing is imported: Django hashes short chains of imports only.
 */

/** From the failure of one try to the next: six instant failures span 7.2 s, inside the 10 s of grace. */
export const BACKOFF_MS = 1200;
export const TRIES = 6;
/** Browsers hold back sockets for up to a minute after an unclean close; a try that long is given up. */
export const TRY_LIMIT_MS = 4000;
/** A younger try is left alone when the page wakes: it may be about to succeed. */
export const STALE_TRY_MS = 2000;
/** Heartbeat interval + timeout, until CONNECTED says otherwise. */
export const SILENCE_MS = 11_000;
export const RESTART_SPAN_MS = 60_000;
export const RESTART_TRIES = RESTART_SPAN_MS / BACKOFF_MS;
/** After a 1008: one try this much later; a second 1008 within the memory ends the series. */
export const PENALTY_MS = 5000;
export const PENALTY_MEMORY_MS = 60_000;

/** Phase → the phases it may go to. `stopped` yields to the page's waking up, `ended` only to a person. */
export const MOVES = Object.freeze({
  idle: ["asking", "opening"],
  asking: ["asking", "opening", "waiting", "stopped", "ended"],
  opening: ["asking", "opening", "greeting", "explaining", "waiting", "stopped", "ended"],
  greeting: ["asking", "opening", "open", "waiting", "stopped", "ended"],
  open: ["asking", "opening", "waiting", "stopped", "ended"],
  explaining: ["asking", "opening", "waiting", "stopped", "ended"],
  waiting: ["asking", "opening", "ended"],
  stopped: ["asking", "opening", "ended"],
  ended: ["asking", "opening", "ended"],
});

/** A try under way: preflight, upgrade, or open and waiting for CONNECTED. */
export const TRYING = ["asking", "opening", "greeting"];
export const IN_SERIES = [...TRYING, "explaining", "waiting"];
export const RESTING = ["idle", "stopped", "ended"];

/** Event about one try → the phases in which it is news; in others it comes too late and changes nothing. */
export const NEWS = Object.freeze({
  preflight: ["asking", "explaining"],
  opened: ["opening"],
  connected: ["greeting"],
  frame: ["greeting", "open"],
  restarting: ["open"],
  closed: ["opening", "greeting", "open"],
});

/**
 * What comes in. `nudge`: the page became visible or came back from the back/forward cache; `place`: what the
 * tab holds; an event with an id tells of the try that the effect with this id began.
 * @typedef {{type: "connect"} | {type: "nudge"} | {type: "network", online: boolean}
 *   | {type: "leave", reason: string} | {type: "place", room: boolean, ticket: boolean}
 *   | {type: "preflight", id: number, outcome: "ok" | "refused" | "unknown" | "unreachable", code?: string,
 *      retryAfterMs?: number}
 *   | {type: "opened", id: number} | {type: "connected", id: number, silenceMs: number}
 *   | {type: "frame", id: number} | {type: "restarting", id: number, retryAfterMs: number}
 *   | {type: "closed", id: number, code: number, reason: string, jitter: number}} PolicyEvent
 *
 * What is to be done: run the preflight, open a socket (with the ticket, if there is one), close whatever
 * runs, drop the ticket, forget the seat; the last three are for the page.
 * @typedef {{type: "preflight", id: number} | {type: "open", id: number}
 *   | {type: "close", code: number, reason: string} | {type: "dropTicket"} | {type: "forget"}
 *   | {type: "refused", code: string, text: string, terminal: boolean, retryAfterMs?: number}
 *   | {type: "closed", code: number, reason: string, by: string, text: string}
 *   | {type: "state", state: string, attempt: number, of: number, retryInMs?: number, code?: number | string,
 *      text?: string}} Effect
 */

/**
 * What the page is shown of the machine: a state, which try, and why.
 * @typedef {{state: string, attempt: number, of: number, code?: number | string, text?: string}} View
 * @param {any} policy @param {Readonly<Record<string, string>>} texts of states @returns {View}
 */
export function viewOf(policy, texts) {
  const state = stateOf(policy);
  const cause = state === "offline" ? { text: texts.offline } : policy.cause;
  return {
    state,
    attempt: IN_SERIES.includes(policy.phase) ? policy.attempt : 0,
    of: policy.limit,
    ...(cause?.code !== undefined && { code: cause.code }),
    ...(cause && { text: cause.text }),
  };
}

/** Being offline is only a label: a quiz on the teacher's own machine works without any network. */
function stateOf({ phase, outcome, online, told, byPerson, attempt }) {
  const resting = RESTING.includes(phase);
  if (phase === "open") return "connected";
  if (!online && (!resting || outcome === "gave-up")) return "offline";
  if (resting) return outcome;
  if (phase === "waiting" && told) return "waiting";
  return byPerson && attempt === 1 ? "connecting" : "reconnecting";
}
