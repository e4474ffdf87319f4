/* The screen "message": the room is over for this tab, or the connection is, and only a button goes on from here. */
import { copy, draw, show, slots, write } from "./dom.js";
import { reasonText } from "./errors.js";
import { knows, t } from "./text.js";

const ART = { replaced: "m-elsewhere", kicked: "m-door", "room-closed": "m-door", returning: "m-seat" };
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
  const canRetry = ["replaced", "refused", "gave-up", "closed"].includes(kind) && !HOPELESS.has(over.code);
  show(slot.retry, canRetry);
  const again = kind === "replaced" ? "message.here" : "message.again";
  write(slot.retry, t(RELOAD.has(over.code) ? "message.reload" : again));
  show(slot.home, kind !== "returning");
  write(slot.home, t(kind === "replaced" ? "message.leave" : "message.home"));
  return { root, title, update: () => {} };
}

/** Whether "try again" means to load the page again. */
export const needsReload = ({ code }) => RELOAD.has(code);

function titleOf({ kind, code, reason }) {
  const named = [`title.${code}`, `title.${kind}.${reason}`].find(knows);
  return t(named ?? `title.${kind}`);
}

function textOf({ kind, code, text, reason }, view) {
  if (kind === "replaced") return replacedText(view);
  if (kind === "refused" || kind === "closed") return reasonText({ code, text });
  const named = `text.${kind}.${reason}`;
  return t(knows(named) ? named : `text.${kind}`);
}

function replacedText({ you }) {
  return you?.score > 0 ? t("text.replaced.points", { n: you.score }) : t("text.replaced");
}
