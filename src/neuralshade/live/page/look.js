/**
 * How pictures are drawn. A scene's facts say what there is to choose: of light beyond one (`hdr`)
 * an exposure and a curve, of what is lit (`light`) where its light stands.
 */

import { byId, setText } from "./dom.js";
import { errorOf } from "./panes.js";

const DEGREES_PER_PX = 0.4; // of a drag on a picture
const DISC_PER_PX = 0.2; // the same on a sphere, in hundredths of the disc's box
const LEAST_DEG = 2; // of the light's elevation
const RIM = 44; // radius of the disc, of its box of 100
const MOVING = 2; // each side is divided by it while the light moves: a plane takes long to draw
const STILL_MS = 350;

/** Exposure and gamma of pictures in linear light. */
export class Tone {
  /**
   * @param {import("./session.js").Session} session
   * @param {() => void} changed called when pictures must be requested again
   */
  constructor(session, changed) {
    this.session = session;
    this.exposure = 0; // stops
    this.scene_id = -1; // whose exposure it is
    /** @type {number | null} null: the sRGB curve */ this.gamma = null;
    this.slider = byId("exposure");
    this.field = byId("exposure-value");
    this.curve = byId("gamma");
    const set = (/** @type {number} */ stops) => {
      if (Number.isFinite(stops)) this.exposure = Math.min(Math.max(stops, -16), 16);
      this.#show();
      changed();
    };
    this.slider.addEventListener("input", () => set(this.slider.valueAsNumber));
    this.slider.addEventListener("dblclick", () => set(session.scene?.stops ?? 0));
    this.field.addEventListener("change", () => set(this.field.valueAsNumber));
    this.curve.addEventListener("change", () => {
      this.gamma = this.curve.value === "" ? null : Number(this.curve.value);
      changed();
    });
    session.on("scene", () => this.#enter());
  }

  /** Return what it adds to a `view` message. */
  get request() {
    return { exposure: this.exposure, gamma: this.gamma };
  }

  /** Return what it adds to the address of a snapshot. @returns {Record<string, string>} */
  get query() {
    if (!this.session.scene?.hdr) return {};
    const gamma = this.gamma === null ? {} : { gamma: String(this.gamma) };
    return { exposure: String(this.exposure), ...gamma };
  }

  #enter() {
    const { scene } = this.session;
    byId("tone").hidden = !scene?.hdr;
    if (!scene || scene.id === this.scene_id) return; // come back: the exposure stays
    this.scene_id = scene.id;
    this.exposure = scene.stops;
    if (scene.hdr) return this.#show();
    this.gamma = null; // or a picture of 8 bits would be shown with what an earlier one needed
    this.#show();
    this.curve.value = "";
  }

  #show() {
    this.slider.value = this.field.value = String(this.exposure);
  }
}

/**
 * The light over a plane that recedes, or on a sphere: dragged on the picture, or on a disc, whose
 * middle is right overhead or, of a sphere, right behind the eye.
 */
export class Light {
  /**
   * @param {import("./session.js").Session} session
   * @param {() => void} changed called when pictures must be requested again
   */
  constructor(session, changed) {
    this.session = session;
    this.changed = changed;
    this.azimuth_deg = 0;
    this.elevation_deg = 45;
    this.scene_id = -1; // whose light it is
    this.moving = 0; // timer
    this.disc = byId("light-disc");
    this.azimuth = byId("azimuth");
    this.elevation = byId("elevation");
    this.disc.addEventListener("pointerdown", (/** @type {PointerEvent} */ event) => {
      this.disc.setPointerCapture(event.pointerId);
      this.#follow(event);
    });
    this.disc.addEventListener("pointermove", (/** @type {PointerEvent} */ event) => {
      if (this.disc.hasPointerCapture(event.pointerId)) this.#follow(event);
    });
    for (const field of [this.azimuth, this.elevation]) {
      field.addEventListener("change", () => {
        this.#set(this.azimuth.valueAsNumber, this.elevation.valueAsNumber);
      });
    }
    session.on("scene", () => this.#enter());
  }

  /** Return what it adds to a `view` message. */
  get request() {
    return this.session.scene?.light ? { light: [this.azimuth_deg, this.elevation_deg] } : {};
  }

  /** Return by what each side of a view is divided. */
  get coarseness() {
    return this.moving && this.session.scene?.light ? MOVING : 1;
  }

  /** Return whether it took a drag on a pane, of so many CSS pixels. */
  drag(/** @type {number} */ dx, /** @type {number} */ dy, /** @type {string} */ pane) {
    const light = this.session.scene?.light;
    if (!light?.panes.includes(errorOf(pane) ?? pane)) return false;
    if (light.middle === "eye") {
      const [x, y] = this.#mark();
      this.#point(x + dx * DISC_PER_PX, y - dy * DISC_PER_PX); // a highlight goes with the pointer
    } else this.#set(this.azimuth_deg + dx * DEGREES_PER_PX, this.elevation_deg - dy * DEGREES_PER_PX);
    return true;
  }

  #enter() {
    const { scene } = this.session;
    byId("light").hidden = !scene?.light;
    if (!scene?.light || scene.id === this.scene_id) return; // come back: the light stays
    this.scene_id = scene.id;
    this.azimuth_deg = rounded(scene.light.azimuth_deg);
    this.elevation_deg = rounded(scene.light.elevation_deg);
    const sphere = scene.light.middle === "eye";
    const planes = scene.light.panes.some((pane) => pane.endsWith("plane"));
    const many = sphere ? planes : scene.turned.length > 0; // or what a camera goes around
    setText(byId("light-what"), many ? "a picture" : sphere ? "the sphere" : "the plane");
    const [seen, middle] = sphere ? ["as the eye sees it", "behind the eye"] : ["from above", "overhead"];
    this.disc.setAttribute("aria-label", `Light ${seen}; the middle is right ${middle}`);
    this.#show();
  }

  #follow(/** @type {PointerEvent} */ event) {
    const box = this.disc.getBoundingClientRect();
    const x = (100 * (event.clientX - box.left)) / box.width - 50;
    const y = 50 - (100 * (event.clientY - box.top)) / box.height;
    this.#point(x, y);
  }

  /** Set the light where that place on the disc is, from its middle, y up. */
  #point(/** @type {number} */ x, /** @type {number} */ y) {
    const off = Math.min(1, Math.hypot(x, y) / RIM);
    this.#set((Math.atan2(x, y) * 180) / Math.PI, 90 * (1 - off));
  }

  /** Return where the light's mark is on the disc, from its middle, y up. */
  #mark() {
    const angle = (this.azimuth_deg * Math.PI) / 180;
    const off = RIM * (1 - this.elevation_deg / 90); // the middle of the disc is at 90 degrees
    return [off * Math.sin(angle), off * Math.cos(angle)];
  }

  #set(/** @type {number} */ azimuth_deg, /** @type {number} */ elevation_deg) {
    if (!Number.isFinite(azimuth_deg) || !Number.isFinite(elevation_deg)) return this.#show();
    this.azimuth_deg = rounded(((((azimuth_deg + 180) % 360) + 360) % 360) - 180);
    this.elevation_deg = rounded(Math.min(Math.max(elevation_deg, LEAST_DEG), 90));
    this.#show();
    this.move();
  }

  /** Something is dragged: ask for coarse pictures, and for fine ones when it stands still. */
  move() {
    window.clearTimeout(this.moving);
    this.moving = window.setTimeout(() => {
      this.moving = 0;
      this.changed();
    }, STILL_MS);
    this.changed();
  }

  #show() {
    this.azimuth.value = String(this.azimuth_deg);
    this.elevation.value = String(this.elevation_deg);
    const [x, y] = this.#mark();
    const mark = byId("light-mark");
    mark.setAttribute("cx", String(50 + x));
    mark.setAttribute("cy", String(50 - y));
    const ray = byId("light-ray");
    ray.setAttribute("x2", mark.getAttribute("cx"));
    ray.setAttribute("y2", mark.getAttribute("cy"));
  }
}

/** @param {number} degrees */
function rounded(degrees) {
  return Math.round(degrees * 10) / 10;
}
