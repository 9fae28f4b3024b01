/** Exposure and gamma of pictures in linear light. */

import { byId } from "./dom.js";

/**
 * @param {import("./session.js").Session} session
 * @param {{exposure: number, gamma: number | null}} tone
 * @param {() => void} changed
 */
export function connectTone(session, tone, changed) {
  const slider = byId("exposure");
  const field = byId("exposure-value");
  const gamma = byId("gamma");
  const set = (/** @type {number} */ stops) => {
    if (Number.isFinite(stops)) tone.exposure = Math.min(Math.max(stops, -16), 16);
    slider.value = field.value = String(tone.exposure);
    changed();
  };
  slider.addEventListener("input", () => set(slider.valueAsNumber));
  slider.addEventListener("dblclick", () => set(0));
  field.addEventListener("change", () => set(field.valueAsNumber));
  gamma.addEventListener("change", () => {
    tone.gamma = gamma.value === "" ? null : Number(gamma.value);
    changed();
  });
  session.on("scene", () => {
    const hdr = session.scene?.hdr ?? false;
    byId("tone").hidden = !hdr;
    if (hdr) return;
    tone.exposure = 0; // or a picture of 8 bits would be shown with what an earlier one needed
    tone.gamma = null;
    slider.value = field.value = "0";
    gamma.value = "";
  });
}
