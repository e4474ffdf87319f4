/* Faces, standings and answer marks: the parts that several screens show the same way. */
import { draw, icon, image, set, show, slots, write } from "./dom.js";
import { choiceText, number, t } from "./text.js";

let faces = {};

/** Where each avatar's drawing lies: file names carry a hash, so the page tells them. */
export function knowFaces(urls) {
  faces = urls;
}

/** Fills a disc (.av) with a face; the sizes' classes stay. */
export function face(disc, { id, colour } = {}) {
  for (const other of [1, 2, 3, 4, 5, 6]) disc.classList.toggle(`av--${other}`, other === colour);
  const src = faces[id] ?? faces.owl;
  if (disc.firstElementChild?.getAttribute("src") !== src) disc.replaceChildren(image(src, "", 48, 48));
}

/** A row of the roster. The host's own view of others has the button that removes them. */
export function member(row, person, { you, manages }) {
  const slot = (row.slots ??= slots(row));
  row.classList.toggle("is-you", you);
  row.classList.toggle("is-away", person.status === "grace");
  face(row.querySelector(".av"), person.avatar);
  write(row.querySelector(".who"), person.name);
  show(slot.you, you);
  show(slot.away, person.status === "grace");
  show(slot.host, person.isHost);
  show(slot.kick, manages && !person.isHost && !you);
  slot.kick.dataset.kick = person.userId;
  write(slot["kick-text"], t("kick", { name: person.name }));
}

/** A row of the standings; `gained` is null (not known), 0 or the places won or lost. */
export function place(row, entry, you, gained = null) {
  row.classList.toggle("is-you", you);
  write(row.querySelector(".rank"), number(entry.rank));
  face(row.querySelector(".av"), entry.avatar);
  write(row.querySelector(".who"), entry.name);
  write(row.querySelector(".pts"), number(entry.score));
  const move = row.querySelector(".move");
  move.replaceChildren();
  if (!gained) return;
  const words = Object.assign(document.createElement("span"), { className: "vh" });
  words.textContent = t(gained > 0 ? "moved.up" : "moved.down", { n: Math.abs(gained) });
  const count = Object.assign(document.createElement("span"), { textContent: number(Math.abs(gained)) });
  count.setAttribute("aria-hidden", "true");
  move.append(icon(gained > 0 ? "i-up" : "i-fall", "move__icon"), count, words);
}

/** The letters and shapes of the answers: the first four have a hue and a shape, further ones are plain. */
export const shape = (index) => "abcd"[index] ?? "x";
export const letter = (index) => t("letters").split(" ")[index] ?? number(index + 1);

/** All answers of a question, as they are read out. */
export function spoken(choices) {
  return choices.map((choice, index) => `${letter(index)}: ${choiceText(choice)}`).join(". ");
}

export function mark(element, index) {
  element.classList.add(`mark--${shape(index)}`);
  draw(element.querySelector("use"), `s-${shape(index)}`);
  write(element.querySelector("b"), letter(index));
}

/** The picture of a question. Its words must not tell the answer, so a flag's are neutral. */
export function picture(media, className = "") {
  const alt = media.kind === "svg" ? t("flag.alt") : media.alt;
  const src = media.kind === "svg" ? `data:image/svg+xml,${encodeURIComponent(media.data)}` : media.url;
  return Object.assign(image(src, alt, 640, 480), { className, draggable: false });
}

/** The ring: `left` of `lasts` milliseconds. */
export function ring(element, left, lasts, lastSeconds = 0) {
  const whole = Math.ceil(left / 1000);
  const share = lasts > 0 ? Math.min(100, (100 * left) / lasts) : 0;
  element.classList.toggle("ring--last", whole <= lastSeconds);
  set(element.querySelector(".ring__val"), "stroke-dasharray", `${share.toFixed(1)} 100`);
  write(element.querySelector(".ring__n"), number(whole));
  set(element, "aria-label", t("seconds.left", { n: whole }));
}
