/** Where the samples of two pictures lie, and one picture where another one has them. */

/** @typedef {import("./types.js").Picture} Picture */

/** Whether samples of both lie at the same places. @param {Picture} a @param {Picture} b */
export function isAlike(a, b) {
  return a.width === b.width && a.height === b.height && a.region.join() === b.region.join();
}

/**
 * Whether both show the same place, one more coarsely than the other it may be.
 * @param {Picture} a @param {Picture} b
 */
export function near(a, b) {
  if (a.width === b.width && a.height === b.height) return isAlike(a, b);
  const coarse = a.width < b.width ? a : b;
  const [u0, v0, u1, v1] = coarse.region;
  const slack = [(u1 - u0) / coarse.width, (v1 - v0) / coarse.height]; // one of its samples
  return a.region.every((edge, i) => Math.abs(edge - b.region[i]) <= slack[i % 2]);
}

/**
 * Return what is said of pictures before their size: of one whose bands are still coming, that is
 * the one that it will have.
 * @param {(Picture | null)[]} pictures
 */
export function coarseness(pictures) {
  const coarse = pictures.filter((picture) => picture && !picture.sharp);
  if (!coarse.length) return "";
  return coarse.every((picture) => picture?.swept?.includes(0)) ? "partly coarse: " : "coarse: ";
}

/**
 * Return a canvas of a region, with what a picture has of it, sample by sample.
 * @param {Picture | null} picture
 * @param {number} width
 * @param {number} height
 * @param {import("./types.js").Region} region
 */
export function repainted(picture, width, height, [u0, v0, u1, v1]) {
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
