/* The question on the big screen: to be read from the last row, nothing to press. How many have answered is shown as it
   comes; who has, nobody is told. */
import { copy, rows, set, show, slots, write } from "./dom.js";
import { mark, picture, ring, shape, spoken } from "./people.js";
import { reactions } from "./reactions.js";
import { LAST_SECONDS, remaining } from "./select.js";
import { choiceText, promptText, t } from "./text.js";

/** Answers that stand one above the other; more take two columns. */
const ROWS = 4;
/** Characters up to which a text keeps its size; longer ones are set smaller, for nothing scrolls. */
const LENGTHS = { prompt: [60, 140, 300], option: [28, 60, 110] };

export function bigQuestionScreen({ view: { question }, announce }) {
  const root = copy("screen-question");
  const slot = slots(root);
  root.dataset.screen = "question";
  root.dataset.question = question.index + 1;
  const prompt = promptText(question);
  write(slot.prompt, prompt);
  set(slot.prompt, "data-length", length(prompt, LENGTHS.prompt));
  root.classList.toggle("has-media", Boolean(question.media));
  show(slot.media, Boolean(question.media));
  if (question.media) slot.media.append(picture(question.media));
  slot.media.classList.toggle("flag--image", question.media?.kind === "image");
  slot.options.classList.toggle("is-many", question.choices.length > ROWS || !question.media);
  const texts = question.choices.map(choiceText);
  const longest = Math.max(...texts.map((text) => text.length));
  set(slot.options, "data-length", length("x".repeat(longest), LENGTHS.option));
  slot.options.append(...texts.map(option));
  show(slot.all, question.multiple);
  announce(spoken(question.choices));

  const tick = (view, now) => ring(slot.ring, remaining(view, now) ?? 0, view.lasts ?? 0, LAST_SECONDS);
  function update(view, { now }) {
    progress(slot, view.progress);
    reactions(slot.reactions, view.reactions);
    tick(view, now);
  }
  return { root, title: t("title.question", { n: question.index + 1 }), update, tick };
}

const length = (text, steps) => steps.filter((step) => text.length > step).length;

function option(text, index) {
  const item = copy("part-option");
  item.classList.add(`p-opt--${shape(index)}`);
  mark(item.querySelector(".mark"), index);
  write(item.querySelector("bdi"), text);
  return item;
}

/** One place per answer that is waited for, filled as they come. */
function progress(slot, told) {
  const { answered, expected } = told ?? { answered: 0, expected: 0 };
  const places = Array.from({ length: expected }, (_, place) => place);
  rows(slot.places, places, (place) => place, () => document.createElement("li"), (item, place) => {
    item.classList.toggle("is-in", place < answered);
  });
  write(slot.progress, told ? t("progress", { n: answered, of: expected }) : "");
}
