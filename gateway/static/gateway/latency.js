/**
 * The latency a page may show. The server measures every heartbeat's round trip, but no frame carries the
 * figure, so the display value is put together here: the last round trip measured on this side (the
 * preflight, the server's checks included, or an answer until ANSWER_ACCEPTED) plus how much older the newest
 * heartbeat arrived than the youngest of the last minute. For the eye alone.
 */

/** About a minute of heartbeats: two clocks drift apart by a few milliseconds in that time. */
const REMEMBERED = 9;

export class Latency {
  #roundTripMs = /** @type {number | null} */ (null);
  #ages = /** @type {number[]} */ ([]);
  #answer = /** @type {{questionId: string, at: number} | null} */ (null);

  /** @param {number} ms a round trip just measured */
  measured(ms) {
    this.#roundTripMs = ms;
    this.#ages = [];
    return Math.round(ms);
  }

  sent(frame, now) {
    if (frame.type === "SUBMIT_ANSWER") this.#answer = { questionId: frame.questionId, at: now };
  }

  /** @returns {number | null} the new display value, if the frame tells of one */
  received(frame, now) {
    switch (frame.type) {
      case "CONNECTED": this.#ages = []; return null;
      case "ANSWER_ACCEPTED": return this.#accepted(frame.questionId, now);
      case "HEARTBEAT": return this.#aged(now - frame.timestamp);
      default: return null;
    }
  }

  #accepted(questionId, now) {
    if (this.#answer === null || this.#answer.questionId !== questionId) return null;
    return this.measured(now - this.#answer.at);
  }

  /** `age` mixes two machines' clocks: it means nothing alone, only against other ages. */
  #aged(age) {
    this.#ages = [...this.#ages, age].slice(-REMEMBERED);
    if (this.#roundTripMs === null) return null;
    return Math.round(this.#roundTripMs + age - Math.min(...this.#ages));
  }
}
