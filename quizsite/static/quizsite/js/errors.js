/* Which words a refusal of the server gets. Known codes have a translated sentence; an unknown one shows the server's
   own. */
import { NAME_LIMIT } from "./me.js";
import { knows, t } from "./text.js";

/** `error` as store.js keeps it: {code, message, details}. */
export function errorText({ code, message, details }) {
  if (code === "RATE_LIMIT_EXCEEDED") return waitText(details.retryAfter);
  const key = code === "NAME_INVALID" ? `name.${details.reason}` : `error.${code}`;
  return knows(key) ? t(key, { found: details.found, n: NAME_LIMIT }) : message;
}

function waitText(retryAfter) {
  const wait = Math.max(1, Math.ceil(retryAfter ?? 1));
  return t("error.RATE_LIMIT_EXCEEDED", { n: wait });
}

/** Why a connection was refused or lost, by code; what the client itself says is the fallback. */
export function reasonText({ code, text }) {
  const key = `why.${code}`;
  return knows(key) ? t(key) : text ?? t("why.unknown");
}
