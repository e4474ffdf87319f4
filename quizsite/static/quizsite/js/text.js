/* Words, numbers and country names in the page's language. The catalogue comes with the page (quizsite/texts.py), so
   that no sentence is written twice and every one can be translated; a key may hold one form per plural category.
   `say` writes a sentence into an element with foreign text (names) set apart by <bdi>; `t` returns a plain string,
   for titles and labels. */

/** A number and its unit stay on one line. Not written into the catalogue: gettext's tools would not find it there. */
const UNIT = /(\}) (m?s)(?!\p{L})/gu;
/** In every language the digits of the codes, of the fields that take a number and of the pages that Django writes. */
const DIGITS = { numberingSystem: "latn" };

let language = "en";
let texts = {};
let [plural, ordinal, countries] = [null, null, null];

export function speak(lang, catalogue) {
  language = lang;
  texts = catalogue;
  plural = new Intl.PluralRules(lang);
  ordinal = new Intl.PluralRules(lang, { type: "ordinal" });
  countries = Intl.DisplayNames ? new Intl.DisplayNames([lang], { type: "region", fallback: "none" }) : null;
}

export function t(key, values = {}) {
  return pieces(key, values).map((piece) => (typeof piece === "string" ? piece : isolate(piece.foreign))).join("");
}

export function say(element, key, values = {}) {
  const nodes = pieces(key, values).map((piece) => (typeof piece === "string" ? piece : bdi(piece.foreign)));
  element.replaceChildren(...nodes);
}

export const knows = (key) => Object.hasOwn(texts, key);

export const number = (value) => new Intl.NumberFormat(language, DIGITS).format(value);

export const signed = (value) => new Intl.NumberFormat(language, { ...DIGITS, signDisplay: "always" }).format(value);

/** 2000 → "2.00", 15000 (places 0) → "15": seconds as people read them. */
export function seconds(ms, places = 2) {
  const digits = { ...DIGITS, minimumFractionDigits: places, maximumFractionDigits: places };
  return new Intl.NumberFormat(language, digits).format(ms / 1000);
}

/** 2 → "2nd", in the language's own way. */
export function nth(value) {
  return form(texts.nth, ordinal.select(value)).replace("{n}", number(value));
}

/** Several things in one sentence: "Ana, Ben and Chen". */
export const list = (items) => new Intl.ListFormat(language).format(items.map(isolate));

/** What an Arabic or a Persian keyboard types for 0 to 9, in the digits that everything here is written in. */
export const latinDigits = (text) => text.replace(/[٠-٩۰-۹]/g, (digit) => digit.charCodeAt(0) & 0xf);

/** A choice's text: a country by its name in the page's language, anything else (and an unknown code) as it came. */
export function choiceText({ text, country }) {
  if (!country || !countries) return text;
  try {
    return countries.of(country) ?? text;
  } catch {
    return text; // RangeError: not shaped like a region code
  }
}

/** What is asked. All flags are asked for in the same words, which the page has in its own language. */
export const promptText = ({ prompt, media }) => (media?.kind === "svg" ? t("flag.prompt") : prompt);

/** The sentence in pieces: text as strings, foreign text as {foreign}. Numbers are formatted, strings are foreign. */
function pieces(key, values) {
  const text = texts[key];
  if (text === undefined) return [key]; // a test compares all keys in use with the catalogue
  const sentence = typeof text === "string" ? text : form(text, plural.select(values.n));
  return sentence.replace(UNIT, "$1\u00a0$2").split(/(\{\w+\})/).filter(Boolean).map((part) => {
    const value = part.startsWith("{") ? values[part.slice(1, -1)] : undefined;
    if (value === undefined) return part;
    return typeof value === "number" ? number(value) : value.plain ?? { foreign: value };
  });
}

/** Marks a value as the page's own words: no isolation. */
export const plain = (text) => ({ plain: text });

const form = (forms, category) => forms[category] ?? forms.other;

function bdi(text) {
  const element = document.createElement("bdi");
  element.textContent = text;
  return element;
}

/** A plain string can hold no <bdi>: Unicode's isolates do the same, and are used only where directions could mix. */
function isolate(text) {
  const mixes = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]/.test(text) || /^(ar|fa|he|ur)\b/.test(language);
  return mixes ? `\u2068${text}\u2069` : text;
}
