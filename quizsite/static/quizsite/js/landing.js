/* The landing page: a code field that takes only what a code may hold, and the way back to the last seat. The form
   works without this file. */
import { Client } from "../../gateway/client.js";
import { show, slots } from "./dom.js";
import { face, knowFaces } from "./people.js";
import { say, speak, t } from "./text.js";

const LENGTH = 6;
const OUTSIDE = /[^A-HJKMNP-Z2-9]/g; // no 0 O, no 1 I L (spec 2.1)
const AT_END = /([A-HJKMNP-Z2-9]{6})\/?\s*$/i;

const page = JSON.parse(document.getElementById("page").textContent);
const code = document.getElementById("code");
const error = document.getElementById("code-error");
speak(document.documentElement.lang, page.texts);
knowFaces(page.faces);

function complain(on, short) {
  error.hidden = !on;
  document.getElementById("code-short").hidden = !short;
  document.getElementById("code-unknown").hidden = short;
  if (on) code.setAttribute("aria-invalid", "true");
  else code.removeAttribute("aria-invalid");
}

function clean() {
  const at = code.selectionStart;
  const value = code.value.toUpperCase();
  const before = value.slice(0, at).replace(OUTSIDE, "").length;
  code.value = value.replace(OUTSIDE, "").slice(0, LENGTH);
  code.setSelectionRange(before, before);
  complain(false, false);
}

code.addEventListener("input", (event) => {
  if (!event.isComposing) clean();
});
code.addEventListener("compositionend", clean);
code.addEventListener("paste", (event) => {
  const found = AT_END.exec(event.clipboardData.getData("text")); // a whole link ends with its code
  if (!found) return;
  event.preventDefault();
  code.value = found[1];
  clean();
});
document.getElementById("join").addEventListener("submit", (event) => {
  if (code.value.length === LENGTH) return;
  event.preventDefault();
  complain(true, true);
  code.focus();
});

const card = Client.resumeCard();
if (card && card.roomCode !== page.code) offer(card); // the room that was just not found is no way back

function offer({ roomCode, name, avatar }) {
  const back = document.getElementById("back");
  const slot = slots(back);
  face(slot.face, avatar);
  say(slot.name, "card.title", { name });
  say(slot.room, "card.room", { code: roomCode });
  slot.go.textContent = t("card.go", { name });
  slot.go.href = `${page.urls.play.replace("CODE", encodeURIComponent(roomCode))}#continue`;
  document.querySelector(".landing").classList.add("has-back");
  show(back, true);
}
