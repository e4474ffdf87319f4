/* `make protocol-check`: reads the committed AsyncAPI document with AsyncAPI's own parser and fails on any error.
   The parser is for development only; the make command installs it into var/. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const [modules, document] = process.argv.slice(2);
const { Parser } = createRequire(`${modules}/`)("@asyncapi/parser");
const ERROR = 0;

const { diagnostics } = await new Parser().parse(readFileSync(document, "utf8"));
const errors = diagnostics.filter(({ severity }) => severity === ERROR);
for (const { message, path } of errors) console.error(`${path.join(".")}: ${message}`);
console.log(`${document}: ${errors.length} errors`);
process.exitCode = errors.length ? 1 : 0;
