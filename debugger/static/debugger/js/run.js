/**
 * A run: what was chosen and what was done when. It is the address of the page (its fragment), and what the
 * server is asked to compute. Pure but for `fetchTimeline`.
 */

/** @typedef {{at: number, do: string, player?: string}} Action */

export const DEFAULTS = Object.freeze({ players: 3, seconds: 15, busy: 0, actions: [] });
/** One action in an address: time, act, perhaps a player. */
const ACTION = /^(\d{1,6})\.([a-z_]{1,40})(?:\.([A-Za-z]{1,20}))?$/;

/** `#players=4&seconds=15&do=1000.start_game,5000.stops_reading.Chen` */
export function toHash({ players, seconds, busy, actions }) {
  const parts = [`players=${players}`, `seconds=${seconds}`];
  if (busy) parts.push(`busy=${busy}`);
  if (actions.length > 0) {
    const texts = actions.map(({ at, do: act, player }) => [at, act, ...(player ? [player] : [])].join("."));
    parts.push(`do=${texts.join(",")}`);
  }
  return `#${parts.join("&")}`;
}

/** What the address says; what can't be read is left at its default, the server checks the rest. */
export function fromHash(hash) {
  const said = new URLSearchParams(hash.replace(/^#/, ""));
  const number = (name, fallback) => {
    const text = said.get(name) ?? "";
    return /^\d{1,7}$/.test(text) ? Number(text) : fallback;
  };
  const actions = (said.get("do") ?? "").split(",").map((text) => ACTION.exec(text)).filter(Boolean);
  return {
    players: number("players", DEFAULTS.players),
    seconds: number("seconds", DEFAULTS.seconds),
    busy: number("busy", DEFAULTS.busy),
    actions: actions.map(([, at, act, player]) => ({ at: Number(at), do: act, ...(player && { player }) })),
  };
}

/** The scenario that the server computes. */
export function scenarioOf({ players, seconds, busy, actions }) {
  return { players, secondsPerQuestion: seconds, busyBytesPerSecond: busy, actions };
}

/**
 * A snapshot of a recorded room names only who has changed; here each gets everybody. Those of a simulation
 * name everybody already.
 */
export function complete(timeline) {
  const known = new Map();
  for (const snapshot of timeline.snapshots) {
    for (const player of snapshot.players) known.set(player.name, player);
    snapshot.players = [...known.values()];
  }
  return timeline;
}

/** Ask for the run; throws an Error with words for people. */
export async function fetchTimeline(url, token, run) {
  let response;
  try {
    response = await fetch(url, {
      method: "POST",
      credentials: "same-origin",
      headers: { "Content-Type": "application/json", "X-CSRFToken": token },
      body: JSON.stringify(scenarioOf(run)),
    });
  } catch {
    throw new Error("The server did not answer. The run on this page stays; try again.");
  }
  const answer = await response.json().catch(() => null);
  if (response.ok && answer) return complete(answer);
  throw new Error(answer?.error ?? `The server answered with status ${response.status}. Reload the page.`);
}
