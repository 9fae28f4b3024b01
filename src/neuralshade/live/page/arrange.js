/**
 * How the panes lie: side by side, below each other, or two and one below, as pictures are largest.
 * All are of one size. Of two and one a quarter is left, where the curves go from below them.
 */

import { byId } from "./dom.js";

const LEAST_CURVES_PX = 240; // height of a quarter in which both charts can be read
const WORTH_MOVING = 1.1; // times as large pictures

export class Arrangement {
  /** @param {HTMLElement} root of the panes */
  constructor(root) {
    this.root = root;
    this.curves = byId("curves");
    this.home = /** @type {HTMLElement} */ (this.curves.parentElement);
    this.below = 0; // height of the curves where they lie below all panes
    this.wide = window.matchMedia("(min-width: 900px)"); // as the style sheet has it
  }

  /**
   * @param {number} count of panes
   * @param {number} caption height of a pane's, CSS pixels
   * @param {{width: number, height: number}} picture
   */
  arrange(count, caption, { width, height }) {
    const isInside = this.root.contains(this.curves);
    if (this.curves.hidden) this.below = 0;
    else if (!isInside) this.below = this.curves.offsetHeight;
    const room = this.root.clientHeight - (isInside ? this.below : 0);
    const scale = (/** @type {number} */ columns, more = 0) => {
      const rows = Math.ceil(count / columns);
      const high = (room + more) / rows - caption;
      return Math.min(this.root.clientWidth / columns / width, high / height);
    };
    const [beside, below, both] = [scale(count), scale(1), count > 2 ? scale(2) : 0];
    const high = (room + this.below) / 2;
    const mayMove = this.wide.matches && count === 3 && this.below > 0 && high >= LEAST_CURVES_PX;
    const most = Math.max(beside, below, both);
    const moved = mayMove && scale(2, this.below) > WORTH_MOVING * most;
    this.root.classList.toggle("stacked", !moved && below > beside && below >= both);
    this.root.classList.toggle("tiled", moved || (both > beside && both > below));
    const place = moved ? this.root : this.home;
    if (this.curves.parentElement !== place) place.append(this.curves);
  }
}
