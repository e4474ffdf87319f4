/* What both pages of a room do alike: frames go into the store, the store's view onto one screen at a time, a person's
   wishes out as commands. Which screen it is and what may be asked are the page's own: play.js, present.js. */
import { Client } from "../../gateway/client.js";
import { keepAwake } from "./awake.js";
import { knowFaces } from "./people.js";
import { screenKey } from "./select.js";
import { forget, reduce, start } from "./store.js";
import { speak } from "./text.js";

const TICK_MS = 200; // the rings move in steps that the eye does not see
/** What moves the quiz: the host asks for it, from a seat or from the big screen. */
const COMMANDS = {
  start: "START_GAME",
  stop: "STOP_GAME",
  lobby: "STOP_GAME", // from the podium: there is nothing to discard any more
  again: "RESTART_GAME",
  next: "NEXT_QUESTION",
};

export class Stage {
  page = JSON.parse(document.getElementById("page").textContent);
  view = start();
  conn = { state: "idle", attempt: 0, of: 0, ms: null };
  /** On the way to another page: what the end of the connection looks like is nobody's business. */
  leaving = false;
  #main = document.getElementById("main");
  #live = document.getElementById("live");
  #shown = { name: null, key: null, screen: null };
  #scheduled = false;
  #drawing = false;
  #unsaid = []; // what a drawing has to announce, until it is done
  #awake = keepAwake(navigator, document);

  /** `screens`: name → what makes one; `bar` draws what stands above them. `look()` says what is to be seen now:
      {name, over, busy, given}; `heard(frame)` comes after the store; `acts` are the page's own, by name; `key(event)`
      is asked after the screen's own keys. */
  constructor({ screens, bar, look, heard, acts, key = () => {} }) {
    speak(document.documentElement.lang, this.page.texts);
    knowFaces(this.page.faces);
    const { socket: url, preflight: preflightUrl } = this.page.urls;
    this.client = new Client({ url, preflightUrl });
    Object.assign(this, { screens, bar, look, heard, key });
    this.acts = { ...this.#commands(), redraw: () => {}, ...acts };
    this.#listen();
    this.#takeWishes();
    setInterval(() => this.#tick(), TICK_MS);
  }

  /** The screen that is shown, and its name. */
  get screen() {
    return this.#shown.screen;
  }

  get name() {
    return this.#shown.name;
  }

  act = (name, value, data = {}) => {
    if (name !== "redraw") this.view = forget(this.view);
    this.acts[name](value, data);
    this.redraw();
  };

  /** Read out once, politely, after what is being read: after the heading of a new screen, whose focus would cut it
      off. */
  announce = (text) => {
    this.#unsaid.push(text);
    if (!this.#drawing) this.#say();
  };

  /** Frames come in bursts; one drawing for each burst. A hidden tab gets no animation frames, but timers. */
  redraw() {
    if (this.#scheduled || this.leaving) return;
    this.#scheduled = true;
    if (document.hidden) setTimeout(() => this.#draw(), 0);
    else requestAnimationFrame(() => this.#draw());
  }

  #commands() {
    const asks = Object.entries(COMMANDS).map(([name, type]) => [name, () => this.client.send({ type })]);
    return Object.fromEntries(asks);
  }

  // ------------------------------------------------------------------------------------------------ what comes in

  #listen() {
    const on = (type, change) => this.client.addEventListener(type, ({ detail }) => {
      change(detail);
      this.redraw();
    });
    on("message", (frame) => {
      this.view = reduce(this.view, frame, performance.now());
      this.heard(frame);
    });
    on("state", (detail) => { this.conn = { ...detail, ms: this.conn.ms }; });
    on("latency", ({ ms }) => { this.conn = { ...this.conn, ms: Math.round(ms) }; });
  }

  #takeWishes() {
    document.addEventListener("click", ({ target }) => {
      const button = target.closest("button[data-act]");
      if (button && button.type !== "submit" && Object.hasOwn(this.acts, button.dataset.act)) {
        this.act(button.dataset.act, undefined, button.dataset);
        button.closest("details")?.removeAttribute("open");
      } else if (!target.closest(".menu")) closeMenu();
    });
    document.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
      if (event.key === "Escape") closeMenu();
      else if (!event.target.closest?.("input, textarea, select")) (this.screen?.key ?? this.key)(event);
    });
    addEventListener("pageshow", ({ persisted }) => {
      if (persisted && this.leaving) location.reload(); // back by the browser's button: a new visit
    });
  }

  // -------------------------------------------------------------------------------------------------- the drawing

  #draw() {
    this.#scheduled = false;
    this.#drawing = true;
    const now = performance.now();
    const { name, over, busy = false, given } = this.look();
    const key = name === "message" ? `${over.kind} ${over.code ?? over.reason ?? ""}` : screenKey(this.view, name);
    this.bar(this.view, this.conn, name, now);
    this.#awake(this.view.room !== null && name !== "message");
    const [isNew, isFirst] = [key !== this.#shown.key, this.#shown.key === null];
    if (isNew) this.#change(name, key, { over, ...given });
    this.screen.update(this.view, { now, busy });
    if (isNew && !isFirst) this.#arrive(); // a page that was just opened is read from its top by itself
    this.#drawing = false;
    this.#say();
  }

  #change(name, key, given) {
    const { page, view, act, announce } = this;
    const screen = this.screens[name]({ page, view, act, announce, ...given });
    this.#shown = { name, key, screen };
    const title = typeof screen.title === "function" ? screen.title(view) : screen.title;
    document.title = `${title} · Halyard`;
    this.#main.replaceChildren(screen.root);
  }

  #arrive() {
    scrollTo(0, 0);
    this.screen.root.querySelector("h1")?.focus({ preventScroll: true });
  }

  #say() {
    if (this.#unsaid.length > 0) this.#live.textContent = this.#unsaid.splice(0).join(" ");
  }

  #tick() {
    const now = performance.now();
    this.screen?.tick?.(this.view, now);
    if (!this.view.notice || now <= this.view.notice.until) return;
    this.view = { ...this.view, notice: null };
    this.redraw();
  }
}

function closeMenu() {
  document.querySelector(".menu[open]")?.removeAttribute("open");
}
