/** The scene's own numbers at the pixel under the pointer. */

import { byId, element, spaced } from "./dom.js";
import { channel } from "./format.js";

const GAP_MS = 80;

export class Values {
  /**
   * @param {import("./session.js").Session} session
   * @param {import("./connection.js").Connection} connection
   * @param {import("./stage.js").Stage} stage
   */
  constructor(session, connection, stage) {
    this.session = session;
    this.connection = connection;
    this.stage = stage;
    this.place = byId("values");
    this.hint = this.place.textContent ?? "";
    this.id = 0;
    /** @type {[number, number] | null} */ this.at = null;
    this.ask = spaced(() => this.#ask(), GAP_MS);
    stage.onpoint = (u, v) => {
      this.at = [u, v];
      this.ask();
    };
    session.on("values", (message) => this.#show(message));
    session.on("scene", () => {
      this.at = null;
      this.place.textContent = this.hint;
    });
  }

  /** A new frame came: what lies under the pointer may have changed. */
  askAgain() {
    if (this.stage.cursor && this.at) this.ask();
  }

  #ask() {
    const { scene } = this.session;
    if (!scene || !this.at) return;
    this.id += 1;
    const [u, v] = this.at;
    this.connection.send({ type: "pick", id: this.id, scene: scene.id, u, v });
  }

  /**
   * @param {object} message
   * @param {number} message.id
   * @param {number} message.u
   * @param {number} message.v
   * @param {Record<string, (number | null)[]>} message.values by pane
   */
  #show({ id, u, v, values }) {
    const { scene } = this.session;
    if (!scene || id !== this.id) return; // an older place
    const x = Math.min(scene.width - 1, Math.floor(u * scene.width));
    const y = Math.min(scene.height - 1, Math.floor(v * scene.height));
    const parts = [element("span", { class: "at" }, `x ${x}, y ${y}`)];
    for (const [pane, numbers] of Object.entries(values)) {
      const title = this.stage.offer?.titles.get(pane) ?? pane;
      const text = numbers.map(channel).join("  ");
      parts.push(element("span", {}, element("span", { class: "soft" }, title), ` ${text}`));
    }
    this.place.replaceChildren(...parts);
  }
}
