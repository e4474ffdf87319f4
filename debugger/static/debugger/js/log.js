/** The message log, newest first: rows are added as time passes, and made anew when it jumps back. */
import { bytesText } from "./words.js";

const SIGNS = { in: ["↑", "in"], out: ["↓", "out"], close: ["✕", "close"], event: ["·", "event"] };
/** A run of ten minutes has thousands of rows; `manage.py simulate` prints them all. */
const MOST_ROWS = 1000;

export class Log {
  #body;
  #rows = [];
  #everybody = 0;
  #shown = 0;
  filter = "";

  constructor(body) {
    this.#body = body;
  }

  /** Another run, or another filter: begin anew. */
  use(rows, everybody) {
    this.#rows = rows;
    this.#everybody = everybody;
    this.#clear();
  }

  /** All rows up to `now`. */
  show(now) {
    if (this.#shown > 0 && this.#rows[this.#shown - 1].at > now) this.#clear();
    const fresh = document.createDocumentFragment();
    while (this.#shown < this.#rows.length && this.#rows[this.#shown].at <= now) {
      const row = this.#rows[this.#shown];
      if (this.#concerns(row)) fresh.prepend(this.#line(row));
      this.#shown += 1;
    }
    this.#body.prepend(fresh);
    while (this.#body.children.length > MOST_ROWS) this.#body.lastElementChild.remove();
  }

  #concerns({ players }) {
    return !this.filter || players.includes(this.filter) || players[0] === "Room";
  }

  #clear() {
    this.#body.replaceChildren();
    this.#shown = 0;
  }

  #line(row) {
    const line = document.createElement("tr");
    line.className = classOf(row);
    line.dataset.kind = row.kind;
    const [sign, word] = SIGNS[row.kind];
    const direction = cell(line, "dir", "");
    direction.append(span("", sign, true), span("vh", word));
    line.prepend(made("td", "t", (row.at / 1000).toFixed(2)));
    cell(line, "who", row.players.length === this.#everybody ? "all" : row.players.join(", "));
    const what = cell(line, "ty", "");
    if (row.code !== undefined) what.append(span("cc", String(row.code)), " ");
    what.append(row.count > 1 ? `${row.count} × ${row.type}` : row.type);
    if (row.note) what.append(made("small", "", row.note));
    cell(line, "sz", row.bytes ? bytesText(row.bytes) : "");
    return line;
  }
}

function classOf({ kind, type, edge }) {
  const bad = kind === "close" || type === "ERROR" || type.startsWith("Miss ") || type.startsWith("Refused");
  const grace = edge === "drop" || edge === "claim";
  return [kind === "event" && "ev", bad && "bad", grace && "grace"].filter(Boolean).join(" ");
}

function made(tag, name, text) {
  const node = document.createElement(tag);
  if (name) node.className = name;
  node.textContent = text;
  return node;
}

function span(name, text, hidden = false) {
  const node = made("span", name, text);
  if (hidden) node.setAttribute("aria-hidden", "true");
  return node;
}

function cell(line, name, text) {
  const node = made("td", name, text);
  line.append(node);
  return node;
}
