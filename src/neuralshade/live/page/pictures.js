/** The pictures that came last, one per pane, and the errors made of them. */

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
 * @returns {Promise<Map<string, Picture>>} by pane
 */
export async function decodeFrame(header, payload, lookOf) {
  let start = 0;
  const made = header.images.map(async ({ pane, bytes, type }) => {
    const blob = new Blob([payload.slice(start, start + bytes)], { type });
    start += bytes;
    const source = await createImageBitmap(blob, AS_THEY_ARE);
    const { width, height } = source;
    const { region, step, sharp } = header;
    const look = lookOf(pane);
    return /** @type {const} */ ([pane, { source, width, height, region, step, sharp, look }]);
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

  /** @param {Map<string, Picture>} pictures */
  take(pictures) {
    for (const [pane, picture] of pictures) {
      const before = [this.latest.get(pane), this.whole.get(pane)];
      this.latest.set(pane, picture);
      if (isWhole(picture)) this.whole.set(pane, picture);
      else if (this.whole.get(pane)?.look !== picture.look) this.whole.delete(pane);
      for (const old of before) if (old && old !== this.whole.get(pane)) release(old);
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
   * Return 0.5 + scale * (result - target), or the last such picture while only one of both is new.
   * @param {string} pane
   * @param {string} reference
   * @param {number} scale
   * @returns {Picture | null}
   */
  error(pane, reference, scale) {
    const of = this.latest.get(pane);
    const beside = this.latest.get(reference);
    const last = this.errors.get(pane);
    if (!of || !beside || !alike(of, beside)) return last?.made ?? null;
    if (last && last.of === of && last.beside === beside && last.scale === scale) return last.made;
    const made = { ...of, source: this.#subtract(of, beside, scale) };
    this.errors.set(pane, { made, of, beside, scale });
    return made;
  }

  /** @param {Picture} of @param {Picture} beside @param {number} scale */
  #subtract(of, beside, scale) {
    const result = this.bytes(of).data;
    const target = this.bytes(beside).data;
    const error = new ImageData(of.width, of.height);
    const out = error.data; // clamps and rounds: no error is 128
    for (let i = 0; i < out.length; i += 4) {
      out[i] = 127.5 + scale * (result[i] - target[i]);
      out[i + 1] = 127.5 + scale * (result[i + 1] - target[i + 1]);
      out[i + 2] = 127.5 + scale * (result[i + 2] - target[i + 2]);
      out[i + 3] = 255;
    }
    const canvas = new OffscreenCanvas(of.width, of.height);
    canvas.getContext("2d")?.putImageData(error, 0, 0);
    return canvas;
  }
}

/** Whether it shows nearly everything: coarse samples may end a little off the edges. */
function isWhole(/** @type {Picture} */ { region: [u0, v0, u1, v1] }) {
  return Math.max(u0, v0) < 0.02 && Math.min(u1, v1) > 0.98;
}

/** Free its memory now: at ten pictures a second, the garbage collector comes too late. */
function release(/** @type {Picture} */ picture) {
  if (picture.source instanceof ImageBitmap) picture.source.close();
}

/** @param {Picture} a @param {Picture} b */
function alike(a, b) {
  const size = a.width === b.width && a.height === b.height;
  return size && a.look === b.look && a.region.join() === b.region.join();
}
