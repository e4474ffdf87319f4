/**
 * A browser tab on virtual time for the client: sockets that the test answers, a preflight it scripts,
 * storage, timers and page events. Stand-ins for the browser only: the client's own modules are real.
 */
import { webcrypto } from "node:crypto";

import { Client } from "../../gateway/static/gateway/client.js";
import { eventTypes, expectDeclared } from "./declared.mjs";

// Node 18 (Debian 12's) has these two, which all browsers have, behind flags only.
globalThis.crypto ??= webcrypto;
globalThis.CustomEvent ??= class extends Event {
  constructor(type, { detail }) {
    super(type);
    this.detail = detail;
  }
};

export class FakeSocket {
  static OPEN = 1;
  readyState = 0;
  sent = [];

  constructor(url, stage) {
    this.url = new URL(url);
    this.stage = stage;
    stage.sockets.push(this);
  }

  send(text) {
    this.sent.push(JSON.parse(text));
  }

  close(code, reason) {
    this.closedWith = [code, reason];
    this.readyState = 2;
  }

  // ---- the server's side

  accept(welcome = {}) {
    this.readyState = 1;
    this.onopen();
    this.serve({
      type: "CONNECTED",
      connectionId: "c1",
      userId: "c1",
      protocolVersion: 1,
      heartbeat: { intervalMs: 7000, timeoutMs: 4000 },
      limits: {},
      ...welcome,
    });
    return this;
  }

  serve(frame) {
    this.onmessage({ data: JSON.stringify(frame) });
    return this;
  }

  drop(code = 1006, reason = "") {
    this.readyState = 3;
    this.onclose({ code, reason });
    return this;
  }

  get claim() {
    return this.url.searchParams.get("reconnectToken");
  }

  get frames() {
    return this.sent.map(({ type }) => type);
  }
}

export class FakeStorage {
  kept = new Map();
  getItem = (key) => this.kept.get(key) ?? null;
  setItem = (key, value) => void this.kept.set(key, String(value));
  removeItem = (key) => void this.kept.delete(key);
}

/** What a browser with all cookies blocked hands out. */
export class ForbiddenStorage {
  getItem = () => {
    throw new Error("SecurityError");
  };
  setItem = this.getItem;
  removeItem = this.getItem;
}

export const answer = (status, body, headers = {}) => ({
  status,
  headers: new Map(Object.entries(headers)),
  json: async () => JSON.parse(body),
});
export const OK = () => answer(200, '{"ok": true}');
export const refusal = (code, headers) => () =>
  answer(403, JSON.stringify({ ok: false, error: "no", code }), headers);

export class Stage {
  now = 0;
  sockets = [];
  requests = [];
  events = [];
  preflight = OK;
  /** How often a timer was set. */
  alarms = 0;
  #timers = new Map();
  window = Object.assign(new EventTarget(), { navigator: { onLine: true } });
  document = Object.assign(new EventTarget(), { visibilityState: "visible" });

  constructor({ sessionStorage = new FakeStorage(), localStorage = new FakeStorage() } = {}) {
    Object.assign(this, { sessionStorage, localStorage });
    const stage = this;
    this.options = {
      WebSocket: class extends FakeSocket {
        constructor(url) {
          super(url, stage);
        }
      },
      fetch: async (url, init) => {
        this.requests.push(new URL(url));
        return this.preflight(init);
      },
      now: () => this.now,
      setTimeout: (ring, ms) => {
        this.alarms += 1;
        this.#timers.set(this.alarms, { ring, at: this.now + ms });
        return this.alarms;
      },
      clearTimeout: (timer) => void this.#timers.delete(timer),
      random: () => 0.5,
      sessionStorage,
      localStorage,
      window: this.window,
      document: this.document,
      location: { href: "http://quiz.lan:8000/play/ABC234?x=1" },
    };
  }

  /** A page is loaded in this tab: a new client on the tab's own storage. */
  async load() {
    this.client = new Client({ url: "/ws", preflightUrl: "/api/ws/preflight", ...this.options });
    this.events = [];
    for (const type of eventTypes) {
      this.client.addEventListener(type, ({ detail }) => {
        this.events.push([type, detail]);
        expectDeclared(type, detail);
      });
    }
    return this.client;
  }

  /** Loaded, connected, and seated as Ana in ABC234. */
  async play() {
    await this.load();
    this.client.joinRoom({ roomCode: "abc234 ", name: "Ana" });
    await this.settle();
    this.socket.accept().serve(joined());
    return this.client;
  }

  get socket() {
    return this.sockets.at(-1);
  }

  get live() {
    return this.sockets.filter(({ readyState }) => readyState < 2).length;
  }

  get timers() {
    return this.#timers.size;
  }

  of(type) {
    return this.events.filter(([each]) => each === type).map(([, detail]) => detail);
  }

  get state() {
    return this.of("state").at(-1)?.state;
  }

  /** Pending promises (the preflight's) run to their end. */
  settle() {
    return new Promise(setImmediate);
  }

  async advance(ms) {
    const end = this.now + ms;
    for (;;) {
      const [next] = [...this.#timers].filter(([, { at }]) => at <= end).sort((a, b) => a[1].at - b[1].at);
      if (!next) break;
      this.now = Math.max(this.now, next[1].at);
      this.#timers.delete(next[0]);
      next[1].ring();
      await this.settle();
    }
    this.now = end;
  }

  /** The device sleeps: time passes, no timer rings. */
  sleep(ms) {
    this.now += ms;
  }

  page(type, init = {}) {
    (type === "visibilitychange" ? this.document : this.window).dispatchEvent(
      Object.assign(new Event(type), init),
    );
    return this.settle();
  }
}

export const FOX = { id: "fox", colour: 3 };

export function joined({ seatId = "s1", token = "secret", roomCode = "ABC234", name = "Ana" } = {}) {
  return {
    type: "ROOM_JOINED",
    seatId,
    reconnectToken: token,
    you: { userId: seatId, isHost: false },
    room: { roomId: "r1", roomCode, phase: "lobby", members: [{ userId: seatId, name, avatar: FOX }] },
  };
}
