/** A picture for who has none at hand: drawn here, the same every time. */

const WIDTH = 384;
const HEIGHT = 256;
const HILLS = 5;
const STARS = 90;
const BLADES = 900;
/** @type {WeakSet<File>} */
const drawn = new WeakSet();

/** Whether a file was drawn here: nobody has it but this page. @param {File} file */
export function isSample(file) {
  return drawn.has(file);
}

/** Return a file of hills under an evening sky: gradients, edges, thin lines and small dots. */
export function samplePicture() {
  const canvas = new OffscreenCanvas(WIDTH, HEIGHT);
  const context = canvas.getContext("2d");
  if (!context) throw new Error("no 2D canvas");
  const random = numbers(7);
  const sky = context.createLinearGradient(0, 0, 0, HEIGHT);
  for (const [at, color] of /** @type {const} */ ([
    [0, "#1b2350"],
    [0.45, "#a4508b"],
    [0.75, "#ffb36b"],
  ])) {
    sky.addColorStop(at, color);
  }
  context.fillStyle = sky;
  context.fillRect(0, 0, WIDTH, HEIGHT);
  disc(context, 0.68 * WIDTH, 0.5 * HEIGHT, 24, "#fff2cf");
  for (let i = 0; i < STARS; i += 1) {
    disc(context, random() * WIDTH, random() * 0.4 * HEIGHT, 0.4 + 0.8 * random(), "#fff9");
  }
  for (let i = 0; i < HILLS; i += 1) hill(context, i, random);
  for (let i = 0; i < BLADES; i += 1) {
    const [x, y] = [random() * WIDTH, HEIGHT * (0.9 + 0.12 * random())];
    context.strokeStyle = `hsl(${90 + 50 * random()} 45% ${12 + 30 * random()}%)`;
    context.beginPath();
    context.moveTo(x, y);
    context.lineTo(x + 8 * (random() - 0.5), y - 6 - 14 * random());
    context.stroke();
  }
  const file = portablePixmap(context, "sample.ppm");
  drawn.add(file);
  return file;
}

/** Return a file of the canvas without alpha: what browsers write has one, which JPEG and BC1 lack. */
function portablePixmap(/** @type {OffscreenCanvasRenderingContext2D} */ context, /** @type {string} */ name) {
  const { data } = context.getImageData(0, 0, WIDTH, HEIGHT);
  const pixels = data.filter((_, i) => i % 4 !== 3);
  return new File([`P6 ${WIDTH} ${HEIGHT} 255\n`, pixels], name, { type: "image/x-portable-pixmap" });
}

/** @param {OffscreenCanvasRenderingContext2D} context @param {number} i @param {() => number} random */
function hill(context, i, random) {
  const waves = [1, 2, 5].map((count) => ({ count, turn: 6 * random(), size: 14 / count }));
  context.fillStyle = `hsl(${260 - 28 * i} 35% ${34 - 5 * i}%)`;
  context.beginPath();
  context.moveTo(0, HEIGHT);
  for (let x = 0; x <= WIDTH; x += 2) {
    let y = HEIGHT * (0.58 + 0.08 * i);
    for (const { count, turn, size } of waves) y -= size * Math.sin((6.28 * count * x) / WIDTH + turn);
    context.lineTo(x, y);
  }
  context.lineTo(WIDTH, HEIGHT);
  context.fill();
}

/** Fill a disc. */
function disc(
  /** @type {OffscreenCanvasRenderingContext2D} */ context,
  /** @type {number} */ x,
  /** @type {number} */ y,
  /** @type {number} */ radius,
  /** @type {string} */ color,
) {
  context.fillStyle = color;
  context.beginPath();
  context.arc(x, y, radius, 0, 7);
  context.fill();
}

/** Return a function of even numbers in [0, 1), the same for the same seed. @param {number} seed */
function numbers(seed) {
  let state = seed;
  return () => {
    state = (1664525 * state + 1013904223) % 2 ** 32;
    return state / 2 ** 32;
  };
}
