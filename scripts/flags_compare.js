// How alike two flags are: the share of their area that people would call another colour.
//
// Shades do not count: a player sees one flag at a time and cannot hold two blues side by side. What is told
// apart is where white, black, red, orange, yellow, green and blue are. Runs inside Chromium.

const WIDTH = 120; // dots; details of less than a dot are what a phone across the table would not show either
const HEIGHT = 90;
const MIN_STEP = 25; // CIE76 distance; nearer colours count as one even where two colour names meet
const GREY_CHROMA = 18; // CIELAB chroma under which a colour has no hue to name
const [BLACK, WHITE] = [35, 70]; // CIELAB lightness below and above which a grey is called so
// Where a hue's name ends, in degrees of CIELAB hue; from the last to the first is red again.
const HUES = [
  [46, "red"],
  [74, "orange"],
  [112, "yellow"],
  [190, "green"],
  [330, "blue"],
  [360, "red"],
];
const NAMES = ["white", "black", "grey", "red", "orange", "yellow", "green", "blue"];
const AROUND = "#808080"; // shows through where a flag is not a rectangle (Nepal)

/** `{code: svg}` to `[[code, code, share], ...]`, nearest pairs first, for shares up to `limit`. */
export async function compare(svgs, limit) {
  const pictures = [];
  for (const [code, svg] of Object.entries(svgs)) pictures.push([code, await colours(svg)]);
  const pairs = [];
  for (const [i, [code, picture]] of pictures.entries()) {
    for (const [other, others] of pictures.slice(i + 1)) {
      const share = apart(picture, others) / picture.names.length;
      if (share <= limit) pairs.push([code, other, Number(share.toFixed(3))]);
    }
  }
  return pairs.sort((a, b) => a[2] - b[2]);
}

/** Root mean square difference per colour channel, 0 to 255, between two drawings of one flag. */
export async function difference(svg, other) {
  const [a, b] = [await dots(svg, 640, 480), await dots(other, 640, 480)];
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += (a[i] - b[i]) ** 2;
  return Math.sqrt(sum / (a.length * 0.75)); // every fourth byte is opacity, the same in both
}

async function dots(svg, width, height) {
  const image = new Image(width, height);
  image.src = `data:image/svg+xml,${encodeURIComponent(svg)}`;
  await image.decode();
  const context = new OffscreenCanvas(width, height).getContext("2d", { willReadFrequently: true });
  context.fillStyle = AROUND;
  context.fillRect(0, 0, width, height);
  context.drawImage(image, 0, 0, width, height);
  return context.getImageData(0, 0, width, height).data;
}

async function colours(svg) {
  const data = await dots(svg, WIDTH, HEIGHT);
  const labs = new Float32Array((data.length / 4) * 3);
  const names = new Uint8Array(data.length / 4);
  for (let i = 0; i < names.length; i++) {
    const lab = cielab(data[i * 4], data[i * 4 + 1], data[i * 4 + 2]);
    labs.set(lab, i * 3);
    names[i] = NAMES.indexOf(name(lab));
  }
  return { labs, names };
}

// Runs for every dot of every pair, a quarter of a billion times: plain numbers only.
function apart(a, b) {
  let count = 0;
  for (let i = 0; i < a.names.length; i++) {
    if (a.names[i] === b.names[i]) continue;
    const l = a.labs[i * 3] - b.labs[i * 3];
    const m = a.labs[i * 3 + 1] - b.labs[i * 3 + 1];
    const n = a.labs[i * 3 + 2] - b.labs[i * 3 + 2];
    if (l * l + m * m + n * n > MIN_STEP * MIN_STEP) count++;
  }
  return count;
}

function name([lightness, a, b]) {
  if (Math.hypot(a, b) < GREY_CHROMA)
    return lightness > WHITE ? "white" : lightness < BLACK ? "black" : "grey";
  const hue = ((Math.atan2(b, a) * 180) / Math.PI + 360) % 360;
  return HUES.find(([end]) => hue < end)[1];
}

// sRGB to CIELAB under D65 (IEC 61966-2-1, CIE 15).
function cielab(...rgb) {
  const [r, g, b] = rgb
    .map((v) => v / 255)
    .map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
  const x = (0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.95047;
  const y = 0.2126 * r + 0.7152 * g + 0.0722 * b;
  const z = (0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.08883;
  const [fx, fy, fz] = [x, y, z].map((t) => (t > 0.008856 ? Math.cbrt(t) : 7.787 * t + 16 / 116));
  return [116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz)];
}
