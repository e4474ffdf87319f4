/* The screen "lobby": the code to join by, who is there, the settings, and the host's start. */
import { copyText } from "./copying.js";
import { copy, rows, set, show, slots, write } from "./dom.js";
import { errorText } from "./errors.js";
import { member } from "./people.js";
import { host, isHost } from "./select.js";
import { settingsForm } from "./settings.js";
import { say, t } from "./text.js";
import { terms } from "./terms.js";

/** How long a button says what it did, or waits for the second press. */
const MOMENT_MS = 3000;
const WIDE = "(min-width: 60rem)";
const LOOPBACK = /^(localhost$|127\.|\[::1\]$)/;
/** Refusals that belong to the settings form; all others are told above the start button. */
const OF_SETTINGS = new Set(["UPDATE_ROOM_SETTINGS"]);

export function lobbyScreen({ page, act }) {
  const root = copy("screen-lobby");
  const slot = slots(root);
  root.dataset.screen = "lobby";
  const fill = settingsForm(slot.settings.querySelector("form"), (patch) => act("settings", patch));
  slot.settings.open = matchMedia(WIDE).matches;
  const armed = arming(slot.roster, act);
  slot.manage.addEventListener("click", () => {
    const on = root.classList.toggle("is-managing");
    set(slot.manage, "aria-pressed", String(on));
    write(slot.manage, t(on ? "manage.done" : "manage"));
  });
  const shared = new URL(page.urls.shared);
  const link = (code) => shared.origin + page.urls.play.replace("CODE", code);

  function ticket(code) {
    const shown = root.querySelector("[data-code]");
    if (shown.dataset.code === code) return;
    shown.dataset.code = code;
    write(shown, code);
    say(slot["join-at"], "lobby.at", { host: shared.host });
    slot.qr.src = page.urls.qr.replace("CODE", code);
    slot.qr.alt = t("qr.alt", { url: link(code) });
  }

  function update(view) {
    ticket(view.room.code);
    people(slot, view, armed);
    const hosting = isHost(view);
    root.classList.toggle("is-host", hosting);
    const error = view.error;
    const ofSettings = error !== null && OF_SETTINGS.has(error.action);
    show(slot.loopback, hosting && LOOPBACK.test(shared.hostname));
    for (const name of ["settings", "manage", "start"]) show(slot[name], hosting);
    show(slot.terms, !hosting);
    fill(view.room.settings, ofSettings);
    write(slot["terms-text"], terms(view.room.settings));
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
    copy: (view) => copyLink(slot.copy, link(view.room.code)),
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
