/* The way into a room, as its lobby shows it on a phone and on the big screen: where to go, the code, the QR code. */
import { say, t } from "./text.js";
import { write } from "./dom.js";

const LOOPBACK = /^(localhost$|127\.|\[::1\]$)/;

/** `sentence` is the key of the line above the code. */
export function ticketOf({ urls }, root, slot, sentence) {
  const shared = new URL(urls.shared);
  const link = (code) => shared.origin + urls.play.replace("CODE", code);
  const shown = root.querySelector("[data-code]");

  function draw(code) {
    if (shown.dataset.code === code) return;
    shown.dataset.code = code;
    write(shown, code);
    say(slot["join-at"], sentence, { host: shared.host });
    slot.qr.src = urls.qr.replace("CODE", code);
    slot.qr.alt = t("qr.alt", { url: link(code) });
  }
  /** `onlyHere`: no other device can open the link. */
  return { draw, link, onlyHere: LOOPBACK.test(shared.hostname) };
}
