/** The players' cards: one list item a player, made once and then only changed. */
import { bytesText, leftText, seatText, socketText } from "./words.js";

const TAGS = { connected: "tag tag--ok", grace: "tag tag--warn", removed: "tag tag--danger", none: "tag" };
/** From this share of a budget on its bar warns. */
const HOT = 0.25;

export class Cards {
  #list;
  #template;

  constructor(list, template) {
    this.#list = list;
    this.#template = template;
  }

  show({ players }, limits, now) {
    while (this.#list.children.length > players.length) this.#list.lastElementChild.remove();
    players.forEach((player, index) => {
      const card = this.#list.children[index] ?? this.#make(index);
      showPlayer(card, player, limits, now);
    });
  }

  #make(index) {
    this.#list.append(this.#template.content.cloneNode(true));
    const card = this.#list.children[index];
    card.querySelector(".av").classList.add(`av--${index + 1}`);
    return card;
  }
}

function showPlayer(card, player, limits, now) {
  const put = (name, text) => {
    const node = card.querySelector(`[data-${name}]`);
    if (node && node.textContent !== text) node.textContent = text;
    return node;
  };
  card.className = `card card--${player.seat}`;
  card.dataset.player = player.name;
  put("initial", player.name[0]);
  put("name", player.name);
  put("seat", seatText(player, now)).className = TAGS[player.seat];
  put("socket", socketText(player));
  put("join", player.join === null ? "–" : String(player.join));
  put("misses", `${player.misses}/${limits.maxMissed}`);
  put("ping", player.nextPing === null ? "none" : leftText(player.nextPing, now));
  put("answer", player.answer || "–");
  put("score", String(player.score));
  card.querySelector("[data-host]").hidden = !player.host;
  // The rest is about the socket's guards: a recorded room does not know them, its cards lack the place.
  if (!card.querySelector("[data-pips]")) return;
  showPips(card.querySelector("[data-pips]"), player.misses, limits.maxMissed);
  showBar(card, "buffered", player.buffered, limits.bufferBytes, bytesText(player.buffered));
  showBar(card, "frames", player.frames, limits.frames, `${Math.ceil(player.frames)}/${limits.frames}`);
  showBar(card, "answers", player.answers, limits.answers, `${Math.ceil(player.answers)}/${limits.answers}`);
}

function showPips(pips, misses, most) {
  while (pips.children.length > most) pips.lastElementChild.remove();
  while (pips.children.length < most) pips.append(document.createElement("i"));
  [...pips.children].forEach((pip, index) => pip.classList.toggle("on", index < misses));
}

function showBar(card, name, value, most, text) {
  const bar = card.querySelector(`[data-bar="${name}"]`);
  const meter = bar.querySelector(".meter");
  const share = Math.min(1, value / most);
  meter.querySelector("rect").setAttribute("width", `${(share * 100).toFixed(1)}%`);
  meter.classList.toggle("is-hot", share >= HOT && share < 1);
  meter.classList.toggle("is-full", share >= 1);
  bar.querySelector(".v").textContent = text;
}
