/** How what is lit is turned before the eye, where a scene has something that can be. */

import { byId, setText } from "./dom.js";
import { errorOf } from "./panes.js";

const DEGREES_PER_PX = 0.4; // of a drag
const MOST_OVER = 90; // degrees that its top comes to the eye, or goes away from it

export class Turn {
  /**
   * @param {import("./session.js").Session} session
   * @param {() => void} changed called when pictures must be requested again
   */
  constructor(session, changed) {
    this.session = session;
    this.changed = changed;
    this.around_deg = 0;
    this.over_deg = 0;
    this.scene_id = -1; // whose turn it is
    this.choice = byId("drag-what");
    this.choice.addEventListener("change", () => this.#describe());
    session.on("scene", () => this.#enter());
  }

  /** Return what it adds to a `view` message. */
  get request() {
    return this.#panes.length ? { turn: [this.around_deg, this.over_deg] } : {};
  }

  /** Let a drag move the light where it turned the sphere, and the other way around. */
  toggle() {
    if (this.#panes.length) this.choice.value = this.choice.value === "turn" ? "light" : "turn";
    this.#describe();
  }

  /** Whether it shows in that pane. @param {string} pane */
  shows(pane) {
    return this.#panes.includes(pane);
  }

  /** Return whether it took a drag on a pane, of so many CSS pixels. */
  drag(/** @type {number} */ dx, /** @type {number} */ dy, /** @type {string} */ pane) {
    if (this.choice.value !== "turn" || !this.shows(errorOf(pane) ?? pane)) return false;
    const around = this.around_deg + dx * DEGREES_PER_PX;
    this.around_deg = ((((around + 180) % 360) + 360) % 360) - 180;
    const over = this.over_deg + dy * DEGREES_PER_PX;
    this.over_deg = Math.min(Math.max(over, -MOST_OVER), MOST_OVER);
    this.changed();
    return true;
  }

  get #panes() {
    return this.session.scene?.turned ?? [];
  }

  #enter() {
    const { scene } = this.session;
    byId("drags").hidden = !this.#panes.length;
    setText(byId("drag-turn"), this.#isSphere ? "the sphere" : "the camera");
    if (!this.#panes.length) this.choice.value = "light";
    this.#describe();
    if (scene?.id === this.scene_id) return; // come back: it stays
    this.scene_id = scene?.id ?? -1;
    this.around_deg = this.over_deg = 0;
  }

  get #isSphere() {
    return this.session.scene?.light?.middle === "eye";
  }

  /** Say what a drag does. */
  #describe() {
    const turns = this.#isSphere ? "turn it" : "move the camera";
    setText(byId("drag-does"), this.choice.value === "turn" ? turns : "move its light");
  }
}
