/** A lit plane that recedes to the horizon: its light is dragged on the picture, or on a disc. */

import { byId } from "./dom.js";

const DEGREES_PER_PX = 0.4;
const LEAST_DEG = 2; // of the light over the plane
const MOVING = 2; // each side is divided by it while the light moves: a plane takes long to draw
const STILL_MS = 350;

/** @param {() => void} changed @returns {import("./kinds.js").Kind} */
export function plane(changed) {
  const azimuth = byId("azimuth");
  const elevation = byId("elevation");
  const disc = byId("light-disc");
  const light = { azimuth_deg: 0, elevation_deg: 45 };
  let scene_id = -1;
  let moving = 0; // timer

  const set = (/** @type {number} */ azimuth_deg, /** @type {number} */ elevation_deg) => {
    if (!Number.isFinite(azimuth_deg) || !Number.isFinite(elevation_deg)) return show();
    light.azimuth_deg = rounded(((((azimuth_deg + 180) % 360) + 360) % 360) - 180);
    light.elevation_deg = rounded(Math.min(Math.max(elevation_deg, LEAST_DEG), 90));
    show();
    window.clearTimeout(moving);
    moving = window.setTimeout(() => {
      moving = 0;
      changed();
    }, STILL_MS);
    changed();
  };

  function show() {
    azimuth.value = String(light.azimuth_deg);
    elevation.value = String(light.elevation_deg);
    const angle = (light.azimuth_deg * Math.PI) / 180;
    const off = 1 - light.elevation_deg / 90; // the middle of the disc is right overhead
    const mark = byId("light-mark");
    mark.setAttribute("cx", String(50 + 44 * off * Math.sin(angle)));
    mark.setAttribute("cy", String(50 - 44 * off * Math.cos(angle)));
    const ray = byId("light-ray");
    ray.setAttribute("x2", mark.getAttribute("cx"));
    ray.setAttribute("y2", mark.getAttribute("cy"));
  }

  const fromDisc = (/** @type {PointerEvent} */ event) => {
    if (event.type === "pointermove" && !disc.hasPointerCapture(event.pointerId)) return;
    const box = disc.getBoundingClientRect();
    const x = (100 * (event.clientX - box.left)) / box.width - 50;
    const y = 50 - (100 * (event.clientY - box.top)) / box.height;
    const off = Math.min(1, Math.hypot(x, y) / 44);
    set((Math.atan2(x, y) * 180) / Math.PI, 90 * (1 - off));
  };
  disc.addEventListener("pointerdown", (/** @type {PointerEvent} */ event) => {
    disc.setPointerCapture(event.pointerId);
    fromDisc(event);
  });
  disc.addEventListener("pointermove", fromDisc);
  for (const field of [azimuth, elevation]) {
    field.addEventListener("change", () => set(azimuth.valueAsNumber, elevation.valueAsNumber));
  }

  return {
    applies: (scene) => scene.plane !== null && scene.plane !== undefined,
    panes: (scene) => [...new Set([...(scene.plane?.panes ?? []), ...scene.panes])],
    enter: (scene) => {
      byId("light").hidden = scene === null;
      if (!scene?.plane || scene.id === scene_id) return; // come back: the light stays
      scene_id = scene.id;
      Object.assign(light, {
        azimuth_deg: scene.plane.azimuth_deg,
        elevation_deg: scene.plane.elevation_deg,
      });
      show();
    },
    request: () => ({ light: [light.azimuth_deg, light.elevation_deg] }),
    coarseness: () => (moving ? MOVING : 1),
    drag: (dx, dy) => {
      set(light.azimuth_deg + dx * DEGREES_PER_PX, light.elevation_deg - dy * DEGREES_PER_PX);
      return true;
    },
  };
}

/** @param {number} degrees */
function rounded(degrees) {
  return Math.round(degrees * 10) / 10;
}
