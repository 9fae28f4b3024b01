/** Loss and PSNR against time or steps. */

import { Chart } from "./chart.js";
import { byId, setText } from "./dom.js";
import * as format from "./format.js";

/** @typedef {import("./types.js").CurvePoint} CurvePoint */

export class Curves {
  /** @param {import("./session.js").Session} session */
  constructor(session) {
    this.session = session;
    this.drawing = 0;
    const hover = (/** @type {number | null} */ x) => {
      this.loss.hovered = this.psnr.hovered = x;
      this.#later();
    };
    this.loss = new Chart(byId("loss-chart"), "--first", hover);
    this.psnr = new Chart(byId("psnr-chart"), "--second", hover);
    for (const id of ["curve-x", "log-x", "log-loss"]) {
      byId(id).addEventListener("change", () => this.#later());
    }
    for (const type of ["curve", "progress"]) session.on(type, () => this.#later());
    const sizes = new ResizeObserver(() => this.#draw());
    for (const chart of [this.loss, this.psnr]) sizes.observe(chart.canvas);
    const dark = window.matchMedia("(prefers-color-scheme: dark)");
    dark.addEventListener("change", () => this.#later());
  }

  #later() {
    this.drawing ||= requestAnimationFrame(() => this.#draw());
  }

  #draw() {
    this.drawing = 0;
    const { curve } = this.session;
    byId("curves").hidden = !curve.length && !this.session.fit;
    const column = byId("curve-x").value === "steps" ? 0 : 1;
    const logX = byId("log-x").checked;
    const logLoss = byId("log-loss").checked;
    this.loss.samples = samples(curve, column, 2, logX, logLoss);
    this.psnr.samples = samples(curve, column, 3, logX, false);
    this.psnr.apart = this.#endsWithFile();
    this.loss.breaks = this.session.progress?.loss_breaks ?? [];
    byId("psnr-figure").hidden = curve.length > 0 && !this.psnr.samples.length; // it has none
    for (const chart of [this.loss, this.psnr]) {
      chart.logX = logX;
      chart.unit = column ? "seconds" : "steps";
      chart.logY = chart === this.loss && logLoss;
      chart.draw();
    }
    this.#describe(this.loss, "loss-read-out", "Loss", (y) => format.loss(y), this.session.progress?.loss);
    this.#describe(this.psnr, "psnr-read-out", "PSNR", (y) => `${format.decibels(y)} dB`, this.#newest);
  }

  /** Return whether the last PSNR is the file's: rounding and a search made it, not steps. */
  #endsWithFile() {
    const { progress } = this.session;
    const last = this.psnr.samples.at(-1);
    if (!progress || !last || progress.psnr_about) return false;
    return progress.psnr_db !== null && progress.psnr_step === last.point[0];
  }

  /** Return the PSNR that the panel tells: the curve has it once the fit has gone on. */
  get #newest() {
    const { progress } = this.session;
    return this.psnr.apart || !progress?.psnr_about ? null : progress.psnr_db;
  }

  /** Write the hovered point, or the last one, beside the title, and for who cannot see it. */
  #describe(
    /** @type {Chart} */ chart,
    /** @type {string} */ id,
    /** @type {string} */ name,
    /** @type {(y: number) => string} */ text,
    /** @type {number | null} */ newest = null, // where more is known than the last point
  ) {
    const near = chart.nearest;
    const shown = near ?? chart.samples.at(-1);
    if (!shown) {
      setText(byId(id), "");
      chart.canvas.setAttribute("aria-label", `${name}: no points yet`);
      return;
    }
    const [step, seconds] = shown.point;
    const place = `${format.duration(seconds)}, step ${format.count(step)}`;
    const ofFile = chart.apart && shown === chart.samples.at(-1);
    const shownText = ofFile ? `${text(shown.y)} in the file` : text(shown.y);
    const about = chart === this.psnr ? "about " : ""; // as the panel tells it
    const now = newest === null ? shownText : `${about}${text(newest)}`;
    setText(byId(id), near ? `${shownText} at ${place}` : now);
    const count = `${chart.samples.length} points`;
    chart.canvas.setAttribute("aria-label", `${name}: ${count}, last ${shownText} at ${place}`);
  }
}

/**
 * Return what can be drawn of one column.
 * @param {CurvePoint[]} curve
 * @param {0 | 1} columnX
 * @param {2 | 3} columnY
 * @param {boolean} logX
 * @param {boolean} logY
 */
function samples(curve, columnX, columnY, logX, logY) {
  /** @type {import("./chart.js").Sample[]} */
  const found = [];
  for (const point of curve) {
    const [x, y] = [point[columnX], point[columnY]];
    if (x === null || y === null || (logX && x <= 0) || (logY && y <= 0)) continue;
    found.push({ x, y, point });
  }
  return found;
}
