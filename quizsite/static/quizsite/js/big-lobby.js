/* The lobby on the big screen: how to get in, and who is in. Nothing scrolls there, so a crowd is drawn smaller, and
   whoever does not fit is counted. */
import { copy, rows, set, show, slots, write } from "./dom.js";
import { errorText } from "./errors.js";
import { face } from "./people.js";
import { t } from "./text.js";
import { terms } from "./terms.js";
import { ticketOf } from "./ticket.js";

/** People that fit beside the code, by the size in which they are drawn. */
const SIZES = [["large", 12], ["medium", 24], ["small", 50]];
const MOST = SIZES.at(-1)[1];

export function bigLobbyScreen({ page }) {
  const root = copy("screen-lobby");
  const slot = slots(root);
  root.dataset.screen = "lobby";
  const ticket = ticketOf(page, root, slot, "big.at");
  show(slot.loopback, ticket.onlyHere);

  function update(view) {
    const { members, room, error } = view;
    ticket.draw(room.code);
    write(slot.count, t("lobby.count", { n: members.length, of: room.settings.maxPlayers }));
    const shown = members.length > MOST ? members.slice(0, MOST - 1) : members;
    set(slot.roster, "data-size", SIZES.find(([, most]) => shown.length <= most)[0]);
    rows(slot.roster, shown, ({ userId }) => userId, () => copy("part-member"), person);
    show(slot.more, shown.length < members.length);
    write(slot.more, t("big.more", { n: members.length - shown.length }));
    write(slot.terms, terms(room.settings));
    show(slot.error, error !== null);
    write(slot["error-text"], error ? errorText(error) : "");
  }
  return { root, update, title: (view) => t("title.room", { code: view.room.code }) };
}

function person(row, { name, avatar, status, isHost }) {
  const slot = (row.slots ??= slots(row));
  row.classList.toggle("is-away", status === "grace");
  face(row.querySelector(".av"), avatar);
  write(row.querySelector(".who"), name);
  show(slot.away, status === "grace");
  show(slot.host, isHost);
}
