/**
 * The policy on virtual time: a line whose far end answers each effect at once, as the test says, and a
 * record of what was done when. It also checks on every step that never two sockets are open or opening.
 */
import assert from "node:assert/strict";

import { Policy } from "../../gateway/static/gateway/policy.js";

export const DOWN = {
  open: () => ({ type: "closed", code: 1006, reason: "", jitter: 0 }),
  preflight: () => ({ type: "preflight", outcome: "unreachable" }),
};
export const SILENT = { open: () => null, preflight: () => null };
export const refusing = (code, retryAfterMs) => ({
  ...DOWN,
  preflight: () => ({ type: "preflight", outcome: "refused", code, ...(retryAfterMs && { retryAfterMs }) }),
});
export const UP = {
  open: () => [{ type: "opened" }, { type: "connected", silenceMs: 11_000 }],
  preflight: () => ({ type: "preflight", outcome: "ok" }),
};

export class Line {
  policy = new Policy();
  now = 0;
  /** [time, effect] of everything done. */
  log = [];
  sockets = 0;

  constructor(far = UP) {
    this.far = far;
  }

  /** A client that is connected and holds a seat with a ticket, long enough for the connection to count. */
  static seated() {
    const line = new Line(UP);
    line.apply({ type: "place", room: true, ticket: true });
    line.apply({ type: "connect" });
    line.advance(5000);
    line.frame();
    line.log.length = 0;
    return line;
  }

  apply(event) {
    const id = this.policy.id;
    if (event.type === "closed" && this.sockets > 0) this.sockets -= 1;
    this.#perform(this.policy.apply({ id, ...event }, this.now));
    return this;
  }

  frame() {
    return this.apply({ type: "frame" });
  }

  lose(code = 1006, reason = "") {
    return this.apply({ type: "closed", code, reason, jitter: this.jitter ?? 0.5 });
  }

  restarting(retryAfterMs) {
    return this.apply({ type: "restarting", retryAfterMs });
  }

  /** Virtual time passes, the alarm ringing at each deadline. */
  advance(ms) {
    const end = this.now + ms;
    for (let due = this.policy.deadline(); due !== null && due <= end; due = this.policy.deadline()) {
      this.now = Math.max(this.now, due);
      this.#perform(this.policy.wake(this.now));
    }
    this.now = end;
    return this;
  }

  /** The moments at which effects of this type were done, since `from`. */
  times(type, from = 0) {
    return this.log.filter(([, effect]) => effect.type === type).map(([at]) => at - from);
  }

  of(type) {
    return this.log.filter(([, effect]) => effect.type === type).map(([, effect]) => effect);
  }

  get state() {
    return this.of("state").at(-1);
  }

  #perform(effects) {
    for (const effect of effects) {
      this.log.push([this.now, effect]);
      if (effect.type === "open") this.sockets += 1;
      if (effect.type === "close") this.sockets = 0;
      assert.ok(this.sockets <= 1, "two sockets at once");
    }
    for (const effect of effects) {
      const answers = [this.far[effect.type]?.(effect)].flat().filter(Boolean);
      for (const answer of answers) this.apply({ id: effect.id, ...answer });
    }
  }
}

/** A seated client whose connection has just ended, with this far end for what it tries next. */
export function lost(far, code = 1006, reason = "") {
  const line = Line.seated();
  line.far = far;
  return line.lose(code, reason);
}
