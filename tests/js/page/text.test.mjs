/** Words, numbers, settings and what a page remembers: the parts that need no document (text.js, errors.js, settings.js). */
import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { errorText, reasonText } from "../../../quizsite/static/quizsite/js/errors.js";
import { anyFace, characters, recall, remember } from "../../../quizsite/static/quizsite/js/me.js";
import { flat, patchOf } from "../../../quizsite/static/quizsite/js/settings.js";
import {
  choiceText, latinDigits, list, nth, number, plain, promptText, seconds, signed, speak, t,
} from "../../../quizsite/static/quizsite/js/text.js";

const TEXTS = {
  hello: "Hello {name}, {n} times",
  points: { one: "{n} point", other: "{n} points" },
  nth: { one: "{n}st", two: "{n}nd", few: "{n}rd", other: "{n}th" },
  "error.ROOM_FULL": "The room is full.",
  "error.RATE_LIMIT_EXCEEDED": { one: "Wait {n} second.", other: "Wait {n} seconds." },
  "name.control": "Leave out {found}.",
  "why.4001": "Signed out.",
  "why.unknown": "Wait.",
};
speak("en", TEXTS);

describe("sentences", () => {
  test("values stand where the sentence has them, numbers as the language writes them", () => {
    assert.equal(t("hello", { name: "Ben", n: 1234 }), "Hello Ben, 1,234 times");
  });
  test("a number and its unit are not parted", () => {
    speak("en", { ...TEXTS, next: "In {n} s or {n} ms, {n} so" });
    assert.equal(t("next", { n: 4 }), "In 4\u00a0s or 4\u00a0ms, 4 so");
    speak("en", TEXTS);
  });
  test("a name is never a pattern", () => {
    assert.equal(t("hello", { name: "{n} $& <b>", n: 1 }), "Hello {n} $& <b>, 1 times");
  });
  test("a name of the other direction is set apart from the sentence around it", () => {
    assert.equal(t("hello", { name: "דנה", n: 1 }), "Hello \u2068דנה\u2069, 1 times");
  });
  test("the number chooses the form; a category without one takes the last", () => {
    assert.deepEqual([t("points", { n: 1 }), t("points", { n: 0 })], ["1 point", "0 points"]);
    speak("ar", TEXTS);
    assert.equal(t("points", { n: 2 }), `${number(2)} points`);
    speak("en", TEXTS);
  });
  test("digits are the same in every language, as in the codes; the rest of a number is the language's own", () => {
    const written = (language) => {
      speak(language, TEXTS);
      return [number(1234), seconds(2500, 1), signed(3)].map((text) => text.replace(/[\u200e\u061c]/g, ""));
    };
    assert.deepEqual(written("ar"), ["1,234", "2.5", "+3"]);
    assert.deepEqual(written("de"), ["1.234", "2,5", "+3"]);
    speak("en", TEXTS);
  });
  test("digits of other keyboards count as ours", () => {
    assert.deepEqual(["٢٠", "۱۵", "7", "x"].map(latinDigits), ["20", "15", "7", "x"]);
  });
  test("names in a row keep their own direction each", () => {
    speak("ar", TEXTS);
    assert.equal(list(["Ana", "Ben"]), "\u2068Ana\u2069 و\u2068Ben\u2069");
    speak("en", TEXTS);
    assert.equal(list(["Ana", "Ben"]), "Ana and Ben");
    assert.equal(list(["Ana", "דנה"]), "Ana and \u2068דנה\u2069");
  });
  test("ranks are written as the language counts", () => {
    assert.deepEqual([1, 2, 3, 4, 11, 12, 13, 21].map(nth), ["1st", "2nd", "3rd", "4th", "11th", "12th", "13th", "21st"]);
  });
  test("points carry their sign, seconds their decimals", () => {
    assert.deepEqual([signed(1033), signed(0), seconds(2000), seconds(15_000, 0)], ["+1,033", "+0", "2.00", "15"]);
  });
  test("an unknown key shows itself, so that the slip is seen", () => {
    assert.equal(t("no.such"), "no.such");
  });
});

describe("questions", () => {
  test("a flag is asked for in the page's words, anything else in its author's", () => {
    speak("en", { ...TEXTS, "flag.prompt": "Whose flag?" });
    assert.equal(promptText({ prompt: "as it came", media: { kind: "svg" } }), "Whose flag?");
    assert.equal(promptText({ prompt: "as it came", media: { kind: "image" } }), "as it came");
    assert.equal(promptText({ prompt: "as it came", media: null }), "as it came");
    speak("en", TEXTS);
  });
});

describe("countries", () => {
  test("a country is named in the page's language", () => {
    assert.equal(choiceText({ text: "Germany", country: "DE" }), "Germany");
    speak("de", TEXTS);
    assert.equal(choiceText({ text: "Germany", country: "DE" }), "Deutschland");
    speak("en", TEXTS);
  });
  test("a code that the browser does not know falls back on the text, as does a choice that is no country", () => {
    assert.equal(choiceText({ text: "Kosovo", country: "QX" }), "Kosovo");
    assert.equal(choiceText({ text: "Nowhere", country: "no code" }), "Nowhere");
    assert.equal(choiceText({ text: "a < b" }), "a < b");
  });
});

describe("refusals", () => {
  const error = (code, details = {}) => ({ code, message: "as the server says", details });

  test("a known code has its own sentence, an unknown one the server's", () => {
    assert.equal(errorText(error("ROOM_FULL")), "The room is full.");
    assert.equal(errorText(error("SOMETHING_NEW")), "as the server says");
  });
  test("a name that is refused says what is wrong with it", () => {
    assert.equal(errorText(error("NAME_INVALID", { reason: "control", found: "U+0007" })), "Leave out U+0007.");
    assert.equal(errorText(error("NAME_INVALID", { reason: "new" })), "as the server says");
  });
  test("a limit says how long to wait, rounded up", () => {
    assert.equal(errorText(error("RATE_LIMIT_EXCEEDED", { retryAfter: 2.001 })), "Wait 3 seconds.");
    assert.equal(errorText(error("RATE_LIMIT_EXCEEDED", { retryAfter: 0.2 })), "Wait 1 second.");
  });
  test("why a connection ended is told by its code, else in the client's words", () => {
    assert.equal(reasonText({ code: 4001, text: "client" }), "Signed out.");
    assert.equal(reasonText({ code: 4999, text: "client" }), "client");
    assert.equal(reasonText({ code: null, text: null }), "Wait.");
  });
});

describe("the settings form", () => {
  const form = { region: { value: "asia" }, difficulty: { value: "hard" } };
  const limited = { dataset: { least: "1", most: "50" } };
  const field = (name, value, rest = {}) => ({ name, value, type: "text", ...rest });

  test("a change is a patch of the one setting that changed", () => {
    assert.deepEqual(patchOf(field("secondsPerQuestion", "20", { type: "radio" }), form), { secondsPerQuestion: 20 });
    assert.deepEqual(patchOf(field("scoring", "order", { type: "radio" }), form), { scoring: "order" });
    assert.deepEqual(patchOf(field("locked", "on", { type: "checkbox", checked: true }), form), { locked: true });
    assert.equal(patchOf(field("", "x"), form), null);
  });
  test("region and difficulty are one source of questions", () => {
    const source = { kind: "flags", region: "asia", difficulty: "hard" };
    assert.deepEqual(patchOf(field("region", "asia"), form), { questionSource: source });
  });
  test("a set is another source, and no set means the flags that the form shows", () => {
    assert.deepEqual(patchOf(field("questionSet", "s1"), form), { questionSource: { kind: "set", id: "s1" } });
    const source = { kind: "flags", region: "asia", difficulty: "hard" };
    assert.deepEqual(patchOf(field("questionSet", ""), form), { questionSource: source });
  });
  test("a number is brought into the limits that stand on its field", () => {
    const counts = ["0", "7", "99", "3.6", "many"].map((value) => patchOf(field("questionCount", value, limited), form));
    assert.deepEqual(counts.map((patch) => patch.questionCount), [1, 7, 50, 4, 1]);
    const players = field("maxPlayers", "1", { dataset: { least: "2", most: "40" } });
    assert.deepEqual(patchOf(players, form), { maxPlayers: 2 });
    assert.deepEqual(patchOf(field("questionCount", "٢٠", limited), form), { questionCount: 20 });
  });
  test("settings fill the fields they belong to; a set leaves the flags' fields alone", () => {
    const flags = { kind: "flags", region: "africa", difficulty: "easy" };
    const shown = { locked: true, questionSet: "", region: "africa", difficulty: "easy" };
    assert.deepEqual(flat({ locked: true, questionSource: flags }), shown);
    const set = { kind: "set", id: "x" };
    assert.deepEqual(flat({ locked: true, questionSource: set }), { locked: true, questionSet: "x" });
  });
});

describe("what a device remembers", () => {
  test("name and face come back for the next room", () => {
    const kept = new Map();
    const storage = () => ({ getItem: (key) => kept.get(key) ?? null, setItem: (key, value) => kept.set(key, value) });
    assert.deepEqual(recall(storage), { name: "", avatar: null });
    remember({ name: "Ben", avatar: { id: "fox", colour: 2 } }, storage);
    assert.deepEqual(recall(storage), { name: "Ben", avatar: { id: "fox", colour: 2 } });
  });
  test("storage that is forbidden is no reason to fail", () => {
    const forbidden = () => { throw new Error("SecurityError"); };
    remember({ name: "Ben" }, forbidden);
    assert.deepEqual(recall(forbidden), { name: "", avatar: null });
  });
  test("a newcomer's face is drawn by lot", () => {
    const faces = ["owl", "fox", "cat"];
    assert.deepEqual(anyFace(faces, () => 0), { id: "owl", colour: 1 });
    assert.deepEqual(anyFace(faces, () => 0.999), { id: "cat", colour: 6 });
  });
  test("characters are counted as people count them", () => {
    assert.deepEqual(["Zoë", "👩‍👩‍👧", "नि"].map(characters), [3, 1, 1]);
  });
});
