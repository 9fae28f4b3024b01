/** The command of a fit that is not started from the page, and why it is not. */

import { byId, setProse } from "./dom.js";
import { notice } from "./notices.js";

/** @typedef {import("./types.js").FitKind} FitKind */

/**
 * @param {FitKind} kind
 * @param {Record<string, string | number | string[] | null>} settings of the form, by flag
 * @param {boolean} runs_shaders whether what is code may be sent
 */
export function showCommand(kind, settings, runs_shaders) {
  const flags = Object.entries(settings).flatMap(([name, value]) => {
    if (Array.isArray(value)) return value.map((one) => `--${name} ${one}`);
    return value === null || (name === "seed" && value === 0) ? [] : [`--${name} ${value}`];
  });
  const parts = ["neuralshade fit", kind.name, kind.example, ...flags, "--live"];
  setProse(byId("command"), parts.join(" "), /(\S+)/);
  const reason = why(kind, runs_shaders);
  setProse(byId("terminal-why"), `${reason} a terminal, with yours in place of ${kind.example}:`);
}

/** Say what a kind takes, and why it is not sent from here. */
function why(/** @type {FitKind} */ kind, /** @type {boolean} */ runs_shaders) {
  const takes = kind.what ? `It takes ${kind.what}` : "It takes what this page does not send";
  const ends = kind.documents.join(", ");
  if (ends && runs_shaders) {
    return `${takes}. Choose ${kind.maps ? `maps or ${ends}` : `${ends} and its pictures`} here, or in`;
  }
  const code = `What ends with ${ends} runs as code: a server that was started with --run-shaders takes it. In`;
  if (ends) return `${takes}. ${kind.maps ? "Choose maps here. " : ""}${code}`;
  return kind.maps ? `${takes}. Choose maps here, or in` : `${takes}. In`;
}

/** Copy the command; where the browser does not allow it, select it for Ctrl-C. */
export async function copyCommand() {
  const place = byId("command");
  try {
    await navigator.clipboard.writeText(place.textContent ?? "");
    notice("The command is copied.", "note");
  } catch {
    getSelection()?.selectAllChildren(place);
  }
}
