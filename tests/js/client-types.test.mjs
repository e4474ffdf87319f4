/**
 * client.d.ts and the client name the same things. What events carry is compared wherever a test hears one
 * (stage.mjs); here is what no test would notice: a name that only one of the two knows.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { browser } from "../../gateway/static/gateway/browser.js";
import * as module from "../../gateway/static/gateway/client.js";
import { eventTypes, optionNames, states } from "./declared.mjs";

const folder = new URL("../../gateway/static/gateway/", import.meta.url);
const read = (name) => readFileSync(new URL(name, folder), "utf8");
const declared = read("client.d.ts");
const modules = ["client.js", "policy.js", "phases.js", "closing.js"].map(read).join("\n");

/** Declared again there, to give each event its own type of detail. */
const FROM_EVENT_TARGET = ["addEventListener", "removeEventListener"];

test("the module exports what is declared, and no more", () => {
  const classes = [...declared.matchAll(/^export (?:class|const|function) (\w+)/gm)].map(([, name]) => name);
  assert.deepEqual(Object.keys(module), classes);
});

test("each public member of the client is declared, and no other", () => {
  const { Client } = module;
  const own = [Client, Client.prototype].flatMap(Object.getOwnPropertyNames);
  const names = own.filter((name) => !["length", "name", "prototype"].includes(name));
  const body = declared.split("export class Client", 2)[1];
  const found = [...body.matchAll(/^ {2}(?:static |readonly )?(\w+)[(:<]/gm)];
  const members = new Set(found.map(([, name]) => name));
  assert.deepEqual([...members].sort(), [...names, ...FROM_EVENT_TARGET].sort());
});

test("an option is one that the client reads, a stand-in one that the browser has", () => {
  const stores = ["sessionStorage", "localStorage"].filter((name) => modules.includes(`given.${name}`));
  const addresses = ["url", "preflightUrl"].filter((name) => modules.includes(`${name} = "`));
  assert.deepEqual([...Object.keys(browser()), ...stores, ...addresses].sort(), [...optionNames].sort());
});

test("each declared state is one that the client may say", () => {
  assert.deepEqual(states.filter((state) => !modules.includes(`"${state}"`)), []);
});

test("the file's law names the events that are declared", () => {
  const law = read("client.js").split("*/", 1)[0];
  assert.deepEqual([...law.matchAll(/"(\w+)"/g)].map(([, name]) => name).sort(), [...eventTypes].sort());
});
