/** One curve on a canvas: axes, grid, hover. Colors come from the style sheet. */

import { linearTicks, logTicks, range, share } from "./axis.js";

/** @typedef {{x: number, y: number, point: import("./types.js").CurvePoint}} Sample */

export class Chart {
  /**
   * @param {HTMLCanvasElement} canvas
   * @param {string} color name of a custom property
   * @param {(x: number | null) => void} onhover with the place on the x axis
   */
  constructor(canvas, color, onhover) {
    this.canvas = canvas;
    this.color = color;
    this.context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
    /** @type {Sample[]} */ this.samples = [];
    this.logX = this.logY = false;
    this.apart = false; // the last sample is of another making: no end of the line
    this.unit = ""; // of the x axis
    /** @type {number[]} */ this.breaks = []; // steps behind which another line begins
    /** @type {number | null} */ this.hovered = null;
    /** @type {{left: number, right: number, range: [number, number]} | null} */ this.axis = null;
    canvas.addEventListener("pointermove", (event) => onhover(this.#xAt(event.offsetX)));
    canvas.addEventListener("pointerleave", () => onhover(null));
  }

  /** Return the sample nearest to the hovered place. @returns {Sample | null} */
  get nearest() {
    if (this.hovered === null || !this.samples.length) return null;
    const x = this.hovered;
    let low = 0;
    let high = this.samples.length - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.samples[middle].x < x) low = middle + 1;
      else high = middle;
    }
    const before = this.samples[Math.max(0, low - 1)];
    const after = this.samples[low];
    return x - before.x < after.x - x ? before : after;
  }

  draw() {
    const { canvas, context } = this;
    const ratio = window.devicePixelRatio;
    const [width, height] = [canvas.clientWidth, canvas.clientHeight];
    if (!width || !height) return;
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    const style = getComputedStyle(canvas);
    const em = Number.parseFloat(style.fontSize);
    context.font = `${style.fontSize} ${style.fontFamily}`;
    const xs = range(
      this.samples.map((s) => s.x),
      this.logX,
      0,
    );
    const ys = range(
      this.samples.map((s) => s.y),
      this.logY,
      0.06,
    );
    const yTicks = (this.logY ? logTicks : linearTicks)(
      ys,
      Math.max(2, (height - 2 * em) / (2.4 * em)),
    );
    const labels = yTicks.map(({ text }) => context.measureText(text).width);
    const left = Math.max(2.5 * em, ...labels) + 0.8 * em;
    const box = { left, top: 0.6 * em, right: width - 0.8 * em, bottom: height - 1.7 * em };
    this.axis = { left: box.left, right: box.right, range: xs };
    const xTicks = (this.logX ? logTicks : linearTicks)(xs, (box.right - left) / (4.5 * em));
    const at = {
      x: (/** @type {number} */ x) => left + share(x, xs, this.logX) * (box.right - left),
      y: (/** @type {number} */ y) => box.bottom - share(y, ys, this.logY) * (box.bottom - box.top),
    };
    this.#grid(box, xTicks, yTicks, at, em, style);
    context.textAlign = "right";
    context.fillText(this.unit, width, box.bottom + 0.5 * em);
    if (!this.samples.length) return;
    this.#line(at, style.getPropertyValue(this.color), ratio);
    const near = this.nearest;
    if (near) this.#mark(at.x(near.x), at.y(near.y), box, style);
  }

  #grid(
    /** @type {any} */ box,
    /** @type {import("./axis.js").Tick[]} */ xTicks,
    /** @type {import("./axis.js").Tick[]} */ yTicks,
    /** @type {any} */ at,
    /** @type {number} */ em,
    /** @type {CSSStyleDeclaration} */ style,
  ) {
    const { context } = this;
    context.strokeStyle = style.getPropertyValue("--rule");
    context.fillStyle = style.getPropertyValue("--soft");
    context.lineWidth = 1;
    context.beginPath();
    context.textAlign = "right";
    context.textBaseline = "middle";
    for (const { value, text } of yTicks) {
      const y = Math.round(at.y(value)) + 0.5;
      context.moveTo(box.left, y);
      context.lineTo(box.right, y);
      context.fillText(text, box.left - 0.5 * em, y);
    }
    context.textAlign = "center";
    context.textBaseline = "top";
    const room = box.right + 0.3 * em - context.measureText(this.unit).width;
    for (const { value, text } of xTicks) {
      const x = Math.round(at.x(value)) + 0.5;
      context.moveTo(x, box.top);
      context.lineTo(x, box.bottom);
      if (x + context.measureText(text).width / 2 > room) continue; // the unit stands there
      context.fillText(text, x, box.bottom + 0.5 * em);
    }
    context.stroke();
  }

  #line(/** @type {any} */ at, /** @type {string} */ color, /** @type {number} */ ratio) {
    const { context } = this;
    const line = this.apart ? this.samples.slice(0, -1) : this.samples;
    context.beginPath();
    let last = -Infinity;
    let part = -1;
    const end = line.length - 1;
    line.forEach(({ x, y, point }, i) => {
      const place = at.x(x);
      const before = part;
      part = this.breaks.filter((step) => step < point[0]).length;
      if (part !== before) context.moveTo(place, at.y(y));
      else if (i < end && place - last < 0.5 / ratio) return; // not more than two in a device pixel
      else context.lineTo(place, at.y(y));
      last = place;
    });
    context.strokeStyle = color;
    context.lineWidth = 1.6;
    context.lineJoin = "round";
    context.stroke();
    if (this.apart) this.#last(at, color);
  }

  /** Dots to the last sample, and a diamond there. */
  #last(/** @type {any} */ at, /** @type {string} */ color) {
    const { context } = this;
    const [before, last] = this.samples.slice(-2).map(({ x, y }) => [at.x(x), at.y(y)]);
    const [x, y] = last ?? before;
    context.beginPath();
    context.setLineDash([1.5, 3]);
    context.moveTo(before[0], before[1]);
    context.lineTo(x, y);
    context.stroke();
    context.setLineDash([]);
    context.beginPath();
    for (const [dx, dy] of [[0, -4], [4, 0], [0, 4], [-4, 0]]) context.lineTo(x + dx, y + dy);
    context.fillStyle = color;
    context.fill();
  }

  #mark(
    /** @type {number} */ x,
    /** @type {number} */ y,
    /** @type {any} */ box,
    /** @type {CSSStyleDeclaration} */ style,
  ) {
    const { context } = this;
    context.strokeStyle = style.getPropertyValue("--soft");
    context.lineWidth = 1;
    context.beginPath();
    context.moveTo(x, box.top);
    context.lineTo(x, box.bottom);
    context.stroke();
    context.fillStyle = style.getPropertyValue(this.color);
    context.beginPath();
    context.arc(x, y, 3.5, 0, 2 * Math.PI);
    context.fill();
  }

  #xAt(/** @type {number} */ offset) {
    if (!this.axis) return null;
    const {
      left,
      right,
      range: [low, high],
    } = this.axis;
    const t = Math.min(Math.max((offset - left) / (right - left), 0), 1);
    return this.logX ? low * (high / low) ** t : low + (high - low) * t;
  }
}
