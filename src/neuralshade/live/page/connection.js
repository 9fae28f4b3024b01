/**
 * To the server and back: a WebSocket, which comes back by itself, waits longer each time and says
 * so; and beside it files up and down, whose refusals become notices.
 */

import { element } from "./dom.js";
import { notice } from "./notices.js";

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 8000;

/** Return the header and the bytes after it. @param {ArrayBuffer} buffer */
export function splitBinary(buffer) {
  const size = new DataView(buffer).getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, size)));
  return { header, payload: new Uint8Array(buffer, 4 + size) };
}

export class Connection {
  /** @param {import("./session.js").Session} session */
  constructor(session) {
    this.session = session;
    /** @type {WebSocket | null} */ this.socket = null;
    this.greeted = false;
    this.wait_ms = FIRST_WAIT_MS;
    this.timer = 0;
    document.addEventListener("visibilitychange", () => {
      this.#tellVisible();
      if (!document.hidden) this.#hurry();
    });
    window.addEventListener("online", () => this.#hurry());
  }

  open() {
    this.session.notify("connection", { state: "connecting", wait_ms: 0 });
    const address = new URL("events", location.href);
    address.protocol = address.protocol === "https:" ? "wss:" : "ws:";
    address.search = "";
    address.hash = "";
    const socket = new WebSocket(address);
    socket.binaryType = "arraybuffer";
    socket.addEventListener("message", (event) => this.#take(event.data));
    socket.addEventListener("close", () => this.#closed());
    this.socket = socket;
  }

  /** Send it, or return false where there is no connection. @param {object} message */
  send(message) {
    if (!this.greeted || this.socket?.readyState !== WebSocket.OPEN) return false;
    this.socket.send(JSON.stringify(message));
    return true;
  }

  /** @param {string | ArrayBuffer} data */
  #take(data) {
    if (typeof data !== "string") {
      const { header, payload } = splitBinary(data);
      this.session.notify(header.type, header, payload);
      return;
    }
    const message = JSON.parse(data);
    if (message.type === "hello") {
      this.greeted = true;
      this.wait_ms = FIRST_WAIT_MS;
      this.session.notify("connection", { state: "open", wait_ms: 0 });
      if (document.hidden) this.#tellVisible();
    }
    this.session.receive(message);
  }

  #closed() {
    this.greeted = false;
    this.socket = null;
    this.session.notify("connection", { state: "lost", wait_ms: this.wait_ms });
    this.timer = window.setTimeout(() => this.#retry(), this.wait_ms);
    this.wait_ms = Math.min(LONGEST_WAIT_MS, this.wait_ms * 2);
  }

  #retry() {
    window.clearTimeout(this.timer);
    this.timer = 0;
    this.open();
  }

  /** Somebody looks again, or the network is back: do not wait any longer. */
  #hurry() {
    if (!this.timer || this.socket) return;
    this.wait_ms = FIRST_WAIT_MS;
    this.#retry();
  }

  #tellVisible() {
    this.send({ type: "visible", visible: !document.hidden });
  }
}

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
