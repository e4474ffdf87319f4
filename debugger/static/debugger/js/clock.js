/**
 * The playback's clock: virtual milliseconds that pass with the animation frames, times the speed. It knows
 * nothing of the run but its end.
 */

/** A tab that was hidden must not jump minutes ahead when it is looked at again. */
const LONGEST_FRAME_MS = 250;

export class Clock {
  now = 0;
  end = 0;
  speed = 1;
  playing = false;
  #last = 0;
  #changed;

  /** @param {() => void} changed called after every move and every start and stop */
  constructor(changed) {
    this.#changed = changed;
  }

  play() {
    if (this.playing || this.now >= this.end) return;
    this.playing = true;
    this.#last = performance.now();
    requestAnimationFrame((at) => this.#frame(at));
    this.#changed();
  }

  pause() {
    this.playing = false;
    this.#changed();
  }

  go(ms) {
    this.now = Math.max(0, Math.min(ms, this.end));
    this.#changed();
  }

  #frame(at) {
    if (!this.playing) return;
    this.now += Math.min(Math.max(0, at - this.#last), LONGEST_FRAME_MS) * this.speed;
    this.#last = at;
    if (this.now >= this.end) {
      this.now = this.end;
      this.playing = false;
    } else requestAnimationFrame((next) => this.#frame(next));
    this.#changed();
  }
}
