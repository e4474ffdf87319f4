/* The host's form of the room's settings: each change goes out as a patch, what the server answers fills the form. */

/** Clicks on the stepper come in bursts; one frame is enough for a burst (30 updates a minute are taken). */
const BURST_MS = 400;
/** A field that the host has just changed is left alone for as long as the server's answer may take. */
const ANSWER_MS = 1500;
const MOST = 50; // questions of one game (spec 2.1)

/** Values of the form's fields -> patch of the settings (spec 2.1); null for a field that names none. */
export function patchOf(field, form) {
  const { name, value, checked, type } = field;
  if (name === "region" || name === "difficulty") {
    return { questionSource: { kind: "flags", region: form.region.value, difficulty: form.difficulty.value } };
  }
  if (type === "checkbox") return { [name]: checked };
  if (name === "questionCount") return { questionCount: clamp(value) };
  if (name === "secondsPerQuestion") return { secondsPerQuestion: Number(value) };
  return name ? { [name]: value } : null;
}

const clamp = (value) => Math.min(MOST, Math.max(1, Math.round(Number(value)) || 1));

export function settingsForm(form, send) {
  const fields = form.elements;
  const touched = new Map(); // field -> when
  let burst = null;

  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("change", ({ target }) => {
    touched.set(target.name, performance.now());
    const patch = patchOf(target, fields);
    if (patch) send(patch);
  });
  form.addEventListener("click", ({ target }) => {
    const step = Number(target.closest("[data-step]")?.dataset.step);
    if (!step) return;
    touched.set("questionCount", performance.now());
    fields.questionCount.value = clamp(Number(fields.questionCount.value) + step);
    clearTimeout(burst);
    burst = setTimeout(() => send(patchOf(fields.questionCount, fields)), BURST_MS);
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
  const flags = questionSource.kind === "flags" ? questionSource : {};
  return { ...rest, ...(flags.region && { region: flags.region, difficulty: flags.difficulty }) };
}
