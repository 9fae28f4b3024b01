/** The keyboard, and the list of what it does. */

import { byId, element } from "./dom.js";
import { changeErrorScale, oneToOne, setCount, toggleWipe, zoom } from "./toolbar.js";

const PAN_CSS_PX = 60;

/**
 * @typedef {object} Key
 * @property {string[]} keys as events name them
 * @property {string} shown
 * @property {string} does
 * @property {(event: KeyboardEvent) => void} act
 */

/**
 * @param {import("./pane_area.js").PaneArea} paneArea
 * @param {import("./fit_panel.js").FitControls} fit
 * @param {import("./overlays.js").Overlays} overlays
 * @param {import("./level.js").Level} level
 * @param {import("./turn.js").Turn} turn
 */
export function connectKeys(paneArea, fit, overlays, level, turn) {
  const help = byId("help");
  const pan = (/** @type {KeyboardEvent} */ event) => {
    /** @type {Record<string, [number, number]>} */
    const directions = { ArrowLeft: [1, 0], ArrowRight: [-1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
    const [x, y] = directions[event.key];
    const px = PAN_CSS_PX * window.devicePixelRatio * (event.shiftKey ? 4 : 1);
    paneArea.viewport.panBy(x * px, y * px);
    paneArea.moved();
  };
  /** @type {Key[]} */
  const keys = [
    { keys: [" "], shown: "Space", does: "pause, resume", act: () => fit.toggle() },
    { keys: ["."], shown: ".", does: "one step", act: () => fit.step() },
    {
      keys: ["r"],
      shown: "r",
      does: "start again with another seed; asks first",
      act: () => fit.askReset(),
    },
    { keys: ["1"], shown: "1", does: "one pane", act: () => setCount(paneArea, 1) },
    { keys: ["2"], shown: "2", does: "two panes", act: () => setCount(paneArea, 2) },
    { keys: ["3"], shown: "3", does: "three panes", act: () => setCount(paneArea, 3) },
    { keys: ["w"], shown: "w", does: "wipe between two panes", act: () => toggleWipe(paneArea) },
    { keys: ["e"], shown: "e", does: "double the error's scale", act: () => changeErrorScale(1) },
    {
      keys: ["E"],
      shown: "Shift e",
      does: "halve the error's scale",
      act: () => changeErrorScale(-1),
    },
    { keys: ["m"], shown: "m", does: "next mip level", act: () => level.step(1) },
    { keys: ["M"], shown: "Shift m", does: "the mip level before", act: () => level.step(-1) },
    { keys: ["t"], shown: "t", does: "a drag moves the light, or the sphere or camera", act: () => turn.toggle() },
    { keys: ["o"], shown: "o", does: "next overlay", act: () => overlays.next() },
    { keys: ["+", "="], shown: "+", does: "zoom in", act: () => zoom(paneArea, 1) },
    { keys: ["-", "_"], shown: "-", does: "zoom out", act: () => zoom(paneArea, -1) },
    { keys: ["0"], shown: "0", does: "the whole picture", act: () => paneArea.showWhole() },
    {
      keys: ["9"],
      shown: "9",
      does: "one pixel of the picture on one of the screen",
      act: () => oneToOne(paneArea),
    },
    {
      keys: ["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown"],
      shown: "Arrows",
      does: "pan; with Shift, further",
      act: pan,
    },
    { keys: ["?"], shown: "?", does: "this list", act: () => help.showModal() },
  ];
  byId("key-list").replaceChildren(
    ...keys.map(({ shown, does }) =>
      element("div", {}, element("dt", {}, element("kbd", {}, shown)), element("dd", {}, does)),
    ),
  );
  byId("help-button").addEventListener("click", () => help.showModal());
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    if (document.querySelector("dialog[open]") || isTyping(event)) return;
    const found = keys.find((key) => key.keys.includes(event.key));
    if (!found) return;
    if (event.repeat && !/^(Arrow|[+=_-]|\.)/.test(event.key)) return;
    event.preventDefault();
    found.act(event);
  });
}

/** Whether the key belongs to the element that has the focus. @param {KeyboardEvent} event */
function isTyping(event) {
  const place = /** @type {HTMLElement} */ (event.target);
  if (place.closest("input:not([type=range], [type=checkbox], [type=file]), select, textarea"))
    return true;
  if (event.key === " ") return Boolean(place.closest("button, a, summary, input, label"));
  return event.key.startsWith("Arrow") && Boolean(place.closest("input, [role=slider]"));
}
