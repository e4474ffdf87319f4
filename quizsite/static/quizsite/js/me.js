/* The name and face a person used last on this device, so that the next room starts with them. Storage may be
   forbidden (cookies blocked, private windows): then the page simply does not remember. */

const KEY = "halyard.me";
export const COLOURS = 6;
export const NAME_LIMIT = 24; // characters as people count them (spec 2.1)

export function recall(storage = () => globalThis.localStorage) {
  try {
    const { name, avatar } = JSON.parse(storage().getItem(KEY));
    return { name: String(name ?? ""), avatar };
  } catch {
    return { name: "", avatar: null };
  }
}

export function remember(me, storage = () => globalThis.localStorage) {
  try {
    storage().setItem(KEY, JSON.stringify(me));
  } catch {
    // nothing depends on it
  }
}

/** A newcomer's face is drawn by lot: a class where everybody keeps the first one could not tell each other apart. */
export function anyFace(ids, random = Math.random) {
  return { id: ids[Math.floor(random() * ids.length)], colour: 1 + Math.floor(random() * COLOURS) };
}

/** Characters as people count them: a family emoji is one. */
export function characters(text) {
  return Intl.Segmenter ? [...new Intl.Segmenter().segment(text)].length : [...text].length;
}
