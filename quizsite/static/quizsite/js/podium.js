/* The screen "podium": the first three on steps, everybody else below (on the big screen as many as fit), and the way
   to another game. */
import { copy, rows, show, slots, write } from "./dom.js";
import { errorText } from "./errors.js";
import { face, place } from "./people.js";
import { host, leads, ownRow } from "./select.js";
import { list, nth, number, plain, say, t } from "./text.js";

const STEPS = 3;

export function podiumScreen({ view: first, announce }) {
  const root = copy("screen-podium");
  const slot = slots(root);
  root.dataset.screen = "podium";
  headline(slot, first);
  const own = ownRow(first, first.final ?? []);
  if (own) announce(t("podium.you", { rank: plain(nth(own.rank)) }));

  function update(view) {
    const board = view.final ?? [];
    const own = ownRow(view, board);
    rows(slot.podium, board.slice(0, STEPS), ({ userId }) => userId, () => copy("part-step"), (row, entry) => {
      row.className = `podium__${board.indexOf(entry) + 1}`;
      face(row.querySelector(".av"), entry.avatar);
      write(row.querySelector(".who"), entry.name);
      write(row.querySelector(".pts"), number(entry.score));
      write(slots(row).rank, number(entry.rank));
    });
    const most = Number(slot.board.dataset.rows) || board.length;
    rows(slot.board, board.slice(STEPS, STEPS + most), ({ userId }) => userId, () => copy("part-place"), (row, entry) => {
      place(row, entry, entry === own);
    });
    show(slot.board, board.length > STEPS);
    actions(slot, view);
  }
  return { root, title: t("title.podium"), update };
}

function headline(slot, view) {
  const board = view.final ?? [];
  const winners = board.filter((entry) => entry.rank === 1);
  const [best, second] = board;
  if (winners.length > 1) say(slot.title, "podium.tie", { names: plain(list(winners.map((entry) => entry.name))) });
  else if (second) say(slot.title, "podium.by", { name: best.name, n: best.score - second.score });
  else if (best) say(slot.title, "podium.alone", { name: best.name, n: best.score });
  else write(slot.title, t("title.podium"));
  const own = ownRow(view, board);
  const parts = [];
  if (view.question) parts.push(t("podium.questions", { n: view.question.total }));
  if (board.length > 1) parts.push(t("podium.players", { n: board.length }));
  if (own && board.length > 1) parts.push(t("podium.you", { rank: plain(nth(own.rank)) }));
  write(slot.lead, parts.join(" "));
}

function actions(slot, view) {
  const mayStart = leads(view);
  show(slot.again, mayStart);
  show(slot.lobby, mayStart);
  show(slot.waiting, !mayStart);
  show(slot.results, mayStart && view.gameId !== null);
  if (view.gameId !== null) slot.results.href = slot.results.dataset.address.replace("GAME", view.gameId);
  const leader = host(view);
  if (leader) say(slot.waiting, "podium.waiting", { name: leader.name });
  show(slot.error, view.error !== null);
  write(slot["error-text"], view.error ? errorText(view.error) : "");
}
