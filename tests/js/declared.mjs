/**
 * What client.d.ts says of events, held against what the client really says: each field of a detail is
 * declared, each declared field that is not optional is there, each word is one of its union.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";

const text = readFileSync(new URL("../../gateway/static/gateway/client.d.ts", import.meta.url), "utf8")
  .replace(/\/\*[^]*?\*\//g, "");

const interfaces = new Map(
  [...text.matchAll(/export interface (\w+) \{\n([^]*?)\n\}/g)].map(([, name, body]) => [
    name,
    [...body.matchAll(/^ {2}(\w+)(\??): (.*);$/gm)].map(([, field, optional, type]) => (
      { field, optional, type }
    )),
  ]),
);
const unions = new Map(
  [...text.matchAll(/export type (\w+) =((?:\s*\| "[^"]+")+);/g)].map(([, name, body]) => [
    name,
    [...body.matchAll(/"([^"]+)"/g)].map(([, word]) => word),
  ]),
);

/** The interface of each event's detail; ServerFrame is the protocol's, not this file's. */
const details = Object.fromEntries(
  interfaces.get("ClientEvents").map(({ field, type }) => [field, type.match(/^CustomEvent<(\w+)>$/)[1]]),
);

export const eventTypes = Object.keys(details);
export const optionNames = interfaces.get("ClientOptions").map(({ field }) => field);
export const states = unions.get("ConnectionState");

/** The event is one that is declared, and its detail has the declared shape. */
export function expectDeclared(type, detail) {
  const fields = interfaces.get(details[type]);
  if (details[type] === "ServerFrame") return;
  assert.ok(fields, `an event ${type} that client.d.ts does not know`);
  const needed = fields.filter(({ optional }) => !optional).map(({ field }) => field);
  const known = new Set(fields.map(({ field }) => field));
  assert.deepEqual(needed.filter((field) => detail[field] === undefined), [], `${type} lacks fields`);
  assert.deepEqual(Object.keys(detail).filter((field) => !known.has(field)), [], `${type} has more fields`);
  for (const { field, type: declared } of fields) expectType(declared, detail[field], `${type}.${field}`);
}

function expectType(declared, value, where) {
  if (value === undefined) return;
  if (unions.has(declared)) assert.ok(unions.get(declared).includes(value), `${where} is ${value}`);
  else if (["string", "number", "boolean"].includes(declared)) assert.equal(typeof value, declared, where);
}
