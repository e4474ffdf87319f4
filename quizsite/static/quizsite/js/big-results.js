/* What the results screen says first on the big screen: the right answer. Nobody's own points: those are on the
   phones. */
import { show, write } from "./dom.js";
import { picture } from "./people.js";
import { reactions } from "./reactions.js";
import { rightChoices } from "./select.js";
import { choiceText, list, promptText } from "./text.js";

/** Characters of a word that fit beside the picture in the largest size; "Zentralafrikanische" does not. */
const LONG_WORD = 14;

export function rightAnswer({ slot, view: first }) {
  const { question, results } = first;
  const right = list(rightChoices(first).map(choiceText));
  write(slot.right, right);
  slot.right.classList.toggle("has-long-word", right.split(/\s/).some((word) => word.length > LONG_WORD));
  write(slot.prompt, promptText(question));
  show(slot.media, Boolean(question.media));
  if (question.media) slot.media.append(Object.assign(picture(question.media), { alt: "" }));
  show(slot.explanation, Boolean(results.explanation));
  write(slot.explanation, results.explanation ?? "");

  return (view) => reactions(slot.reactions, view.reactions);
}
