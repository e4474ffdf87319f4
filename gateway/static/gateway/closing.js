/**
 * What a close code or a refusal code means to the page: what the client does next, and the words for people.
 * Facts only: the schedule is in policy.js. The server's table is gateway/core/closing.py, compared by a
 * test; pages translate by code (spec 1.2, 1.7, 4.2).
 */

const ELSEWHERE =
  "You’re playing in another tab. The newer tab has your seat, your answers and your points.";
const DROPPED = "The connection was lost. Your answers and points are kept; this page reconnects by itself.";
const GARBLED = "A message was damaged on the way, so the connection was closed. It reconnects by itself.";

/**
 * One way for a socket to end. `retry` says what the client does; `state` is shown where that is not
 * "closed"; `forgets`: the seat is gone for good. A row without a reason stands for all others of its code.
 * @typedef {{code: number, by: string, reason?: string, retry: string, state?: string, forgets?: boolean,
 *   text: string}} Ending
 */

/** @type {readonly Ending[]} */
export const ENDINGS = Object.freeze([
  { code: 1000, by: "server", reason: "Seat attached elsewhere", retry: "stop", state: "replaced",
    text: ELSEWHERE },
  { code: 1000, by: "server", retry: "stop",
    text: "The server ended the connection. Connect again when you want to go on." },
  { code: 1000, by: "client", reason: "Disposed", retry: "stop", text: "This page closed its connection." },
  { code: 1000, by: "client", retry: "stop", text: "You left the room. Its code brings you back." },
  { code: 1002, by: "server", retry: "reconnect", text: GARBLED },
  { code: 1006, by: "network", retry: "reconnect", text: DROPPED },
  { code: 1007, by: "server", retry: "reconnect", text: GARBLED },
  { code: 1008, by: "server", retry: "once-later",
    text: "More messages arrived from this page than the room can take. Wait a few seconds, then go on." },
  { code: 1009, by: "server", retry: "reconnect",
    text: "A message was too large for the room and was not taken. This page reconnects by itself." },
  { code: 1011, by: "server", retry: "reconnect",
    text: "Something went wrong on our side. Your answers are kept; this page reconnects by itself." },
  { code: 1012, by: "server", retry: "after-restart",
    text: "The server restarts. Your seat, answers and points are kept; this page comes back by itself." },
  { code: 1013, by: "server", retry: "reconnect",
    text: "The line could not keep up. Your answers are kept; this page reconnects by itself." },
  { code: 4000, by: "server", retry: "stop", state: "replaced", text: ELSEWHERE },
  { code: 4000, by: "client", retry: "reconnect",
    text: "The connection went quiet, so this page closed it. Your answers and points are kept." },
  { code: 4001, by: "server", retry: "stop",
    text: "Your visit has ended or your sign-in has changed. Reload the page to go on." },
  { code: 4002, by: "server", retry: "reconnect",
    text: "The connection went quiet. Your answers and points are kept; this page reconnects by itself." },
  { code: 4003, by: "server", retry: "join-again",
    text: "Your seat was not held any longer. This page joins the room again by itself." },
  { code: 4004, by: "server", retry: "stop",
    text: "Connections from here are blocked. The people who run this site can lift the block." },
  { code: 4005, by: "server", retry: "stop", forgets: true,
    text: "The host removed you from the room. You can join another one." },
]);

/**
 * Why an upgrade or a preflight was refused, before there was a socket. `retry`: "stop" ends with the
 * message, "join-again" drops the ticket, "wait" tries again after Retry-After.
 * @typedef {{code: string, retry: string, text: string}} Refusal
 * @type {readonly Refusal[]}
 */
export const REFUSALS = Object.freeze([
  { code: "invalid_origin", retry: "stop",
    text: "The game does not know the address of this page. Open it at the game’s own address." },
  { code: "unavailable", retry: "wait",
    text: "The server takes no new connections at the moment. This page tries again by itself." },
  { code: "blocked_ip", retry: "stop",
    text: "Connections from here are blocked. The people who run this site can lift the block." },
  { code: "missing_session", retry: "stop",
    text: "This browser sent no cookie for this site. Allow its cookies, then reload the page." },
  { code: "session_connection_cap", retry: "wait",
    text: "Too many game tabs are open in this browser. Close one of the others, then try again." },
  { code: "ip_connection_cap", retry: "wait",
    text: "Every place for this network is taken. Close a game that nobody plays, then try again." },
  { code: "arcjet_denied", retry: "wait",
    text: "Connections follow each other faster than the server takes them. Wait a moment, then try again." },
  { code: "forbidden", retry: "join-again",
    text: "Your seat was not held any longer. This page joins the room again by itself." },
]);

/** What is said in a state that no code explains. @type {Readonly<Record<string, string>>} */
export const STATES = Object.freeze({
  "offline": "This device is offline. The page reconnects as soon as the network is back.",
  "gave-up": "The server could not be reached. Check the network, then try again.",
  "closed": "The connection is closed. It opens again when you join a room.",
});

const UNKNOWN_REFUSAL = "The server did not take the connection. Wait a moment, then try again.";
/** Never on the wire: no status, no close frame, failed TLS. */
const NETWORK_CODES = new Set([1005, 1006, 1015]);

/**
 * The ending that a close event tells of; an unknown code is a plain disconnect, as it is to the server.
 * @param {number} code @param {string} reason @param {"server" | "client"} hand @returns {Ending}
 */
export function endingOf(code, reason, hand) {
  const by = NETWORK_CODES.has(code) ? "network" : hand;
  const same = ENDINGS.filter((row) => row.code === code && row.by === by);
  const row = same.find((each) => each.reason === reason) ?? same.find((each) => each.reason === undefined);
  return row ?? { code, by, retry: "reconnect", text: DROPPED };
}

/** @param {string} code @returns {Refusal} */
export function refusalOf(code) {
  return REFUSALS.find((row) => row.code === code) ?? { code, retry: "wait", text: UNKNOWN_REFUSAL };
}
