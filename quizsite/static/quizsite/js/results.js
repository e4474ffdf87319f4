/* The screen "results": own verdict and points first, then how everyone answered, then the standings. Right and wrong
   are not green and red: right takes the colour of the answer, a miss stays neutral. */
import { copy, draw, rows, set, show, slots, write } from "./dom.js";
import { errorText } from "./errors.js";
import { mark, picture, place, shape } from "./people.js";
import { above, gained, host, isHost, ownRow, picked, players, plays, remaining, self, verdict } from "./select.js";
import { choiceText, nth, number, plain, say, seconds, signed, t } from "./text.js";

const TOP = 5; // rows of the standings between two questions: what fits below the results

export function resultsScreen({ view: first, announce }) {
  const root = copy("screen-results");
  const slot = slots(root);
  const { question } = first;
  root.dataset.screen = "results";
  root.dataset.question = question.index + 1;
  distribution(slot, first);
  let told = false;

  function update(view, { now }) {
    drawVerdict(slot, view);
    split(slot.split, view);
    standings(slot, view);
    next(slot, view);
    tick(view, now);
    if (told || !view.mine) return;
    told = true;
    const words = [slot.points, slot.rank, slot["right-text"]].map((element) => element.textContent);
    announce(words.filter(Boolean).join(". "));
  }

  function tick(view, now) {
    const left = remaining(view, now);
    show(slot.meter, left !== null);
    if (left === null) return;
    const last = question.index + 1 === question.total;
    write(slot.next, t(last ? "next.podium" : "next.question", { n: Math.ceil(left / 1000) }));
    set(slot.meter.firstElementChild, "width", `${Math.min(100, (100 * left) / view.lasts).toFixed(1)}%`);
  }
  return { root, title: t("title.results", { n: question.index + 1 }), update, tick };
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
  const right = question.choices.filter((choice) => results.correct.includes(choice.id));
  write(slot["right-text"], won ? "" : right.map(choiceText).join(", "));
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

function distribution(slot, view) {
  const { question, results } = view;
  const isRight = (choice) => results.correct.includes(choice.id);
  const counts = results.counts;
  const all = Object.values(counts).reduce((sum, n) => sum + n, 0);
  const own = plays(view) ? picked(view) : [];
  rows(slot.dist, question.choices, ({ id }) => id, () => copy("part-dist"), (row, choice) => {
    const index = question.choices.indexOf(choice);
    const count = counts[choice.id] ?? 0;
    const parts = slots(row);
    row.classList.toggle("is-right", isRight(choice));
    mark(row.querySelector(".mark"), index);
    write(row.querySelector("bdi"), choiceText(choice));
    show(parts.right, isRight(choice));
    show(parts.you, own.includes(choice.id));
    const meter = row.querySelector(".meter");
    set(meter, "class", `meter meter--${shape(index)}`);
    set(meter.firstElementChild, "width", `${all ? ((100 * count) / all).toFixed(1) : 0}%`);
    write(row.querySelector(".dist__n"), number(count));
  });
  show(slot.none, counts.none > 0);
  write(slot.none, t("dist.none", { n: counts.none ?? 0 }));
}

function standings(slot, view) {
  const { leaderboard } = view.results;
  const shown = view.room.settings.showLeaderboard && leaderboard.length > 1;
  show(slot.standings, shown);
  if (!shown) return;
  const top = leaderboard.slice(0, TOP);
  const me = self(view);
  const { mine } = view;
  const own = ownRow(view, leaderboard) ?? (mine && me && { ...me, score: mine.total, rank: mine.rank });
  const list = own && !top.includes(own) ? [...top, own] : top;
  rows(slot.board, list, ({ userId }) => userId, () => copy("part-place"), (row, entry) => {
    place(row, entry, entry === own, gained(view, entry));
  });
}

/** Who moves on: the clock, or the host. */
function next(slot, view) {
  const leads = isHost(view);
  show(slot["go-on"], leads);
  const { index, total } = view.question;
  write(slot["go-on"], t(index + 1 === total ? "next.go.podium" : "next.go"));
  slot["go-on"].classList.toggle("btn--primary", view.endsAt === null);
  slot["go-on"].classList.toggle("btn--line", view.endsAt !== null);
  show(slot.error, view.error !== null);
  write(slot["error-text"], view.error ? errorText(view.error) : "");
  if (view.endsAt !== null) return;
  const leader = host(view);
  if (leads || !leader) write(slot.next, "");
  else say(slot.next, "next.waits", { name: leader.name });
}
