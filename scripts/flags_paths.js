// Reads SVG path data into polylines, all commands included; arcs and curves are measured by the browser.
//
// Only geometry: where the points lie on the flag and what colour they enclose is flags_shapes.js's business.

export const CURVE_STEP = 0.2; // units between samples of a curve, under any tolerance used
const NUMBER = /[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?/gi;
const ARGUMENTS = { M: 2, L: 2, H: 1, V: 1, C: 6, S: 4, Q: 4, T: 2, A: 7, Z: 0 };

const probe = document.createElementNS("http://www.w3.org/2000/svg", "path");

/** `count` steps along a geometry element, from one length to another. */
export function sample(geometry, from, to, count) {
  return Array.from({ length: count + 1 }, (_, i) => {
    const { x, y } = geometry.getPointAtLength(from + ((to - from) * i) / count);
    return [x, y];
  });
}

/** Path data as `{points, closed}` lines in its own coordinates, curves in small steps. */
export function trace(d) {
  const lines = [];
  let line,
    start = [0, 0],
    at = [0, 0],
    handle = null,
    last = "";
  for (const [command, args] of commands(d)) {
    const kind = command.toUpperCase();
    const base = command === kind ? [0, 0] : at;
    const absolute =
      kind === "A" || kind === "H" || kind === "V" ? args : args.map((n, i) => n + base[i % 2]);
    if (kind === "M") {
      lines.push((line = { points: [absolute], closed: false }));
      start = at = absolute;
    } else if (kind === "Z") {
      line.closed = true;
      at = start;
    } else {
      if (last === "Z") lines.push((line = { points: [at], closed: false }));
      const mirrored = handle && "CSQT".includes(last) ? [2 * at[0] - handle[0], 2 * at[1] - handle[1]] : at;
      const [end, control, written] = segment(kind, absolute, at, base, mirrored);
      line.points.push(...curve(at, written, end));
      [at, handle] = [end, control];
    }
    last = kind;
    if (kind === "M") handle = null;
  }
  return lines;
}

/** [end point, last control point, the segment as an absolute command or null for a straight line]. */
function segment(kind, n, at, base, mirrored) {
  switch (kind) {
    case "L":
      return [n, null, null];
    case "H":
      return [[n[0] + base[0], at[1]], null, null];
    case "V":
      return [[at[0], n[0] + base[1]], null, null];
    case "C":
      return [n.slice(4), n.slice(2, 4), `C${n}`];
    case "S":
      return [n.slice(2), n.slice(0, 2), `C${[...mirrored, ...n]}`];
    case "Q":
      return [n.slice(2), n.slice(0, 2), `Q${n}`];
    case "T":
      return [n, mirrored, `Q${[...mirrored, ...n]}`];
    case "A": {
      const end = [n[5] + base[0], n[6] + base[1]];
      return [end, null, `A${[...n.slice(0, 5), ...end]}`];
    }
    default:
      throw new Error(`unknown path command ${kind}`);
  }
}

function curve(at, written, end) {
  if (!written) return [end];
  probe.setAttribute("d", `M${at}${written}`);
  const length = probe.getTotalLength();
  const count = Math.min(64, Math.max(4, Math.ceil(length / CURVE_STEP)));
  return [...sample(probe, 0, length, count).slice(1, -1), end];
}

function* commands(d) {
  for (const [, letter, rest] of d.matchAll(/([a-df-z])([^a-df-z]*)/gi)) {
    const kind = letter.toUpperCase();
    const numbers = kind === "A" ? arcNumbers(rest) : (rest.match(NUMBER) ?? []).map(Number);
    if (kind === "Z") yield [letter, []];
    for (let i = 0; i < numbers.length; i += ARGUMENTS[kind]) {
      const repeated = kind === "M" && i > 0 ? (letter === "M" ? "L" : "l") : letter;
      yield [repeated, numbers.slice(i, i + ARGUMENTS[kind])];
    }
  }
}

// The two flags of an arc may be written without a separator: "a1 1 0 013 4".
function arcNumbers(text) {
  const numbers = [];
  let rest = text;
  while ((rest = rest.replace(/^[\s,]+/, ""))) {
    const isBit = numbers.length % 7 === 3 || numbers.length % 7 === 4;
    const token = isBit ? rest[0] : rest.match(NUMBER)[0];
    numbers.push(Number(token));
    rest = rest.slice(token.length);
  }
  return numbers;
}
