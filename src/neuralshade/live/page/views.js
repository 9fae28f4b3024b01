/** Asks for what the panes show, takes the frames that answer. */

import { spaced } from "./dom.js";
import { decodeFrame } from "./pictures.js";

const GAP_MS = 90; // between two views while the picture is dragged

export class Views {
  /**
   * @param {import("./session.js").Session} session
   * @param {import("./connection.js").Connection} connection
   * @param {import("./stage.js").Stage} stage
   * @param {{exposure: number, gamma: number | null}} tone
   */
  constructor(session, connection, stage, tone) {
    this.session = session;
    this.connection = connection;
    this.stage = stage;
    this.tone = tone;
    this.id = 0;
    this.asked = "";
    /** @type {Map<number, string>} how the pictures of a view look, by its id */
    this.looks = new Map();
    /** @type {import("./types.js").FrameHeader | null} */ this.frame = null;
    this.queue = Promise.resolve();
    /** @type {(text: string) => void} */ this.onproblem = () => {};
    /** @type {() => void} */ this.onframe = () => {};
    this.ask = spaced(() => this.#ask(), GAP_MS);
    stage.onview = () => this.ask();
    session.on("frame", (header, payload) => {
      this.queue = this.queue.then(() => this.#take(header, payload ?? new Uint8Array()));
    });
  }

  /** Ask even if nothing changed: the server forgot, or shows another scene. */
  askAgain() {
    this.asked = "";
    this.ask();
  }

  #ask() {
    const { scene } = this.session;
    const { stage, tone } = this;
    if (!scene || scene !== stage.scene || !stage.panes.length) return;
    const drawn = { exposure: tone.exposure, gamma: tone.gamma, ...stage.kind.request() };
    const { region, width, height } = stage.viewport.request();
    const by = stage.kind.coarseness();
    const size = { width: Math.ceil(width / by), height: Math.ceil(height / by) };
    const view = { scene: scene.id, region, ...size, panes: stage.panes, ...drawn };
    const text = JSON.stringify(view);
    if (text === this.asked) return;
    const id = this.id + 1;
    if (!this.connection.send({ type: "view", id, ...view })) return;
    this.id = id;
    this.asked = text;
    this.looks.set(id, JSON.stringify(drawn));
  }

  /** @param {import("./types.js").FrameHeader} header @param {Uint8Array} payload */
  async #take(header, payload) {
    try {
      const look = this.looks.get(header.view) ?? "";
      for (const id of this.looks.keys()) if (id < header.view) this.looks.delete(id);
      const pictures = await decodeFrame(header, payload, look);
      if (header.scene === this.stage.scene?.id) {
        this.stage.pictures.take(pictures);
        this.frame = header;
        this.stage.draw();
        this.onframe();
      }
    } catch (problem) {
      this.onproblem(`A frame could not be shown: ${problem}`);
    }
    this.connection.send({ type: "received", id: header.id });
  }
}
