/** Requests beside the WebSocket: files up and down. Refusals become notices. */

import { element } from "./dom.js";
import { notice } from "./notices.js";

/**
 * Send a request; return its answer, or null after saying why there is none.
 * @param {string} address
 * @param {RequestInit} [options]
 */
export async function request(address, options) {
  try {
    const answer = await fetch(address, options);
    if (answer.ok) return answer;
    const refused = await answer.json().catch(() => null);
    notice(refused?.refused ?? `The server answered ${answer.status} ${answer.statusText}.`);
  } catch {
    notice("The server does not answer. Nothing was sent.");
  }
  return null;
}

/** Download what is at `address` under the name that the server gives it. */
export async function download(/** @type {string} */ address, /** @type {string} */ otherwise) {
  const answer = await request(address);
  if (!answer) return;
  const link = element("a", { download: fileName(answer) ?? otherwise });
  link.href = URL.createObjectURL(await answer.blob());
  link.click();
  window.setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

/** @param {string} address @param {File} file */
export function upload(address, file) {
  const joint = address.includes("?") ? "&" : "?";
  const named = `${address}${joint}name=${encodeURIComponent(file.name)}`;
  const headers = { "Content-Type": "application/octet-stream" };
  return request(named, { method: "POST", headers, body: file });
}

/** @param {Response} answer @returns {string | null} */
function fileName(answer) {
  const header = answer.headers.get("Content-Disposition") ?? "";
  const encoded = /filename\*=UTF-8''([^;]+)/i.exec(header)?.[1];
  if (encoded) return decodeURIComponent(encoded);
  return /filename="?([^";]+)"?/i.exec(header)?.[1] ?? null;
}
