/* Screens are <template> elements of the page; what changes in them is marked data-slot. Text goes in as textContent
   only: names and questions are other people's words and must never become markup. */

const SVG = "http://www.w3.org/2000/svg";

/** A fresh copy of a template's one root element. */
export function copy(id) {
  return document.getElementById(id).content.firstElementChild.cloneNode(true);
}

/** The slots below `root` by name. */
export function slots(root) {
  const found = [...root.querySelectorAll("[data-slot]")];
  return Object.fromEntries(found.map((element) => [element.dataset.slot, element]));
}

export function show(element, on) {
  element.toggleAttribute("hidden", !on); // the property is not there on drawings
}

/** Only what changed is written: a screen reader and a running transition must not be disturbed by the same text. */
export function write(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

export function set(element, name, value) {
  if (element.getAttribute(name) !== String(value)) element.setAttribute(name, value);
}

/** Points a <use> at a drawing of the page. */
export function draw(use, id) {
  set(use, "href", `#${id}`);
}

export function image(src, alt, width, height) {
  return Object.assign(document.createElement("img"), { src, alt, width, height });
}

export function icon(id, className = "icon") {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("class", className);
  svg.setAttribute("aria-hidden", "true");
  svg.append(document.createElementNS(SVG, "use"));
  draw(svg.firstChild, id);
  return svg;
}

/** Brings `list` to one child per item: keyed rows stay the same elements, so focus and hover stay where they are. */
export function rows(list, items, keyOf, make, update) {
  const old = new Map([...list.children].map((row) => [row.dataset.key, row]));
  const wanted = items.map((item) => {
    const key = String(keyOf(item));
    const row = old.get(key) ?? make(item);
    row.dataset.key = key;
    update(row, item);
    return row;
  });
  const same = wanted.length === list.children.length && wanted.every((row, i) => row === list.children[i]);
  if (!same) list.replaceChildren(...wanted);
}
