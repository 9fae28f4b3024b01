/** The divider of a wipe: dragged, or moved by arrow keys. */

import { element } from "./dom.js";

const STEP = 0.02;

export class Divider {
  /** @param {HTMLElement} well what it divides @param {() => void} onmove */
  constructor(well, onmove) {
    this.share = 0.5; // of the pane's width that lies left of it
    this.onmove = onmove;
    this.root = element("div", {
      class: "divider",
      role: "slider",
      tabindex: "0",
      "aria-label": "Divider",
      "aria-valuemin": "0",
      "aria-valuemax": "100",
      "data-testid": "divider",
    });
    well.append(this.root);
    this.root.addEventListener("pointerdown", (/** @type {PointerEvent} */ event) => {
      event.preventDefault();
      event.stopPropagation();
      this.root.focus();
      this.root.setPointerCapture(event.pointerId);
    });
    this.root.addEventListener("pointermove", (/** @type {PointerEvent} */ event) => {
      if (!this.root.hasPointerCapture(event.pointerId)) return;
      const box = well.getBoundingClientRect();
      this.move((event.clientX - box.left) / box.width);
    });
    this.root.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => this.#key(event));
    this.move(0.5);
  }

  /** @param {number} share */
  move(share) {
    this.share = Math.min(Math.max(share, 0), 1);
    this.root.style.left = `${this.share * 100}%`;
    this.root.setAttribute("aria-valuenow", String(Math.round(this.share * 100)));
    this.onmove();
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    /** @type {Record<string, number>} */
    const places = { ArrowLeft: this.share - STEP, ArrowRight: this.share + STEP, Home: 0, End: 1 };
    const place = places[event.key];
    if (place === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    this.move(place);
  }
}
