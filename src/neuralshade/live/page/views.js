/** Asks the server for what the panes show, and for the numbers under the pointer. */

import { byId, element, spaced } from "./dom.js";
import { channel } from "./format.js";
import { isSlow } from "./panes.js";
import { decodeFrame, numbersAt } from "./pictures.js";

const VIEW_GAP_MS = 90; // between two views while the picture is dragged
const VALUES_GAP_MS = 80;
const MOST_LISTED = 4; // panes whose numbers are listed even when not shown

/** Asks for views, takes the frames that answer. */
export class Views {
  /**
   * @param {import("./session.js").Session} session
   * @param {import("./connection.js").Connection} connection
   * @param {import("./pane_area.js").PaneArea} paneArea
   * @param {object} looks how pictures are drawn
   * @param {import("./look.js").Tone} looks.tone
   * @param {import("./look.js").Light} looks.light
   * @param {import("./level.js").Level} looks.level
   * @param {import("./turn.js").Turn} looks.turn
   * @param {import("./inputs.js").Inputs} looks.inputs
   */
  constructor(session, connection, paneArea, { tone, light, level, turn, inputs }) {
    this.session = session;
    this.connection = connection;
    this.paneArea = paneArea;
    this.tone = tone;
    this.light = light;
    this.level = level;
    this.turn = turn;
    this.inputs = inputs;
    this.id = 0;
    this.lastRequest = "";
    /**
     * How the pictures of a view look, by its id, and by what its sides are divided.
     * @type {Map<number, {of: (pane: string) => string, by: number}>}
     */
    this.looks = new Map();
    /** @type {import("./types.js").FrameHeader | null} */ this.frame = null;
    this.queue = Promise.resolve();
    /** @type {(text: string) => void} */ this.onproblem = () => {};
    /** @type {() => void} */ this.onframe = () => {};
    this.ask = spaced(() => this.#ask(), VIEW_GAP_MS);
    paneArea.onview = () => this.ask();
    session.on("frame", (header, payload) => {
      this.queue = this.queue.then(() => this.#take(header, payload ?? new Uint8Array()));
    });
  }

  /** Request the view again although nothing changed: the server lost it, or has another scene. */
  askAgain() {
    this.lastRequest = "";
    this.ask();
  }

  /** Return the panes to request: slow ones after the others, and not while the light moves. */
  get panes() {
    const { scene } = this.session;
    if (!scene) return [];
    const quick = this.paneArea.panes.filter((pane) => !isSlow(pane, scene));
    const early = this.light.coarseness > 1 || this.frame?.scene !== scene.id;
    return early && quick.length ? quick : this.paneArea.panes;
  }

  #ask() {
    const { scene } = this.session;
    const { paneArea, tone, light, level, turn, inputs, panes } = this;
    if (!scene || scene !== paneArea.scene || !paneArea.panes.length) return;
    const drawn = { ...tone.request, ...level.request, ...inputs.request };
    const { region, width, height } = paneArea.request();
    const by = light.coarseness;
    const size = { width: Math.ceil(width / by), height: Math.ceil(height / by) };
    const placed = { ...light.request, ...turn.request };
    const view = { scene: scene.id, region, ...size, panes, parts: true, ...drawn, ...placed };
    const text = JSON.stringify(view);
    if (text === this.lastRequest) return;
    const id = this.id + 1;
    if (!this.connection.send({ type: "view", id, ...view })) return;
    this.id = id;
    this.lastRequest = text;
    const of = (/** @type {string} */ pane) => {
      const lit = scene.light?.panes.includes(pane) ? light.request : {};
      return JSON.stringify({ ...drawn, ...lit, ...(turn.shows(pane) ? turn.request : {}) });
    };
    this.looks.set(id, { of, by });
  }

  /** @param {import("./types.js").FrameHeader} header @param {Uint8Array} payload */
  async #take(header, payload) {
    try {
      const look = this.looks.get(header.view) ?? { of: () => "", by: 1 };
      for (const id of this.looks.keys()) if (id < header.view) this.looks.delete(id);
      const sharp = header.sharp && look.by === 1; // or at the requested size, which was smaller
      const pictures = await decodeFrame({ ...header, sharp }, payload, look.of);
      if (header.scene === this.paneArea.scene?.id) {
        this.paneArea.pictures.take(pictures);
        const first = this.frame?.scene !== header.scene;
        this.frame = header;
        if (first) this.ask(); // for slow panes too
        this.paneArea.draw();
        this.onframe();
      }
    } catch (problem) {
      this.onproblem(`A frame could not be shown: ${problem}`);
    }
    this.connection.send({ type: "received", id: header.id });
  }
}

/** The scene's own numbers at the pixel under the pointer. */
export class Values {
  /**
   * @param {import("./session.js").Session} session
   * @param {import("./connection.js").Connection} connection
   * @param {import("./pane_area.js").PaneArea} paneArea
   * @param {import("./level.js").Level} level
   */
  constructor(session, connection, paneArea, level) {
    this.session = session;
    this.connection = connection;
    this.paneArea = paneArea;
    this.level = level;
    this.place = byId("values");
    this.hint = this.place.textContent ?? "";
    this.id = 0;
    /** @type {[number, number] | null} */ this.at = null;
    this.ask = spaced(() => this.#ask(), VALUES_GAP_MS);
    paneArea.onpoint = (u, v) => {
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
    if (this.paneArea.cursor && this.at) this.ask();
  }

  #ask() {
    const { scene } = this.session;
    if (!scene || !this.at) return;
    this.id += 1;
    const [u, v] = this.at;
    this.connection.send({ type: "pick", id: this.id, scene: scene.id, u, v, ...this.level.request });
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
    const [width, height] = this.level.size ?? [scene.width, scene.height];
    const x = Math.min(width - 1, Math.floor(u * width));
    const y = Math.min(height - 1, Math.floor(v * height));
    const parts = [element("span", { class: "at" }, `x ${x}, y ${y}`)];
    for (const pane of this.#listed(Object.keys(values))) {
      const lit = this.paneArea.isLit(pane); // the server draws no single pixel of it
      const numbers = lit ? numbersAt(this.paneArea.picture(pane), u, v) : (values[pane] ?? []);
      if (!numbers.length) continue;
      const title = `${this.paneArea.offer?.titles.get(pane) ?? pane}${lit ? ", as shown" : ""}`;
      const text = numbers.map(channel).join("  ");
      parts.push(element("span", {}, element("span", { class: "soft" }, title), ` ${text}`));
    }
    this.place.replaceChildren(...parts);
  }

  /** Return the panes whose numbers are listed: all of a few, else the shown ones. */
  #listed(/** @type {string[]} */ known) {
    const { measured } = this.paneArea;
    return known.length > MOST_LISTED ? measured : [...new Set([...measured, ...known])];
  }
}
