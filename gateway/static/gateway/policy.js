/**
 * The client's reconnect machine: when to ask, open, wait, give up (spec 4.2). Pure: time (`now`, in
 * milliseconds) and randomness are arguments, what is to be done comes back as effects. Its words and numbers
 * are in phases.js, what a code means in closing.js; client.js performs the effects.
 */
import { STATES, endingOf, refusalOf } from "./closing.js";
import {
  BACKOFF_MS, IN_SERIES, MOVES, NEWS, PENALTY_MEMORY_MS, PENALTY_MS, RESTART_SPAN_MS, RESTART_TRIES, RESTING,
  SILENCE_MS, STALE_TRY_MS, TRIES, TRYING, TRY_LIMIT_MS, viewOf,
} from "./phases.js";

/** @typedef {import("./phases.js").Effect} Effect */

/** Its public fields are its state: `{...policy}` saves it, `Object.assign(new Policy(), saved)` restores. */
export class Policy {
  phase = "idle";
  /** The current try: events that carry another id are stale. */
  id = 0;
  /** The try being made or waited for, of `limit`. */
  attempt = 1;
  limit = TRIES;
  /** Last moment at which a try of a restart series may start; null in any other series. */
  until = /** @type {number | null} */ (null);
  startedAt = 0;
  failedAt = 0;
  retryAt = 0;
  connectedAt = 0;
  lastFrameAt = 0;
  silenceMs = SILENCE_MS;
  /** When SERVER_RESTARTING told us to be back. */
  restartAt = /** @type {number | null} */ (null);
  penaltyAt = /** @type {number | null} */ (null);
  /** The next try asks the preflight first: a person waits for it, or the last try was refused. */
  asksFirst = false;
  /** A person started this series: "connecting", not "reconnecting". */
  byPerson = false;
  /** The wait is the server's wish, not our own pause. */
  told = false;
  online = true;
  /** The tab holds (or wants) a place in a room; a lost socket is replaced only then. */
  room = false;
  ticket = false;
  /** The current try began with the ticket. */
  claimed = false;
  /** The state shown while resting. */
  outcome = "idle";
  /** Why the state is what it is. */
  cause = /** @type {{code?: number | string, text: string} | null} */ (null);
  shown = "";
  #effects = /** @type {Effect[]} */ ([]);

  /**
   * Something happened: the effects to perform, in order.
   * @param {import("./phases.js").PolicyEvent & {id?: number}} event @param {number} now @returns {Effect[]}
   */
  apply(event, now) {
    const phases = NEWS[event.type];
    if (!phases || (event.id === this.id && phases.includes(this.phase))) this.#on(event, now);
    return this.#flush(now);
  }

  /** Time passed; early, late and double calls are harmless. @param {number} now @returns {Effect[]} */
  wake(now) {
    const due = this.deadline();
    if (due !== null && now >= due) this.#due(now);
    return this.#flush(now);
  }

  /** The first moment at which wake() would do something. @returns {number | null} */
  deadline() {
    if (this.phase === "waiting") return this.retryAt;
    if (this.phase === "open") return this.lastFrameAt + this.silenceMs;
    if (this.phase === "explaining") return this.failedAt + TRY_LIMIT_MS;
    return TRYING.includes(this.phase) ? this.startedAt + TRY_LIMIT_MS : null;
  }

  #on(event, now) {
    switch (event.type) {
      case "connect": this.#start(now, true); break;
      case "nudge": this.#nudge(now); break;
      case "network": this.#network(event.online, now); break;
      case "leave": this.#leave(event.reason); break;
      case "place": Object.assign(this, { room: event.room, ticket: event.ticket }); break;
      case "preflight": this.#answered(event, now); break;
      case "opened": this.#move("greeting"); break;
      case "connected": this.#connected(event, now); break;
      case "frame": this.lastFrameAt = now; break;
      case "restarting": this.restartAt = now + event.retryAfterMs; break;
      case "closed": this.#closed(event, now); break;
      default: throw new Error(`no such event: '${event.type}'`);
    }
  }

  #due(now) {
    if (this.phase === "waiting") return this.#try(now);
    this.#abandon(4000, "Replacing socket");
    if (this.phase === "open") return this.#after(this.cause, 0, now); // silent: dead, though it says OPEN
    return this.#failed(this.phase === "explaining" ? this.failedAt : now, now);
  }

  #network(online, now) {
    this.online = online;
    if (online) this.#nudge(now);
  }

  /** The page woke, or the network came back: nothing to do for those who rest for good. */
  #nudge(now) {
    if (this.phase !== "idle" && this.phase !== "ended") this.#start(now, false);
  }

  /** A fresh series at once, unless the socket is alive or a young try is under way. */
  #start(now, byPerson) {
    if (this.phase === "open" && now - this.lastFrameAt < this.silenceMs) return;
    if (RESTING.includes(this.phase)) {
      this.byPerson = byPerson;
      this.asksFirst ||= byPerson;
      this.cause = null;
    }
    const restarting = this.until !== null && IN_SERIES.includes(this.phase);
    this.#series(restarting ? now + RESTART_SPAN_MS : null);
    if (TRYING.includes(this.phase) && now - this.startedAt <= STALE_TRY_MS) return;
    this.#abandon(4000, "Replacing socket");
    this.#try(now);
  }

  #series(until) {
    this.attempt = 1;
    this.until = until;
    this.limit = until === null ? TRIES : RESTART_TRIES;
  }

  #try(now) {
    this.id += 1;
    this.startedAt = now;
    this.claimed = this.ticket;
    if (this.asksFirst) this.#begin("asking", "preflight");
    else this.#begin("opening", "open");
  }

  #begin(phase, type) {
    this.#move(phase);
    this.#effects.push({ type, id: this.id });
  }

  /** Whatever runs is given up, so that no second socket ever runs beside it. */
  #abandon(code, reason) {
    if (RESTING.includes(this.phase) || this.phase === "waiting") return;
    this.#effects.push({ type: "close", code, reason });
    if (this.phase === "greeting" || this.phase === "open") {
      this.cause = endingOf(code, reason, "client");
      this.#effects.push({ type: "closed", code, reason, by: "client", text: this.cause.text });
    }
  }

  #leave(reason) {
    if (this.phase === "idle") return;
    this.#abandon(1000, reason);
    this.#rest("ended", "closed", endingOf(1000, reason, "client"));
  }

  /** The preflight's answer. One that explained nothing leaves the schedule as it was. */
  #answered(event, now) {
    if (event.outcome === "refused") return this.#refused(event, now);
    if (this.phase === "explaining") return this.#failed(this.failedAt, now);
    if (event.outcome === "unreachable") return this.#failed(now, now);
    return this.#begin("opening", "open");
  }

  #refused(event, now) {
    const refusal = refusalOf(event.code);
    const tell = (terminal) => this.#effects.push({
      type: "refused", code: event.code, text: refusal.text, terminal,
      ...(event.retryAfterMs && { retryAfterMs: event.retryAfterMs }),
    });
    if (refusal.retry === "join-again" && (this.claimed || this.ticket)) {
      tell(false);
      return this.#joinAgain(refusal, now);
    }
    this.asksFirst = true;
    if (refusal.retry === "wait") {
      const failedAt = this.phase === "explaining" ? this.failedAt : now;
      this.#failed(failedAt, now + (event.retryAfterMs ?? 0), refusal);
    } else this.#rest("stopped", "refused", refusal);
    return tell(this.phase === "stopped");
  }

  /** The seat's ticket is dead, the room perhaps is not: come without it, at once. */
  #joinAgain(cause, now) {
    this.ticket = this.asksFirst = false;
    this.cause = cause;
    this.#effects.push({ type: "dropTicket" });
    this.#series(null);
    this.#try(now);
  }

  #connected(event, now) {
    this.#move("open");
    this.connectedAt = this.lastFrameAt = now;
    this.silenceMs = event.silenceMs;
    this.asksFirst = this.byPerson = false;
    this.restartAt = this.cause = null;
  }

  #closed({ code, reason, jitter }, now) {
    if (this.phase === "opening") return this.#upgradeFailed(now);
    const ending = endingOf(code, reason, "server");
    this.#after(ending, jitter, now);
    const { text } = (this.phase === "stopped" && this.cause) || ending;
    return this.#effects.push({ type: "closed", code, reason, by: ending.by, text });
  }

  /** Browsers hide why: ask the preflight, unless this series asks before each try anyway. */
  #upgradeFailed(now) {
    if (this.asksFirst) return this.#failed(now, now);
    this.failedAt = now;
    return this.#begin("explaining", "preflight");
  }

  #after(ending, jitter, now) {
    if (ending.forgets) this.#effects.push({ type: "forget" });
    if (ending.retry === "stop") return this.#rest("ended", ending.state ?? "closed", ending);
    if (ending.retry === "join-again" && (this.claimed || this.ticket)) return this.#joinAgain(ending, now);
    if (this.phase === "open" && !this.room) {
      return this.#rest("stopped", "closed", { code: ending.code, text: STATES.closed });
    }
    this.cause = ending;
    if (ending.retry === "once-later") return this.#penalty(ending, now);
    if (ending.retry === "after-restart" || this.restartAt !== null) return this.#restart(jitter, now);
    return this.#lost(now);
  }

  /** A socket that did not outlive one pause is a failed try: else greet-and-drop would be asked for ever. */
  #isSettled(now) {
    return this.phase === "open" && now - this.connectedAt >= BACKOFF_MS;
  }

  #lost(now) {
    if (!this.#isSettled(now)) return this.#failed(now, now);
    this.#series(null);
    return this.#wait(now + BACKOFF_MS, false);
  }

  #restart(jitter, now) {
    const told = this.restartAt ?? now;
    const at = told > now ? told : now + jitter * BACKOFF_MS;
    if (this.until !== null && !this.#isSettled(now)) return this.#failed(now, at);
    this.#series(now + RESTART_SPAN_MS);
    return this.#wait(at, true);
  }

  #penalty(ending, now) {
    const again = this.penaltyAt !== null && now - this.penaltyAt < PENALTY_MEMORY_MS;
    this.penaltyAt = now;
    if (again) return this.#rest("stopped", "gave-up", ending);
    this.#series(null);
    this.limit = 1;
    return this.#wait(now + PENALTY_MS, true);
  }

  #failed(failedAt, notBefore, refusal = /** @type {{code: string, text: string} | null} */ (null)) {
    const at = Math.max(failedAt + BACKOFF_MS, notBefore);
    if (this.attempt >= this.limit || (this.until !== null && at > this.until)) {
      return this.#rest("stopped", "gave-up", refusal ?? { text: STATES["gave-up"] });
    }
    this.attempt += 1;
    this.cause = refusal ?? this.cause;
    return this.#wait(at, refusal !== null);
  }

  #wait(retryAt, told) {
    this.#move("waiting");
    this.retryAt = retryAt;
    this.told = told;
  }

  #rest(phase, outcome, cause) {
    this.#move(phase);
    this.outcome = outcome;
    this.cause = cause;
  }

  #move(phase) {
    if (!MOVES[this.phase].includes(phase)) throw new Error(`no move from '${this.phase}' to '${phase}'`);
    this.phase = phase;
  }

  /** Hands the effects over, the state last and only if it changed. */
  #flush(now) {
    const view = viewOf(this, STATES);
    const waits = this.phase === "waiting";
    const shown = JSON.stringify([view, waits && this.retryAt]);
    if (shown !== this.shown && this.phase !== "idle") {
      this.#effects.push({ type: "state", ...view, ...(waits && { retryInMs: this.retryAt - now }) });
    }
    this.shown = shown;
    return this.#effects.splice(0);
  }
}
