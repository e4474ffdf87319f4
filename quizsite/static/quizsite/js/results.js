/* The screen "results": first what concerns whoever looks (`head`: the own verdict on a phone, the right answer on the
   big screen), then how everyone answered, the standings, and who moves on. */
import { copy, rows, set, show, slots, write } from "./dom.js";
import { errorText } from "./errors.js";
import { mark, place, shape } from "./people.js";
import { gained, host, leads, ownRow, picked, plays, remaining, rightChoices, self } from "./select.js";
import { choiceText, number, say, t } from "./text.js";

/** `head` fills the slots above and returns what brings them up to date. */
export function resultsScreen({ view: first, announce }, head) {
  const root = copy("screen-results");
  const slot = slots(root);
  const { index } = first.question;
  root.dataset.screen = "results";
  root.dataset.question = index + 1;
  distribution(slot, first);
  const updateHead = head({ slot, view: first, announce });

  const tick = (view, now) => countDown(slot, view, now);
  function update(view, { now }) {
    updateHead(view);
    standings(slot, view);
    root.classList.toggle("has-board", !slot.standings.hidden);
    next(slot, view);
    tick(view, now);
  }
  return { root, title: t("title.results", { n: index + 1 }), update, tick };
}

function distribution(slot, view) {
  const { question, results } = view;
  const right = rightChoices(view);
  const counts = results.counts;
  const all = Object.values(counts).reduce((sum, n) => sum + n, 0);
  const own = plays(view) ? picked(view) : [];
  rows(slot.dist, question.choices, ({ id }) => id, () => copy("part-dist"), (row, choice) => {
    const index = question.choices.indexOf(choice);
    const count = counts[choice.id] ?? 0;
    const parts = slots(row);
    row.classList.toggle("is-right", right.includes(choice));
    mark(row.querySelector(".mark"), index);
    write(row.querySelector("bdi"), choiceText(choice));
    show(parts.right, right.includes(choice));
    show(parts.you, own.includes(choice.id));
    const meter = row.querySelector(".meter");
    set(meter, "class", `meter meter--${shape(index)}`);
    set(meter.firstElementChild, "width", `${all ? ((100 * count) / all).toFixed(1) : 0}%`);
    write(row.querySelector(".dist__n"), number(count));
  });
  show(slot.none, counts.none > 0);
  write(slot.none, t("dist.none", { n: counts.none ?? 0 }));
}

/** As many rows as the template says fit below the results, and one's own. */
function standings(slot, view) {
  const { leaderboard } = view.results;
  const shown = view.room.settings.showLeaderboard && leaderboard.length > 1;
  show(slot.standings, shown);
  if (!shown) return;
  const top = leaderboard.slice(0, Number(slot.board.dataset.rows));
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
  const mayMove = leads(view);
  show(slot["go-on"], mayMove);
  write(slot["go-on"], t(isLast(view) ? "next.go.podium" : "next.go"));
  slot["go-on"].classList.toggle("btn--primary", view.endsAt === null);
  slot["go-on"].classList.toggle("btn--line", view.endsAt !== null);
  show(slot.error, view.error !== null);
  write(slot["error-text"], view.error ? errorText(view.error) : "");
  if (view.endsAt !== null) return;
  const leader = host(view);
  if (mayMove || !leader) write(slot.next, "");
  else say(slot.next, "next.waits", { name: leader.name });
}

/** The seconds until then, if it is the clock. */
function countDown(slot, view, now) {
  const left = remaining(view, now);
  show(slot.meter, left !== null);
  if (left === null) return;
  write(slot.next, t(isLast(view) ? "next.podium" : "next.question", { n: Math.ceil(left / 1000) }));
  set(slot.meter.firstElementChild, "width", `${Math.min(100, (100 * left) / view.lasts).toFixed(1)}%`);
}

const isLast = ({ question }) => question.index + 1 === question.total;
