/* The host's form of the room's settings: each change goes out as a patch, what the server answers fills the form. */
import { latinDigits } from "./text.js";

/** Clicks on the stepper come in bursts; one frame is enough for a burst (30 updates a minute are taken). */
const BURST_MS = 400;
/** A field that the host has just changed is left alone for as long as the server's answer may take. */
const ANSWER_MS = 1500;

/** Values of the form's fields -> patch of the settings (spec 2.1); null for a field that names none. */
export function patchOf(field, form) {
  const { name, value, checked, type } = field;
  if (name === "questionSet" && value) return { questionSource: { kind: "set", id: value } };
  if (name === "questionSet" || name === "region" || name === "difficulty") {
    return { questionSource: { kind: "flags", region: form.region.value, difficulty: form.difficulty.value } };
  }
  if (type === "checkbox") return { [name]: checked };
  if (field.dataset?.most) return { [name]: clamp(field, value) };
  if (name === "secondsPerQuestion") return { secondsPerQuestion: Number(value) };
  return name ? { [name]: value } : null;
}

/** A number within the limits that stand on its field (of the game, of the site). */
function clamp({ dataset: { least, most } }, value) {
  const given = Number(latinDigits(String(value)));
  return Math.min(Number(most), Math.max(Number(least), Math.round(given) || 0));
}

export function settingsForm(form, send) {
  const fields = form.elements;
  const touched = new Map(); // field -> when
  const bursts = new Map(); // field -> the timer of its clicks

  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("change", ({ target }) => {
    touched.set(target.name, performance.now());
    const patch = patchOf(target, fields);
    if (patch) send(patch);
  });
  form.addEventListener("click", ({ target }) => {
    const button = target.closest("[data-step]");
    if (!button) return;
    const field = button.parentElement.querySelector("input");
    touched.set(field.name, performance.now());
    field.value = clamp(field, Number(field.value) + Number(button.dataset.step));
    clearTimeout(bursts.get(field.name));
    bursts.set(field.name, setTimeout(() => send(patchOf(field, fields)), BURST_MS));
  });

  /** What the server says, unless the host is halfway through a change; `refused` ends that. */
  return function fill(settings, refused) {
    if (refused) touched.clear();
    const now = performance.now();
    for (const [name, value] of Object.entries(flat(settings))) {
      const field = fields[name];
      const typing = field === document.activeElement && field?.type === "text";
      if (!field || typing || now - touched.get(name) < ANSWER_MS) continue;
      if (field.type === "checkbox") field.checked = value;
      else field.value = String(value);
    }
  };
}

/** The source's parts are fields of their own. */
export function flat(settings) {
  const { questionSource, ...rest } = settings;
  if (questionSource.kind === "set") return { ...rest, questionSet: questionSource.id };
  const { region, difficulty } = questionSource;
  return { ...rest, questionSet: "", region, difficulty };
}
