/* What the room feels, as the big screen shows it: a sign for each reaction that was sent, and how often. */
import { set, show, write } from "./dom.js";
import { number } from "./text.js";

/** Each new one lifts its sign: two classes in turn, so that the motion starts anew. */
export function reactions(list, counts) {
  for (const item of list.children) {
    const count = counts[item.dataset.reaction] ?? 0;
    const badge = item.querySelector("[data-count]");
    show(item, count > 0);
    if (badge.dataset.count === String(count)) continue;
    set(badge, "data-count", count);
    write(badge, number(count));
    item.className = count > 0 ? `lifts-${count % 2}` : "";
  }
}
