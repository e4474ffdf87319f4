/** The seat-state diagram: who is in which state, and the edge that was taken last, lit. */
import { clockText, leftText } from "./words.js";

/** Edge → the state it leads to. */
const TO = {
  join: "connected", claim: "connected", rejoin: "connected",
  drop: "grace", expire: "removed", evict: "removed",
};

/** What fits into a state's box. */
const MOST_LETTERS = 15;

export class Diagram {
  #root;

  constructor(root) {
    this.#root = root;
  }

  /** `taken` is the last row that took an edge, if there is one yet. */
  show({ players }, limits, taken, now) {
    for (const state of this.#root.querySelectorAll("[data-state]")) {
      const names = players.filter(({ seat }) => seat === state.dataset.state);
      state.querySelector(".st-n").textContent = namesText(names, now);
      state.classList.toggle("lit", TO[taken?.edge] === state.dataset.state);
    }
    for (const edge of this.#root.querySelectorAll("[data-edge]")) {
      edge.classList.toggle("lit", edge.dataset.edge === taken?.edge);
    }
    this.#root.querySelector("[data-grace]").textContent = `${limits.graceMs / 1000} s over`;
    const lit = taken ? `Lit: ${taken.players[0]} at ${clockText(taken.at)}. ` : "";
    this.#root.querySelector("[data-lit]").textContent = `${lit}Grace exists only while a game is on.`;
    const label = taken && this.#root.querySelector(`[data-edge="${taken.edge}"] text`).textContent;
    this.#root.querySelector("[data-diagram-title]").textContent =
      `Seat states: no seat, connected, in grace, removed${label ? `; active edge: ${label}` : ""}`;
  }
}

function namesText(players, now) {
  const [first] = players;
  if (players.length === 1 && first.seat === "grace") return `${first.name} ${leftText(first.until, now)}`;
  const names = players.map(({ name }) => name).join(", ");
  return names.length > MOST_LETTERS ? players.map(({ name }) => name[0]).join(", ") : names;
}
