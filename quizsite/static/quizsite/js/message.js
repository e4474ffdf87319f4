/* The screen "message": the room is over for this tab, or the connection is, and only a button goes on from here. */
import { copy, draw, show, slots, write } from "./dom.js";
import { reasonText } from "./errors.js";
import { knows, t } from "./text.js";

const ART = {
  replaced: "m-elsewhere",
  kicked: "m-door",
  "room-closed": "m-door",
  denied: "m-door",
  returning: "m-seat",
  opening: "m-seat",
};
/** Kinds that the page itself ends as soon as the server has answered. */
const WAITS = new Set(["returning", "opening"]);
/** Kinds that another try may mend. */
const AGAIN = new Set(["replaced", "refused", "gave-up", "closed", "denied"]);
/** Codes that a new try with the same cookie cannot mend: the page must be loaded again. */
const RELOAD = new Set([4001, "missing_session"]);
/** A try would be answered the same way for as long as somebody else does not change something. */
const HOPELESS = new Set([4004, 4005, "blocked_ip", "invalid_origin"]);

export function messageScreen({ view, over }) {
  const root = copy("screen-message");
  const slot = slots(root);
  const { kind } = over;
  root.dataset.screen = "message";
  root.dataset.kind = kind;
  draw(slot.art, over.code === "session_connection_cap" ? "m-tabs" : (ART[kind] ?? "m-unplugged"));
  const title = titleOf(over);
  write(slot.title, title);
  write(slot.text, textOf(over, view));
  show(slot.retry, AGAIN.has(kind) && !HOPELESS.has(over.code));
  const again = over.kind === "replaced" ? named("message.here", over.reason) : "message.again";
  write(slot.retry, t(RELOAD.has(over.code) ? "message.reload" : again));
  show(slot.home, !WAITS.has(kind));
  write(slot.home, t(kind === "replaced" ? "message.leave" : "message.home"));
  return { root, title, update: () => {} };
}

/** Whether "try again" means to load the page again. */
export const needsReload = ({ code }) => RELOAD.has(code);

/** The key of the sentence for this very case, if there is one, else the general one. */
const named = (key, ...cases) => cases.map((each) => `${key}.${each}`).find(knows) ?? key;

function titleOf({ kind, code, reason }) {
  return t(knows(`title.${code}`) ? `title.${code}` : named(`title.${kind}`, reason));
}

function textOf({ kind, code, text, reason }, view) {
  const key = named(`text.${kind}`, code, reason);
  if (key !== `text.${kind}`) return t(key);
  if (kind === "replaced") return replacedText(view);
  return code || kind === "refused" || kind === "closed" ? reasonText({ code, text }) : t(key);
}

function replacedText({ you }) {
  return you?.score > 0 ? t("text.replaced.points", { n: you.score }) : t("text.replaced");
}
