/* The screens "join" and "host": a name, a face, one button. Errors of the server stand beside what caused them: a
   name beside the name, all else above the button. */
import { copy, set, show, slots, write } from "./dom.js";
import { errorText } from "./errors.js";
import { NAME_LIMIT, anyFace, characters, recall, remember } from "./me.js";
import { face } from "./people.js";
import { say, t } from "./text.js";

export function seatScreen({ page, mode, code, card, known, faceIds, act }) {
  const root = copy("screen-seat");
  const slot = slots(root);
  const { name, avatar, colour } = root.elements;
  root.dataset.screen = mode;
  write(slot.title, t(`${mode}.title`));
  say(slot.lead, `${mode}.lead`, { code });
  whose(slot, page.room);
  set(slot.go, "data-act", mode === "host" ? "create" : "join");
  if (card) offer(slot, card);
  fill(root, recall(), faceIds);
  let ownError = null;

  const chosen = () => ({ id: avatar.value, colour: Number(colour.value) });
  const preview = () => {
    root.dataset.colour = colour.value;
    face(slot.face, chosen());
    const count = characters(name.value.trim());
    write(root.querySelector("#name-n"), count ? t("name.count", { n: count, of: NAME_LIMIT }) : "");
  };
  root.addEventListener("input", () => {
    ownError = null;
    preview();
    remember({ name: name.value.trim(), avatar: chosen() });
  });
  root.addEventListener("submit", (event) => {
    event.preventDefault();
    if (slot.go.getAttribute("aria-disabled") === "true") return;
    ownError = nameProblem(name.value.trim());
    if (ownError) {
      name.focus();
      act("redraw");
    } else act(mode === "host" ? "create" : "join", { name: name.value.trim(), avatar: chosen() });
  });
  preview();

  function update(view, { busy }) {
    const error = view.error;
    const about = error?.code === "NAME_INVALID" ? errorText(error) : ownError;
    show(root.querySelector("#name-error"), about !== null);
    write(slot["name-error"], about ?? "");
    if (about) set(name, "aria-invalid", "true");
    else name.removeAttribute("aria-invalid");
    const other = error !== null && error.code !== "NAME_INVALID" && !busy;
    const isNew = other && slot.error.hasAttribute("hidden");
    show(slot.error, other);
    write(slot["error-text"], other ? errorText(error) : "");
    show(slot.takeover, other && error.code === "ALREADY_IN_ROOM");
    write(slot.takeover, t("takeover", { name: known?.name ?? name.value.trim() }));
    show(slot.card, card !== null && slot.takeover.hasAttribute("hidden"));
    write(slot.go, t(busy ? `${mode}.busy` : `${mode}.go`));
    set(slot.go, "aria-disabled", String(busy));
    if (isNew) slot.go.scrollIntoView({ block: "nearest" });
  }
  return { root, title: mode === "host" ? t("title.host") : t("title.room", { code }), update };
}

/** The seat this browser left in this very room: going back to it keeps its points. */
function offer(slot, card) {
  face(slot["card-face"], card.avatar);
  say(slot["card-title"], "card.title", { name: card.name });
  write(slot["card-go"], t("card.go", { name: card.name })); // a button lays out its children, so no <bdi> in there
}

/** Whose room it is, as far as the site could tell when it made the page. */
function whose(slot, { host, people }) {
  show(slot.whose, Boolean(host));
  if (!host) return;
  say(slot["whose-name"], "whose", { name: host });
  say(slot["whose-count"], "whose.count", { n: people });
}

function fill({ elements }, me, faceIds) {
  const known = faceIds.includes(me.avatar?.id) ? me.avatar : anyFace(faceIds);
  elements.name.value = me.name;
  elements.avatar.value = known.id;
  elements.colour.value = String(known.colour);
  if (!elements.colour.value) elements.colour.value = "1";
}

/** What can be said without asking the server; it checks the rest. */
function nameProblem(name) {
  if (name === "") return t("name.empty");
  return characters(name) > NAME_LIMIT ? t("name.too-long", { n: NAME_LIMIT }) : null;
}
