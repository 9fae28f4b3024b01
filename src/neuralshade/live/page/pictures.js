/** The pictures that came last, one per pane. */

import { Errors } from "./errors.js";
import { repainted } from "./samples.js";

/** @typedef {import("./types.js").Picture} Picture */
/** @typedef {import("./types.js").FrameHeader} FrameHeader */

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
    const { region, step, sharp, draft, rows } = header;
    const came = { source, width, height, region, step, sharp, draft, look: lookOf(pane), rows };
    return /** @type {const} */ ([pane, came]);
  });
  return new Map(await Promise.all(made));
}

export class Pictures {
  constructor() {
    /** @type {Map<string, Picture>} */ this.latest = new Map();
    /** @type {Map<string, Picture>} whole pictures, seen below while a part is awaited */
    this.whole = new Map();
    /** @type {Set<string>} panes whose picture is of the scene before, which looks alike */
    this.earlier = new Set();
    /** @type {WeakMap<Picture, ImageData>} */ this.read = new WeakMap();
    this.errors = new Errors((picture) => this.bytes(picture).data);
  }

  clear() {
    const held = [...this.latest.values(), ...this.whole.values(), ...this.errors.clear()];
    for (const picture of held) release(picture);
    this.latest.clear();
    this.whole.clear();
    this.earlier.clear();
  }

  /** Another scene takes the place of one like it: show what there is until its pictures come. */
  outlive() {
    this.earlier = new Set(this.latest.keys());
    for (const picture of this.latest.values()) delete picture.swept; // its bands are another's
    const kept = [...this.latest.values(), ...this.whole.values()];
    for (const old of this.errors.outlive()) if (!kept.includes(old)) release(old);
  }

  /** @param {Map<string, Picture & {rows?: [number, number, number]}>} pictures */
  take(pictures) {
    for (const [pane, came] of pictures) {
      const picture = came.rows ? pieced(came, came.rows, this.latest.get(pane)) : came;
      const before = [this.latest.get(pane), this.whole.get(pane)];
      this.latest.set(pane, picture);
      this.earlier.delete(pane);
      if (isWhole(picture)) this.whole.set(pane, picture);
      else if (this.whole.get(pane)?.look !== picture.look) this.whole.delete(pane);
      const dropped = this.errors.take(pane, picture);
      const kept = [picture, this.whole.get(pane)];
      for (const old of [...before, ...dropped]) {
        if (old && !kept.includes(old) && !this.errors.holds(pane, old)) release(old);
      }
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
}

/**
 * Return a picture's numbers at a place as a screen has them, 0 to 1; none where it has no such place.
 * @param {Picture | null} picture
 * @param {number} u
 * @param {number} v
 */
export function numbersAt(picture, u, v) {
  const [u0, v0, u1, v1] = picture?.region ?? [0, 0, 0, 0];
  const context = new OffscreenCanvas(1, 1).getContext("2d");
  if (!picture || !context || u < u0 || v < v0 || u >= u1 || v >= v1) return [];
  const x = Math.floor(((u - u0) / (u1 - u0)) * picture.width);
  const y = Math.floor(((v - v0) / (v1 - v0)) * picture.height);
  context.drawImage(picture.source, x, y, 1, 1, 0, 0, 1, 1);
  const [red, green, blue] = context.getImageData(0, 0, 1, 1).data;
  return [red / 255, green / 255, blue / 255];
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
 * Return the picture that bands are put together to, with one more of them: the last one where it
 * is of the same place and size; where it was coarser, as it is until they have come.
 * @param {Picture} band
 * @param {[number, number, number]} rows first, count and all
 * @param {Picture | undefined} last
 * @returns {Picture}
 */
function pieced(band, [first, count, all], last) {
  const { width, region, look, step, sharp, draft } = band;
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
  return { source: canvas, width, height: all, region, step, look, sharp: whole, draft, swept };
}
