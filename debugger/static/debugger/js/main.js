/**
 * The debugger's page. It holds the list of (virtual time, action), asks the server for the whole run after
 * each change, and plays it back by itself. Nothing of the game is known here: what is shown was computed by
 * the server's own code.
 */
import { Cards } from "./cards.js";
import { Clock } from "./clock.js";
import { Diagram } from "./diagram.js";
import { Log } from "./log.js";
import { DEFAULTS, fetchTimeline, fromHash, toHash } from "./run.js";
import { clockText, waitText } from "./words.js";

const STEP_MS = 1000;
const DEMO = { players: 4, seconds: 15, busy: 0, actions: [{ at: 1000, do: "start_game" }] };
/** Until when a button's answer is shown in its own label. */
const TOLD_MS = 1600;

const $ = (selector) => document.querySelector(selector);
const all = (selector) => [...document.querySelectorAll(selector)];

const form = $("[data-run]");
/** The page shows what happened in a live room: nothing can be chosen or done, the address holds no run. */
const recorded = "recorded" in form.dataset;
const cards = new Cards($("[data-cards]"), $("template[data-card]"));
const diagram = new Diagram($(".diagram"));
const log = new Log($("[data-log]"));
const clock = new Clock(show);

let run = { ...DEFAULTS };
let timeline = null;
/** The newest question to the server: an older answer is yesterday's. */
let asked = 0;

// ---- the run

/** Take over another run and compute it. The clock goes to `at` now; the answer does not move it again. */
async function use(next, at) {
  run = next;
  clock.go(at);
  showChoices();
  if (!recorded) history.replaceState(null, "", toHash(run));
  asked += 1;
  const mine = asked;
  try {
    const answer = await fetchTimeline(form.dataset.run, form.elements.csrfmiddlewaretoken.value, run);
    if (mine !== asked) return;
    timeline = answer;
    tell("");
  } catch (error) {
    if (mine === asked) tell(error.message);
    return;
  }
  clock.end = timeline.end;
  log.use(timeline.rows, everybody());
  if (recorded) showNames();
  clock.go(clock.now);
}

function act(button) {
  if (!timeline) return Promise.resolve();
  const player = button.dataset.by === "host" ? undefined : $("#who").value;
  const at = Math.floor(clock.now);
  // A run that is changed at a moment goes on from there: what was done later belongs to another run.
  const before = run.actions.filter((action) => action.at <= at);
  const action = { at, do: button.dataset.act, ...(player && { player }) };
  all("[data-act]").forEach((each) => each.classList.toggle("is-last", each === button));
  return use({ ...run, actions: [...before, action] }, at);
}

// ---- showing

function show() {
  $("[data-clock]").textContent = clockText(clock.now);
  const play = $("[data-do=play]");
  play.setAttribute("aria-pressed", String(clock.playing));
  play.querySelector("[data-label]").textContent = clock.playing ? "Pause" : "Play";
  if (!timeline) return;
  const now = Math.floor(clock.now);
  const snapshot = last(timeline.snapshots, now) ?? timeline.snapshots[0];
  cards.show(snapshot, timeline.limits, now);
  showPhase(snapshot, now);
  log.show(now);
  const taken = timeline.rows.findLast((row) => row.edge && row.at <= now);
  diagram.show(snapshot, timeline.limits, taken, now);
}

/** The last entry that is not after `now`; entries are in the order of time. */
function last(entries, now) {
  let [low, high] = [0, entries.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (entries[middle].at <= now) low = middle + 1;
    else high = middle;
  }
  return entries[low - 1];
}

function showPhase(snapshot, now) {
  const items = all("[data-phase]");
  const at = items.findIndex((item) => item.dataset.phase === snapshot.phase);
  items.forEach((item, index) => {
    item.className = index < at ? "is-past" : index === at ? "is-now" : "";
    if (index === at) item.setAttribute("aria-current", "step");
    else item.removeAttribute("aria-current");
  });
  const counts = snapshot.phase === "question" ? ` ${snapshot.question}/${snapshot.questions}` : "";
  $("[data-phase=question]").textContent = `Question${counts}`;
  const [waits, why] = waitText(snapshot, now);
  $("[data-waits]").textContent = waits;
  $("[data-why]").textContent = why;
}

/** So many are all: of a row with fewer the log names each. */
function everybody() {
  return recorded ? timeline.snapshots.at(-1).players.length : timeline.scenario.players ?? DEFAULTS.players;
}

/** Who was in the recorded room, for the log's filter. */
function showNames() {
  const names = timeline.snapshots.at(-1).players.map(({ name }) => new Option(name));
  $("select[name=filter]").replaceChildren(new Option("Everyone", ""), ...names);
}

function showChoices() {
  if (recorded) return;
  for (const input of all("input[name=players]")) input.checked = Number(input.value) === run.players;
  $("#seconds").value = String(run.seconds);
  $("#busy").value = String(run.busy);
  [...$("#who").options].forEach((option, index) => { option.disabled = index >= run.players; });
  if ($("#who").selectedOptions[0]?.disabled) $("#who").selectedIndex = 1;
}

function tell(text) {
  $("[data-trouble]").textContent = text;
  $("[data-trouble]").hidden = text === "";
}

// ---- controls

const DO = {
  play: () => (clock.playing ? clock.pause() : clock.play()),
  step: () => clock.go((Math.floor(clock.now / STEP_MS) + 1) * STEP_MS),
  reset: () => {
    clock.pause();
    return use({ ...run, actions: [] }, 0);
  },
  demo: async () => {
    clock.pause();
    await use(DEMO, 0);
    clock.play();
  },
  copy: async () => {
    const label = $("[data-do=copy] [data-label]");
    try {
      await navigator.clipboard.writeText(location.href);
      label.textContent = "Copied";
    } catch {
      label.textContent = "It is in the address bar"; // plain http has no clipboard
    }
    setTimeout(() => { label.textContent = "Copy run"; }, TOLD_MS);
  },
};
const KEYS = { " ": "play", "k": "play", "ArrowRight": "step", "r": "reset" };

all("[data-do]").forEach((button) => button.addEventListener("click", () => DO[button.dataset.do]()));
all("[data-act]").forEach((button) => button.addEventListener("click", () => act(button)));
const chosen = (selector, change) => {
  for (const field of all(selector)) field.addEventListener("change", () => change(Number(field.value)));
};
chosen("input[name=speed]", (speed) => { clock.speed = speed; });
chosen("input[name=players]", (players) => use({ ...run, players, actions: [] }, 0));
chosen("#seconds", (seconds) => use({ ...run, seconds }, clock.now));
chosen("#busy", (busy) => use({ ...run, busy }, clock.now));
$("select[name=filter]").addEventListener("change", (event) => {
  log.filter = event.target.value;
  if (timeline) log.use(timeline.rows, everybody());
  show();
});
/** Keys that the focused part has a use for itself. */
function isTaken({ key, target, ctrlKey, metaKey, altKey }) {
  if (ctrlKey || metaKey || altKey || target.closest("select")) return true;
  if (key === " ") return target.closest("input, button, [tabindex]") !== null;
  return key.startsWith("Arrow") && target.closest("input, [tabindex]") !== null;
}

document.addEventListener("keydown", (event) => {
  if (isTaken(event)) return;
  const name = KEYS[event.key.length === 1 ? event.key.toLowerCase() : event.key];
  const button = name ? $(`[data-do=${name}]`) : all("[data-act]")[Number(event.key) - 1];
  if (!button) return;
  event.preventDefault();
  button.click();
});
window.addEventListener("hashchange", () => {
  if (recorded) return;
  clock.pause();
  use(fromHash(location.hash), 0);
});

use(fromHash(location.hash), 0);
