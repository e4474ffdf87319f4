/* The bar above every screen and the band below it: where I am, how the connection is, what is safe. The connection
   is told by shape, colour and words; trouble gets the band, never a layer over the game. */
import { draw, set, show, slots, write } from "./dom.js";
import { reasonText } from "./errors.js";
import { health, host, leads, locked, nextHost, plays, watches } from "./select.js";
import { knows, number, say, t } from "./text.js";

const SLOW_MS = 200;
/** Tries of an ordinary series, each with its mark; only after a restart of the server a series is longer. */
const MARKS = 6;

const SHAPES = { connected: "ok", connecting: "retry", reconnecting: "retry", waiting: "retry", idle: "retry" };
const GAME = new Set(["question", "results"]);
const ACTIVE = new Set(["starting", "question", "results"]);
/** After these the seat was gone, so nothing is kept: the page asks for it anew. */
const LOST_SEAT = new Set([4003, "forbidden"]);

export function barOf(page) {
  const parts = (name) => page.querySelectorAll(`[data-bar="${name}"]`); // the big screen's bar has fewer of them
  const toggle = (name, on) => parts(name).forEach((part) => show(part, on));
  const conn = page.querySelector("#conn");
  const steps = page.querySelector("#steps");
  const band = page.querySelector("#notice");

  return (view, state, screen, now) => {
    page.dataset.view = screen;
    const game = GAME.has(screen);
    const inRoom = view.room !== null && screen !== "message";
    toggle("back", screen === "join" || screen === "host");
    toggle("languages", screen === "join" || screen === "host");
    toggle("brand", !game && screen !== "join" && screen !== "host");
    toggle("progress", game);
    toggle("score", inRoom && ACTIVE.has(screen) && plays(view));
    toggle("menu", inRoom);
    toggle("stop", inRoom && leads(view) && ACTIVE.has(screen));
    toggle("present", inRoom && leads(view));
    toggle("health", inRoom && leads(view));
    parts("health").forEach((part) => drawHealth(part, health(view)));
    parts("present").forEach((link) => { link.href = link.dataset.address.replace("CODE", view.room?.code ?? ""); });
    if (!inRoom) parts("menu").forEach((menu) => { menu.open = false; });
    parts("score").forEach((part) => write(part.lastElementChild, number(view.you?.score ?? 0)));
    const { index, total } = view.question ?? {};
    if (game) parts("progress").forEach((part) => write(part, t("question.of", { n: index + 1, of: total })));
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

/** Who of the room is there: a bar for the eye, the same in words. */
function drawHealth(element, { connected, slow, away, of }) {
  const slot = slots(element);
  set(slot.bar, "width", `${of ? ((100 * connected) / of).toFixed(1) : 0}%`);
  write(slot.short, t("health.short", { n: connected, of }));
  write(slot.connected, t("health.connected", { n: connected }));
  show(slot.slow, slow > 0);
  write(slot["slow-short"], number(slow));
  write(slot["slow-text"], slow > 0 ? t("health.slow", { n: slow }) : "");
  show(slot.away, away > 0);
  write(slot.away, t("health.away", { n: away }));
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

/** The one thing to tell in the band: {look, icon, title: [key, values], why?: [key], text: [key, values] | string,
    tries?}. */
export function newsOf(view, conn, now) {
  return newsOfLine(view, conn) ?? newsOfRoom(view, now);
}

function newsOfLine(view, { state, attempt, of, code, text }) {
  const kept = [keptOf(view, code)];
  const restarts = view.pausedAt !== null || (state !== "connected" && (code === 1012 || of > MARKS));
  if (state === "offline") return { look: "danger", icon: "i-unplugged", title: ["news.offline"], text: kept };
  if (restarts) return { look: "info", icon: "i-clock", title: ["news.restart"], text: ["news.restart.text"] };
  if (state === "reconnecting") {
    const title = ["conn.try.long", { n: attempt, of }];
    const why = knows(`why.${code}`) ? [`why.${code}`] : null;
    return { look: "warn", icon: "i-unplugged", title, why, text: kept, tries: { attempt, of } };
  }
  if (state !== "waiting") return null;
  return { look: "warn", icon: "i-clock", title: ["news.waiting"], text: reasonText({ code, text }) };
}

function keptOf(view, code) {
  if (!view.room) return "kept.none";
  if (watches(view)) return "kept.watching";
  if (LOST_SEAT.has(code)) return "kept.again";
  return locked(view) ? "kept.answer" : "kept.seat";
}

function newsOfRoom(view, now) {
  const leader = host(view);
  if (leader?.status === "grace") {
    const heir = nextHost(view);
    const mine = heir !== null && heir.userId === view.you?.userId;
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
  const fingerprint = JSON.stringify([news.title, news.why, news.text]);
  if (band.dataset.news === fingerprint) return; // the same words again would be read out again
  set(band, "data-news", fingerprint);
  band.className = `notice notice--${news.look}`;
  draw(band.querySelector("use"), news.icon);
  say(band.querySelector("strong"), ...news.title);
  const { why, text } = slots(band);
  show(why, Boolean(news.why));
  write(why, news.why ? t(...news.why) : "");
  if (typeof news.text === "string") write(text, news.text);
  else say(text, ...news.text);
}

function drawTries(element, tries) {
  show(element, Boolean(tries));
  if (!tries) return;
  while (element.children.length < tries.of) element.append(document.createElement("i"));
  [...element.children].forEach((bar, i) => {
    bar.className = i + 1 < tries.attempt ? "is-spent" : i + 1 === tries.attempt ? "is-now" : "";
  });
}
