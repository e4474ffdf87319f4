/**
 * What the client needs of a browser, and its rough edges: a clock that counts sleep, storage that may be
 * forbidden, the preflight's answer. Nothing here decides; client.js uses it, and tests pass their own.
 */

/** A wall clock that leads by more slept with the machine (or was set: that costs one needless reconnect). */
const SLEEP_MS = 1000;

/**
 * Some browsers stop the monotonic clock while the device sleeps; a dead socket would look fresh on waking.
 * @param {() => number} monotonic @param {() => number} wall
 * @returns {() => number} milliseconds, never going back
 */
export function steadyClock(monotonic, wall) {
  let [lastTick, lastWall, now] = [monotonic(), wall(), 0];
  return () => {
    const [tick, time] = [monotonic(), wall()];
    const [ticked, passed] = [tick - lastTick, time - lastWall];
    [lastTick, lastWall] = [tick, time];
    now += passed > ticked + SLEEP_MS ? passed : ticked;
    return now;
  };
}

/** JSON in a browser's storage; in memory where that throws (cookies blocked, quota full). */
export class Store {
  #kept = new Map();
  #find;

  /** @param {() => Storage} find throws where storage is forbidden */
  constructor(find) {
    this.#find = find;
  }

  /** @param {string} key */
  read(key) {
    if (this.#kept.has(key)) return this.#kept.get(key);
    try {
      return JSON.parse(this.#find().getItem(key) ?? "null");
    } catch {
      return null; // forbidden, or not ours: the same as never stored
    }
  }

  /** @param {string} key @param {object | string | null} value null removes */
  write(key, value) {
    try {
      if (value === null) this.#find().removeItem(key);
      else this.#find().setItem(key, JSON.stringify(value));
      this.#kept.delete(key);
    } catch {
      this.#kept.set(key, value); // wins over whatever the storage still holds
    }
  }
}

/** 128 random bits, URL-safe; `randomUUID` exists on https only. */
export function randomId() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/**
 * What the preflight says of a connection; "unknown" is an answer, but not one of ours.
 * @param {typeof globalThis.fetch} fetch @param {URL} url @param {AbortSignal} signal
 * @typedef {"ok" | "refused" | "unknown" | "unreachable"} Outcome
 * @returns {Promise<{outcome: Outcome, code?: string, retryAfterMs?: number}>}
 */
export async function askPreflight(fetch, url, signal) {
  let response;
  try {
    response = await fetch(url, { credentials: "include", cache: "no-store", signal });
  } catch {
    return { outcome: "unreachable" }; // browsers do not say why
  }
  const body = await response.json().catch(() => null); // a proxy's error page is no answer
  if (body?.ok === true) return { outcome: "ok" };
  if (typeof body?.code !== "string") return { outcome: "unknown" };
  const seconds = Number(response.headers.get("Retry-After"));
  return { outcome: "refused", code: body.code, ...(seconds > 0 && { retryAfterMs: seconds * 1000 }) };
}

/** The real browser, as the constructor's options. Its functions are wrapped: detached they throw. */
export const browser = () => ({
  WebSocket: globalThis.WebSocket,
  fetch: (url, init) => globalThis.fetch(url, init),
  now: steadyClock(() => performance.now(), () => Date.now()),
  setTimeout: (fn, ms) => globalThis.setTimeout(fn, ms),
  clearTimeout: (timer) => globalThis.clearTimeout(timer),
  random: () => Math.random(),
  window: globalThis.window,
  document: globalThis.document,
  location: globalThis.location,
});
