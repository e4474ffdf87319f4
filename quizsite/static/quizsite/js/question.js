/* The screen "question": prompt, picture, answers, countdown. A choice locks at once and goes out; nothing in here
   knows which one is right. Keys 1-4 and A-D choose, and in Arabic the answers' own letters, whatever has the focus. */
import { copy, set, show, slots, write } from "./dom.js";
import { errorText } from "./errors.js";
import { letter, mark, picture, ring, shape, spoken } from "./people.js";
import { LAST_SECONDS, locked, picked, plays, remaining } from "./select.js";
import { choiceText, latinDigits, number, promptText, t } from "./text.js";

/** Seconds left at which the time is read out, each once, to those who have not answered. */
const CALLS = [10, LAST_SECONDS];

export function questionScreen({ view, act, announce }) {
  const root = copy("screen-question");
  const slot = slots(root);
  const { question } = view;
  root.dataset.screen = "question";
  root.dataset.question = question.index + 1;
  write(slot.prompt, promptText(question));
  show(slot.media, Boolean(question.media));
  if (question.media) slot.media.append(picture(question.media));
  slot.media.classList.toggle("flag--image", question.media?.kind === "image");
  const buttons = question.choices.map((choice, index) => answer(choice, index, question));
  slot.answers.append(...buttons);
  write(slot.submit, t("submit"));
  announce(spoken(question.choices));

  const marked = new Set();
  let [current, called, complained] = [view, null, null];
  const open = () => plays(current) && !current.late && !locked(current);

  function choose(index) {
    if (!open() || !buttons[index]) return;
    const { id } = question.choices[index];
    if (!question.multiple) return act("answer", [id]);
    marked.has(id) ? marked.delete(id) : marked.add(id);
    return act("redraw");
  }
  slot.answers.addEventListener("click", ({ target }) => choose(buttons.indexOf(target.closest(".answer"))));
  slot.submit.addEventListener("click", () => {
    if (open() && marked.size > 0) act("answer", [...marked]);
  });

  function tick(now) {
    const left = remaining(current, now) ?? 0;
    ring(slot.ring, left, current.lasts, LAST_SECONDS);
    const seconds = Math.ceil(left / 1000);
    if (!CALLS.includes(seconds) || called === seconds) return;
    called = seconds;
    if (open()) announce(t("seconds.left", { n: seconds }));
  }

  /** An answer that was not taken was already read out as locked in. */
  function complain() {
    const { error } = current;
    if (error && error !== complained) announce(errorText(error));
    complained = error;
  }

  function update(newest, { now }) {
    current = newest;
    const chosen = question.multiple && !locked(current) ? [...marked] : picked(current);
    slot.answers.classList.toggle("is-locked", locked(current));
    slot.answers.classList.toggle("is-shown", !plays(current) || current.late);
    buttons.forEach((button, index) => paint(button, question, chosen.includes(question.choices[index].id), open()));
    foot(root, slot, question, current, marked.size);
    complain();
    tick(now);
  }
  return { root, title: t("title.question", { n: question.index + 1 }), update, tick: (_, now) => tick(now), key };

  function key({ key: pressed }) {
    if (pressed.length === 1) choose(KEYED.findIndex((index) => keysOf(index).includes(bare(pressed))));
  }
}

/** Answers that have keys: a digit, a letter of a Latin keyboard, and the letter that stands on the answer. */
const KEYED = [0, 1, 2, 3];
const keysOf = (index) => [String(index + 1), "abcd"[index], bare(letter(index))];
/** An alef counts with and without its hamza, a digit in every script. */
const bare = (pressed) => latinDigits(pressed).normalize("NFD")[0].toLowerCase();

function answer(choice, index, { multiple }) {
  const button = copy("part-answer");
  button.classList.add(`answer--${shape(index)}`);
  button.dataset.answer = String.fromCharCode(65 + index);
  if (index < 4) set(button, "aria-keyshortcuts", `${index + 1} ${button.dataset.answer}`);
  if (multiple) set(button, "role", "checkbox");
  mark(button.querySelector(".mark"), index);
  write(button.querySelector(".answer__text"), choiceText(choice));
  return button;
}

/** aria-disabled, not disabled: a locked answer keeps the focus where it is. */
function paint(button, { multiple }, chosen, open) {
  button.classList.toggle("is-chosen", chosen);
  set(button, "aria-disabled", String(!open));
  if (multiple) set(button, "aria-checked", String(chosen));
  const state = button.querySelector(".answer__state");
  show(state, chosen);
  write(state.querySelector(".vh"), chosen && !multiple ? t("locked.short") : "");
}

/** Below the answers: what became of one's own, and of the others'. */
function foot(root, slot, question, view, marked) {
  const answering = plays(view) && !view.late;
  const choosing = answering && question.multiple && !locked(view);
  const error = view.error && answering ? errorText(view.error) : null;
  const words = error ?? said(view, answering, choosing);
  show(slot.foot, words !== null || !answering);
  root.classList.toggle("is-footed", words !== null || !answering);
  write(slot.said, words ?? "");
  const { answered, expected } = view.progress ?? {};
  write(slot.progress, view.progress && !choosing ? t("progress", { n: answered, of: expected }) : "");
  show(slot.submit, choosing);
  set(slot.submit, "aria-disabled", String(marked === 0));
  show(slot.reacts, !choosing && (locked(view) || !answering));
  for (const button of slot.reacts.children) {
    const count = view.reactions[button.dataset.reaction] ?? 0;
    const badge = button.querySelector(".reacts__n");
    show(badge, count > 0);
    write(badge, number(count));
  }
}

function said(view, answering, choosing) {
  if (!plays(view)) return t("presenting");
  if (!answering) return t("late");
  if (choosing) return t("pick.all");
  if (view.answered) return t("locked");
  return view.pending ? t("sending") : null;
}
