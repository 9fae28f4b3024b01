/**
 * How pictures are drawn. A scene's facts say what there is to choose: of light beyond one (`hdr`)
 * an exposure and a curve, of a plane (`plane`) where its light stands.
 */

import { byId } from "./dom.js";

const DEGREES_PER_PX = 0.4;
const LEAST_DEG = 2; // of the light over the plane
const MOVING = 2; // each side is divided by it while the light moves: a plane takes long to draw
const STILL_MS = 350;

/** Exposure and gamma of pictures in linear light. */
export class Tone {
  /**
   * @param {import("./session.js").Session} session
   * @param {() => void} changed called when pictures must be asked for again
   */
  constructor(session, changed) {
    this.session = session;
    this.exposure = 0; // stops
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
    this.slider.addEventListener("dblclick", () => set(0));
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

  /** Return what it adds to the address of a snapshot. */
  get query() {
    if (!this.session.scene?.hdr) return "";
    const asked = new URLSearchParams();
    asked.set("exposure", String(this.exposure));
    if (this.gamma !== null) asked.set("gamma", String(this.gamma));
    return `?${asked}`;
  }

  #enter() {
    const hdr = this.session.scene?.hdr ?? false;
    byId("tone").hidden = !hdr;
    if (hdr) return;
    this.exposure = 0; // or a picture of 8 bits would be shown with what an earlier one needed
    this.gamma = null;
    this.#show();
    this.curve.value = "";
  }

  #show() {
    this.slider.value = this.field.value = String(this.exposure);
  }
}

/** The light over a plane that recedes: dragged on the picture, or on a disc. */
export class Light {
  /**
   * @param {import("./session.js").Session} session
   * @param {() => void} changed called when pictures must be asked for again
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
    return this.session.scene?.plane ? { light: [this.azimuth_deg, this.elevation_deg] } : {};
  }

  /** Return by what each side of a view is divided. */
  get coarseness() {
    return this.moving && this.session.scene?.plane ? MOVING : 1;
  }

  /** Return whether it took a drag on the picture, of so many CSS pixels. */
  drag(/** @type {number} */ dx, /** @type {number} */ dy) {
    if (!this.session.scene?.plane) return false;
    this.#set(this.azimuth_deg + dx * DEGREES_PER_PX, this.elevation_deg - dy * DEGREES_PER_PX);
    return true;
  }

  #enter() {
    const { scene } = this.session;
    byId("light").hidden = !scene?.plane;
    if (!scene?.plane || scene.id === this.scene_id) return; // come back: the light stays
    this.scene_id = scene.id;
    this.azimuth_deg = scene.plane.azimuth_deg;
    this.elevation_deg = scene.plane.elevation_deg;
    this.#show();
  }

  #follow(/** @type {PointerEvent} */ event) {
    const box = this.disc.getBoundingClientRect();
    const x = (100 * (event.clientX - box.left)) / box.width - 50;
    const y = 50 - (100 * (event.clientY - box.top)) / box.height;
    const off = Math.min(1, Math.hypot(x, y) / 44);
    this.#set((Math.atan2(x, y) * 180) / Math.PI, 90 * (1 - off));
  }

  #set(/** @type {number} */ azimuth_deg, /** @type {number} */ elevation_deg) {
    if (!Number.isFinite(azimuth_deg) || !Number.isFinite(elevation_deg)) return this.#show();
    this.azimuth_deg = rounded(((((azimuth_deg + 180) % 360) + 360) % 360) - 180);
    this.elevation_deg = rounded(Math.min(Math.max(elevation_deg, LEAST_DEG), 90));
    this.#show();
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
    const angle = (this.azimuth_deg * Math.PI) / 180;
    const off = 1 - this.elevation_deg / 90; // the middle of the disc is right overhead
    const mark = byId("light-mark");
    mark.setAttribute("cx", String(50 + 44 * off * Math.sin(angle)));
    mark.setAttribute("cy", String(50 - 44 * off * Math.cos(angle)));
    const ray = byId("light-ray");
    ray.setAttribute("x2", mark.getAttribute("cx"));
    ray.setAttribute("y2", mark.getAttribute("cy"));
  }
}

/** @param {number} degrees */
function rounded(degrees) {
  return Math.round(degrees * 10) / 10;
}
