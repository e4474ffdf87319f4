// Redraws a flag with fewer points, for the flags that no minifier gets under 8 KiB (coats of arms mostly).
//
// Outlines lose points that hardly matter, then whole shapes go, those first whose absence changes the
// picture least for the bytes they take. Runs inside Chromium for its canvas. flags_shapes.js reads the
// source, flags_fit.js decides.

import { GRID, HEIGHT, WIDTH } from "./flags_shapes.js";

const FLAG = WIDTH * HEIGHT * GRID * GRID; // its area in grid dots
const SMALL = 0.02 * FLAG; // area of a shape's box up to which its colour may be rounded to #rgb
const ESSENTIAL = 0.05 * FLAG; // area of a shape's box from which it is never left out
const ROUND = 0.1; // share of the shapes that may go before the rest is weighed anew
const CURVE_WORTH = 1.3; // bytes that true curves may take for each byte of a polygon
const SVGO_GAIN = 0.75; // what svgo leaves of a path written here

/** The shapes with outlines that stray at most `tolerance` source units. */
export function reduce(shapes, tolerance) {
  return shapes.map((shape) => redraw(shape, tolerance)).filter((shape) => shape.d);
}

/** Shapes dropped, least visible difference per byte first, until the rest takes about `budget` bytes. */
export function prune(shapes, budget) {
  let kept = shapes.map((shape) => ({ ...shape, loss: null }));
  const size = () => kept.reduce((sum, shape) => sum + cost(shape), 0);
  for (let excess = size() - budget; excess > 0; excess = size() - budget) {
    for (const shape of kept) shape.loss ??= loss(shape, kept);
    const dropped = cheapest(kept, excess);
    kept = kept.filter((shape) => !dropped.includes(shape));
    for (const shape of kept) if (dropped.some((gone) => meet(shape.box, gone.box))) shape.loss = null;
  }
  return kept;
}

/** A few shapes to drop at once: apart from each other, as two that hide each other both look dispensable. */
function cheapest(shapes, excess) {
  const ranked = shapes.toSorted((a, b) => a.loss / cost(a) - b.loss / cost(b));
  const dropped = [];
  let bytes = 0;
  for (const shape of ranked.slice(0, Math.ceil(shapes.length * ROUND))) {
    if (bytes > excess) break;
    if (dropped.some((gone) => meet(shape.box, gone.box))) continue;
    dropped.push(shape);
    bytes += cost(shape);
  }
  return dropped;
}

export function drawing(shapes) {
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH * GRID} ${HEIGHT * GRID}">` +
    shapes.map(draw).join("") +
    "</svg>"
  );
}

function fillAndStroke(context, { outline, fill, stroke, width, opacity, rule, join, cap }) {
  context.globalAlpha = opacity;
  if (fill) {
    context.fillStyle = fill;
    context.fill(outline, rule);
  }
  if (stroke) {
    [context.strokeStyle, context.lineWidth] = [stroke, width];
    [context.lineJoin, context.lineCap] = [join, cap];
    context.stroke(outline);
  }
}

function boxOf({ lines, stroke, width }) {
  const edge = stroke ? width / 2 : 0;
  const xs = lines.flatMap(({ points }) => points.map(([x]) => x));
  const ys = lines.flatMap(({ points }) => points.map(([, y]) => y));
  return {
    left: Math.max(0, Math.min(...xs) - edge),
    right: Math.min(WIDTH * GRID, Math.max(...xs) + edge),
    top: Math.max(0, Math.min(...ys) - edge),
    bottom: Math.min(HEIGHT * GRID, Math.max(...ys) + edge),
  };
}

const area = ({ left, right, top, bottom }) => (right - left) * (bottom - top);

const meet = (a, b) => a.left <= b.right && b.left <= a.right && a.top <= b.bottom && b.top <= a.bottom;

/** How much of the picture changes, in colour steps, when the shape is left out. */
function loss(shape, shapes) {
  const { left, top, right, bottom } = shape.box;
  if (area(shape.box) > ESSENTIAL) return Infinity;
  if (right <= left || bottom <= top) return 0;
  const around = shapes.filter((other) => meet(other.box, shape.box));
  const [whole, without] = [around, around.filter((other) => other !== shape)].map((those) => {
    const canvas = new OffscreenCanvas(Math.ceil((right - left) / GRID), Math.ceil((bottom - top) / GRID));
    const context = canvas.getContext("2d", { willReadFrequently: true });
    context.scale(1 / GRID, 1 / GRID);
    context.translate(-left, -top);
    for (const other of those) fillAndStroke(context, other);
    return context.getImageData(0, 0, canvas.width, canvas.height).data;
  });
  let sum = 0;
  for (let i = 0; i < whole.length; i++) sum += (whole[i] - without[i]) ** 2;
  return sum;
}

const cost = ({ d, stroke }) => (d.length + (stroke ? 40 : 20)) * SVGO_GAIN;

function write({ points, closed }) {
  const [first, ...rest] = points;
  const steps = rest
    .map(([x, y], i) => `${x - points[i][0]} ${y - points[i][1]}`)
    .join(" ")
    .replaceAll(" -", "-");
  return `M${first.join(" ")}l${steps}${closed ? "z" : ""}`;
}

function redraw(shape, tolerance) {
  const box = boxOf(shape);
  const isSmall = area(box) < SMALL;
  const hex = (colour) =>
    colour &&
    `#${colour
      .map((n) => (isSmall ? Math.round(n / 17) * 17 : Math.round(n)).toString(16).padStart(2, "0"))
      .join("")}`;
  return { ...shape, ...shorter(shape, tolerance), box, fill: hex(shape.fill), stroke: hex(shape.stroke) };
}

/** Polygons within the tolerance, or the original path where that hardly takes more bytes. */
function shorter({ lines, fill, original }, tolerance) {
  const d = lines
    .map(({ points, closed }) => ({ points: snap(thin(points, closed || fill, tolerance * GRID)), closed }))
    .filter(({ points }) => points.length > (fill ? 2 : 1))
    .map(write)
    .join("");
  if (!original || !d || original.path.length > d.length * CURVE_WORTH)
    return { d, outline: new Path2D(d), original: null };
  const outline = new Path2D();
  outline.addPath(new Path2D(original.path), new DOMMatrix(original.matrix));
  return { d: original.path, outline, original };
}

/** Douglas-Peucker; a ring is cut at its two far ends first. */
function thin(points, ring, tolerance) {
  if (!ring) return thinOpen(points, tolerance);
  const far = points.reduce(
    (best, point, i) => (distance(point, points[0]) > distance(points[best], points[0]) ? i : best),
    0,
  );
  return [
    ...thinOpen(points.slice(0, far + 1), tolerance),
    ...thinOpen([...points.slice(far), points[0]], tolerance).slice(1, -1),
  ];
}

function thinOpen(points, tolerance) {
  const keep = new Set([0, points.length - 1]);
  const pending = [[0, points.length - 1]];
  while (pending.length) {
    const [from, to] = pending.pop();
    let worst = tolerance,
      index = -1;
    for (let i = from + 1; i < to; i++) {
      const off = offset(points[i], points[from], points[to]);
      if (off > worst) [worst, index] = [off, i];
    }
    if (index > 0) {
      keep.add(index);
      pending.push([from, index], [index, to]);
    }
  }
  return points.filter((_, i) => keep.has(i));
}

function offset([x, y], [ax, ay], [bx, by]) {
  const length = Math.hypot(bx - ax, by - ay);
  if (!length) return Math.hypot(x - ax, y - ay);
  const along = Math.max(0, Math.min(1, ((x - ax) * (bx - ax) + (y - ay) * (by - ay)) / length ** 2));
  return Math.hypot(x - ax - along * (bx - ax), y - ay - along * (by - ay));
}

const distance = ([ax, ay], [bx, by]) => Math.hypot(ax - bx, ay - by);

function snap(points) {
  const rounded = points.map((point) => point.map(Math.round));
  return rounded.filter((point, i) => i === 0 || distance(point, rounded[i - 1]) > 0);
}

function draw({ fill, stroke, width, opacity, rule, join, cap, d, original }) {
  const attributes = [`fill="${fill ?? "none"}"`];
  if (rule === "evenodd" && fill) attributes.push('fill-rule="evenodd"');
  if (opacity < 1) attributes.push(`opacity="${opacity.toFixed(2)}"`);
  if (stroke) {
    attributes.push(`stroke="${stroke}" stroke-width="${(width / (original?.scale ?? 1)).toPrecision(2)}"`);
    if (join !== "miter") attributes.push(`stroke-linejoin="${join}"`);
    if (cap !== "butt") attributes.push(`stroke-linecap="${cap}"`);
  }
  if (original) attributes.push(`transform="matrix(${original.matrix})"`);
  return `<path ${attributes.join(" ")} d="${d}"/>`;
}
