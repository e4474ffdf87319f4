// Reads a flag's SVG into plain shapes: polygons and lines in painting order, with colours as they are seen.
//
// Runs inside Chromium, which knows every attribute, style and transform; only <use> and clips
// are worked out here, path data in flags_paths.js. flags_simplify.js makes a smaller drawing of the shapes.

import { CURVE_STEP, sample, trace } from "./flags_paths.js";

export const WIDTH = 640; // the source's viewBox, 4:3
export const HEIGHT = 480;
export const GRID = 2; // grid dots per source unit: whole numbers on 1280x960 are shorter than halves

const HAIRLINE = 0.1; // grid dots; a thinner line cannot be seen

/** What `source` paints, in painting order, as shapes in grid dots. */
export function shapesOf(source) {
  const svg = mount(source);
  try {
    expandUses(svg);
    return [...svg.querySelectorAll("path,circle,ellipse,rect,line,polygon,polyline")]
      .filter((element) => !element.closest("defs,clipPath"))
      .flatMap((element) => flatten(element, svg));
  } finally {
    svg.remove();
  }
}

function mount(source) {
  const svg = document.importNode(
    new DOMParser().parseFromString(source, "image/svg+xml").documentElement,
    true,
  );
  svg.setAttribute("width", WIDTH);
  svg.setAttribute("height", HEIGHT);
  document.body.append(svg);
  return svg;
}

function expandUses(svg) {
  for (let use = svg.querySelector("use"); use; use = svg.querySelector("use")) {
    const href = use.getAttribute("href") ?? use.getAttributeNS("http://www.w3.org/1999/xlink", "href");
    const target = svg.getElementById(href.slice(1));
    const group = document.createElementNS("http://www.w3.org/2000/svg", "g");
    for (const { name, value } of use.attributes) {
      if (!["x", "y", "width", "height", "href", "xlink:href", "id"].includes(name))
        group.setAttribute(name, value);
    }
    if (use.id) group.id = use.id;
    const move = `translate(${use.getAttribute("x") ?? 0} ${use.getAttribute("y") ?? 0})`;
    group.setAttribute("transform", `${use.getAttribute("transform") ?? ""} ${move}`);
    const copy = target.cloneNode(true);
    copy.removeAttribute("id");
    group.append(copy);
    use.replaceWith(group);
  }
}

function flatten(element, svg) {
  const style = getComputedStyle(element);
  const ctm = element.getCTM();
  const [fill, stroke] = [paint(style.fill, svg), paint(style.stroke, svg)];
  const clips = clipsOver(element, svg);
  const lines = outline(element)
    .map(({ points, closed }) => ({ closed, points: onGrid(points, ctm) }))
    .map((line) => (line.closed || fill ? { ...line, points: clips.reduce(clipped, line.points) } : line))
    .filter(({ points }) => points.length > 1);
  const width = parseFloat(style.strokeWidth) * scaleOf(ctm) * GRID;
  const shape = {
    lines,
    original: clips.length ? null : original(element, stroke),
    fill,
    stroke: width < HAIRLINE ? null : stroke,
    width,
    opacity: opacity(element, svg) * parseFloat(style.fillOpacity),
    rule: style.fillRule,
    join: style.strokeLinejoin,
    cap: style.strokeLinecap,
  };
  return lines.length && (shape.fill || shape.stroke) ? [shape] : [];
}

const scaleOf = ({ a, b, c, d }) => Math.sqrt(Math.abs(a * d - b * c));

/** The element's own path and its matrix to grid dots, where that is exact: curves stay curves. */
function original(element, stroke) {
  const { a, b, c, d, e, f } = element.getCTM();
  const even = Math.abs(Math.hypot(a, b) - Math.hypot(c, d)) < 0.01 * scaleOf({ a, b, c, d });
  const path = pathOf(element);
  return path && (even || !stroke)
    ? { path, matrix: [a, b, c, d, e, f].map((n) => n * GRID), scale: scaleOf({ a, b, c, d }) * GRID }
    : null;
}

function pathOf(element) {
  if (element.localName === "path") return element.getAttribute("d");
  if (!/circle|ellipse/.test(element.localName)) return null;
  const { x, y, width, height } = element.getBBox();
  const half = `a${width / 2} ${height / 2} 0 0 0 `;
  return `M${x} ${y + height / 2}${half}${width} 0${half}${-width} 0z`;
}

const onGrid = (points, { a, b, c, d, e, f }) =>
  points.map(([x, y]) => [(a * x + c * y + e) * GRID, (b * x + d * y + f) * GRID]);

/** The convex outlines, in grid dots, that cut the element; not those that only crop as the viewBox does. */
function clipsOver(element, svg) {
  const clips = [];
  for (let node = element; node !== svg; node = node.parentElement) {
    const link = /#([^")]+)/.exec(node.getAttribute("clip-path"));
    if (link)
      clips.push(onGrid(outline(svg.getElementById(link[1]).firstElementChild)[0].points, node.getCTM()));
  }
  return clips.filter((clip) => !coversAll(clip));
}

function coversAll(clip) {
  const covers = (numbers, end) => Math.min(...numbers) <= 1 && Math.max(...numbers) >= end * GRID - 1;
  return (
    covers(
      clip.map(([x]) => x),
      WIDTH,
    ) &&
    covers(
      clip.map(([, y]) => y),
      HEIGHT,
    )
  );
}

/** Sutherland-Hodgman: the part of a ring inside a convex ring. */
function clipped(ring, clip) {
  const area = clip.reduce((sum, [x, y], i) => sum + x * clip.at(i - 1)[1] - clip.at(i - 1)[0] * y, 0);
  return clip.reduce((points, end, i) => {
    const start = clip.at(i - 1);
    const inside = ([x, y]) =>
      Math.sign(area) * ((end[0] - start[0]) * (y - start[1]) - (end[1] - start[1]) * (x - start[0]));
    return points.flatMap((point, j) => {
      const before = points.at(j - 1);
      const [here, there] = [inside(point), inside(before)];
      const crossing = before.map((n, axis) => n + ((point[axis] - n) * there) / (there - here));
      if (here <= 0) return there <= 0 ? [point] : [crossing, point];
      return there <= 0 ? [crossing] : [];
    });
  }, ring);
}

function opacity(element, svg) {
  let product = 1;
  for (let node = element; node !== svg; node = node.parentElement)
    product *= parseFloat(getComputedStyle(node).opacity);
  return product;
}

/** [r, g, b] or null; a gradient becomes the mean of its stops, a see-through one (a shadow) nothing. */
function paint(value, svg) {
  if (value === "none") return null;
  const link = /url\("?#([^")]+)"?\)/.exec(value);
  if (!link)
    return value
      .match(/[\d.]+/g)
      .slice(0, 3)
      .map(Number);
  let gradient = svg.getElementById(link[1]);
  while (!gradient.querySelector("stop")) {
    const href =
      gradient.getAttribute("href") ?? gradient.getAttributeNS("http://www.w3.org/1999/xlink", "href");
    gradient = svg.getElementById(href.slice(1));
  }
  const styles = [...gradient.querySelectorAll("stop")].map((stop) => getComputedStyle(stop));
  if (styles.some(({ stopOpacity }) => stopOpacity < 1)) return null;
  const stops = styles.map(({ stopColor }) => stopColor.match(/[\d.]+/g));
  return [0, 1, 2].map((i) => stops.reduce((sum, stop) => sum + Number(stop[i]), 0) / stops.length);
}

/** The element's outline as polylines in its own coordinates. */
function outline(element) {
  if (element.localName === "path") return trace(element.getAttribute("d"));
  const length = element.getTotalLength();
  const count = Math.max(8, Math.ceil((length * scaleOf(element.getCTM())) / CURVE_STEP));
  if (/polygon|polyline/.test(element.localName)) {
    return [
      { points: [...element.points].map(({ x, y }) => [x, y]), closed: element.localName === "polygon" },
    ];
  }
  if (element.localName === "line") return [{ points: sample(element, 0, length, 1), closed: false }];
  if (element.localName === "rect" && !element.matches("[rx],[ry]")) {
    const { x, y, width, height } = element.getBBox();
    return [
      {
        points: [
          [x, y],
          [x + width, y],
          [x + width, y + height],
          [x, y + height],
        ],
        closed: true,
      },
    ];
  }
  return [{ points: sample(element, 0, length, count), closed: true }];
}
