/**
 * What the page is shown of the policy: a state, which try, and why. A pure function of the machine's fields;
 * the words are in closing.js.
 */
import { STATES } from "./closing.js";
import { IN_SERIES, RESTING } from "./phases.js";

/**
 * @typedef {{state: string, attempt: number, of: number, code?: number | string, text?: string}} View
 * @param {any} policy the machine (naming its type here would make the two modules name each other)
 * @returns {View}
 */
export function viewOf(policy) {
  const state = stateOf(policy);
  const cause = state === "offline" ? { text: STATES.offline } : policy.cause;
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
