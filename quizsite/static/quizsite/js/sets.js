/* The host's choice among question sets: the flags, the sets of the host's own, those that are public. Which ones there
   are only the site knows: it is asked when the lobby opens and whenever the chooser gets the focus, for a set may have
   been imported in another tab meanwhile. */
import { show } from "./dom.js";
import { t } from "./text.js";

/** `field` is what is shown if there is a choice at all; `changed` is called when there are other sets than before. */
export function setChooser(field, select, url, changed) {
  const [own, others] = select.querySelectorAll("optgroup");
  let [sets, asked] = [[], false];

  async function ask() {
    asked = true;
    const found = await fetchSets(url);
    if (found === null || JSON.stringify(found) === JSON.stringify(sets)) return;
    sets = found;
    changed();
  }
  select.addEventListener("focus", ask);

  /** The options as they are now; the room may play a set of a former host, which this one can't choose. */
  return function draw(source) {
    if (!asked) ask();
    const known = sets.some(({ id }) => id === source.id);
    const foreign = source.kind === "set" && !known ? [{ id: source.id, text: t("set.other") }] : [];
    const options = sets.map((set) => ({ ...set, text: t("set.option", { title: set.title, n: set.count }) }));
    fill(own, options.filter((set) => set.own));
    fill(others, [...options.filter((set) => !set.own), ...foreign]);
    show(field, options.length + foreign.length > 0);
  };
}

/** Without an answer the old list stays, and the next focus asks again. */
async function fetchSets(url) {
  try {
    const answer = await fetch(url, { headers: { Accept: "application/json" } });
    return answer.ok ? (await answer.json()).sets : null;
  } catch {
    return null; // offline, as the bar says
  }
}

/** Only what changed: an open list must not close under the finger. */
function fill(group, options) {
  show(group, options.length > 0);
  const same = options.length === group.children.length
    && options.every(({ id, text }, i) => group.children[i].value === id && group.children[i].textContent === text);
  if (!same) group.replaceChildren(...options.map(({ id, text }) => new Option(text, id)));
}
