/* The room's one page: frames go into the store, the store's view onto one screen at a time, the player's wishes out
   as commands. Who decides what: store.js what is known, select.js which screen, the screens how it looks; this file
   only wires them. */
import { Client } from "../../gateway/client.js";
import { barOf } from "./bar.js";
import { lobbyScreen } from "./lobby.js";
import { messageScreen, needsReload } from "./message.js";
import { knowFaces } from "./people.js";
import { podiumScreen } from "./podium.js";
import { questionScreen } from "./question.js";
import { resultsScreen } from "./results.js";
import { seatScreen } from "./seat.js";
import { ending, locked, screenKey, screenOf } from "./select.js";
import { startingScreen } from "./starting.js";
import { choose, forget, reduce, start } from "./store.js";
import { speak, t } from "./text.js";

const TICK_MS = 200; // the rings move in steps that the eye does not see
const SCREENS = {
  join: seatScreen,
  host: seatScreen,
  lobby: lobbyScreen,
  starting: startingScreen,
  question: questionScreen,
  results: resultsScreen,
  podium: podiumScreen,
  message: messageScreen,
};
const ENTRIES = new Set(["JOIN_ROOM", "CREATE_ROOM"]);
/** Where "the card" on the landing page leads to: straight back to the seat, no form. */
const CONTINUE = "#continue";

const page = JSON.parse(document.getElementById("page").textContent);
const main = document.getElementById("main");
const live = document.getElementById("live");
speak(document.documentElement.lang, page.texts);
knowFaces(page.faces);

const client = new Client({ url: page.urls.socket, preflightUrl: page.urls.preflight });
const card = cardOf(page.code);
const drawBar = barOf(document.getElementById("play"));

let view = start();
let conn = { state: "idle", attempt: 0, of: 0, ms: null };
let busy = false; // a place was asked for and not answered yet
let returning = client.seat !== null && client.seat.roomCode === page.code; // this tab has a seat in this room
let shown = { key: null, screen: null };
let scheduled = false;
let leaving = false; // on the way to another page: what the end of the connection looks like is nobody's business

// ------------------------------------------------------------------------------------------------ what comes in

client.addEventListener("message", ({ detail: frame }) => {
  view = reduce(view, frame, performance.now());
  if (frame.type === "ROOM_JOINED" || frame.type === "ROOM_STATE") entered();
  if (frame.type === "ERROR" && (busy || ENTRIES.has(frame.details?.action))) denied(frame.code);
  redraw();
});
client.addEventListener("state", ({ detail }) => {
  conn = { ...detail, ms: conn.ms };
  redraw();
});
client.addEventListener("latency", ({ detail: { ms } }) => {
  conn = { ...conn, ms: Math.round(ms) };
  redraw();
});

function entered() {
  busy = returning = false;
  page.mode = "join"; // a host's page is from now on the page of its room
  page.code = view.room.code;
  const address = page.urls.play.replace("CODE", view.room.code);
  if (location.pathname !== address) history.replaceState(null, "", address);
  // The answer may have been lost with its socket; the server takes one per question, so twice is safe.
  if (view.pending) sendAnswer(view.pending);
}

/** No place: told beside the form, to one who came back as a message, an unknown code beside the code field. */
function denied(code) {
  const had = returning || view.room !== null;
  busy = returning = false;
  if (code !== "ROOM_NOT_FOUND") view = { ...start(), error: view.error };
  else if (had) view = { ...view, ended: { kind: "room-closed", reason: "gone" } };
  else location.replace(`${page.urls.landing}?unknown=${encodeURIComponent(page.code)}`);
}

// ------------------------------------------------------------------------------------------------- what goes out

const ACTS = {
  join: (me) => enter(() => client.joinRoom({ roomCode: page.code, ...me })),
  create: (me) => enter(() => client.createRoom(me)),
  continue: () => enter(() => client.joinRoom({ ...card, roomCode: page.code })),
  takeover: () => enter(() => client.joinRoom({ ...(card ?? client.seat), roomCode: page.code, takeOver: true })),
  start: () => client.send({ type: "START_GAME" }),
  stop: () => client.send({ type: "STOP_GAME" }),
  lobby: () => client.send({ type: "STOP_GAME" }), // from the podium: there is nothing to discard any more
  again: () => client.send({ type: "RESTART_GAME" }),
  next: () => client.send({ type: "NEXT_QUESTION" }),
  settings: (settings) => client.send({ type: "UPDATE_ROOM_SETTINGS", settings }),
  kick: (userId) => client.send({ type: "KICK_USER", userId, ban: true }),
  react: (_, { reaction }) => client.send({ type: "SEND_REACTION", reaction }),
  answer(choices) {
    if (locked(view)) return;
    view = choose(view, choices);
    sendAnswer(choices);
    announce(t("locked"));
  },
  copy: () => shown.screen.copy(view),
  retry: () => (needsReload(conn) ? location.reload() : client.retry()),
  leave() {
    leaving = true;
    client.leave();
    location.assign(page.urls.landing);
  },
  redraw: () => {},
};

function act(name, value, data = {}) {
  if (name !== "redraw") view = forget(view);
  ACTS[name](value, data);
  redraw();
}

function enter(ask) {
  busy = true;
  ask();
}

const sendAnswer = (choices) => client.send({ type: "SUBMIT_ANSWER", questionId: view.question.questionId, choices });

document.addEventListener("click", ({ target }) => {
  const button = target.closest("button[data-act]");
  if (button && button.type !== "submit" && Object.hasOwn(ACTS, button.dataset.act)) {
    act(button.dataset.act, undefined, button.dataset);
    button.closest("details")?.removeAttribute("open");
  } else if (!target.closest(".menu")) document.querySelector(".menu[open]")?.removeAttribute("open");
});
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
  if (event.key === "Escape") document.querySelector(".menu[open]")?.removeAttribute("open");
  else if (!event.target.closest?.("input, textarea, select")) shown.screen?.key?.(event);
});

// ---------------------------------------------------------------------------------------------------- the drawing

/** Frames come in bursts; one drawing for each burst. A hidden tab gets no animation frames, but timers. */
function redraw() {
  if (scheduled || leaving) return;
  scheduled = true;
  if (document.hidden) setTimeout(draw, 0);
  else requestAnimationFrame(draw);
}

function draw() {
  scheduled = false;
  const now = performance.now();
  const name = screenOf(view, conn, page.mode, returning);
  const over = ending(view, conn) ?? { kind: "returning" };
  const key = name === "message" ? `${over.kind} ${over.code ?? over.reason ?? ""}` : screenKey(view, name);
  drawBar(view, conn, name, now);
  if (key !== shown.key) change(name, key, over);
  shown.screen.update(view, { now, busy });
}

function change(name, key, over) {
  const first = shown.key === null;
  const { mode, code, faces } = page;
  const seat = { mode, code, card, known: card ?? client.seat, faceIds: Object.keys(faces) };
  const screen = SCREENS[name]({ page, view, over, act, announce, ...seat });
  shown = { key, screen };
  const title = typeof screen.title === "function" ? screen.title(view) : screen.title;
  document.title = `${title} · Halyard`;
  main.replaceChildren(screen.root);
  if (first) return; // a page that was just opened is read from its top by itself
  scrollTo(0, 0);
  screen.root.querySelector("h1")?.focus({ preventScroll: true });
}

addEventListener("pageshow", ({ persisted }) => {
  if (persisted && leaving) location.reload(); // back by the browser's button: a new visit
});

/** Read out once, politely, after what is being read. */
function announce(text) {
  live.textContent = text;
}

setInterval(() => {
  const now = performance.now();
  shown.screen?.tick?.(view, now);
  if (view.notice && now > view.notice.until) {
    view = { ...view, notice: null };
    redraw();
  }
}, TICK_MS);

// ----------------------------------------------------------------------------------------------------- the start

/** The seat this browser had in this room, if another tab of it (now gone) had one. */
function cardOf(code) {
  const last = client.seat ? null : Client.resumeCard();
  return last?.roomCode === code ? last : null;
}

if (location.hash === CONTINUE && card) {
  history.replaceState(null, "", location.pathname);
  returning = true;
  ACTS.continue();
} else if (!client.seat || returning) client.connect();
// else: this tab still holds a seat in another room, which stays its own until the person asks for a place here
redraw();
