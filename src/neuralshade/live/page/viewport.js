/** Which part of a picture a pane shows. All panes share one: zoom and pan are linked. */

/** @typedef {import("./types.js").Region} Region */

const LARGEST_SIDE_PX = 4096; // of a view that the server draws
const MOST_PIXELS = 4_000_000;
const LEAST_SIDE_PX = 8; // of a picture that is shown at first: thinner ones cannot be seen
const MOST_SCALE = 256; // device pixels of one pixel
const MOST_SCALE_CONTINUOUS = 65_536;

export class Viewport {
  constructor() {
    this.width = 1; // of the picture, pixels
    this.height = 1;
    this.continuous = false;
    this.paneWidth = 1; // device pixels
    this.paneHeight = 1;
    this.scale = 1; // device pixels of one pixel
    this.u = 0.5; // in the middle of the pane
    this.v = 0.5;
    this.fitted = true;
    this.thick = true; // rather than whole, where nobody asked for that
  }

  get fitScale() {
    const whole = Math.min(this.paneWidth / this.width, this.paneHeight / this.height);
    return this.thick ? Math.max(whole, LEAST_SIDE_PX / Math.min(this.width, this.height)) : whole;
  }

  /** Whether all of the picture is seen, as large as that can be. */
  get isWhole() {
    const wide = this.width * this.scale > this.paneWidth + 1;
    return this.fitted && !wide && this.height * this.scale <= this.paneHeight + 1;
  }

  /** @param {number} width @param {number} height @param {boolean} continuous */
  setPicture(width, height, continuous) {
    const other = width !== this.width || height !== this.height;
    Object.assign(this, { width, height, continuous });
    if (other) {
      this.fitted = this.thick = true;
    }
    this.#settle();
  }

  /** @param {number} width @param {number} height device pixels */
  setPane(width, height) {
    this.paneWidth = Math.max(1, width);
    this.paneHeight = Math.max(1, height);
    this.#settle();
  }

  fit() {
    this.fitted = true;
    this.thick = false;
    this.#settle();
  }

  /** Zoom so that what is at (x, y), device pixels of the pane, stays there. */
  zoomAt(/** @type {number} */ scale, /** @type {number} */ x, /** @type {number} */ y) {
    const [u, v] = this.toPicture(x, y);
    this.fitted = this.thick = false;
    this.scale = this.#allowed(scale);
    this.u = u - (x - this.paneWidth / 2) / (this.width * this.scale);
    this.v = v - (y - this.paneHeight / 2) / (this.height * this.scale);
    if (this.scale === this.fitScale) this.fitted = true;
    this.#settle();
  }

  /**
   * Zoom to the next power of two.
   * @param {1 | -1} direction
   * @param {number} x device pixels
   * @param {number} y
   */
  zoomStep(direction, x = this.paneWidth / 2, y = this.paneHeight / 2) {
    const doublings = Math.log2(this.scale) * direction;
    this.zoomAt(2 ** (direction * (Math.floor(doublings + 1e-6) + 1)), x, y);
  }

  /** @param {number} x @param {number} y device pixels that the picture moves by */
  panBy(x, y) {
    this.u -= x / (this.width * this.scale);
    this.v -= y / (this.height * this.scale);
    this.#settle();
  }

  /** Return where the whole picture lies, device pixels of the pane. */
  rect() {
    const width = this.width * this.scale;
    const height = this.height * this.scale;
    const left = Math.round(this.paneWidth / 2 - this.u * width);
    const top = Math.round(this.paneHeight / 2 - this.v * height);
    return { left, top, width, height };
  }

  /** @param {number} x @param {number} y @returns {[number, number]} u, v */
  toPicture(x, y) {
    const { left, top, width, height } = this.rect();
    return [(x - left) / width, (y - top) / height];
  }

  /**
   * Return what to ask the server for: the part seen, as many pixels as the screen shows of it.
   *
   * The whole picture at its own size where that fits the pane, so that panes hold its pixels
   * themselves. Without a continuous result, whole pixels, never more than there are.
   * @param {boolean} fine whether something is shown that has no pixels of its own
   * @returns {{region: Region, width: number, height: number}}
   */
  request(fine = false) {
    if (this.fitted && this.scale >= 1 && !fine) {
      return limited([0, 0, 1, 1], this.width, this.height);
    }
    const { left, top, width, height } = this.rect();
    const [u0, u1] = [clamp(-left / width), clamp((this.paneWidth - left) / width)];
    const [v0, v1] = [clamp(-top / height), clamp((this.paneHeight - top) / height)];
    if (this.continuous || fine) {
      return limited([u0, v0, u1, v1], (u1 - u0) * width, (v1 - v0) * height);
    }
    const [x0, x1] = wholePixels(u0, u1, this.width);
    const [y0, y1] = wholePixels(v0, v1, this.height);
    const shown = Math.min(1, this.scale);
    /** @type {Region} */
    const region = [x0 / this.width, y0 / this.height, x1 / this.width, y1 / this.height];
    return limited(region, (x1 - x0) * shown, (y1 - y0) * shown);
  }

  #allowed(/** @type {number} */ scale) {
    const least = Math.min(this.fitScale, 1);
    const most = this.continuous ? MOST_SCALE_CONTINUOUS : MOST_SCALE;
    return Math.min(Math.max(scale, least), Math.max(most, this.fitScale));
  }

  /** A picture larger than the pane covers it, a smaller one is in its middle. */
  #settle() {
    if (this.fitted) this.scale = this.fitScale;
    this.scale = this.#allowed(this.scale);
    this.u = settled(this.u, this.paneWidth / (this.width * this.scale));
    this.v = settled(this.v, this.paneHeight / (this.height * this.scale));
  }
}

/** @param {number} middle @param {number} seen share of the picture that the pane has room for */
function settled(middle, seen) {
  return seen >= 1 ? 0.5 : Math.min(Math.max(middle, seen / 2), 1 - seen / 2);
}

/** @param {number} from @param {number} to @param {number} count */
function wholePixels(from, to, count) {
  const first = Math.min(count - 1, Math.floor(from * count + 1e-6));
  return [first, Math.max(first + 1, Math.ceil(to * count - 1e-6))];
}

/** @param {Region} region @param {number} width @param {number} height */
function limited(region, width, height) {
  const sides = LARGEST_SIDE_PX / Math.max(width, height);
  const less = Math.min(1, sides, Math.sqrt(MOST_PIXELS / (width * height)));
  const whole = (/** @type {number} */ side) => {
    return Math.max(1, less < 1 ? Math.floor(side * less) : Math.round(side));
  };
  return { region, width: whole(width), height: whole(height) };
}

/** @param {number} share */
function clamp(share) {
  return Math.min(Math.max(share, 0), 1);
}
