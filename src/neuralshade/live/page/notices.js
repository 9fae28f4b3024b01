/** Lines for people: what was refused, what is worth knowing. Each can be put away. */

import { byId, element } from "./dom.js";

const MOST = 3;
const NOTE_MS = 8_000;

/** @param {string} text @param {"problem" | "note"} kind */
export function notice(text, kind = "problem") {
  const place = byId("notices");
  for (const line of [
    .../** @type {NodeListOf<HTMLElement>} */ (place.querySelectorAll(".notice")),
  ]) {
    const outdated = kind === "note" && line.classList.contains("note");
    if (outdated || line.dataset.text === text) line.remove();
  }
  const close = element(
    "button",
    { type: "button", class: "quiet", "aria-label": "Dismiss" },
    "Dismiss",
  );
  const role = kind === "problem" ? "alert" : "status";
  const line = element("div", { class: `notice ${kind}`, role }, element("p", {}, text), close);
  line.dataset.text = text;
  close.addEventListener("click", () => line.remove());
  if (kind === "note") window.setTimeout(() => line.remove(), NOTE_MS);
  place.append(line);
  while (place.children.length > MOST) place.firstElementChild?.remove();
}
