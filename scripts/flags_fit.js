// A flag from the icon set to what players get: at most 8 KiB, nothing in it that names the country.
//
// Runs inside Chromium. Most flags only need svgo; those with coats of arms are redrawn by flags_simplify.js,
// with the tolerance whose picture comes nearest to the source.

import { difference } from "./flags_compare.js";
import { shapesOf } from "./flags_shapes.js";
import { drawing, prune, reduce } from "./flags_simplify.js";
import { optimize } from "./svgo.browser.js";

const MAX_BYTES = 8192; // spec 2.5
const PRECISION = 2; // decimals on 640x480: a hundredth of a dot
const TOLERANCES = [0.3, 0.5, 0.7, 1, 1.4]; // source units; under 0.3 nobody sees it, over 1.4 everybody does
const TRIES = 6; // prune() estimates what svgo will leave; the budget is corrected this often
const AIM = 8050; // bytes a corrected budget aims at
const GOOD_FILL = 7700; // bytes from which another try would gain too little

const ELEMENTS = new Set(
  (
    "svg g path circle ellipse rect line polygon polyline use defs clipPath " +
    "linearGradient radialGradient stop marker"
  ).split(" "),
);
const ATTRIBUTES = new Set(
  (
    "id d x y x1 y1 x2 y2 cx cy r rx ry fx fy width height points transform viewBox href offset stop-color " +
    "stop-opacity gradientUnits gradientTransform clip-path clip-rule fill fill-opacity fill-rule opacity " +
    "color overflow style stroke stroke-width stroke-linecap stroke-linejoin stroke-miterlimit " +
    "stroke-dasharray stroke-dashoffset " +
    "stroke-opacity markerWidth markerHeight refX refY marker-mid"
  ).split(" "),
);

/**
 * `{svg, tolerance, change}`: `tolerance` is null if nothing had to be redrawn, `change` is `difference()`.
 * What the CSS selector `lettering` finds is left off.
 */
export async function fit(original, lettering) {
  const source = strip(original, lettering);
  const clean = minify(source, PRECISION);
  if (bytes(clean) <= MAX_BYTES)
    return { svg: clean, tolerance: null, change: await difference(source, clean) };
  const shapes = shapesOf(source);
  let best = null;
  for (const tolerance of TOLERANCES) {
    const svg = squeeze(reduce(shapes, tolerance));
    const change = await difference(source, svg);
    if (bytes(svg) <= MAX_BYTES && (!best || change < best.change)) best = { svg, tolerance, change };
  }
  if (!best) throw new Error(`no tolerance gets under ${MAX_BYTES} bytes: ${source.slice(0, 100)}`);
  return best;
}

function squeeze(shapes) {
  let [svg, budget] = ["", AIM];
  for (let i = 0; i < TRIES; i++) {
    svg = minify(drawing(prune(shapes, budget)), 0);
    if (bytes(svg) <= MAX_BYTES && bytes(svg) >= GOOD_FILL) break;
    budget *= AIM / bytes(svg);
  }
  return svg;
}

function minify(svg, precision) {
  const overrides = {
    convertPathData: { floatPrecision: precision },
    cleanupNumericValues: { floatPrecision: Math.max(1, precision) },
  };
  return optimize(svg, {
    multipass: true,
    floatPrecision: Math.max(1, precision),
    plugins: [{ name: "preset-default", params: { overrides } }, "convertStyleToAttrs"],
  }).data;
}

// Labels, classes and editors' remarks go by not being on the list, elements that could hold text or scripts
// stop the build; svgo shortens the ids to single letters.
function strip(source, lettering) {
  const svg = new DOMParser().parseFromString(source, "image/svg+xml").documentElement;
  const letters = lettering ? [...svg.querySelectorAll(lettering)] : [];
  if (lettering && !letters.length) throw new Error(`no lettering found by ${lettering}`);
  for (const element of letters) element.remove();
  svg.removeAttribute("id");
  for (const element of [svg, ...svg.querySelectorAll("*")]) {
    if (!ELEMENTS.has(element.localName)) throw new Error(`unexpected element ${element.localName}`);
    const link = element.getAttributeNS("http://www.w3.org/1999/xlink", "href");
    if (link) element.setAttribute("href", link);
    for (const { name } of [...element.attributes]) if (!ATTRIBUTES.has(name)) element.removeAttribute(name);
  }
  return new XMLSerializer().serializeToString(svg);
}

const bytes = (text) => new TextEncoder().encode(text).length;
