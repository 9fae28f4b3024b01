/** How the panes are shown: how many, a wipe, the zoom, the error's scale. */

import { byId, setText } from "./dom.js";
import * as format from "./format.js";

/** @param {import("./pane_area.js").PaneArea} paneArea */
export function connectToolbar(paneArea) {
  const counts = [1, 2, 3].map((count) => byId(`panes-${count}`));
  const wipe = byId("wipe");
  const scale = byId("error-scale");
  const form = byId("error-form");
  counts.forEach((button, i) => button.addEventListener("click", () => setCount(paneArea, i + 1)));
  wipe.addEventListener("click", () => toggleWipe(paneArea));
  byId("whole").addEventListener("click", () => paneArea.showWhole());
  byId("zoom-in").addEventListener("click", () => zoom(paneArea, 1));
  byId("zoom-out").addEventListener("click", () => zoom(paneArea, -1));
  byId("one-to-one").addEventListener("click", () => oneToOne(paneArea));
  scale.addEventListener("change", () => {
    paneArea.error_scale = Number(scale.value);
    paneArea.invalidate();
  });
  form.addEventListener("change", () => {
    paneArea.error_form = form.value;
    paneArea.layout();
  });
  paneArea.onlayout = () => {
    counts.forEach((button, i) => {
      button.disabled = i >= paneArea.most;
      button.setAttribute("aria-pressed", String(!paneArea.wiping && paneArea.count === i + 1));
    });
    wipe.disabled = paneArea.most < 2;
    wipe.setAttribute("aria-pressed", String(paneArea.wiping));
    const errors = paneArea.offer?.entries.some(([name]) => /^error(:|$)/.test(name));
    byId("error-forms").hidden = !errors;
    byId("error-scales").hidden = !errors || paneArea.form === "flip";
    form.querySelector("[value=flip]").disabled = !paneArea.flips.length;
    form.value = paneArea.form;
    setText(byId("zoom"), paneArea.scene ? format.zoom(paneArea.viewport.scale) : "");
    byId("whole").setAttribute("aria-pressed", String(paneArea.viewport.isWhole));
  };
  paneArea.onlayout();
}

/** @param {import("./pane_area.js").PaneArea} paneArea @param {number} count */
export function setCount(paneArea, count) {
  paneArea.wiping = false;
  paneArea.requested = count;
  paneArea.layout();
}

/** @param {import("./pane_area.js").PaneArea} paneArea */
export function toggleWipe(paneArea) {
  paneArea.wiping = !paneArea.wiping && paneArea.most > 1;
  const [slot] = paneArea.slots;
  if (paneArea.wiping && slot.second === slot.pane) {
    const other = paneArea.offer?.entries.find(([name]) => name !== slot.pane);
    slot.second = other?.[0] ?? slot.second;
  }
  paneArea.layout();
}

/** Double the error's scale, or halve it; after the last comes the first. @param {1 | -1} by */
export function changeErrorScale(/** @type {1 | -1} */ by) {
  const scale = byId("error-scale");
  const count = scale.options.length;
  scale.selectedIndex = (scale.selectedIndex + by + count) % count;
  scale.dispatchEvent(new Event("change"));
}

/** @param {import("./pane_area.js").PaneArea} paneArea @param {1 | -1} direction */
export function zoom(paneArea, direction) {
  paneArea.viewport.zoomStep(direction);
  paneArea.moved();
}

/** @param {import("./pane_area.js").PaneArea} paneArea */
export function oneToOne(paneArea) {
  const { viewport } = paneArea;
  viewport.zoomAt(1, viewport.paneWidth / 2, viewport.paneHeight / 2);
  paneArea.moved();
}
