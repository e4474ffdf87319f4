/* The screen "lobby": the code to join by, who is there, the settings, and the host's start. The big screen's is in
   big-lobby.js. */
import { copyText } from "./copying.js";
import { copy, rows, set, show, slots, write } from "./dom.js";
import { errorText } from "./errors.js";
import { face, member } from "./people.js";
import { host, isHost } from "./select.js";
import { setChooser } from "./sets.js";
import { settingsForm } from "./settings.js";
import { say, t } from "./text.js";
import { terms } from "./terms.js";
import { ticketOf } from "./ticket.js";

/** How long a button says what it did, or waits for the second press. */
const MOMENT_MS = 3000;
const WIDE = "(min-width: 60rem)";
/** Refusals that belong to the settings form; all others are told above the start button. */
const OF_SETTINGS = new Set(["UPDATE_ROOM_SETTINGS"]);

export function lobbyScreen({ page, act }) {
  const root = copy("screen-lobby");
  const slot = slots(root);
  root.dataset.screen = "lobby";
  const form = slot.settings.querySelector("form");
  const fill = settingsForm(form, (patch) => act("settings", patch));
  const chooser = setChooser(slot.sets, form.elements.questionSet, page.urls.sets, () => act("redraw"));
  slot.settings.open = matchMedia(WIDE).matches;
  const armed = arming(slot.roster, act);
  slot.manage.addEventListener("click", () => {
    const on = root.classList.toggle("is-managing");
    set(slot.manage, "aria-pressed", String(on));
    write(slot.manage, t(on ? "manage.done" : "manage"));
  });
  const ticket = ticketOf(page, root, slot, "lobby.at");

  function update(view) {
    const { code, settings } = view.room;
    ticket.draw(code);
    people(slot, view, armed);
    const hosting = isHost(view);
    root.classList.toggle("is-host", hosting);
    const error = view.error;
    const ofSettings = error !== null && OF_SETTINGS.has(error.action);
    show(slot.loopback, hosting && ticket.onlyHere);
    for (const name of ["settings", "manage", "start", "present"]) show(slot[name], hosting);
    removed(slot, hosting ? view.removed : []);
    slot.present.href = page.urls.present.replace("CODE", code);
    show(slot.terms, !hosting);
    if (hosting) chooser(settings.questionSource);
    fill(settings, ofSettings);
    show(slot.flags, form.elements.questionSet.value === "");
    write(slot["terms-text"], terms(settings));
    show(slot["settings-error"], ofSettings);
    write(slot["settings-error"].querySelector("span"), ofSettings ? errorText(error) : "");
    show(slot.error, error !== null && !ofSettings);
    write(slot["error-text"], error && !ofSettings ? errorText(error) : "");
    const leader = host(view);
    show(slot.waiting, !hosting);
    if (leader) say(slot.waiting, "lobby.waiting", { name: leader.name });
  }
  return {
    root,
    update,
    title: (view) => t("title.room", { code: view.room.code }),
    copy: (view) => copyLink(slot.copy, ticket.link(view.room.code)),
  };
}

async function copyLink(label, url) {
  const copied = await copyText(url);
  write(label, t(copied ? "copied" : "copy.failed"));
  setTimeout(() => write(label, t("copy")), MOMENT_MS);
}

function people(slot, view, armed) {
  const { maxPlayers } = view.room.settings;
  write(slot.count, t("lobby.count", { n: view.members.length, of: maxPlayers }));
  rows(slot.roster, view.members, ({ userId }) => userId, () => copy("part-member"), (row, person) => {
    member(row, person, { you: person.userId === view.you?.userId, manages: isHost(view) });
    armed.draw(row.slots.kick, row.slots["kick-text"], person);
  });
}

/** Those whom the host removed, and the way back for each. */
function removed(slot, people) {
  show(slot.removed, people.length > 0);
  rows(slot["removed-list"], people, ({ userId }) => userId, () => copy("part-removed"), (row, { userId, name, avatar }) => {
    const parts = slots(row);
    face(row.querySelector(".av"), avatar);
    write(row.querySelector(".who"), name);
    parts.unban.dataset.userId = userId;
    write(parts["unban-text"], t("unban.name", { name }));
  });
}

/** Removing a player takes two presses: the first asks, on the same spot. */
function arming(roster, act) {
  let [userId, timer] = [null, null];
  const arm = (id) => {
    clearTimeout(timer);
    userId = id;
    if (id) timer = setTimeout(() => arm(null), MOMENT_MS);
    act("redraw");
  };
  roster.addEventListener("click", ({ target }) => {
    const id = target.closest("[data-kick]")?.dataset.kick;
    if (!id) return;
    if (id === userId) act("kick", id);
    arm(id === userId ? null : id);
  });
  function draw(button, words, { userId: id, name }) {
    const on = id === userId;
    button.classList.toggle("is-armed", on);
    show(button.querySelector("svg"), !on);
    words.classList.toggle("vh", !on);
    write(words, on ? t("kick.sure") : t("kick", { name }));
  }
  return { draw };
}
