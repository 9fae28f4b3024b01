/** How the panes are shown: how many, a wipe, the zoom, the error's scale. */

import { byId, setText } from "./dom.js";
import * as format from "./format.js";

/** @param {import("./stage.js").Stage} stage */
export function connectToolbar(stage) {
  const counts = [1, 2, 3].map((count) => byId(`panes-${count}`));
  const wipe = byId("wipe");
  const scale = byId("error-scale");
  const form = byId("error-form");
  counts.forEach((button, i) => button.addEventListener("click", () => setCount(stage, i + 1)));
  wipe.addEventListener("click", () => toggleWipe(stage));
  byId("whole").addEventListener("click", () => stage.showWhole());
  byId("zoom-in").addEventListener("click", () => zoom(stage, 1));
  byId("zoom-out").addEventListener("click", () => zoom(stage, -1));
  byId("one-to-one").addEventListener("click", () => oneToOne(stage));
  scale.addEventListener("change", () => {
    stage.error_scale = Number(scale.value);
    stage.invalidate();
  });
  form.addEventListener("change", () => {
    stage.error_form = form.value;
    stage.layout();
  });
  stage.onlayout = () => {
    counts.forEach((button, i) => {
      button.disabled = i >= stage.most;
      button.setAttribute("aria-pressed", String(!stage.wiping && stage.count === i + 1));
    });
    wipe.disabled = stage.most < 2;
    wipe.setAttribute("aria-pressed", String(stage.wiping));
    const errors = stage.offer?.entries.some(([name]) => /^error(:|$)/.test(name));
    byId("error-forms").hidden = !errors;
    byId("error-scales").hidden = !errors || stage.form === "flip";
    form.querySelector("[value=flip]").disabled = !stage.flips.length;
    form.value = stage.form;
    setText(byId("zoom"), stage.scene ? format.zoom(stage.viewport.scale) : "");
    byId("whole").setAttribute("aria-pressed", String(stage.viewport.isWhole));
  };
  stage.onlayout();
}

/** @param {import("./stage.js").Stage} stage @param {number} count */
export function setCount(stage, count) {
  stage.wiping = false;
  stage.wanted = count;
  stage.layout();
}

/** @param {import("./stage.js").Stage} stage */
export function toggleWipe(stage) {
  stage.wiping = !stage.wiping && stage.most > 1;
  const [slot] = stage.slots;
  if (stage.wiping && slot.second === slot.pane) {
    const other = stage.offer?.entries.find(([name]) => name !== slot.pane);
    slot.second = other?.[0] ?? slot.second;
  }
  stage.layout();
}

/** Double the error's scale, or halve it; after the last comes the first. @param {1 | -1} by */
export function changeErrorScale(/** @type {1 | -1} */ by) {
  const scale = byId("error-scale");
  const count = scale.options.length;
  scale.selectedIndex = (scale.selectedIndex + by + count) % count;
  scale.dispatchEvent(new Event("change"));
}

/** @param {import("./stage.js").Stage} stage @param {1 | -1} direction */
export function zoom(stage, direction) {
  stage.viewport.zoomStep(direction);
  stage.moved();
}

/** @param {import("./stage.js").Stage} stage */
export function oneToOne(stage) {
  const { viewport } = stage;
  viewport.zoomAt(1, viewport.paneWidth / 2, viewport.paneHeight / 2);
  stage.moved();
}
