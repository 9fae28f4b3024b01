/** Said to people: notices, each of which can be put away, and questions with a few answers. */

import { byId, element, setText } from "./dom.js";

const MOST = 3;
const NOTE_MS = 8_000;

/**
 * Say what was refused, or what is worth knowing.
 * @param {string} text
 * @param {"problem" | "note"} kind
 */
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

/**
 * Ask in a dialog; Escape answers nothing.
 * @param {string} question
 * @param {[string, string][]} answers value and text; the first one is proposed
 * @returns {Promise<string>} the value, "" for none
 */
export function ask(question, answers) {
  const dialog = /** @type {HTMLDialogElement} */ (byId("question"));
  if (dialog.open) return Promise.resolve("");
  setText(byId("question-text"), question);
  const buttons = answers.map(([value, text], i) => {
    return element("button", i ? { value } : { value, class: "primary", autofocus: "" }, text);
  });
  const cancel = element("button", { value: "" }, "Cancel");
  byId("answers").replaceChildren(...buttons, cancel);
  dialog.returnValue = "";
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => resolve(dialog.returnValue), { once: true });
  });
}
