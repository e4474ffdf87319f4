/** The wake lock: asked for in a room, again after the page was hidden, let go on leaving (awake.js). */
import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { keepAwake } from "../../../quizsite/static/quizsite/js/awake.js";

/** The browser's side: a page that can be hidden, locks that it grants when told to. */
class Browser {
  visibilityState = "visible";
  asked = 0;
  held = [];
  refuses = false;
  #grant = null;
  #seen = () => {};

  navigator = { wakeLock: { request: () => this.#request() } };
  document = { addEventListener: (_, listen) => { this.#seen = listen; } };

  constructor() {
    Object.defineProperty(this.document, "visibilityState", { get: () => this.visibilityState });
  }

  #request() {
    this.asked += 1;
    if (this.refuses) return Promise.reject(new DOMException("low battery", "NotAllowedError"));
    return new Promise((grant) => { this.#grant = grant; });
  }

  /** The browser thought about it. */
  async grant() {
    const released = new EventTarget();
    const lock = Object.assign(released, { release: () => {
      this.held = this.held.filter((other) => other !== lock);
      lock.dispatchEvent(new Event("release"));
    } });
    this.held.push(lock);
    this.#grant(lock);
    await settled();
  }

  hide() {
    this.visibilityState = "hidden";
    this.held.forEach((lock) => lock.release());
    this.#seen();
  }

  show() {
    this.visibilityState = "visible";
    this.#seen();
  }
}
const settled = () => new Promise((done) => setImmediate(done));

describe("the wake lock", () => {
  test("is asked for once in a room, whatever is drawn, and let go on leaving", async () => {
    const browser = new Browser();
    const keep = keepAwake(browser.navigator, browser.document);
    keep(false);
    assert.equal(browser.asked, 0);
    keep(true);
    keep(true);
    await browser.grant();
    assert.deepEqual([browser.asked, browser.held.length], [1, 1]);
    keep(false);
    assert.equal(browser.held.length, 0);
  });
  test("is asked for again when the page comes back to the front", async () => {
    const browser = new Browser();
    keepAwake(browser.navigator, browser.document)(true);
    await browser.grant();
    browser.hide();
    assert.equal(browser.asked, 1);
    browser.show();
    await browser.grant();
    assert.deepEqual([browser.asked, browser.held.length], [2, 1]);
  });
  test("that comes after one has left is let go at once", async () => {
    const browser = new Browser();
    const keep = keepAwake(browser.navigator, browser.document);
    keep(true);
    keep(false);
    await browser.grant();
    assert.equal(browser.held.length, 0);
  });
  test("that is refused costs nothing and is asked for at the next chance", async () => {
    const browser = new Browser();
    browser.refuses = true;
    keepAwake(browser.navigator, browser.document)(true);
    await settled();
    browser.refuses = false;
    browser.show();
    assert.equal(browser.asked, 2);
  });
  test("does not exist on plain http", () => {
    const keep = keepAwake({}, new Browser().document);
    keep(true);
    keep(false);
  });
});
