/**
 * A page's connection to the gateway: preflight, socket, reconnects, the seat's ticket (spec 4.2).
 * The thin shell: policy.js decides when, place.js what to claim and ask for, this performs it with the
 * browser's own means. A page listens to "state", "message", "latency", "refused" and "closed": client.d.ts,
 * which is made of the comments here, types them.
 */
import { Latency } from "./latency.js";
import { Place, roomCodeOf } from "./place.js";
import { Policy } from "./policy.js";
import { Store, askPreflight, browser, randomId } from "./browser.js";

const SEAT_KEY = "halyard.seat";
const CLIENT_KEY = "halyard.client";
const CARD_KEY = "halyard.card";
/** Longer waits overflow the browser's timers; waking early is harmless. */
const LONGEST_ALARM_MS = 3_600_000;

export class Client extends EventTarget {
  #env;
  #url;
  #preflightUrl;
  #policy = new Policy();
  #latency = new Latency();
  #session;
  #local;
  #place;
  #clientId;
  #socket = /** @type {WebSocket | null} */ (null);
  #preflight = /** @type {AbortController | null} */ (null);
  /** The socket's query held the ticket. */
  #claimed = false;
  /** A person pressed the button of a replaced tab: the rejoin may take a live seat over. */
  #takeOver = false;
  #alarm = { timer: /** @type {any} */ (null), at: /** @type {number | null} */ (null) };
  #pending = [];
  #life = new AbortController();

  /** @param {ClientOptions} [options] */
  constructor(options = {}) {
    const { url = "/ws", preflightUrl = "/api/ws/preflight", ...given } = options;
    super();
    this.#env = { ...browser(), ...given };
    this.#url = url;
    this.#preflightUrl = preflightUrl;
    this.#session = new Store(() => given.sessionStorage ?? globalThis.sessionStorage);
    this.#local = new Store(() => given.localStorage ?? globalThis.localStorage);
    this.#place = Place.restore(this.#session.read(SEAT_KEY));
    this.#clientId = this.#ownId();
    this.#tellPlace();
    this.#watchPage();
  }

  /** The last seat of this browser, for a "continue as" card; it holds no token.
   * @param {Storage} [storage] @returns {ResumeCard | null} */
  static resumeCard(storage = undefined) {
    const card = new Store(() => storage ?? globalThis.localStorage).read(CARD_KEY);
    if (typeof card?.roomCode !== "string" || typeof card.seatId !== "string") return null;
    const { roomCode, name, avatar, seatId } = card;
    return { roomCode, name, avatar, seatId };
  }

  /** The seat this tab has or is coming back to, also before connect(): a page for another room calls leave()
   * first. After a refused rejoin (ALREADY_IN_ROOM) it stays, for a button that calls joinRoom with takeOver.
   * @returns {Seat | null} */
  get seat() {
    return this.#place.seat && { ...this.#place.seat };
  }

  /** Preflight first, then the socket. Comes back to this tab's seat by itself, if it has one. */
  connect() {
    this.#life.signal.throwIfAborted();
    this.#apply({ type: "connect" });
  }

  /** For a button. In a tab that was replaced it means "play here instead" and may take the seat over. */
  retry() {
    this.#takeOver = this.#policy.outcome === "replaced" && this.#policy.phase === "ended";
    this.connect();
  }

  /** True if handed to an open socket. Never queued: an old answer must not land on a new question.
   * @param {ClientFrame} frame @returns {boolean} */
  send(frame) {
    const socket = this.#policy.phase === "open" ? this.#socket : null;
    if (socket === null || socket.readyState !== this.#env.WebSocket.OPEN) return false;
    this.#latency.sent(frame, this.#env.now());
    socket.send(JSON.stringify(frame));
    return true;
  }

  /** Connects if need be and is asked again until answered; true if sent at once. So are the next two.
   * @param {CreateEntry} entry @returns {boolean} */
  createRoom({ name, avatar, settings }) {
    return this.#enter({ type: "CREATE_ROOM", name, avatar, settings });
  }

  /** Back to `seatId` (of a resume card), else to this tab's own seat in that room, else to a new one.
   * @param {JoinEntry} entry @returns {boolean} */
  joinRoom({ roomCode, name, avatar, seatId, takeOver }) {
    const code = roomCodeOf(roomCode);
    const known = [this.seat, takeOver ? this.#local.read(CARD_KEY) : null];
    const resume = seatId ?? known.find((seat) => seat?.roomCode === code)?.seatId;
    return this.#enter({
      type: "JOIN_ROOM", roomCode: code, name, avatar, resume, ...(takeOver && { takeOver: true }),
    });
  }

  /** The big screen: follows the room without a seat, again after each reconnect.
   * @param {WatchEntry} entry @returns {boolean} */
  watchRoom({ roomCode }) {
    return this.#enter({ type: "WATCH_ROOM", roomCode: roomCodeOf(roomCode) });
  }

  /** LEAVE_ROOM, then close 1000; the seat and its card are forgotten. */
  leave() {
    if (this.seat) this.send({ type: "LEAVE_ROOM" });
    this.#changePlace((place) => place.forget());
    this.#apply({ type: "leave", reason: "User disconnected" });
  }

  /** Close 1000 and stop listening to the page; the client cannot be used again. */
  dispose() {
    this.#apply({ type: "leave", reason: "Disposed" });
    this.#life.abort(new Error("this client is disposed; make a new one"));
    this.#env.clearTimeout(this.#alarm.timer);
  }

  /** Asking for a place is a wish, not a frame: without a socket it connects, and waits for CONNECTED. */
  #enter(entry) {
    this.#changePlace((place) => place.ask(entry));
    const sent = this.send(entry);
    if (!sent) this.connect();
    return sent;
  }

  // ---- events → policy

  #apply(event) {
    this.#perform(this.#policy.apply(event, this.#env.now()));
  }

  #watchPage() {
    const { window, document } = this.#env;
    const { signal } = this.#life;
    const on = (target, type, listen) => target?.addEventListener(type, listen, { signal });
    const nudge = () => this.#apply({ type: "nudge" });
    on(window, "online", () => this.#apply({ type: "network", online: true }));
    on(window, "offline", () => this.#apply({ type: "network", online: false }));
    on(window, "pageshow", (event) => event.persisted && nudge());
    on(document, "visibilitychange", () => document.visibilityState === "visible" && nudge());
    if (window?.navigator?.onLine === false) this.#apply({ type: "network", online: false });
  }

  #receive(socket, id, text) {
    if (socket !== this.#socket) return; // given up: what it still delivers is yesterday's
    this.#apply({ type: "frame", id });
    const frame = JSON.parse(text);
    this.#tellLatency(this.#latency.received(frame, this.#env.now()));
    if (frame.type === "HEARTBEAT") {
      socket.send(JSON.stringify({ type: "HEARTBEAT_RESPONSE", timestamp: frame.timestamp }));
      return;
    }
    this.#changePlace((place) => place.receive(frame));
    this.#dropCardOf(this.#place.gone);
    if (frame.type === "CONNECTED") this.#greet(socket, id, frame);
    if (frame.type === "SERVER_RESTARTING") {
      this.#apply({ type: "restarting", id, retryAfterMs: frame.retryAfterMs });
    }
    this.#tell("message", frame);
  }

  #greet(socket, id, { heartbeat }) {
    const greeting = this.#place.greeting(this.#claimed, this.#takeOver);
    this.#takeOver = false;
    if (greeting) socket.send(JSON.stringify(greeting));
    this.#apply({ type: "connected", id, silenceMs: heartbeat.intervalMs + heartbeat.timeoutMs });
  }

  // ---- effects → browser

  /** One queue: when a listener calls back into the client halfway, the rest is done before its own wish. */
  #perform(effects) {
    this.#pending.push(...effects);
    try {
      while (this.#pending.length > 0) this.#do(this.#pending.shift());
    } finally {
      this.#setAlarm();
    }
  }

  #do({ type, ...detail }) {
    switch (type) {
      case "preflight": this.#ask(detail.id); break;
      case "open": this.#open(detail.id); break;
      case "close": this.#close(detail.code, detail.reason); break;
      case "dropTicket": this.#changePlace((place) => place.dropTicket()); break;
      case "forget": this.#changePlace((place) => place.forget()); break;
      default: this.#tell(type, detail);
    }
  }

  async #ask(id) {
    const startedAt = this.#env.now();
    const abort = new AbortController();
    this.#preflight = abort;
    const answer = await askPreflight(this.#env.fetch, this.#address(this.#preflightUrl), abort.signal);
    if (answer.outcome === "ok") this.#tellLatency(this.#latency.measured(this.#env.now() - startedAt));
    this.#apply({ type: "preflight", id, ...answer });
  }

  #open(id) {
    const url = this.#address(this.#url);
    url.protocol = url.protocol.replace("http", "ws");
    this.#claimed = this.#place.ticket !== null;
    const socket = new this.#env.WebSocket(url.href);
    this.#socket = socket;
    socket.onopen = () => this.#apply({ type: "opened", id });
    socket.onmessage = (event) => this.#receive(socket, id, event.data);
    socket.onclose = ({ code, reason }) =>
      this.#apply({ type: "closed", id, code, reason, jitter: this.#env.random() });
  }

  #close(code, reason) {
    this.#preflight?.abort();
    this.#socket?.close(code, reason);
    this.#socket = null;
  }

  #address(path) {
    const url = new URL(path, this.#env.location.href);
    const query = { clientId: this.#clientId, ...this.#place.ticket };
    for (const [key, value] of Object.entries(query)) url.searchParams.set(key, value);
    return url;
  }

  /** One timer, for the policy's earliest deadline; not set anew for each frame that moves it on. */
  #setAlarm() {
    const at = this.#life.signal.aborted ? null : this.#policy.deadline();
    if (this.#alarm.timer !== null && at !== null && this.#alarm.at <= at) return;
    this.#env.clearTimeout(this.#alarm.timer);
    this.#alarm = { timer: null, at };
    if (at === null) return;
    const wait = Math.min(Math.max(at - this.#env.now(), 1), LONGEST_ALARM_MS);
    this.#alarm.timer = this.#env.setTimeout(() => {
      this.#alarm.timer = null;
      this.#perform(this.#policy.wake(this.#env.now()));
    }, wait);
  }

  #tell(type, detail) {
    this.dispatchEvent(new CustomEvent(type, { detail }));
  }

  #tellLatency(ms) {
    if (ms !== null) this.#tell("latency", { ms });
  }

  // ---- remembering

  /** One per tab; a duplicated tab copies it, and the server lets only the newer of the two live. */
  #ownId() {
    const stored = this.#session.read(CLIENT_KEY);
    const clientId = typeof stored === "string" ? stored : randomId();
    this.#session.write(CLIENT_KEY, clientId);
    return clientId;
  }

  #changePlace(change) {
    const [before, card] = [JSON.stringify(this.#place.saved()), this.#place.card()];
    change(this.#place);
    if (JSON.stringify(this.#place.saved()) !== before) this.#save(card);
    this.#tellPlace();
  }

  #save(oldCard) {
    this.#session.write(SEAT_KEY, this.#place.saved());
    const card = this.#place.card();
    const isOurs = this.#local.read(CARD_KEY)?.seatId === oldCard?.seatId;
    if (card || isOurs) this.#local.write(CARD_KEY, card); // another tab's card is left alone
  }

  /** A card may be older than this tab: whoever made it, it leads nowhere once its room is gone. */
  #dropCardOf(roomCode) {
    if (roomCode === null) return;
    if (this.#local.read(CARD_KEY)?.roomCode === roomCode) this.#local.write(CARD_KEY, null);
  }

  #tellPlace() {
    this.#apply({ type: "place", room: this.#place.wanted, ticket: this.#place.ticket !== null });
  }
}
