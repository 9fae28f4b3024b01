/** Said to people: notices, each of which can be put away, and questions with a few answers. */

import { byId, element, setProse, setText } from "./dom.js";

const MOST = 3;
const NOTE_MS = 8_000;
const PROBLEM_MS = 60_000; // it stands over pictures

/**
 * Say what was refused, or what is worth knowing; it goes by itself, sooner where it is past.
 * @param {string} text
 * @param {"problem" | "note"} kind
 */
export function notice(text, kind = "problem") {
  const place = byId("notices");
  for (const line of notices()) {
    const outdated = kind === "note" && line.classList.contains("note");
    if (outdated || line.dataset.text === text) line.remove();
  }
  const close = element(
    "button",
    { type: "button", class: "quiet", "aria-label": "Dismiss" },
    "Dismiss",
  );
  const role = kind === "problem" ? "alert" : "status";
  const line = element("div", { class: `notice ${kind}`, role }, element("p"), close);
  setProse(line.firstElementChild, text);
  line.dataset.text = text;
  close.addEventListener("click", () => line.remove());
  removeLater(line, kind === "note" ? NOTE_MS : PROBLEM_MS);
  place.append(line);
  while (place.children.length > MOST) place.firstElementChild?.remove();
}

/** Put away what is said elsewhere now. @param {string[]} texts */
export function retract(texts) {
  for (const line of notices()) if (texts.includes(line.dataset.text ?? "")) line.remove();
}

/** Put away problems: something else is shown than what they were of. Notes go soon anyway. */
export function forgetProblems() {
  for (const line of notices()) if (line.classList.contains("problem")) line.remove();
}

/** @returns {HTMLElement[]} */
function notices() {
  return [...byId("notices").querySelectorAll(".notice")];
}

/** Remove it after a while, but from nobody who points at it or has its button's focus. */
function removeLater(/** @type {HTMLElement} */ line, /** @type {number} */ wait_ms) {
  window.setTimeout(() => {
    if (line.matches(":hover, :focus-within")) removeLater(line, NOTE_MS);
    else line.remove();
  }, wait_ms);
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
