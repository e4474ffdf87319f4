/* The screen "starting": three, two, one. */
import { copy, slots, write } from "./dom.js";
import { ring } from "./people.js";
import { remaining } from "./select.js";
import { t } from "./text.js";
import { terms } from "./terms.js";

export function startingScreen() {
  const root = copy("screen-starting");
  const slot = slots(root);
  root.dataset.screen = "starting";
  const tick = (view, now) => ring(slot.ring, remaining(view, now) ?? 0, view.lasts ?? 0);
  const update = (view, { now }) => {
    write(slot.terms, terms(view.room.settings));
    tick(view, now);
  };
  return { root, title: t("title.starting"), update, tick };
}
