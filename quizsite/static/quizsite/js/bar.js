/* The bar above every screen and the band below it: where I am, how the connection is, what is safe. The connection
   is told by shape, colour and words; trouble gets the band, never a layer over the game. */
import { draw, set, show, write } from "./dom.js";
import { reasonText } from "./errors.js";
import { host, isHost, locked, nextHost, plays } from "./select.js";
import { number, say, t } from "./text.js";

const SLOW_MS = 200;
/** Tries of an ordinary series, each with its mark; only after a restart of the server a series is longer. */
const MARKS = 6;

const SHAPES = { connected: "ok", connecting: "retry", reconnecting: "retry", waiting: "retry", idle: "retry" };
const GAME = new Set(["question", "results"]);
const ACTIVE = new Set(["starting", "question", "results"]);

export function barOf(page) {
  const at = (name) => page.querySelector(`[data-bar="${name}"]`);
  const conn = page.querySelector("#conn");
  const steps = page.querySelector("#steps");
  const band = page.querySelector("#notice");

  return (view, state, screen, now) => {
    page.dataset.view = screen;
    const game = GAME.has(screen);
    const inRoom = view.room !== null && screen !== "message";
    show(at("back"), screen === "join" || screen === "host");
    show(at("brand"), !game && screen !== "join" && screen !== "host");
    show(at("progress"), game);
    show(at("score"), inRoom && game && plays(view));
    show(at("menu"), inRoom);
    show(at("stop"), inRoom && isHost(view) && ACTIVE.has(screen));
    if (!inRoom) at("menu").open = false;
    write(at("score").lastElementChild, number(view.you?.score ?? 0));
    if (game) write(at("progress"), t("question.of", { n: view.question.index + 1, of: view.question.total }));
    show(steps, game);
    if (game) drawSteps(steps, view.question);
    drawConn(conn, state);
    const news = screen === "message" ? null : newsOf(view, state, now);
    page.toggleAttribute("data-notice", news !== null);
    drawBand(band, news);
  };
}

function drawSteps(list, { index, total }) {
  while (list.children.length < total) list.append(document.createElement("li"));
  while (list.children.length > total) list.lastChild.remove();
  [...list.children].forEach((step, i) => { step.className = i < index ? "is-done" : i === index ? "is-now" : ""; });
}

function drawConn(element, { state, attempt, of, ms }) {
  const slow = state === "connected" && ms > SLOW_MS;
  const look = slow ? "slow" : (SHAPES[state] ?? "off");
  set(element, "data-conn-state", state);
  element.className = `conn conn--${look}`;
  draw(element.querySelector("use"), `c-${look}`);
  const [short, long] = connWords(state, { n: attempt, of }, ms);
  write(element.children[1], short);
  write(element.children[2], long);
}

function connWords(state, tries, ms) {
  if (state === "connected" && ms !== null) {
    return [t("conn.ms", { n: ms }), t(ms > SLOW_MS ? "conn.slow.long" : "conn.connected.long", { n: ms })];
  }
  if (state === "reconnecting") return [t("conn.try", tries), t("conn.try.long", tries)];
  return [t(`conn.${state}`), t(`conn.${state}`)];
}

/** The one thing to tell in the band: {look, icon, title: [key, values], text: [key, values] | string, tries?}. */
export function newsOf(view, conn, now) {
  return newsOfLine(view, conn) ?? newsOfRoom(view, now);
}

function newsOfLine(view, { state, attempt, of, code, text }) {
  const kept = [view.room ? (locked(view) ? "kept.answer" : "kept.seat") : "kept.none"];
  const restarts = view.pausedAt !== null || (state !== "connected" && (code === 1012 || of > MARKS));
  if (state === "offline") return { look: "danger", icon: "i-unplugged", title: ["news.offline"], text: kept };
  if (restarts) return { look: "info", icon: "i-clock", title: ["news.restart"], text: ["news.restart.text"] };
  if (state === "reconnecting") {
    const title = ["conn.try.long", { n: attempt, of }];
    return { look: "warn", icon: "i-unplugged", title, text: kept, tries: { attempt, of } };
  }
  if (state !== "waiting") return null;
  return { look: "warn", icon: "i-clock", title: ["news.waiting"], text: reasonText({ code, text }) };
}

function newsOfRoom(view, now) {
  const leader = host(view);
  if (leader?.status === "grace") {
    const heir = nextHost(view);
    const mine = heir?.userId === view.you?.userId;
    const text = mine ? ["host.away.you"] : heir ? ["host.away.next", { name: heir.name }] : ["host.away.text"];
    return { look: "info", icon: "i-crown", title: ["host.away", { name: leader.name }], text };
  }
  const { notice } = view;
  if (!notice || now > notice.until) return null;
  const about = view.members.find((member) => member.userId === notice.userId);
  if (notice.userId && !about) return null;
  const icon = about ? "i-crown" : "i-clock";
  return { look: "info", icon, title: [notice.key, { name: about?.name }], text: [`${notice.key}.text`] };
}

function drawBand(band, news) {
  show(band, news !== null);
  if (!news) {
    set(band, "data-news", "");
    return;
  }
  drawTries(band.querySelector(".tries"), news.tries);
  const fingerprint = JSON.stringify([news.title, news.text]);
  if (band.dataset.news === fingerprint) return; // the same words again would be read out again
  set(band, "data-news", fingerprint);
  band.className = `notice notice--${news.look}`;
  draw(band.querySelector("use"), news.icon);
  say(band.querySelector("strong"), ...news.title);
  const words = band.querySelector(".notice__text span");
  if (typeof news.text === "string") write(words, news.text);
  else say(words, ...news.text);
}

function drawTries(element, tries) {
  show(element, Boolean(tries));
  if (!tries) return;
  while (element.children.length < tries.of) element.append(document.createElement("i"));
  [...element.children].forEach((bar, i) => {
    bar.className = i + 1 < tries.attempt ? "is-spent" : i + 1 === tries.attempt ? "is-now" : "";
  });
}
