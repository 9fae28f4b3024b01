/** A question with a few answers, in a dialog; Escape answers nothing. */

import { byId, element, setText } from "./dom.js";

/**
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
