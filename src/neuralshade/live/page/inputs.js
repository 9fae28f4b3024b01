/**
 * Numbers that all panes of a scene are drawn with and whoever looks chooses: a slider and a field
 * for each, over its range.
 */

import { byId, element } from "./dom.js";

const STEPS = 100; // of a slider, from end to end: an arrow key takes one, Page Up and Down ten
const DIGITS = 4; // that a range is told apart by, where a slider chose; a field takes any value

/** @typedef {import("./types.js").SceneInput} SceneInput */

export class Inputs {
  /**
   * @param {import("./session.js").Session} session
   * @param {() => void} changed called when pictures must be requested again
   */
  constructor(session, changed) {
    this.session = session;
    this.changed = changed;
    this.known = "[]"; // what the sliders are of, as text
    /** @type {number[]} in the scene's order */ this.values = [];
    this.place = byId("input-fields");
    session.on("scene", () => this.#enter());
  }

  /** Return what it adds to a `view` message. */
  get request() {
    return this.values.length ? { inputs: this.values } : {};
  }

  /** Return what it adds to the address of a snapshot. @returns {Record<string, string>} */
  get query() {
    return this.values.length ? { inputs: this.values.join(",") } : {};
  }

  #enter() {
    const inputs = this.session.scene?.inputs ?? [];
    byId("inputs").hidden = !inputs.length;
    const known = JSON.stringify(inputs);
    if (known === this.known) return; // come back, or a fit's asset: values stay
    this.known = known;
    this.values = inputs.map(({ value }) => value);
    this.place.replaceChildren(...inputs.map((input, i) => this.#field(input, i)));
  }

  /** @param {SceneInput} input @param {number} i */
  #field({ name, low, high, value: first }, i) {
    const id = `input-${i}`;
    // Of the slider in steps, not of the value: rounded steps would not reach the upper end.
    const slider = element("input", { type: "range", id, min: "0", max: String(STEPS), step: "1" });
    const step = rounded((high - low) / STEPS, high - low);
    const ends = { min: String(low), max: String(high), step: String(step) };
    const field = element("input", { type: "number", ...ends, "aria-label": `${name}, value` });
    const set = (/** @type {number} */ value) => {
      const now = Number.isFinite(value) ? Math.min(Math.max(value, low), high) : this.values[i];
      this.values = this.values.map((old, k) => (k === i ? (now ?? old) : old));
      show(this.values[i] ?? first);
      this.changed();
    };
    const show = (/** @type {number} */ value) => {
      slider.value = String(Math.round(((value - low) / (high - low)) * STEPS));
      slider.setAttribute("aria-valuetext", String(value));
      field.value = String(value);
    };
    slider.addEventListener("input", () => {
      const share = slider.valueAsNumber / STEPS;
      set(share === 1 ? high : rounded(low + (high - low) * share, high - low));
    });
    slider.addEventListener("dblclick", () => set(first));
    field.addEventListener("change", () => set(field.valueAsNumber));
    const label = element("label", { for: id }, name);
    const end = (/** @type {number} */ at) => {
      return element("span", { class: "soft", "aria-hidden": "true" }, String(at));
    };
    show(first);
    const rows = [[label, field], [end(low), slider, end(high)]];
    return element("div", { class: "input" }, ...rows.map((row) => element("div", {}, ...row)));
  }
}

/** Return a value with the decimals that tell it from others of a range so wide. */
function rounded(/** @type {number} */ value, /** @type {number} */ width) {
  const places = DIGITS - Math.floor(Math.log10(width));
  return Number(value.toFixed(Math.min(Math.max(places, 0), 100)));
}
