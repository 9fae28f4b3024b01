/** One place for a picture: a choice of pane, a canvas, and in a wipe a second choice. */

import { element, setOptions, setText } from "./dom.js";

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

  /** @returns {string[]} the panes shown, left to right */
  get shown() {
    return this.wiping ? [this.pane, this.second] : [this.pane];
  }
}
