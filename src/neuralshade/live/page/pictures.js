/** The pictures that came last, one per pane, and the errors made of them. */

/** @typedef {import("./types.js").Picture} Picture */
/** @typedef {import("./types.js").FrameHeader} FrameHeader */

/** Colors of a heat map, from no error on, even in between. */
const HEAT = [
  [0, 0, 0],
  [62, 18, 110],
  [152, 34, 110],
  [224, 82, 58],
  [250, 164, 40],
  [255, 244, 170],
];

export const AS_THEY_ARE = /** @type {const} */ ({
  colorSpaceConversion: "none",
  premultiplyAlpha: "none",
});

/**
 * Decode the pictures behind a frame's header.
 * @param {FrameHeader} header
 * @param {Uint8Array} payload
 * @param {(pane: string) => string} lookOf what was asked for besides: exposure, gamma and more
 * @returns {Promise<Map<string, Picture & {rows?: [number, number, number]}>>} by pane
 */
export async function decodeFrame(header, payload, lookOf) {
  let start = 0;
  const made = header.images.map(async ({ pane, bytes, type }) => {
    const blob = new Blob([payload.slice(start, start + bytes)], { type });
    start += bytes;
    const source = await createImageBitmap(blob, AS_THEY_ARE);
    const { width, height } = source;
    const { region, step, sharp, rows } = header;
    const look = lookOf(pane);
    return /** @type {const} */ ([pane, { source, width, height, region, step, sharp, look, rows }]);
  });
  return new Map(await Promise.all(made));
}

export class Pictures {
  constructor() {
    /** @type {Map<string, Picture>} */ this.latest = new Map();
    /** @type {Map<string, Picture>} whole pictures, seen below while a part is awaited */
    this.whole = new Map();
    /** @type {Map<string, {made: Picture, of: Picture, beside: Picture, scale: number}>} */
    this.errors = new Map();
    /** @type {WeakMap<Picture, ImageData>} */ this.read = new WeakMap();
  }

  clear() {
    for (const picture of [...this.latest.values(), ...this.whole.values()]) release(picture);
    for (const kept of [this.latest, this.whole, this.errors]) kept.clear();
  }

  /** @param {Map<string, Picture & {rows?: [number, number, number]}>} pictures */
  take(pictures) {
    for (const [pane, came] of pictures) {
      const picture = came.rows ? pieced(came, came.rows, this.latest.get(pane)) : came;
      const before = [this.latest.get(pane), this.whole.get(pane)];
      this.latest.set(pane, picture);
      if (isWhole(picture)) this.whole.set(pane, picture);
      else if (this.whole.get(pane)?.look !== picture.look) this.whole.delete(pane);
      const kept = [picture, this.whole.get(pane)];
      for (const old of before) if (old && !kept.includes(old)) release(old);
    }
  }

  /** Return a picture's own numbers, uint8 RGBA. @param {Picture} picture */
  bytes(picture) {
    let found = this.read.get(picture);
    if (!found) {
      const canvas = new OffscreenCanvas(picture.width, picture.height);
      const context = canvas.getContext("2d", { willReadFrequently: true });
      if (!context) throw new Error("no 2D canvas");
      context.drawImage(picture.source, 0, 0);
      found = context.getImageData(0, 0, picture.width, picture.height);
      this.read.set(picture, found);
    }
    return found;
  }

  /**
   * Return 0.5 + scale * (result - target), or where the scale is below 0 a heat map of the largest
   * difference of a channel; the last such picture while only one of both is new.
   * @param {string} pane
   * @param {string} reference
   * @param {number} scale
   * @returns {Picture | null}
   */
  error(pane, reference, scale) {
    const result = this.latest.get(pane);
    const target = this.latest.get(reference);
    const last = this.errors.get(pane);
    if (!result || !target || !comparable(result, target)) return last?.made ?? null;
    if (last && last.of === result && last.beside === target && last.scale === scale) return last.made;
    const samples = this.#sampled(result, target);
    const made = { ...samples, source: this.#subtract(samples, this.#sampled(target, result), scale) };
    this.errors.set(pane, { made, of: result, beside: target, scale });
    return made;
  }

  /** Return `picture` where the coarser one of both has samples. */
  #sampled(/** @type {Picture} */ picture, /** @type {Picture} */ other) {
    const { width, height, region } = other;
    if (picture.width * picture.height <= width * height) return picture;
    const made = repainted(picture, width, height, region);
    return { ...picture, source: made, width, height, region };
  }

  /** @param {Picture} of @param {Picture} beside @param {number} scale */
  #subtract(of, beside, scale) {
    const result = this.bytes(of).data;
    const target = this.bytes(beside).data;
    const error = new ImageData(of.width, of.height);
    if (scale < 0) return painted(heated(error, result, target, -scale));
    const out = error.data; // clamps and rounds: no error is 128
    for (let i = 0; i < out.length; i += 4) {
      out[i] = 127.5 + scale * (result[i] - target[i]);
      out[i + 1] = 127.5 + scale * (result[i + 1] - target[i + 1]);
      out[i + 2] = 127.5 + scale * (result[i + 2] - target[i + 2]);
      out[i + 3] = 255;
    }
    return painted(error);
  }
}

/** @param {ImageData} pixels */
function painted(pixels) {
  const canvas = new OffscreenCanvas(pixels.width, pixels.height);
  canvas.getContext("2d")?.putImageData(pixels, 0, 0);
  return canvas;
}

/**
 * Fill `error` with colors of the largest difference of a channel: black is none.
 * @param {ImageData} error
 * @param {Uint8ClampedArray} result
 * @param {Uint8ClampedArray} target
 * @param {number} scale
 */
function heated(error, result, target, scale) {
  const out = error.data;
  for (let i = 0; i < out.length; i += 4) {
    let most = 0;
    for (let c = i; c < i + 3; c += 1) most = Math.max(most, Math.abs(result[c] - target[c]));
    const at = Math.min(1, (scale * most) / 255) * (HEAT.length - 1);
    const low = Math.min(Math.floor(at), HEAT.length - 2);
    const share = at - low;
    for (let c = 0; c < 3; c += 1) out[i + c] = HEAT[low][c] * (1 - share) + HEAT[low + 1][c] * share;
    out[i + 3] = 255;
  }
  return error;
}

/** Whether it shows nearly everything: coarse samples may end a little off the edges. */
function isWhole(/** @type {Picture} */ { region: [u0, v0, u1, v1] }) {
  return Math.max(u0, v0) < 0.02 && Math.min(u1, v1) > 0.98;
}

/** Free its memory now: at ten pictures a second, the garbage collector comes too late. */
function release(/** @type {Picture} */ picture) {
  if (picture.source instanceof ImageBitmap) picture.source.close();
}

/**
 * Whether both show the same place in the same way, one more coarsely than the other it may be.
 * @param {Picture} a @param {Picture} b
 */
function comparable(a, b) {
  if (a.look !== b.look) return false;
  if (a.width === b.width && a.height === b.height) return a.region.join() === b.region.join();
  const coarse = a.width < b.width ? a : b;
  const [u0, v0, u1, v1] = coarse.region;
  const slack = [(u1 - u0) / coarse.width, (v1 - v0) / coarse.height]; // one of its samples
  return a.region.every((edge, i) => Math.abs(edge - b.region[i]) <= slack[i % 2]);
}

/**
 * Return the picture that bands are put together to, with one more of them: the last one where it
 * is of the same place and size; where it was coarser, as it is until they have come.
 * @param {Picture} band
 * @param {[number, number, number]} rows first, count and all
 * @param {Picture | undefined} last
 * @returns {Picture}
 */
function pieced(band, [first, count, all], last) {
  const { width, region, look, step, sharp } = band;
  const goes = last?.swept && last.width === width && last.height === all;
  const on = goes && last.look === look && last.region.join() === region.join();
  const canvas = on ? last.source : repainted(last?.look === look ? last : null, width, all, region);
  const anew = sharp && !last?.sharp && last?.swept?.every(Boolean); // of a draft, noise and all
  const swept = on && last?.swept && !anew ? last.swept.slice() : new Uint8Array(all);
  swept.fill(1, first, first + count);
  const context = /** @type {OffscreenCanvas} */ (canvas).getContext("2d");
  context?.clearRect(0, first, width, count);
  context?.drawImage(band.source, 0, first);
  release(band);
  const whole = sharp && swept.every(Boolean);
  return { source: canvas, width, height: all, region, step, look, sharp: whole, swept };
}

/**
 * Return a canvas of a region, with what a picture has of it, sample by sample.
 * @param {Picture | null} picture
 * @param {number} width
 * @param {number} height
 * @param {import("./types.js").Region} region
 */
function repainted(picture, width, height, [u0, v0, u1, v1]) {
  const canvas = new OffscreenCanvas(width, height);
  const context = canvas.getContext("2d", { willReadFrequently: true });
  if (!context || !picture) return canvas;
  const [left, top, right, bottom] = picture.region;
  const [across, down] = [width / (u1 - u0), height / (v1 - v0)];
  context.imageSmoothingEnabled = false;
  context.drawImage(picture.source, (left - u0) * across, (top - v0) * down,
    (right - left) * across, (bottom - top) * down);
  return canvas;
}
