/** Numbers as people read them. Anything missing is a dash. */

const MISSING = "\u2013";

/** @param {number | null | undefined} value */
export function count(value) {
  return value == null ? MISSING : Math.round(value).toLocaleString("en-US");
}

/**
 * Return width and height, and what a file takes on disk and in a GPU's memory, as far as is known.
 * What turns is drawn: the size is that of the drawing, not of what an asset holds.
 * @param {import("./types.js").Scene} scene
 */
export function sizeOf({ width, height, turned, ...scene }) {
  return `${turned.length ? "drawn at " : ""}${width} x ${height}${sizes(scene)}`;
}

/** @param {Pick<import("./types.js").Scene, "bytes" | "memory_bytes">} scene */
function sizes({ bytes, memory_bytes: memory }) {
  const disk = bytes == null ? "" : ` \u00b7 ${count(bytes)} bytes on disk`;
  return memory == null ? disk : `${disk}, ${count(memory)} in a GPU`;
}

/** Return the same in lines of a panel. @param {import("./types.js").Scene} scene */
export function bytes({ bytes: disk, memory_bytes: memory, bits_per_pixel: all, bits_of: unit }) {
  const pixels = disk && all ? (8 * disk) / all : 0;
  const parts = [
    ["on disk", disk],
    ["in a GPU", memory],
  ].flatMap(([place, size]) => {
    if (typeof size !== "number") return [];
    const each = pixels ? (8 * size) / pixels : 0;
    const rate = each >= 1000 ? count(each) : each.toPrecision(3);
    const bits = pixels ? ` (${rate} bits per ${unit})` : "";
    return [`${count(size)} bytes ${place}${bits}`];
  });
  return parts.join(", ");
}

/** @param {import("./types.js").Preparing} preparing */
export function preparation({ what, doing, seconds }) {
  return `${what}: ${doing || "preparing"}, ${seconds} s`;
}

/** A number from 0 to 1. @param {number | null | undefined} value */
export function share(value) {
  return value == null ? MISSING : value.toFixed(4);
}

/**
 * Return `value` with three digits and the prefix of its thousands: 12.3 M.
 * @param {number | null | undefined} value
 * @returns {string}
 */
export function engineering(value) {
  if (value == null) return MISSING;
  const prefixes = ["", " k", " M", " G", " T"];
  let rank = 0;
  let rest = value;
  while (Math.abs(rest) >= 999.5 && rank < prefixes.length - 1) {
    rest /= 1000;
    rank += 1;
  }
  return (rest >= 99.95 ? rest.toFixed(0) : rest.toPrecision(3)) + prefixes[rank];
}

/** @param {number | null | undefined} seconds */
export function duration(seconds) {
  if (seconds == null) return MISSING;
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  const two = (/** @type {number} */ n) => String(n).padStart(2, "0");
  const minutes = Math.floor(whole / 60) % 60;
  const hours = Math.floor(whole / 3600);
  if (hours) return `${hours}:${two(minutes)}:${two(whole % 60)} h`;
  return `${minutes}:${two(whole % 60)} min`;
}

/** @param {number | null | undefined} value */
export function loss(value) {
  if (value == null) return MISSING;
  if (value !== 0 && Math.abs(value) < 1e-3) return value.toExponential(2);
  return value.toPrecision(4);
}

/** @param {number | null | undefined} value */
export function decibels(value) {
  return value == null ? MISSING : value.toFixed(2);
}

/** @param {number} scale device pixels that one pixel of the picture takes */
export function zoom(scale) {
  const percent = scale * 100;
  return `${percent >= 10 ? count(percent) : percent.toPrecision(2)} %`;
}

/** @param {number | null} value a color's number: three digits after the point, or of it */
export function channel(value) {
  if (value === null) return "NaN";
  return Math.abs(value) < 1000 ? value.toFixed(3) : value.toPrecision(4);
}
