/** What lies inside the model, over the result: a feature grid, or the Gaussians' centres. */

import { byId, setOptions, setText } from "./dom.js";
import { paintPicture } from "./paint.js";
import { AS_THEY_ARE } from "./pictures.js";

const AGAIN_MS = 2000; // between two requests while a fit changes it

export class Overlays {
  /**
   * @param {import("./session.js").Session} session
   * @param {import("./connection.js").Connection} connection
   * @param {import("./pane_area.js").PaneArea} paneArea
   */
  constructor(session, connection, paneArea) {
    this.session = session;
    this.connection = connection;
    this.paneArea = paneArea;
    this.opacity = 0.6;
    this.choice = byId("overlay");
    /** @type {import("./types.js").Picture | null} */ this.picture = null;
    /** @type {Float32Array | null} u, v of each point */ this.points = null;
    this.timer = 0;
    paneArea.over.push((context, viewport) => this.paint(context, viewport));
    session.on("scene", () => this.#offer());
    session.on("fit", () => this.#ask());
    session.on("overlay", (header, payload) => this.#take(header, payload ?? new Uint8Array()));
    this.choice.addEventListener("change", () => this.#choose());
    byId("overlay-opacity").addEventListener("input", (/** @type {any} */ event) => {
      this.opacity = Number(event.target.value) / 100;
      paneArea.invalidate();
    });
  }

  /** Go on to the next overlay, or to none after the last. */
  next() {
    const count = this.choice.options.length;
    if (count < 2) return;
    this.choice.selectedIndex = (this.choice.selectedIndex + 1) % count;
    this.#choose();
  }

  #offer() {
    const overlays = this.session.scene?.overlays ?? [];
    /** @type {[string, string][]} */
    const entries = overlays.map(({ name }) => [name, name]);
    setOptions(this.choice, [["", "None"], ...entries]);
    byId("overlays").hidden = !overlays.length;
    this.#choose();
  }

  #choose() {
    this.picture = this.points = null;
    byId("overlay-opacity").disabled = !this.choice.value;
    setText(byId("overlay-caption"), "");
    this.paneArea.invalidate();
    this.#ask();
  }

  #ask() {
    window.clearTimeout(this.timer);
    const { scene } = this.session;
    if (!scene || !this.choice.value) return;
    if (document.hidden) this.#askLater();
    else this.connection.send({ type: "overlay", scene: scene.id, name: this.choice.value });
  }

  /** @param {any} header @param {Uint8Array} payload */
  async #take(header, payload) {
    const needed = () => {
      return header.scene === this.session.scene?.id && header.name === this.choice.value;
    };
    if (!needed()) return;
    if (header.kind === "points") {
      this.points = new Float32Array(payload.slice(0, 8 * header.count).buffer);
      setText(byId("overlay-caption"), `${header.count.toLocaleString("en-US")} points`);
    } else {
      const source = await createImageBitmap(
        new Blob([payload.slice()], { type: "image/png" }),
        AS_THEY_ARE,
      );
      if (!needed()) return;
      const { width, height } = source;
      const rest = { step: null, sharp: true, look: "" };
      this.picture = { source, width, height, region: [0, 0, 1, 1], ...rest };
      setText(byId("overlay-caption"), header.caption ?? "");
    }
    this.paneArea.invalidate();
    if (this.session.fit?.state === "running") this.#askLater();
  }

  #askLater() {
    window.clearTimeout(this.timer);
    this.timer = window.setTimeout(() => this.#ask(), AGAIN_MS);
  }

  /**
   * @param {CanvasRenderingContext2D} context
   * @param {import("./viewport.js").Viewport} viewport
   */
  paint(context, viewport) {
    context.globalAlpha = this.opacity;
    if (this.picture) paintPicture(context, viewport, this.picture);
    if (this.points) paintPoints(context, viewport, this.points);
    context.globalAlpha = 1;
  }
}

/** Draw squares with a dark rim, larger ones where there is room between them. */
function paintPoints(
  /** @type {CanvasRenderingContext2D} */ context,
  /** @type {import("./viewport.js").Viewport} */ viewport,
  /** @type {Float32Array} */ points,
) {
  const { left, top, width, height } = viewport.rect();
  const room = Math.sqrt((2 * width * height) / points.length); // between two, device pixels
  const ratio = window.devicePixelRatio;
  const side = Math.round(Math.min(Math.max(room / 6, ratio), 4 * ratio));
  for (const [color, size] of /** @type {const} */ ([
    ["#000", side + 2 * ratio],
    ["#fff", side],
  ])) {
    if (size === side + 2 * ratio && room < 6 * ratio) continue; // rims alone would be seen
    context.fillStyle = color;
    for (let i = 0; i < points.length; i += 2) {
      const x = left + points[i] * width - size / 2;
      const y = top + points[i + 1] * height - size / 2;
      context.fillRect(Math.round(x), Math.round(y), size, size);
    }
  }
}
