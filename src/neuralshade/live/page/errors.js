/** Errors: what a pane shows minus what it is compared with, of samples that lie alike. */

import { isAlike, near, repainted } from "./samples.js";

/** @typedef {import("./types.js").Picture} Picture */

/** Colors of a heat map, from no error on, even in between. */
const HEAT = [
  [0, 0, 0],
  [62, 18, 110],
  [152, 34, 110],
  [224, 82, 58],
  [250, 164, 40],
  [255, 244, 170],
];

/**
 * Makes errors, of pictures that are fit for it: all their samples lie alike. One whose bands are
 * still coming is not, and noise of a draft is no error. Of each pane there is one for each size of
 * its samples, since of two panes the one may grow sharp long before the other.
 */
export class Errors {
  /** @param {(picture: Picture) => Uint8ClampedArray} bytes returns a picture's numbers, RGBA */
  constructor(bytes) {
    this.bytes = bytes;
    /** @type {Map<string, Map<string, Picture>>} by pane and size, the latest last */
    this.fit = new Map();
    /** @type {Map<string, {made: Picture, of: Picture, beside: Picture, scale: number}>} */
    this.made = new Map();
  }

  /** Forget all. @returns {Picture[]} what was held */
  clear() {
    this.made.clear();
    return this.outlive();
  }

  /** Forget what errors would be made of, not those that were. @returns {Picture[]} what was held */
  outlive() {
    const held = [...this.fit.values()].flatMap((sizes) => [...sizes.values()]);
    this.fit.clear();
    return held;
  }

  /** Whether a picture may still be needed. @param {string} pane @param {Picture} picture */
  holds(pane, picture) {
    return [...(this.fit.get(pane)?.values() ?? [])].includes(picture);
  }

  /**
   * Hold a pane's new picture where errors may be made of it.
   * @param {string} pane
   * @param {Picture} picture
   * @returns {Picture[]} what is held no more
   */
  take(pane, picture) {
    if (picture.draft || picture.swept?.some((came) => !came)) return [];
    const sizes = this.fit.get(pane) ?? new Map();
    const key = `${picture.width} x ${picture.height}`;
    const others = [...sizes.values()];
    const dropped = others.filter((other) => other.look !== picture.look || !near(picture, other));
    if (sizes.has(key)) dropped.push(sizes.get(key));
    for (const [size, other] of sizes) if (dropped.includes(other)) sizes.delete(size);
    this.fit.set(pane, sizes.set(key, picture));
    return dropped;
  }

  /**
   * Return 0.5 + scale * (result - target), or where the scale is below 0 a heat map of the largest
   * difference of a channel; the last such picture while there are none that can be compared.
   * @param {string} pane
   * @param {string} reference
   * @param {number} scale
   * @param {boolean} lit whether samples of other sizes show something else: light of what they cover
   * @returns {Picture | null}
   */
  of(pane, reference, scale, lit) {
    const last = this.made.get(pane);
    const result = [...(this.fit.get(pane)?.values() ?? [])].at(-1);
    const target = result && this.#beside(result, reference, lit);
    if (!result || !target) return last?.made ?? null;
    if (last && last.of === result && last.beside === target && last.scale === scale) return last.made;
    const [one, other] = [sampled(result, target), sampled(target, result)];
    const sharp = result.sharp && target.sharp;
    const made = { ...one, sharp, source: this.#subtract(one, other, scale) };
    this.made.set(pane, { made, of: result, beside: target, scale });
    return made;
  }

  /** Return what a pane's picture is compared with. */
  #beside(
    /** @type {Picture} */ result,
    /** @type {string} */ reference,
    /** @type {boolean} */ lit,
  ) {
    const sizes = [...(this.fit.get(reference)?.values() ?? [])].reverse();
    const known = sizes.filter((target) => target.look === result.look);
    const alike = known.find((target) => isAlike(target, result));
    if (alike || lit) return alike;
    return known.find((target) => near(target, result));
  }

  /** @param {Picture} of @param {Picture} beside @param {number} scale */
  #subtract(of, beside, scale) {
    const result = this.bytes(of);
    const target = this.bytes(beside);
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

/** Return `picture` where the coarser one of both has samples, which are centers of its pixels. */
function sampled(/** @type {Picture} */ picture, /** @type {Picture} */ other) {
  const { width, height, region } = other;
  if (picture.width * picture.height <= width * height) return picture;
  const made = repainted(picture, width, height, region);
  return { ...picture, source: made, width, height, region };
}
