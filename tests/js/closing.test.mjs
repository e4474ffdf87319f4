/** The table of endings and refusals. */
import assert from "node:assert/strict";
import { test } from "node:test";

import { ENDINGS, REFUSALS, STATES, endingOf, refusalOf } from "../../gateway/static/gateway/closing.js";

test("every text says something in one or two short sentences, and blames nobody", () => {
  for (const text of [...ENDINGS, ...REFUSALS].map((row) => row.text).concat(Object.values(STATES))) {
    assert.match(text, /^[A-Z][^.]+\.( [A-Z][^.]+\.)?$/, text);
    assert.ok(text.length <= 110, text);
    assert.doesNotMatch(text, /your fault|invalid|illegal|failed|error|sorry|!/i, text);
  }
});

test("the same code from the other hand is another ending", () => {
  assert.equal(endingOf(4000, "New session opened", "server").retry, "stop");
  assert.equal(endingOf(4000, "Replacing socket", "client").retry, "reconnect");
});

test("the reason tells the two thousands of the server apart", () => {
  assert.equal(endingOf(1000, "Seat attached elsewhere", "server").state, "replaced");
  assert.equal(endingOf(1000, "", "server").state, undefined);
  assert.equal(endingOf(1000, "", "server").retry, "stop");
});

test("a code that nobody knows is a plain disconnect", () => {
  assert.deepEqual(
    [endingOf(3123, "?", "server").retry, endingOf(3123, "?", "server").by],
    ["reconnect", "server"],
  );
  assert.deepEqual(
    [endingOf(1006, "", "server").by, endingOf(1015, "", "server").by],
    ["network", "network"],
  );
});

test("a refusal that nobody knows is waited out, in words of its own", () => {
  assert.deepEqual(refusalOf("quota"), {
    code: "quota",
    retry: "wait",
    text: "The server did not take the connection. Wait a moment, then try again.",
  });
});
