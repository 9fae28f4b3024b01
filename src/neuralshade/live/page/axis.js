/**
 * An axis of a chart: its ends, places between them, and round numbers along it.
 *
 * @typedef {{value: number, text: string}} Tick
 */

/** Return the axis' ends. @param {number[]} values @param {boolean} log @param {number} margin */
export function range(values, log, margin) {
  let low = Infinity;
  let high = -Infinity;
  for (const value of values) {
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  if (low > high) [low, high] = log ? [0.1, 10] : [0, 1];
  if (low === high) [low, high] = log ? [low / 2, high * 2] : [low - 0.5, high + 0.5];
  const wider = log ? (high / low) ** margin : (high - low) * margin;
  return /** @type {[number, number]} */ (
    log ? [low / wider, high * wider] : [low - wider, high + wider]
  );
}

/** Return where between the ends a value lies, 0 to 1. */
export function share(
  /** @type {number} */ value,
  /** @type {[number, number]} */ [low, high],
  /** @type {boolean} */ log,
) {
  return log ? Math.log(value / low) / Math.log(high / low) : (value - low) / (high - low);
}

/**
 * Return multiples of 1, 2 or 5 times a power of ten.
 * @param {[number, number]} range
 * @param {number} most how many there is room for
 * @returns {Tick[]}
 */
export function linearTicks([low, high], most) {
  const least = (high - low) / Math.max(1, most);
  const power = 10 ** Math.floor(Math.log10(least));
  const step = [1, 2, 5, 10].map((n) => n * power).find((n) => n >= least) ?? 10 * power;
  const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  const ticks = [];
  for (let n = Math.ceil(low / step - 1e-9); n * step <= high + 1e-9 * step; n += 1) {
    ticks.push({ value: n * step, text: short(n * step, digits) });
  }
  return ticks;
}

/**
 * Return powers of ten; with 2 and 5 times them where there is room; linear ones within a decade.
 * @param {[number, number]} range both > 0
 * @param {number} most
 * @returns {Tick[]}
 */
export function logTicks([low, high], most) {
  const decades = Math.log10(high / low);
  if (decades < 0.7) return linearTicks([low, high], most);
  const factors = decades * 3 <= most ? [1, 2, 5] : [1];
  const every = Math.max(1, Math.ceil(decades / Math.max(1, most)));
  const ticks = [];
  for (let power = Math.floor(Math.log10(low)); power <= Math.log10(high); power += 1) {
    if (power % every) continue;
    for (const factor of factors) {
      const value = factor * 10 ** power;
      if (value < low * 0.999 || value > high * 1.001) continue;
      ticks.push({ value, text: short(value, Math.max(0, -power)) });
    }
  }
  return ticks;
}

/** @param {number} value @param {number} digits after the point */
function short(value, digits) {
  const size = Math.abs(value);
  if (size >= 1e6) return `${Number((value / 1e6).toPrecision(4))} M`;
  if (size >= 1e4) return `${Number((value / 1e3).toPrecision(4))} k`;
  if (digits > 4) return value.toExponential(0);
  return value.toFixed(digits);
}
