/* What the results screen says first to a player: the own verdict and points. Right and wrong are not green and red: right
   takes the colour of the answer, a miss stays neutral. */
import { copy, draw, rows, show, write } from "./dom.js";
import { mark, picture, shape } from "./people.js";
import { above, players, rightChoices, verdict } from "./select.js";
import { choiceText, list, nth, number, plain, say, seconds, signed, t } from "./text.js";

export function ownVerdict({ slot, announce }) {
  let told = false;

  return function update(view) {
    drawVerdict(slot, view);
    split(slot.split, view);
    if (told || !view.mine) return;
    told = true;
    const words = [slot.points, slot.rank, slot["right-text"]].map((element) => element.textContent);
    announce(words.filter(Boolean).join(". "));
  };
}

/** What became of my answer; whoever had none, or a wrong one, is told the right one. */
function drawVerdict(slot, view) {
  const { question, mine, results } = view;
  const { kind, index } = verdict(view);
  const won = kind === "right";
  slot.verdict.className = won ? `verdict verdict--${shape(index)}` : "verdict";
  show(slot.shape, won);
  draw(slot.shape.firstElementChild, `s-${shape(index)}`);
  show(slot.check, won);
  write(slot.title, t(`verdict.${kind}`));
  for (const name of ["points", "rank"]) show(slot[name], mine !== null);
  if (mine) {
    write(slot.points, signed(mine.points));
    rank(slot.rank, view);
  }
  show(slot.right, !won);
  write(slot["right-text"], won ? "" : list(rightChoices(view).map(choiceText)));
  if (!won) beside(slot["right-media"], question, index);
  show(slot.explanation, Boolean(results.explanation));
  write(slot.explanation, results.explanation ?? "");
}

/** The flag beside the name of its country; else the answer's own mark. */
function beside(element, { media }, index) {
  if (element.firstChild) return;
  if (media?.kind === "svg") element.append(Object.assign(picture(media, "flag-s"), { alt: "" }));
  else {
    const template = copy("part-dist").querySelector(".mark");
    mark(template, index);
    element.append(template);
  }
}

/** "2nd of 12, 68 behind Chen". */
function rank(element, view) {
  const { mine } = view;
  const values = { rank: plain(nth(mine.rank)), of: Math.max(players(view).length, mine.rank) };
  const ahead = above(view);
  if (ahead) say(element, "rank.behind", { ...values, points: ahead.points, name: ahead.name });
  else say(element, "rank", values);
}

/** Where the points come from (spec 2.4): base, streak, and the network delay that was taken off. */
function split(list, { mine, room, question }) {
  const rowsOf = mine?.correct ? splitRows(mine, room.settings.scoring, question.durationMs) : [];
  show(list, rowsOf.length > 0);
  rows(list, rowsOf, (row) => row.key, () => row(), (element, { text, value }) => {
    write(element.firstChild, text);
    write(element.lastChild, value);
  });
}

function splitRows({ breakdown, streak }, scoring, durationMs) {
  const { base, streak: bonus, lagCreditMs, responseMs } = breakdown;
  const took = { seconds: plain(seconds(responseMs)), of: plain(seconds(durationMs, 0)) };
  const list = [{ key: "base", text: t(`split.${scoring}`, took), value: number(base) }];
  if (bonus > 0) list.push({ key: "streak", text: t("split.streak", { n: streak }), value: signed(bonus) });
  if (lagCreditMs > 0 && scoring === "classic") {
    const value = t("seconds.short", { seconds: plain(seconds(lagCreditMs)) });
    list.push({ key: "lag", text: t("split.lag"), value });
  }
  return list;
}

function row() {
  const element = document.createElement("div");
  element.append(document.createElement("dt"), document.createElement("dd"));
  return element;
}
