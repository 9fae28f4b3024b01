/** Which mip level the panes show, where a scene has some. */

import { byId, setText } from "./dom.js";

export class Level {
  /**
   * @param {import("./session.js").Session} session
   * @param {() => void} changed called when pictures must be requested again
   */
  constructor(session, changed) {
    this.session = session;
    this.changed = changed;
    this.level = 0;
    this.scene_id = -1; // whose level it is
    this.slider = byId("level");
    this.slider.addEventListener("input", () => this.#set(this.slider.valueAsNumber));
    this.slider.addEventListener("dblclick", () => this.#set(0));
    session.on("scene", () => this.#enter());
  }

  /** Return what it adds to a `view` message. */
  get request() {
    return this.#count > 1 ? { level: this.level } : {};
  }

  /** Return width and height of the level that is shown, null where a scene has none. */
  get size() {
    return this.session.scene?.levels[this.level] ?? null;
  }

  /** Show the next level, or the one before. @param {1 | -1} by */
  step(/** @type {1 | -1} */ by) {
    if (this.#count > 1) this.#set(this.level + by);
  }

  get #count() {
    return this.session.scene?.levels.length ?? 0;
  }

  #enter() {
    byId("levels").hidden = this.#count < 2;
    if (this.session.scene?.id !== this.scene_id) this.level = 0; // else come back: it stays
    this.scene_id = this.session.scene?.id ?? -1;
    this.slider.max = String(Math.max(0, this.#count - 1));
    this.#show();
  }

  /** @param {number} level */
  #set(level) {
    this.level = Math.min(Math.max(Math.round(level), 0), this.#count - 1);
    this.#show();
    this.changed();
  }

  #show() {
    this.slider.value = String(this.level);
    const [width, height] = this.size ?? [0, 0];
    const text = `${width} x ${height} texels`;
    setText(byId("level-value"), String(this.level));
    setText(byId("level-size"), text);
    this.slider.setAttribute("aria-valuetext", `${this.level}, ${text}`);
  }
}
