/** What this page knows of the server's session, and who wants to hear when it changes. */

/** @typedef {import("./types.js").Scene} Scene */
/** @typedef {import("./types.js").Fit} Fit */
/** @typedef {import("./types.js").Progress} Progress */
/** @typedef {import("./types.js").CurvePoint} CurvePoint */

export class Session {
  constructor() {
    /** @type {string} */ this.name = ""; // changes when the server restarts
    /** @type {Scene | null} */ this.scene = null;
    /** @type {Fit | null} */ this.fit = null;
    /** @type {Progress | null} */ this.progress = null;
    /** @type {string[]} panes whose quality is not whole yet */ this.measuring = [];
    /** @type {Record<string, import("./types.js").Quality> | null} */ this.quality = null;
    /** @type {import("./types.js").Preparing | null} */ this.preparing = null;
    /** @type {CurvePoint[]} */ this.curve = [];
    /** @type {string[]} */ this.presets = [];
    /** @type {string[]} */ this.transforms = [];
    /** @type {import("./types.js").FitKind[]} */ this.kinds = [];
    this.runs_shaders = false; // whether tasks and materials, which are code, may be sent
    /** @type {Map<string, ((message: any, payload?: Uint8Array) => void)[]>} */
    this.listeners = new Map();
  }

  /**
   * Call `listener` whenever a message of that type has been taken in.
   * @param {string} type
   * @param {(message: any, payload?: Uint8Array) => void} listener
   */
  on(type, listener) {
    this.listeners.set(type, [...(this.listeners.get(type) ?? []), listener]);
  }

  /**
   * @param {string} type
   * @param {any} [message]
   * @param {Uint8Array} [payload]
   */
  notify(type, message, payload) {
    for (const listener of this.listeners.get(type) ?? []) listener(message, payload);
  }

  /** Take one message of the server in, then tell who listens. @param {any} message */
  receive(message) {
    if (message.type === "hello") this.#greet(message);
    else {
      this.#keep(message);
      this.notify(message.type, message);
    }
  }

  /** Replace everything: after a reconnection the server's history is the true one. */
  #greet(/** @type {any} */ hello) {
    this.renewed = this.name !== hello.session;
    this.name = hello.session;
    this.presets = hello.presets ?? [];
    this.transforms = hello.transforms ?? [];
    this.kinds = hello.kinds ?? [];
    this.runs_shaders = hello.runs_shaders ?? false;
    this.scene = hello.scene;
    this.fit = hello.fit;
    this.progress = hello.progress;
    this.quality = hello.quality ?? null;
    this.measuring = hello.measuring ?? [];
    this.preparing = hello.preparing ?? null;
    this.curve = hello.curve ?? [];
    const parts = ["hello", "scene", "fit", "progress", "quality", "preparing", "curve"];
    for (const type of parts) this.notify(type, hello);
  }

  #keep(/** @type {any} */ message) {
    if (message.type === "scene") this.scene = message.scene;
    else if (message.type === "fit") this.fit = message.fit;
    else if (message.type === "quality") this.quality = message.quality;
    else if (message.type === "measuring") this.measuring = message.measuring;
    else if (message.type === "preparing") this.preparing = message.preparing;
    else if (message.type === "progress") {
      this.progress = message.step === undefined ? null : message; // {progress: null}: none
    } else if (message.type === "curve") {
      if (message.reset) this.curve = [];
      for (const point of message.points ?? []) this.curve.push(point);
    }
  }
}
