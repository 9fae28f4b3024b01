/** One place for a picture: a choice of pane and a canvas; in a wipe, two and a divider. */

import { element, setOptions, setText } from "./dom.js";

const CHOICE_SHARE = 0.68; // of a caption that the choice has at most, as the style sheet has it
const DIVIDER_STEP = 0.02; // of an arrow key

export class Slot {
  /** @param {number} number 1 to 3 */
  constructor(number) {
    this.pane = "";
    this.second = ""; // right of the divider, in a wipe
    this.choice = element("select", {
      "aria-label": `Pane ${number} shows`,
      "data-testid": `pane-${number}`,
    });
    this.secondChoice = element("select", {
      "aria-label": "Right of the divider",
      "data-testid": "wipe-right",
    });
    this.detail = element("span", { class: "detail" });
    this.canvas = element("canvas", { tabindex: "0", role: "img" });
    this.context = this.canvas.getContext("2d");
    this.well = element("div", { class: "well" }, this.canvas);
    this.caption = element("figcaption", {}, this.choice, this.detail, this.secondChoice);
    this.root = element("figure", { class: "slot" }, this.caption, this.well);
    this.wiping = false;
    /** @type {() => void} called when another pane was chosen */
    this.onchoice = () => {};
    for (const choice of [this.choice, this.secondChoice]) {
      choice.addEventListener("change", () => {
        this.pane = this.choice.value;
        this.second = this.secondChoice.value;
        this.onchoice();
      });
    }
  }

  /**
   * Offer these panes; the ones chosen stay where they are among them.
   * @param {[string, string][]} entries name and title
   * @param {string} pane what to show otherwise
   * @param {string} second
   */
  offer(entries, pane, second) {
    const has = (/** @type {string} */ name) => entries.some(([known]) => known === name);
    if (!has(this.pane)) this.pane = pane;
    if (!has(this.second)) this.second = second;
    setOptions(this.choice, entries);
    setOptions(this.secondChoice, entries);
    this.choice.disabled = this.secondChoice.disabled = entries.length < 2;
  }

  /**
   * Bring names and labels up to date.
   * @param {boolean} wiping
   * @param {Map<string, string>} titles by name
   */
  label(wiping, titles) {
    this.wiping = wiping;
    this.choice.value = this.pane;
    this.secondChoice.value = this.second;
    this.secondChoice.hidden = !wiping;
    this.canvas.dataset.pane = wiping ? "wipe" : this.pane;
    const names = wiping ? [this.pane, this.second] : [this.pane];
    this.canvas.setAttribute("aria-label", names.map((n) => titles.get(n) ?? n).join(" and "));
  }

  /** @param {string} text */
  describe(text) {
    setText(this.detail, text);
  }

  /** Whether its caption is cut off in one line. */
  get isCrowded() {
    if (this.wiping || !this.caption.clientWidth) return false; // two choices need the line
    const { choice, caption, detail } = this;
    const isCut = choice.offsetWidth >= CHOICE_SHARE * caption.clientWidth - 1;
    return isCut || detail.scrollWidth > detail.clientWidth;
  }

  /**
   * Return the pane under the pointer.
   * @param {number} share of the width that lies left of the divider
   * @param {PointerEvent} event
   */
  paneAt(share, event) {
    if (!this.wiping) return this.pane;
    const box = this.canvas.getBoundingClientRect();
    return event.clientX < box.left + share * box.width ? this.pane : this.second;
  }

  /** @returns {string[]} the panes shown, left to right */
  get shown() {
    return this.wiping ? [this.pane, this.second] : [this.pane];
  }
}

/** What divides the two pictures of a wipe: dragged, or moved by arrow keys. */
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
    const places = {
      ArrowLeft: this.share - DIVIDER_STEP,
      ArrowRight: this.share + DIVIDER_STEP,
      Home: 0,
      End: 1,
    };
    const place = places[event.key];
    if (place === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    this.move(place);
  }
}
